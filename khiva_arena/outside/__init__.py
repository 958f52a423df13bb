"""Games that do not come with the arena: users hand them over, and their code runs in processes of its own.

The code of such a game runs nowhere else.
"""
