"""Results made up for a test, each by what is of interest there."""

from collections.abc import Sequence

from khiva_arena.common.result import Measured, Result, Verdict


def rated(
    block: object, bots: Sequence[int], ranks: Sequence[int], unstarted: Sequence[int] = ()
) -> Result:
    """What a fit sees of a match. ``unstarted``: seats whose bot failed to start."""
    verdicts = tuple(
        str(Verdict.START_FAILED if seat in unstarted else Verdict.OK) for seat in range(len(bots))
    )
    return Result(block=str(block), bots=tuple(bots), ranks=tuple(ranks), verdicts=verdicts)


def placed(
    seed: int,
    lineup: int,
    rotation: int,
    bots: Sequence[int],
    ranks: Sequence[int],
    scores: Sequence[int],
    ordinal: int = 0,
) -> Result:
    """What a format sees of a match."""
    where = {"ordinal": ordinal, "seed": seed, "lineup": lineup, "rotation": rotation}
    return Result(**where, bots=tuple(bots), ranks=tuple(ranks), scores=tuple(scores))


def listed(
    event: str,
    table: str,
    rotation: int,
    block: str,
    bots: Sequence[int],
    ranks: Sequence[int] = (),
    faults: Sequence[Sequence[Verdict]] = (),
    *,
    voids: int = 0,
    set_aside: bool = False,
    measured: tuple[Measured, ...] = (),
) -> Result:
    """What standings see of a match. ``table``: "seed/line-up"."""
    seed, lineup = map(int, table.split("/"))
    failed = [Verdict.START_FAILED in of_seat for of_seat in faults] or [False] * len(bots)
    return Result(
        event=event,
        seed=seed,
        lineup=lineup,
        rotation=rotation,
        block=block,
        bots=tuple(bots),
        ranks=tuple(ranks),
        verdicts=tuple(str(Verdict.START_FAILED if one else Verdict.OK) for one in failed),
        faults=tuple(tuple((str(fault), 1) for fault in of_seat) for of_seat in faults),
        voids=voids,
        set_aside=set_aside,
        measured=measured,
    )
