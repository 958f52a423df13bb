"""Games that do not come with the arena: users hand them over, and each runs in its own
processes.

The code of such a game runs nowhere else.
"""
