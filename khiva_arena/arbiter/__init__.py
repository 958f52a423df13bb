"""One match: who is asked, under which clock, by which processes.

A module may import common, rating, bots and records. Begin with ``match.py``.
"""
