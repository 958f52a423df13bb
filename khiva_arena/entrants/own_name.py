"""The name of a bot by itself: another than in an event where two bots have the
same.
"""

from khiva_arena.entrants.bots import load
from khiva_arena.errors import ConfigError


def own_name(word: str, name: str) -> str:
    """Return the name that a bot has in commands which name no other bot.

    word: by which it is named. name: returned if the word names none that can be read.
    """
    try:
        return load(word).name
    except ConfigError:
        return name
