"""The page of results as one HTML file, and its scripts. Begin with ``html.py``."""
