"""Matches of a definition, made into rows of a store. Begin with ``executor.py``."""
