"""Standings and their sections, as data and as text. Begin with ``standings.py``."""
