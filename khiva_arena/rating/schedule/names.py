"""The names of the formats, apart from their modules, which take long to import."""

from enum import StrEnum


class Format(StrEnum):
    """The names of the formats, as ``--format`` and definitions have them."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    SPRT = "sprt"
    LEAGUE = "league"
    PLAY = "play"


ALONE = (Format.LEAGUE, Format.PLAY)
"""The formats that no ``run`` plays: a league does, and the command ``play``."""


OF_SOME = ("rounds", "advance", "candidates")
"""The settings that only some formats have."""
ALL_MEET = "all-meet"
"""The word of a definition whose line-ups are a set in which all bots meet, see
``coverings``.
"""
