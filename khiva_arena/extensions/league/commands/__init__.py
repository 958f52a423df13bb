"""The work of ``league`` and ``submit``. Begin with ``league.py``."""
