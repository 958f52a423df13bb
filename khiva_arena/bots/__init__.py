"""One bot: its bytes, its walls, its ticks.

A module may import common. Begin with ``bots/protocol/session.py`` for the bytes,
``bots/sandbox/level.py`` for the walls and ``bots/modules/runner`` for the ticks.
"""
