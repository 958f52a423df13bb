"""What an organiser may choose freely before a batch is drawn decides neither who meets
whom nor the batch's event.
"""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from made_league import ANCHORS
from msgspec import structs
from synthesised import planned

from khiva_arena.extensions.league.chain.follow import begin, follow
from khiva_arena.extensions.league.chain.links import (
    FIRST,
    AnyLink,
    Beacon,
    Drawn,
    Entered,
    Founded,
    LeagueTerms,
    Over,
    Renewed,
    Season,
    StateChanged,
)
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.draw.counts import Counts
from khiva_arena.extensions.league.draw.next_batch import add_batch, definition_of, next_batch
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.conditions import Conditions
from khiva_arena.records.replay.definition import Batch, Definition

WAYS = 1_000
SECRET = b"s" * 32
PLAIN = planned(seats=3, seeds=2).definition
CONDITIONS = Conditions(
    **{name: getattr(PLAIN, name) for name in Conditions.__struct_fields__}
).plain()
TERMS = LeagueTerms(CONDITIONS, 3, 2, None, authors_apart=True, versions=2, anchor="random")


class Bot(NamedTuple):
    """A bot that is entered before the first batch: its identity, and numbers for its
    family and author.
    """

    identity: str
    family: int
    author: int


BOTS = [
    Bot(f"{number:x}" * 64, *of)
    for number, of in enumerate([(1, 1), (1, 1), (2, 1), (3, 2), (4, 3), (5, 4)], 1)
]
NEWCOMERS = [Bot("e" * 64, 6, 5), Bot("d" * 64, 2, 1)]


class Organiser:
    """An organiser of the same bots on the same terms, who chooses all else by
    lot. ``way``: the seed of the lot.
    """

    def __init__(self, way: int, terms: LeagueTerms = TERMS) -> None:
        self.lot = random.Random(way)
        self.at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=way)
        self.names = f"way {way} "
        self.ids: dict[object, str] = {}
        paced = structs.replace(
            terms,
            reveal_hours=way,
            retry_minutes=way,
            cpu_minutes=way,
            versions=2 + way % 5,
            beacon=Beacon(f"lottery {way}", self.at.isoformat(), 1 + way, way) if way % 2 else None,
        )
        anchors = list(ANCHORS)
        self.lot.shuffle(anchors)
        league = self.id_of("league")
        founded = Founded(
            number=0,
            before=FIRST,
            at=self.at.isoformat(),
            league=league,
            name=self.names,
            terms=paced,
            anchors=(),
        )
        self.chain: Chain = begin(structs.replace(founded, anchors=tuple(anchors)))

    def id_of(self, what: object) -> str:
        """Return a random id, the same each time."""
        return self.ids.setdefault(what, f"{self.lot.getrandbits(64):016x}")

    def add(self, maker: type[AnyLink], **fields: object) -> None:
        """Add a link, some time later."""
        self.at += timedelta(seconds=self.lot.randrange(100))
        place = {
            "number": self.chain.links,
            "before": self.chain.digest,
            "at": self.at.isoformat(timespec="seconds"),
        }
        self.chain = follow(self.chain, maker(**place, **fields))  # type: ignore[arg-type]

    def enter(self, bots: list[Bot], names: str = "") -> None:
        """Enter bots in any order, with words in between."""
        for bot in self.lot.sample(bots, len(bots)):
            family = self.id_of(f"family {bot.family}")
            self.add(
                Entered,
                author=self.id_of(f"author {bot.author}"),
                family=family,
                version=len(self.chain.versions(family)) + 1,
                name=f"{names}{bot.identity[:4]}",
                identity=bot.identity,
                sources=self.lot.choice("abcdef") * 64,
            )
            self.add(Season, name=f"{self.names}{bot.identity[:4]}")
            self.add(StateChanged, identity=bot.identity, state="suspended", why=self.names)
            self.add(StateChanged, identity=bot.identity, state="active", why=self.names * 2)
        self.add(Renewed, terms=self.chain.terms, why=self.names)

    def end(self, batch: Batch, run_digest: str = "9" * 64) -> None:
        """Draw a batch and end it."""
        event, beacon = f"{self.lot.getrandbits(64):016x}", self.chain.terms.beacon
        self.at += timedelta(seconds=1)
        coming = beacon.round_after(self.at) if beacon else None
        of_batch = {"batch": batch.number, "event": event}
        place = {"number": self.chain.links, "before": self.chain.digest, "at": self.at.isoformat()}
        drawn = Drawn(**place, **of_batch, definition="d" * 64, commitment="c" * 64, round=coming)
        self.chain = follow(self.chain, drawn)
        self.add(Over, **of_batch, run_digest=run_digest, public="line" if beacon else None)


def event_of(definition: Definition) -> tuple[object, ...]:
    """Return what follows from a definition with one secret: the event's id, and the
    match ids and seats' numbers of a table.
    """
    event = seeds.event_id(definition.digest, seeds.commitment(definition.digest, SECRET))
    ids = [seeds.match_id(event, ordinal) for ordinal in range(3)]
    numbers = [
        seeds.seat_number(seeds.seed_secret(SECRET, 0, "line"), match, seat)
        for match in ids
        for seat in range(3)
    ]
    return event, *ids, *numbers


def two_batches(organiser: Organiser, names: str = "") -> list[Definition]:
    """Return the definitions of the first two batches; two newcomers come between
    them.
    """
    counts, definitions = Counts(), []
    for bots in (BOTS, NEWCOMERS):
        organiser.enter(bots, names)
        definitions.append(definition_of(organiser.chain, next_batch(organiser.chain, counts), {}))
        add_batch(counts, definitions[-1])
        batch = definitions[-1].batch
        assert batch is not None
        organiser.end(batch)
    return definitions


@pytest.mark.soak
def test_a_thousand_leagues_of_the_same_bots_and_terms_have_one_event() -> None:
    """Ids, names of leagues and seasons, reasons, times, paces and the order of links:
    none of it is in what a batch follows from.
    """
    ways = {tuple(map(event_of, two_batches(Organiser(way)))) for way in range(WAYS)}
    assert len(ways) == 1


def test_names_of_bots_change_ids_alone() -> None:
    """Tables and records call bots by their names, so these are in a definition.
    Nothing that is drawn follows from them.
    """
    batches = {
        tuple(each.batch for each in two_batches(Organiser(way), f"n{way} "))
        for way in range(WAYS // 10)
    }
    assert len(batches) == 1


@pytest.mark.parametrize("what", ["identity", "family", "author", "terms", "before"])
def test_what_a_draw_uses_changes_the_event(what: str) -> None:
    def batch_of(
        organiser: Organiser, bots: list[Bot], run_digest: str = "9" * 64
    ) -> tuple[object, ...]:
        organiser.enter(bots)
        first = next_batch(organiser.chain, Counts())
        organiser.end(first, run_digest)
        return event_of(definition_of(organiser.chain, next_batch(organiser.chain, Counts()), {}))

    changes: dict[str, Callable[[], tuple[object, ...]]] = {
        "identity": lambda: batch_of(
            Organiser(0), [*BOTS[:-1], BOTS[-1]._replace(identity="7" * 64)]
        ),
        "family": lambda: batch_of(
            Organiser(0), [*BOTS[:-1], BOTS[-1]._replace(family=2, author=1)]
        ),
        "author": lambda: batch_of(Organiser(0), [*BOTS[:-1], BOTS[-1]._replace(author=3)]),
        "terms": lambda: batch_of(Organiser(0, structs.replace(TERMS, seeds=3)), BOTS),
        "before": lambda: batch_of(Organiser(0), BOTS, "8" * 64),
    }
    assert changes[what]() != batch_of(Organiser(0), BOTS)


def test_who_comes_alone_cannot_choose_whom_he_meets() -> None:
    """The lot of the next draw is public. An author whose bot is the only newcomer may
    vary its files as he likes.
    """
    tables = set()
    for number in range(WAYS // 10):
        organiser, counts = Organiser(0), Counts()
        organiser.enter(BOTS)
        add_batch(
            counts, definition_of(organiser.chain, first := next_batch(organiser.chain, counts), {})
        )
        organiser.end(first)
        organiser.enter([Bot(f"1{number:063x}", 9, 9)])
        tables.add(next_batch(organiser.chain, counts).tables)
    assert len(tables) == 1
