"""Events of a store: checks that one is sound, its schedule, its results, and the
beginning of a new one.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import msgspec

from khiva_arena import __version__
from khiva_arena.common.result import Result
from khiva_arena.competition.events import results
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.rating.schedule import formats
from khiva_arena.rating.schedule.formats import Placing, Shape
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay import league_format, seeds
from khiva_arena.records.replay.definition import Definition, text_digest
from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store.db import BotRow, EventRow, Store
from khiva_arena.records.store.files import LEAGUE, MODULES

if TYPE_CHECKING:  # who reads a store needs no bots
    from khiva_arena.entrants.bots import Bot

PUBLIC_MOST = 1_000  # characters


class _LinkOfABatch(msgspec.Struct, frozen=True):
    """What a link of a league says of a batch, if it is about one.

    kind: "batch" if it is drawn, "over" if it is over.
    event: the id of its event.
    """

    kind: str
    event: str = ""


def check_stored(event: EventRow) -> None:
    """Raise StoreError if an event's rows are not as ``add_event`` makes them."""
    check_definition(event)
    check_bots(event)


def check_definition(event: EventRow) -> None:
    """Raise StoreError if an event's definition is damaged, or of another event."""
    own_id = seeds.event_id(event.definition.digest, event.commitment)
    if event.id not in (own_id, text_digest(event.text)[: seeds.ID_LENGTH]):
        raise StoreError(f"its definition and commitment hash to {own_id}, not to its id")
    if event.public is not None and (problem := public_problem(event.public)):
        raise StoreError(f"its public text is not valid: {problem}")


def public_problem(text: str) -> str | None:
    """Return why a text cannot be an event's public text, None if it can: one line of
    printable characters.
    """
    if not 1 <= len(text) <= PUBLIC_MOST or not text.isprintable():
        return f"one line of 1 to {PUBLIC_MOST:,} printable characters is expected"
    return None


def check_bots(event: EventRow) -> None:
    """Raise StoreError if an event's bots are not those of its definition, which is
    sound.
    """
    if [(bot.name, bot.identity) for bot in event.bots] != [
        (bot.name, bot.identity) for bot in event.definition.bots
    ]:
        raise StoreError("its bots are not those of its definition")


def bare_timetable(event: EventRow) -> Timetable:
    """Return the timetable of an event as far as it stands without results. Raises
    ConfigError.
    """
    return Timetable(event.terms())


def round_results(store: Store, event: EventRow, shape: Shape) -> list[Result] | None:
    """Return the results of a round, None unless all its matches are recorded. Raises
    StoreError if one cannot be a result.
    """
    seats, places = (
        event.definition.seats,
        (shape.first_ordinal, shape.first_ordinal + shape.matches - 1),
    )
    if store.count(event.id, *places) != shape.matches:
        return None
    of_round = []
    for row in store.matches(event.id, *places):
        in_range = all(
            0 <= seat.bot < len(event.bots) and 1 <= seat.rank <= seats for seat in row.seats
        )
        if len(row.seats) != seats or not in_range:
            raise StoreError(
                f"match {event.number}/{row.ordinal} is damaged: its seats are not those "
                "of its event"
            )
        of_round.append(results.of_row(event, row))
    return of_round


RoundResults = Callable[[Store, EventRow, Shape], list[Result] | None]


def timetable_of(store: Store, event: EventRow, results: RoundResults = round_results) -> Timetable:
    """Return the whole timetable of an event, later rounds drawn from the ``results``
    that the store holds. Raises ConfigError.
    """
    return Timetable(event.terms(), lambda shape: results(store, event, shape))


def is_league(folder: Path, store: Store | None = None) -> bool:
    """Tell whether a folder is a league's, founded or not. ``store``: the one in it, if
    there is one.
    """
    return (folder / LEAGUE).is_file() or (store is not None and store.newest_link() is not None)


def refuse_league(folder: Path, store: Store | None = None) -> None:
    """Raise ConfigError if a folder is a league's: its chain decides which event comes
    next.
    """
    if is_league(folder, store):
        league_format.check_installed(folder)
        raise ConfigError(
            f"{folder}: this is a league, and `khiva-arena league play` plays it; give "
            "another --out"
        )


def open_batch(store: Store) -> str:
    """Return the id of the event of a league's batch that is drawn and not over, "" if
    there is none.

    Raises StoreError if a link of the league cannot be read.
    """
    try:
        links = [msgspec.json.decode(row.text, type=_LinkOfABatch) for row in store.links()]
    except msgspec.MsgspecError as error:
        raise StoreError(
            f"{store.folder}: a link of the league cannot be read: {error}; restore a copy"
        ) from None
    newest = next((link for link in reversed(links) if link.kind in ("batch", "over")), None)
    return newest.event if newest is not None and newest.kind == "batch" else ""


class PlacesSoFar(NamedTuple):
    """The places of an event as it stands.

    placings: the places by its format, best first.
    rounds: how many of its rounds are complete.
    of: how many rounds it has.
    """

    placings: tuple[Placing, ...]
    rounds: int
    of: int


def places(event: EventRow, of_round: Callable[[Shape], list[Result] | None]) -> PlacesSoFar:
    """Return the places of an event by its format. ``of_round``: returns the results of
    a round, None unless it is complete.
    """
    timetable = bare_timetable(event)
    rounds = [results for shape in timetable.shapes if (results := of_round(shape)) is not None]
    return PlacesSoFar(formats.places(timetable.terms, rounds), len(rounds), len(timetable.shapes))


class NewId(NamedTuple):
    """The id that an event will have, and the commitment to its secret."""

    event: str
    commitment: str


def new_id(store: Store, definition: Definition, secret: bytes, like_0_1: bool) -> NewId:
    """Return the id of an event that is to be added, as ``add_event`` gives it. Raises
    ConfigError if the store has it.
    """
    commitment = seeds.commitment(definition.digest, secret)
    event = seeds.event_id(definition.digest, commitment)
    if like_0_1:
        event = definition.digest[: seeds.ID_LENGTH]
        commitment = seeds.commitment(event, secret)
    if existing := store.event(event):
        raise ConfigError(
            "--new-event: with the same settings and the same --seed it would be event "
            f"{existing.number} ({event}) once more, "
            "which is over; give another --seed or none, or another --out"
        )
    return NewId(event, commitment)


def add_event(
    store: Store, definition: Definition, bots: "Sequence[Bot]", secret: bytes, like_0_1: bool
) -> EventRow:
    """Add an event to a store. Raises ConfigError if the store has an event of that id.

    like_0_1: whether the id is as version 0.1.0 gave it, for later stages of a
        competition that 0.1.0 began.
    """
    event, commitment = new_id(store, definition, secret, like_0_1)
    rows = [
        BotRow(b.name, b.identity, b.version, b.complete, b.asked_as, b.folder or str(Path.cwd()))
        for b in bots
    ]
    store.add_event(event, definition.text, __version__, commitment, secret, rows)
    return stored_event(store, event)


def keep_modules(store: Path, definition: Definition, *others: Path) -> None:
    """Keep the modules of an event in ticks in its store's folder. Other events have
    none.

    others: folders of other stores that may have them, if this machine has not built
        them

    Raises ConfigError or Unwritten if the folder cannot be written.
    """
    if definition.in_ticks:
        from khiva_arena.entrants.only_modules import keep_in  # not above: few events are in ticks

        keep_in(store / MODULES, definition, *(other / MODULES for other in others))


def damaged_modules(store: Path, definition: Definition) -> list[str]:
    """Return a line on each module and payload of an event in ticks whose copy in its
    store's folder is damaged.
    """
    if not definition.in_ticks:
        return []
    from khiva_arena.entrants.modules import is_sound  # not above: few events are in ticks
    from khiva_arena.entrants.only_modules import named

    copies = [
        (bot.name, file, named(store / MODULES, file)) for bot, file in definition.module_files
    ]
    return [
        (
            f"{copy}: this copy of the {file.kind} of {name} is damaged; the command that "
            "played the event puts a sound one there"
        )
        for name, file, copy in copies
        if os.path.lexists(copy) and not is_sound(copy, file.digest)
    ]


def has_seeds(store: Store, event: EventRow, seeds: range) -> bool:
    """Tell whether all matches on these seeds in a row are recorded. The event must
    have one round.
    """
    (shape,) = bare_timetable(event).shapes
    per_seed = shape.line_ups * shape.seats
    return (
        store.count(event.id, seeds.start * per_seed, seeds.stop * per_seed - 1)
        == len(seeds) * per_seed
    )


def refuse_other_engine(store: Store, row: EventRow, any_engine: bool) -> None:
    """Raise StoreError if another engine version began an event, unless ``any_engine``.
    To be called before anything is written, since that version is to continue the
    store.
    """
    if __version__ not in row.engines and not any_engine:
        # not above: a run that goes on has no need of it
        from khiva_arena.common.version import shown

        raise StoreError(
            f"{store.folder}: event {row.id} was begun by khiva-arena {row.engines[0]}, this is "
            f"{shown()}; finish it with that one, give another --out, or continue and have it "
            "marked with --any-engine"
        )


def marked(store: Store, row: EventRow) -> EventRow:
    """Return the event, marked with the version of this engine."""
    if __version__ in row.engines:
        return row
    store.add_engine(row.id, __version__)
    return stored_event(store, row.id)


def run_digest_of(store: Store, event: EventRow) -> str:
    """Return the digest over the matches of an event that are recorded."""
    return run_digest(store.digests(event.id))


def stored_event(store: Store, event: str) -> EventRow:
    """Return an event that is in the store. Raises StoreError if it is not, or its
    definition or bots are damaged.
    """
    row = store.event(event)
    if row is None:
        raise StoreError(f"{store.folder}: event {event} is missing; restore a copy")
    refuse_damaged(store, row)
    return row


def stored_batch(store: Store, event: str) -> EventRow:
    """Return the event of a batch of a league. Raises StoreError as ``stored_event``
    does, and if its tables cannot be played.
    """
    row = stored_event(store, event)
    refuse_no_batch(store, row)
    return row


def refuse_no_batch(store: Store, event: EventRow) -> None:
    """Raise StoreError, which says where, if an event has no tables, or some that do
    not fit its bots and seats.
    """
    if event.definition.batch is None:
        damaged(store, f"event {event.number}", "it is no batch of the league")
    try:
        formats.check_terms(event.terms())
    except ConfigError as error:
        damaged(store, f"event {event.number}", str(error))


def refuse_damaged(store: Store, event: EventRow) -> None:
    """Raise StoreError, which says where, if an event's rows are not as ``add_event``
    makes them.
    """
    try:
        check_stored(event)
    except StoreError as error:
        damaged(store, f"event {event.number}", str(error))


def damaged(store: Store, part: str, problem: str) -> NoReturn:
    """Raise StoreError on a part of the store that was changed or lost since it was
    written.
    """
    raise StoreError(
        f"{store.folder}: {part} is damaged: {problem}; `khiva-arena verify "
        f"{quote(str(store.folder))}` says more"
    )
