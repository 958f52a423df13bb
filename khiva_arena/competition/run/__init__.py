"""A whole run: who plays, playing, messages, the live page. Begin with ``run.py``."""
