"""Whether rows are sound. Begin with ``store.py``."""
