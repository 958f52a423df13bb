"""Definition and record of a match, and playing it again. Begin with ``record.py``."""
