"""From results to tables; nothing here plays.

A module may import common and the games. Begin with ``rating/ratings/elo.py``, or with
``rating/report/standings.py`` for the table.
"""
