"""The names of the formats, for whoever needs no more of them: their modules take long to import."""

from enum import StrEnum


class Format(StrEnum):
    """The names of the formats, as ``--format`` and definitions have them."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    SPRT = "sprt"


OF_SOME = ("rounds", "advance", "candidates")
"""The settings that only some formats have."""
ALL_MEET = "all-meet"
"""What a definition says whose line-ups are a set in which all bots meet, see ``coverings``."""
