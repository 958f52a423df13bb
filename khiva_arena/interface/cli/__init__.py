"""The words and options of each command. Begin with ``main.py``."""
