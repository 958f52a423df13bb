"""Standings from match rows: who is rated, what is counted, what is said when there is
no number.
"""

import random

import pytest
from made_results import listed
from msgspec.structs import replace
from wording import sentence

from khiva_arena.common.result import Measured, Verdict
from khiva_arena.errors import ConfigError, InternalError
from khiva_arena.rating.report.rating_table import to_text
from khiva_arena.rating.report.standings import Entrant, choose_anchor, standings

NAMES = ("greedy", "random", "deep")
BOTS = tuple(Entrant(f"id-{name}", name) for name in NAMES)


def table(seed, points, event="e", **more):
    """The three matches of a table; ``points`` by bot name, the same in each."""
    names = list(points)
    for r in range(len(names)):
        order = [names[(i + r) % len(names)] for i in range(len(names))]
        ranks = tuple(1 + sum(points[o] > points[n] for o in order) for n in order)
        changes = {key: value(order) if callable(value) else value for key, value in more.items()}
        yield listed(
            event,
            f"{seed}/0",
            r,
            f"s{seed}",
            tuple(NAMES.index(n) for n in order),
            ranks,
            **changes,
        )


def event(seeds=6, **more):
    rng = random.Random(7)
    for seed in range(seeds):
        yield from table(
            seed,
            {"greedy": rng.random(), "random": rng.random() - 0.2, "deep": rng.random() + 0.2},
            **more,
        )


def each(measure):
    """What is measured of each seat, by the bot's name."""
    return lambda order: tuple(measure(name) for name in order)


def by_name(found):
    return {row.name: row for row in found.rows}


def test_a_list():
    found = standings(event(), BOTS)
    rows = by_name(found)
    assert (found.anchor, found.blocks, found.tables, found.matches, found.seats) == (
        "id-random",
        6,
        6,
        18,
        3,
    )
    assert (rows["random"].elo, rows["random"].error) == (0, 0)
    assert [row.rank for row in found.rows] == [1, 2, 3]
    assert [row.elo for row in found.rows] == sorted((row.elo for row in found.rows), reverse=True)
    assert all(
        row.matches == 18 and row.seeds == 6 and sum(row.finishes) == 18 for row in found.rows
    )
    assert sum(row.score for row in found.rows) == pytest.approx(150, abs=0.01)
    assert all(row.fault_free_elo == row.elo and row.differs is False for row in found.rows)
    assert found.order == ("id-greedy", "id-random", "id-deep")


def test_the_order_of_rows_does_not_matter():
    assert standings(reversed(list(event())), BOTS).rows == standings(event(), BOTS).rows


def test_ties_share_a_rank():
    even = [
        row
        for seed in range(3)
        for row in table(seed, dict.fromkeys(("greedy", "random", "deep"), 1))
    ]
    assert [(row.rank, row.elo, row.finishes) for row in standings(even, BOTS).rows] == [
        (1, 0, (9, 0, 0))
    ] * 3


def test_one_seed_has_no_error():
    found = standings(event(seeds=1), BOTS)
    assert {row.error for row in found.rows} == {None}
    assert {row.differs for row in found.rows} == {None}
    assert None not in {row.elo for row in found.rows}


def test_incomplete_and_set_aside_tables_are_named_and_their_faults_counted():
    crashed = [listed("e", "9/0", 0, "s9", (0, 1, 2), (1, 3, 2), ((), (Verdict.CRASHED,), ()))]
    void = [listed("e", "8/0", 1, "s8", (0, 1, 2), voids=2, set_aside=True)]
    found = standings([*event(), *crashed, *void], BOTS)
    assert found.incomplete == (("e", "9/0"),)
    assert found.set_aside == (("e", "8/0"),)
    assert (found.left_out, found.matches) == (1, 18)
    rows = by_name(found)
    assert rows["random"].fault_counts == ((Verdict.CRASHED, 1),)
    assert rows["deep"].fault_counts == ()
    assert {row.voids for row in found.rows} == {2}
    assert rows["deep"].elo == by_name(standings(event(), BOTS))["deep"].elo


def test_a_bot_that_loses_by_faults_alone_is_told():
    """deep wins half of its tables with ease, and crashes in the other half."""
    rng = random.Random(3)
    rows = []
    for seed in range(40):
        fault = seed % 2
        points = {
            "greedy": rng.random(),
            "random": rng.random(),
            "deep": -9 if fault else 0.7 + rng.random(),
        }
        crash = (Verdict.CRASHED,)
        rows += table(
            seed,
            points,
            faults=lambda order, f=fault, c=crash: tuple(
                c if f and n == "deep" else () for n in order
            ),
        )
    found = standings(rows, BOTS)
    deep = by_name(found)["deep"]
    assert deep.fault_counts == ((Verdict.CRASHED, 60),)
    assert deep.fault_free_elo > deep.elo + deep.error
    assert deep.differs
    assert not by_name(found)["greedy"].differs
    assert found.fault_free_matches == 60
    assert {row.fault_free_bound for row in found.rows} == {""}


def test_no_fault_free_match_leaves_no_second_elo():
    found = standings(event(faults=((Verdict.TIMEOUT,), (), ())), BOTS)
    assert {row.fault_free_elo for row in found.rows} == {None}
    assert {row.differs for row in found.rows} == {None}
    assert found.fault_free_matches == 0


def test_a_seat_that_failed_to_start_gives_only_its_own_pairs():
    faults = {
        "faults": lambda order: tuple((Verdict.START_FAILED,) if n == "deep" else () for n in order)
    }
    rows = [
        row
        for seed in range(4)
        for row in table(seed, {"greedy": 2, "random": 1, "deep": 0}, **faults)
    ]
    found = by_name(standings(rows, BOTS))
    assert found["greedy"].elo == found["random"].elo == 0
    assert found["deep"].elo < 0
    assert (found["deep"].bound, found["deep"].error) == ("<=", None)
    assert (found["greedy"].score, found["deep"].score) == (100, 0)


def test_cpu_is_summed_where_it_is_known():
    found = by_name(
        standings(
            event(
                seeds=2, measured=each(lambda n: Measured(cpu_s=None if n == "random" else 0.25))
            ),
            BOTS,
        )
    )
    assert found["deep"].cpu_s == 1.5
    assert found["random"].cpu_s is None


def test_who_was_stopped_for_taking_a_core_is_counted_and_told():
    found = standings(
        event(seeds=2, measured=each(lambda n: Measured(paused=2 if n == "random" else 0))), BOTS
    )
    assert {name: row.paused for name, row in by_name(found).items()} == {
        "greedy": 0,
        "random": 12,
        "deep": 0,
    }
    assert (
        "These bots kept a seat that was asked, or the arbiter, from a core, and were "
        "stopped until their turn: random 12."
    ) in to_text(found).replace("\n ", "")


def test_who_caused_voids_is_told_apart_from_who_sat_there() -> None:
    voids = {
        "voids": lambda order: 1,
        "measured": each(lambda n: Measured(caused=int(n == "deep"))),
    }
    found = standings(event(seeds=2, **voids), BOTS)
    rows = by_name(found)
    assert rows["greedy"].voids == rows["deep"].voids > 0
    assert {name: row.caused for name, row in rows.items()} == {
        "greedy": 0,
        "random": 0,
        "deep": rows["deep"].voids,
    }
    assert "caused" in to_text(found).splitlines()[0]
    assert "caused" not in to_text(standings(event(seeds=2), BOTS)).splitlines()[0]
    assert (
        f"Void since a bot had no core when it was to answer: deep {rows['deep'].caused}. The host "
        "was short of processor time, which honest bots suffer alike: leave cores free, as by "
        "fewer --jobs, before you blame a bot."
    ) in to_text(found, 500)
    assert "had no core" not in to_text(standings(event(seeds=2), BOTS), 500)


def test_links_that_were_lost_are_counted_apart() -> None:
    found = standings(
        event(seeds=2, measured=each(lambda n: Measured(links_lost=int(n == "deep")))), BOTS
    )
    assert {name: row.links_lost > 0 for name, row in by_name(found).items()} == {
        "greedy": False,
        "random": False,
        "deep": True,
    }
    assert "links" in to_text(found).splitlines()[0]
    assert "links" not in to_text(standings(event(seeds=2), BOTS)).splitlines()[0]


def test_page_faults_are_counted_where_they_are_known_and_many_are_told() -> None:
    unknown = standings(event(seeds=2), BOTS)
    assert {row.page_faults for row in unknown.rows} == {None}
    assert "disk" not in to_text(unknown)
    few = standings(event(seeds=2, measured=each(lambda n: Measured(page_faults=0))), BOTS)
    assert {row.page_faults for row in few.rows} == {0}
    assert "disk" not in to_text(few)
    alike = standings(event(seeds=2, measured=each(lambda n: Measured(page_faults=60))), BOTS)
    assert "disk" not in to_text(alike)  # a machine that reads everything from a disk, for all
    many = standings(
        event(seeds=2, measured=each(lambda n: Measured(page_faults=60 if n == "deep" else 1))),
        BOTS,
    )
    text = to_text(many)
    assert "disk" in to_text(many, 130).splitlines()[0]
    said = " ".join(text.split())
    assert (
        sentence(
            "report",
            "page-faults-read-disk",
            many=f"deep {by_name(many)['deep'].page_faults}, 60.0 a match",
        )
        in said
    )
    assert (
        sentence("report", "where-memory-short-start", of_runtimes="about 3 for a program in C, ")
        in said
    )


def test_copies_count_once_as_a_match_and_twice_as_a_finish():
    deep, anchor = 2, 1
    sits = (deep, deep, anchor)
    rows = [
        listed("e", "0/0", r, "s", tuple(sits[(i + r) % 3] for i in range(3)), (1, 2, 3))
        for r in range(3)
    ]
    deep = by_name(standings(rows, BOTS))["deep"]
    assert (deep.matches, deep.finishes) == (3, (2, 2, 2))


def test_a_bot_without_a_match_is_listed_last_without_numbers():
    shifted = [replace(row, bots=tuple(bot + 1 for bot in row.bots)) for row in event()]
    found = standings(shifted, (Entrant("new", "new"), *BOTS))
    assert found.rows[-1].name == "new"
    assert (
        found.rows[-1].rank,
        found.rows[-1].elo,
        found.rows[-1].error,
        found.rows[-1].score,
    ) == (None,) * 4


def test_without_a_match_of_the_anchor_nothing_is_relative_to_it():
    shifted = [replace(row, bots=tuple(bot + 1 for bot in row.bots)) for row in event()]
    found = standings(shifted, (Entrant("new", "new"), *BOTS), anchor="new")
    assert {row.elo for row in found.rows} == {None}


def test_no_matches_at_all():
    found = standings([], BOTS)
    assert [row.rank for row in found.rows] == [None] * 3
    assert (found.blocks, found.seats) == (0, 0)


def test_the_anchor_is_the_one_named_else_random_else_the_first():
    assert choose_anchor(BOTS) == "id-random"
    assert choose_anchor(BOTS[::2]) == "id-greedy"
    assert choose_anchor(BOTS, "deep") == choose_anchor(BOTS, "id-deep") == "id-deep"
    with pytest.raises(ConfigError, match=r"no bot called 'x'.*greedy, random, deep"):
        choose_anchor(BOTS, "x")
    with pytest.raises(ConfigError, match="no bots"):
        choose_anchor(())


def test_a_stranger_is_a_bug():
    with pytest.raises(InternalError, match="did not enter: 2"):
        standings(event(), BOTS[:2])


def test_two_versions_of_a_bot_are_told_apart_by_their_ids():
    bots = (
        Entrant("id-greedy", "greedy"),
        Entrant("id-random", "random"),
        Entrant("3c4d-deep", "greedy"),
    )
    rows = [row for row in event() if 2 not in row.bots]
    found = standings(rows, bots)
    assert [row.name for row in sorted(found.rows, key=lambda row: row.bot)] == [
        "greedy#3c4d",
        "greedy#id-g",
        "random",
    ]
    assert standings(rows, bots, anchor="greedy#3c4d").anchor == "3c4d-deep"
    assert standings(rows, bots, anchor="greedy").anchor == "id-greedy"
