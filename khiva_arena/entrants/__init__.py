"""Bots: found, copied, hashed, built, started to try them.

A module may import common, rating, bots, records and the arbiter. Begin with
``bots.py``.
"""
