"""The draw of a league's batch: everybody sits, versions never meet, authors only where
they must, counts decide all else.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import combinations
from math import inf
from typing import NamedTuple

import make_draws
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.draw.counts import RECENT_BATCHES, Counts
from khiva_arena.extensions.league.draw.draw import (
    MORE_TABLES,
    MOST_EXTRA,
    Active,
    BatchShape,
    CircularOrder,
    allowed_meetings,
    draw,
)


class Batch(NamedTuple):
    """A batch that was drawn; ``before`` and ``waits`` are tables and waits of its bots
    before it.
    """

    bots: list[Active]
    tables: tuple[CircularOrder, ...]
    before: list[int]
    waits: list[int]
    after: Counts

    def seats_of(self, bot: int) -> int:
        return sum(bot in table for table in self.tables)


class League(NamedTuple):
    """What leagues are made of; a random one that changes from batch to batch follows
    from it.
    """

    shape: BatchShape
    bots: int
    versions: int
    families: int
    anchors: int
    seed: int


@st.composite
def leagues(take, *, sizes=(3, 60), versions=4, families=4, most_tables=True):
    seats = take(st.integers(2, 5))
    bots = take(st.integers(max(sizes[0], seats), sizes[1]))
    most = take(st.none() | st.integers(1, 12)) if most_tables else None
    shape = BatchShape(seats, most, authors_apart=take(st.booleans()))
    several = take(st.integers(1, versions)), take(st.integers(1, families))
    return League(shape, bots, *several, take(st.integers(0, 3)), take(st.integers(0, 2**32)))


def key_of(*what: object) -> bytes:
    return sha256(repr(what).encode()).digest()


def batches(league: League, number: int = 6) -> Iterator[Batch]:
    """Batches in which bots enter, leave, are suspended and come back, with anchors
    that stay.
    """
    rng, counts = random.Random(league.seed), Counts()
    anchors = [Active(f"anchor {i}", f"anchor {i}", "") for i in range(league.anchors)]
    others: list[Active] = []
    while len(others) < league.bots + 2 * number:
        author, family = f"author {rng.randrange(10**9)}", 0
        for _ in range(rng.randint(1, league.families)):
            family = rng.randrange(10**9)
            others += [
                Active(f"bot {len(others) + i}", f"family {family}", author)
                for i in range(rng.randint(1, league.versions))
            ]
    first = max(0, league.bots - league.anchors)
    for batch in range(number):
        there = others[rng.randint(0, batch) : first + rng.randint(0, 2 * batch)]
        bots = [*anchors, *(bot for bot in there if not batch or rng.random() > 0.1)]
        if len({bot.family for bot in bots}) < league.shape.seats:
            continue
        before, waits = (
            [counts.tables[bot.identity] for bot in bots],
            [counts.waits[bot.identity] for bot in bots],
        )
        tables = draw(bots, counts, league.shape, key_of(league.seed, batch))
        add(counts, bots, tables)
        yield Batch(bots, tables, before, waits, counts)


def add(counts: Counts, bots: Sequence[Active], tables: Sequence[CircularOrder]) -> None:
    counts.add(
        [[bots[bot].identity for bot in table] for table in tables], [bot.identity for bot in bots]
    )


@given(leagues())
def test_every_batch_of_every_league_keeps_the_rules_of_the_draw(league):
    """Tables are full, versions never meet, nobody waits twice and anchors never,
    nobody sits out who need not, and authors are spread over the tables.
    """
    for batch in batches(league, 8):
        for table in batch.tables:
            assert (
                len({batch.bots[bot].family for bot in table}) == len(table) == league.shape.seats
            )
        for bot, waited in zip(batch.bots, batch.waits, strict=True):
            assert batch.after.waits[bot.identity] <= (1 if bot.author and not waited else 0)
        if league.shape.most_tables is None:
            everybody_sits_and_there_are_a_quarter_more_tables(batch, league.shape.seats)
        if league.shape.authors_apart:
            bots_of_an_author_meet_only_if_they_are_more_than_the_tables(batch)


def everybody_sits_and_there_are_a_quarter_more_tables(batch: Batch, size: int) -> None:
    seats = Counter(bot for table in batch.tables for bot in table)
    assert sorted(seats) == list(range(len(batch.bots)))
    floor = -(-len(batch.bots) // size)
    of_families = Counter(batch.bots[bot].family for table in batch.tables for bot in table)
    assert len(batch.tables) == max(floor + -(-floor // 4), *of_families.values())


def bots_of_an_author_meet_only_if_they_are_more_than_the_tables(batch: Batch) -> None:
    of_tables = [Counter(batch.bots[bot].author or bot for bot in table) for table in batch.tables]
    for author in {author for table in of_tables for author in table}:
        most, least = (of(table[author] for table in of_tables) for of in (max, min))
        assert most - least <= 1


@given(leagues(sizes=(40, 60), versions=1, most_tables=False))
def test_a_batch_is_no_larger_than_its_bound_unless_that_is_less_than_half_of_the_bots(league):
    league = league._replace(shape=BatchShape(league.shape.seats, most_tables=1))
    batch = next(batches(league))
    floor = -(-(len(batch.bots) + league.anchors) // (2 * league.shape.seats))
    assert len(batch.tables) == floor + -(-floor // MORE_TABLES)


@given(leagues(versions=1, families=1, most_tables=False))
def test_more_seats_go_to_those_with_the_fewest_tables(league):
    for batch in batches(league):
        seats = [batch.seats_of(bot) for bot, _ in enumerate(batch.bots)]
        so_far = [had + now for had, now in zip(batch.before, seats, strict=True)]
        able = [
            have
            for have, now in zip(so_far, seats, strict=True)
            if now <= MOST_EXTRA and now < len(batch.tables)
        ]
        assert all(
            have <= min(able, default=have) + 1
            for have, now in zip(so_far, seats, strict=True)
            if now > 1
        )


def meetings_of_authors(bots: Sequence[Active], tables: Sequence[Sequence[int]]) -> int | None:
    """None if two versions of a family meet."""
    if any(len({bots[bot].family for bot in table}) < len(table) for table in tables):
        return None
    authors = [[bots[bot].author for bot in table if bots[bot].author] for table in tables]
    return sum(of_table.count(author) - 1 for of_table in authors for author in of_table)


def fewest_meetings(bots: Sequence[Active], seats: Sequence[int], size: int) -> float:
    """The fewest meetings of authors in all ways of cutting seats into tables at which
    no two versions of a family meet.
    """

    @cache
    def fewest(left: tuple[int, ...]) -> float:
        if not left:
            return 0
        found = inf
        for others in set(combinations(left[1:], size - 1)):
            meetings = meetings_of_authors(bots, [(left[0], *others)])
            if meetings is not None:
                found = min(
                    found,
                    meetings
                    + fewest(tuple(sorted((Counter(left[1:]) - Counter(others)).elements()))),
                )
        return found

    return fewest(tuple(sorted(seats)))


@settings(deadline=None)
@given(leagues(sizes=(3, 7), versions=2, families=3, most_tables=False))
def test_no_way_of_seating_the_same_bots_has_fewer_meetings_of_authors(league):
    league = league._replace(shape=BatchShape(min(3, league.shape.seats)))
    for batch in batches(league, 2):
        seats = [bot for table in batch.tables for bot in table]
        if len(seats) <= 12:
            assert meetings_of_authors(batch.bots, batch.tables) == fewest_meetings(
                batch.bots, seats, league.shape.seats
            )


def test_no_seat_that_is_left_goes_to_an_author_whose_bots_would_meet_for_it():
    bots = [Active(f"bot {i}", f"family {i}", "one" if i < 5 else f"author {i}") for i in range(11)]
    counts = Counts()
    counts.add(
        [[bot.identity for bot in bots[5:]]] * 20, []
    )  # so that those of one author come first
    tables = draw(bots, counts, BatchShape(3), key_of())
    assert len(tables) == 5
    assert meetings_of_authors(bots, tables) == 0


def test_authors_may_meet_where_the_league_says_so():
    bots = [Active(f"bot {i}", f"family {i}", f"author {i // 2}") for i in range(12)]
    drawn = [draw(bots, Counts(), BatchShape(3, authors_apart=False), key_of(i)) for i in range(5)]
    assert any(meetings_of_authors(bots, tables) for tables in drawn)


@pytest.mark.parametrize(("bots", "seats"), [(36, 3), (37, 2), (40, 4), (60, 5)])
def test_pairs_meet_no_more_than_twice_as_often_as_on_average(bots, seats):
    every, counts = (
        [Active(f"bot {i}", f"family {i}", f"author {i}") for i in range(bots)],
        Counts(),
    )
    for batch in range(3 * RECENT_BATCHES):
        tables = draw(every, counts, BatchShape(seats), key_of(batch))
        add(counts, every, tables)
        assert max(counts.recent_meetings.values()) <= allowed_meetings(bots, len(tables), seats)


def test_newcomers_who_sit_four_times_in_a_batch_meet_others_each_time():
    bots, counts = [Active(f"bot {i}", f"family {i}", f"author {i}") for i in range(100)], Counts()
    counts.tables.update({bot.identity: 30 for bot in bots[3:]})
    for batch in range(20):
        tables = draw(bots, counts, BatchShape(3), key_of(batch))
        for bot in range(3):
            meetings = Counter(other for table in tables for other in table if bot in table)
            assert meetings.pop(bot) == MOST_EXTRA + 1
            assert list(meetings.values()) == [1] * 2 * (MOST_EXTRA + 1)


def test_two_versions_meet_the_others_often_rather_than_each_other():
    """Two authors with ten versions each: a table has one of either, and each of ten
    meets each.
    """
    bots = [Active(f"bot {i}", f"family {i % 2}", f"author {i % 2}") for i in range(20)]
    tables = draw(bots, Counts(), BatchShape(2), key_of())
    assert {frozenset(bot % 2 for bot in table) for table in tables} == {frozenset({0, 1})}
    few = [Active(f"bot {i}", f"family {max(0, i - 9)}", f"author {i}") for i in range(12)]
    assert Counter(
        bot for table in draw(few, Counts(), BatchShape(3), key_of()) for bot in table
    ) == Counter({**dict.fromkeys(range(10), 1), 10: 10, 11: 10})


def test_two_families_cannot_fill_a_table_of_three():
    with pytest.raises(ConfigError, match="2 families"):
        draw(
            [Active(f"bot {i}", f"family {i % 2}", f"author {i % 2}") for i in range(20)],
            Counts(),
            BatchShape(3),
            key_of(),
        )


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_neighbours_are_balanced_over_batches(seats):
    """A bot that sits behind another one n times sits before it about as often: by lot
    the root of the squares would be that of the meetings.
    """
    bots, counts = [Active(f"bot {i}", f"family {i}", f"author {i}") for i in range(12)], Counts()
    for batch in range(40):
        add(counts, bots, draw(bots, counts, BatchShape(seats), key_of(batch)))
    pairs = [(a.identity, b.identity) for a, b in combinations(bots, 2)]
    apart = [abs(counts.neighbours[a, b] - counts.neighbours[b, a]) for a, b in pairs]
    together = [counts.neighbours[a, b] + counts.neighbours[b, a] for a, b in pairs]
    assert sum(x * x for x in apart) < sum(together) / 3
    assert max(apart) <= 4


@given(leagues(sizes=(3, 20)))
def test_it_matters_in_no_way_in_which_order_counts_were_added(league):
    """Tables of one batch in another order give the same counts, and so the same
    draw.
    """
    counts = Counts(), Counts()
    for number, batch in enumerate(batches(league, 4)):
        drawn = {draw(batch.bots, each, league.shape, key_of(number)) for each in counts}
        assert len(drawn) == 1
        add(counts[0], batch.bots, batch.tables)
        add(
            counts[1],
            batch.bots[::-1],
            [tuple(len(batch.bots) - 1 - bot for bot in table) for table in batch.tables[::-1]],
        )


def test_only_the_last_batches_are_recent_and_a_bot_that_was_away_waits_on():
    counts = Counts()
    counts.add([("a", "b")], ["a", "b", "c"])
    counts.add([("a", "b")], ["a", "b"])
    assert (counts.waits["a"], counts.waits["c"]) == (0, 1)
    assert counts.recent_meetings == {frozenset("ab"): 2}
    for _ in range(RECENT_BATCHES - 1):
        counts.add([("a", "c")], ["a", "c"])
    assert (counts.waits["b"], counts.waits["c"]) == (0, 0)
    assert counts.recent_meetings == {frozenset("ab"): 1, frozenset("ac"): RECENT_BATCHES - 1}
    assert counts.neighbours["a", "b"] == counts.neighbours["b", "a"] == 2


def test_draws_are_those_of_the_file():
    """A change of the draw changes what audits of old leagues say. ``make vectors``
    writes the file anew; read the diff.
    """
    assert make_draws.FILE.read_text() == make_draws.text()
