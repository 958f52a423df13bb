"""The counted part of a table, counted without numpy: what the table says that is made with it."""

import random
from collections.abc import Iterator

import msgspec
import pytest
from made_results import listed
from msgspec.structs import replace

from khiva_arena.report.counted import count_differences, counted
from khiva_arena.report.standings import Entrant, standings
from khiva_arena.report.table import to_json
from khiva_arena.result import FAULTS, Result, Verdict

BOTS = [f"{number:064x}" for number in range(5)]
NAMES = {bot: f"bot {number}" for number, bot in enumerate(BOTS)}


def results(rng: random.Random) -> Iterator[Result]:
    """Matches at two to four seats: with ties, copies, faults of every kind, voids, and a table that is not complete."""
    for seed in range(6):
        for lineup in range(3):
            seats = rng.randint(2, 4)
            bots = [rng.randrange(len(BOTS)) for _ in range(seats)]
            for rotation in range(seats - (seed == lineup == 0)):
                seated = bots[rotation:] + bots[:rotation]
                ranks = [rng.randint(1, seats) for _ in seated]
                ranks = [1 + sum(other < rank for other in ranks) for rank in ranks]
                faults = [[rng.choice(list(FAULTS))] if rng.random() < 0.2 else [] for _ in seated]
                one = listed("e", f"{seed}/{lineup}", rotation, str(seed), seated, ranks, faults, voids=rng.randint(0, 1))
                yield replace(one, ranks=tuple(ranks))


@pytest.mark.parametrize("lot", range(20))
def test_it_is_what_the_fitted_table_has(lot: int) -> None:
    made = list(results(random.Random(lot)))
    table = to_json(standings(made, [Entrant(bot, NAMES[bot]) for bot in BOTS]))
    assert [*count_differences(table, counted(made, {"e": BOTS}), NAMES)] == []


def test_each_number_that_is_forged_is_named() -> None:
    made = list(results(random.Random(0)))
    plain = msgspec.json.encode(to_json(standings(made, [Entrant(bot, NAMES[bot]) for bot in BOTS])))
    own = counted(made, {"e": BOTS})
    name = NAMES[msgspec.json.decode(plain)["rows"][0]["bot"]]
    for key, value in (
        ("matches", 1),
        ("seeds", 1),
        ("finishes", [9, 0, 0, 0]),
        ("faults", {}),
        ("voids", 99),
        ("score", 12.0),
        ("ties", 1.0),
        ("name", "else"),
    ):
        table = msgspec.json.decode(plain)
        table["rows"][0][key] = value
        (found,) = count_differences(table, own, NAMES)
        assert found.startswith(name), found
        assert key in found
    for key in ("matches", "tables", "fault_free_matches"):
        (found,) = count_differences({**msgspec.json.decode(plain), key: 1}, own, NAMES)
        assert found.startswith(f"{key} is 1, the records give ")
    for rows in (None, [], [3], msgspec.json.decode(plain)["rows"] * 2):
        (found,) = count_differences({**msgspec.json.decode(plain), "rows": rows}, own, NAMES)
        assert "rows" in found


def test_pairs_of_a_bot_that_failed_to_start_are_the_only_ones_of_their_match() -> None:
    bad = [[Verdict.START_FAILED], [], []]
    made = [listed("e", "0/0", turn, "0", (0, 1, 2), (3, 1, 2), bad) for turn in range(3)]
    table = counted(made, {"e": BOTS[:3]})
    assert table.bots[BOTS[1]].halves == {BOTS[0]: [6, 3]}
