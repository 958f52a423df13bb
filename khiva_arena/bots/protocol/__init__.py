"""Bytes of a bot in, outcomes out; no I/O, no clock. Begin with ``session.py``."""
