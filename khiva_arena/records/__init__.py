"""What was played, and playing it again.

A module may import common, rating and bots. Begin with ``records/replay/record.py`` for
a match and ``records/store/db.py`` for a store.
"""
