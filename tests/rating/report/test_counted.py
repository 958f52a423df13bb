"""The counted part of a table, counted without numpy: what the table says that is made
with it.
"""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from made_results import listed
from msgspec.structs import replace

from khiva_arena import __version__
from khiva_arena.common.result import FAULTS, Result, Verdict
from khiva_arena.rating.report.counted import counted
from khiva_arena.rating.report.counted import to_json as counted_json
from khiva_arena.rating.report.differences import counted_differences
from khiva_arena.rating.report.rating_table import to_json
from khiva_arena.rating.report.standings import Entrant, standings

BOTS = [f"{number:064x}" for number in range(5)]
NAMES = {bot: f"bot {number}" for number, bot in enumerate(BOTS)}


def results(rng: random.Random) -> Iterator[Result]:
    """Matches at two to four seats: with ties, copies, faults of every kind, voids, and
    tables that are cut or set aside.
    """
    for seed in range(6):
        for lineup in range(3):
            seats = rng.randint(2, 4)
            bots = [rng.randrange(len(BOTS)) for _ in range(seats)]
            for rotation in range(seats - (seed == lineup == 0)):
                seated = bots[rotation:] + bots[:rotation]
                ranks = [rng.randint(1, seats) for _ in seated]
                ranks = [1 + sum(other < rank for other in ranks) for rank in ranks]
                faults = [[rng.choice(list(FAULTS))] if rng.random() < 0.2 else [] for _ in seated]
                one = listed(
                    "e",
                    f"{seed}/{lineup}",
                    rotation,
                    str(seed),
                    seated,
                    ranks,
                    faults,
                    voids=rng.randint(0, 1),
                )
                aside = seed == lineup == rotation == 1
                yield replace(one, ranks=() if aside else tuple(ranks), set_aside=aside)


def tables(rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """The table of some matches that is made with numpy, and what is counted of it
    without.
    """
    made = list(results(rng))
    table = to_json(standings(made, [Entrant(bot, NAMES[bot]) for bot in BOTS]))
    return table, msgspec.json.decode(
        msgspec.json.encode(counted_json(counted(made, {"e": BOTS}), NAMES))
    )


@pytest.mark.parametrize("lot", range(20))
def test_it_is_what_the_fitted_table_has(lot: int) -> None:
    table, own = tables(random.Random(lot))
    assert [*counted_differences(table, own, engine=__version__)] == []


@pytest.mark.parametrize("rows", [None, [], [3], {"a": 1}, {}])
def test_rows_that_are_forged_as_a_whole_are_named(rows: Any) -> None:
    table, own = tables(random.Random(0))
    for forged in (rows, table["rows"] * 2, {row["bot"]: row for row in table["rows"]}):
        for engine in (__version__, "0.2.0"):
            assert [
                found
                for found in counted_differences({**table, "rows": forged}, own, engine=engine)
                if "rows" in found
            ]


def test_pairs_of_a_bot_that_failed_to_start_are_the_only_ones_of_their_match() -> None:
    bad = [[Verdict.START_FAILED], [], []]
    made = [listed("e", "0/0", turn, "0", (0, 1, 2), (3, 1, 2), bad) for turn in range(3)]
    table = counted(made, {"e": BOTS[:3]})
    assert table.bots[BOTS[1]].halves == {BOTS[0]: [6, 3]}
