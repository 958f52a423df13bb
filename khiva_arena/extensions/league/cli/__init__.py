"""The words and options of ``league`` and ``submit``. Begin with ``league.py``."""
