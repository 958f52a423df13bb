"""The work of each command, in a file named like it. Begin with ``run.py``."""
