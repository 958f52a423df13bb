"""How a seat and a match ended. A forfeit is data, never an exception that leaves a match."""

from collections.abc import Sequence
from enum import StrEnum


class Verdict(StrEnum):
    """Fixed words. All but ``ok`` and ``void`` blame one seat; ``void`` blames the host and is never rated."""

    OK = "ok"
    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    PROTOCOL = "protocol"
    CRASHED = "crashed"
    FLOODED = "flooded"
    RESOURCE = "resource"
    START_FAILED = "start_failed"
    VOID = "void"


FAULTS = tuple(v for v in Verdict if v not in (Verdict.OK, Verdict.VOID))


class Policy(StrEnum):
    """What a fault costs. lenient: a timeout or illegal choice plays the default, the third one forfeits; any other fault
    forfeits at once. strict: the first fault forfeits."""

    LENIENT = "lenient"
    STRICT = "strict"


# These cost a strike under the lenient policy; every other fault leaves a stream that cannot be trusted any more.
STRIKING = (Verdict.TIMEOUT, Verdict.ILLEGAL)
STRIKES_TO_FORFEIT = {Policy.LENIENT: 3, Policy.STRICT: 1}


def final_ranks(game_ranks: Sequence[int], forfeited_at: Sequence[int | None]) -> list[int]:
    """Places when some seats forfeited: below all who did not, later forfeits above earlier ones, one gather ties.

    ``game_ranks``: places by the rules, 1 is best. ``forfeited_at``: by seat, the ordinal of the gather in which the seat
    forfeited, or None. Returns places with ties sharing one (1, 2, 2, 4).
    """
    keys = [(0, rank) if at is None else (1, -at) for rank, at in zip(game_ranks, forfeited_at, strict=True)]
    return [1 + sum(other < key for other in keys) for key in keys]
