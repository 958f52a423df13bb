"""The names that ``import khiva_arena`` offers. Begin with ``competitions.py``."""
