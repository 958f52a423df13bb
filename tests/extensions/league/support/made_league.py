"""Leagues without a bot: chain and draw are the arena's own, the rules engine plays,
and choices are drawn by a number.

They are for what reads a league: nothing here asks how a batch is played.
"""

import secrets
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from msgspec import structs
from synthesised import outcome, planned

from khiva_arena import __version__
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.competition.events.source import StoredResults
from khiva_arena.competition.events.stored import run_digest_of, stored_event
from khiva_arena.extensions.league.chain.follow import begin, follow
from khiva_arena.extensions.league.chain.links import (
    Anchor,
    AnyLink,
    Beacon,
    Drawn,
    Entered,
    Final,
    LeagueTerms,
    Over,
    RatedThen,
)
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import (
    add,
    chain_of,
    found,
    links_of,
    next_place,
    row_of,
)
from khiva_arena.extensions.league.draw.counts import Counts
from khiva_arena.extensions.league.draw.next_batch import add_batch, definition_of, next_batch
from khiva_arena.extensions.league.final_table import batches_of_table, rated_at
from khiva_arena.extensions.league.folder import SETTINGS
from khiva_arena.extensions.league.player.batch_play import BatchPlay
from khiva_arena.extensions.league.walked import LeagueSoFar, founded, with_batch
from khiva_arena.rating.report.placing import Batches
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.conditions import Conditions, TimeLimits
from khiva_arena.records.replay.definition import DefinedBot
from khiva_arena.records.store.db import BotRow, EventRow, Store
from khiva_arena.records.store.rows import SET_ASIDE_VOIDS

BEACON = "echo line"
"""The command that prints the lines of the beacon of such a league."""


def line_of_round(number: int) -> str:
    """Return the line of a round, as ``BEACON`` prints it."""
    return f"line {number}"


ANCHORS = (Anchor("random", "0" * 64), Anchor("greedy", "f" * 64))


class Shape(NamedTuple):
    """The shape of a made-up league, as its terms and settings have it."""

    seats: int = 3
    seeds: int = 2
    reveal_hours: int = 0
    turn_ms: int = 1_000
    beacon: Beacon | None = None
    fewest_batches: int = 0
    final_bots_an_author: int = 1


PLAIN = Shape()


class MadeLeague:
    """A league that grows batch by batch. Leaving the block closes its store."""

    def __init__(
        self,
        folder: Path,
        shape: Shape = PLAIN,
        plays: Callable[[Job], Outcome] = outcome,
        anchors: tuple[Anchor, ...] = ANCHORS,
    ) -> None:
        self.folder, self.plays = folder, plays
        self.store = Store.write(folder)
        self.store._connection.execute("PRAGMA synchronous = OFF")  # no test cuts the power
        (folder / SETTINGS).touch()
        time = TimeLimits(10_000, shape.turn_ms, 10_000)
        self.plain = structs.replace(
            planned(seats=shape.seats, seeds=shape.seeds).definition, time=time
        )
        zero = next((anchor.name for anchor in anchors if anchor.name == "random"), anchors[0].name)
        plain = LeagueTerms(
            self.conditions, shape.seats, shape.seeds, None, True, 2, zero, beacon=shape.beacon
        )
        terms = structs.replace(
            plain,
            reveal_hours=shape.reveal_hours,
            bots_an_author=100,
            fewest_batches=shape.fewest_batches,
            final_bots_an_author=shape.final_bots_an_author,
        )
        self.chain: Chain = chain_of(self.store) or found(self.store, folder.name, terms, anchors)
        self.counts = Counts()
        for event in self.store.events():
            add_batch(self.counts, event.definition)
        self.batches = self._batches_over()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    @property
    def conditions(self) -> dict[str, Any]:
        """The conditions of its matches, as terms have them."""
        return Conditions(
            **{name: getattr(self.plain, name) for name in Conditions.__struct_fields__}
        ).plain()

    def _batches_over(self) -> Batches:
        """Return the batches that bots have played in, from all links and events,
        whatever is kept.
        """
        first, *links = links_of(self.store)
        chain = begin(first)
        batches = founded(chain).batches
        for link in links:
            chain = follow(chain, link)
            if isinstance(link, Over):
                batches = with_batch(batches, chain, stored_event(self.store, link.event))
        return batches

    def enter(self, name: str, family: int, author: int = 1, replaces: tuple[str, ...] = ()) -> str:
        """Enter the next version of a family, and return its identity. ``replaces``:
        the versions that retire for it.
        """
        version = len(self.chain.versions(f"{family:016x}")) + 1
        identity = seeds.commitment(name, bytes(32))
        named = {
            "author": f"{author:016x}",
            "family": f"{family:016x}",
            "version": version,
            "name": name,
        }
        self.add(
            Entered(
                **next_place(self.chain),
                **named,
                identity=identity,
                sources=identity,
                replaces=replaces,
            )
        )
        return identity

    def add(self, link: AnyLink) -> None:
        """Add a link to the chain."""
        self.chain = add(self.store, self.chain, link)

    def draw(self) -> EventRow:
        """Draw the next batch."""
        batch = next_batch(self.chain, self.counts)
        definition = definition_of(self.chain, batch, {})
        bots = definition.bots
        secret = secrets.token_bytes(seeds.SECRET_BYTES)
        commitment = seeds.commitment(definition.digest, secret)
        event = seeds.event_id(definition.digest, commitment)
        place = next_place(self.chain)
        beacon = self.chain.terms.beacon
        coming = beacon.round_after(datetime.fromisoformat(place["at"])) if beacon else None
        link = Drawn(
            **place,
            batch=batch.number,
            event=event,
            definition=definition.digest,
            commitment=commitment,
            round=coming,
        )
        rows = [BotRow(bot.name, bot.identity, "1", True, f"./{bot.name}", "/") for bot in bots]
        longer = follow(self.chain, link)
        row = EventRow(
            event, 0, definition.text, (__version__,), link.at, commitment, secret, tuple(rows)
        )
        self.store.add_batch(row, row_of(link))
        self.chain = longer
        add_batch(self.counts, definition)
        if coming:
            self.store.add_public(event, line_of_round(coming))
        stored_row = self.store.event(event)
        assert stored_row is not None
        return stored_row

    def play(
        self, event: EventRow, lost: Collection[int] = (), most: int | None = None
    ) -> BatchPlay:
        """Play a batch that was drawn. ``lost``: line-ups of seed 0 that the machine
        spoils each time. ``most``: matches.
        """
        play = BatchPlay(self.store, event, [Command(("none",), "/")] * len(event.bots))
        for attempt in range(SET_ASIDE_VOIDS if lost else 1):
            for drawn in play.rounds():
                for job in play.jobs(drawn):
                    if most is not None and len(play.done) >= most:
                        return play
                    seed, lineup, _ = play.timetable.place(job.ordinal) or (0, 0, 0)
                    made = self.plays(structs.replace(job, attempt=attempt + 1))
                    is_lost = seed == 0 and lineup in lost
                    play.record(
                        structs.replace(made, record=None, void="it was slow") if is_lost else made,
                        last=is_lost,
                    )
            play.try_again()
        return play

    def end(self, play: BatchPlay, at: str | None = None) -> None:
        """End a batch that was played. ``at``: when, if not now."""
        event, given_up = play.event, play.given_up()
        reveals = play.reveals() if self.store.conclusion(event.id) is None else {}
        place = {**next_place(self.chain), **({"at": at} if at else {})}
        digest = run_digest_of(self.store, event)
        batch, tables = self.chain.batches, tuple(given_up)
        link = Over(
            **place,
            batch=batch,
            event=event.id,
            run_digest=digest,
            public=event.public,
            set_aside=tables,
        )
        longer = follow(self.chain, link)
        self.store.end_batch(event.id, [row_of(link)], given_up, reveals)
        self.chain = longer
        self.batches = with_batch(self.batches, longer, stored_event(self.store, event.id))

    def batch(self, lost: Collection[int] = (), at: str | None = None) -> EventRow:
        """Draw a batch, play it and end it."""
        event = self.draw()
        self.end(self.play(event, lost), at)
        return event

    @property
    def so_far(self) -> LeagueSoFar:
        """The league as its player keeps it."""
        return LeagueSoFar(self.chain, self.counts, self.batches)

    @property
    def rated(self) -> tuple[RatedThen, ...]:
        """The numbers by which a final would seat bots now."""
        season = [self.store.events()[number - 1] for number in batches_of_table(self.chain)]
        return rated_at(self.chain, self.batches, StoredResults(self.store), season)

    @property
    def seats(self) -> tuple[DefinedBot, ...]:
        """The bots that a final would seat now, the best first."""
        return tuple(
            DefinedBot(bot.name, bot.identity) for bot in self.chain.final_seats(self.rated)
        )

    def decide(self, event: EventRow | None = None, **changes: object) -> Final:
        """Decide on a final of all that may sit in it, and return its link.

        event: that it is, made up if that is nobody's concern.
        changes: fields of the link in place of those that follow.
        """
        place, beacon = next_place(self.chain), self.chain.terms.beacon
        fields = {
            "event": event.id if event else "e" * 16,
            "commitment": event.commitment if event else "c" * 64,
            "rated": self.rated,
            "bots": tuple(bot.identity for bot in self.seats),
            "round": beacon.round_after(datetime.fromisoformat(place["at"])) if beacon else None,
        }
        link = Final(**place, final=len(self.chain.finals) + 1, **(fields | changes))
        self.add(link)
        return link
