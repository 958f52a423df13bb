"""The games that a command was handed, passed on to our helper processes by a variable
that bots never see.
"""

import os

from khiva_arena.common.handed import VARIABLE


def take() -> None:
    """Let the games that the parent command was handed be run in this process, too."""
    words = os.environ.get(VARIABLE)
    if words:
        import msgspec  # not above: few commands are handed a game

        from khiva_arena.arbiter.handed_games import offer

        offer(msgspec.json.decode(words, type=list[str]))
