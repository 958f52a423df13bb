"""A league: a chain of small committed events whose bots change. Begin with
``player/player.py``.
"""
