"""Levels of isolation, limits, and the end of processes. Begin with ``level.py``."""
