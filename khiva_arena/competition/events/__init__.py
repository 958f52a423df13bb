"""The events of a store: found, pooled, tabled, extended. Begin with ``source.py``."""
