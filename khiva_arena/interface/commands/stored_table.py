"""A match of a store with live bots at its table: those that sat there, or others."""

import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from khiva_arena.arbiter.handed_games import offer
from khiva_arena.arbiter.match import Job
from khiva_arena.arbiter.start_problem import permissions_of
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.find import match_of, secret_of
from khiva_arena.competition.settings.define import changed_runtimes
from khiva_arena.competition.settings.flags import loading_of_stored, settings_by_flags
from khiva_arena.competition.settings.isolation import keep_apart, sandbox_of_stored
from khiva_arena.competition.settings.one_match import stage_all
from khiva_arena.competition.settings.permissions import asking, mistakes
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants import bots_of_an_event, guests
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.starts import modules_of
from khiva_arena.entrants.loading import AS_IT_IS, Loading
from khiva_arena.errors import ConfigError
from khiva_arena.games.registry import get
from khiva_arena.records.replay.record import IN_TICKS, WITH_PERSONS, Header, Record, person_called
from khiva_arena.records.replay.ticks import refuse_unspoken
from khiva_arena.records.store.db import BotRow, EventRow, MatchRow, Store

GIVEN = {
    "bots",
    "game",
    "isolation",
    "trust_bots",
    "runtimes",
    "limits",
    "network",
    "env",
    "allow_include",
    "unreleased_interpreters",
}


class StoredTable(NamedTuple):
    """A stored match.

    name: EVENT/ORDINAL
    event, row, record: as the store has them
    secret: of its deal, 32 bytes
    is_revealed: whether the deal is over, so that its hidden things may be shown
    """

    name: str
    event: EventRow
    row: MatchRow
    record: Record
    secret: bytes
    is_revealed: bool

    @property
    def details(self) -> list[dict[int, str]]:
        """Return by seat and step the line about its fault that a bot was sent."""
        return [{step: detail for _, detail, step in seat.faults} for seat in self.row.seats]


class SeatedBots(NamedTuple):
    """The bots at the table, by seat.

    entrants: the bots
    job: the whole match, to be played by them
    """

    entrants: list[Bot]
    job: Job


def stored_table(folder: Path, word: str, flags: dict[str, Any]) -> StoredTable:
    """Return the match that a word names, once its game can be played. ``flags``: those
    of the settings.

    Raises ConfigError, StoreError.
    """
    values = settings_by_flags(flags)
    if set(values) - GIVEN:
        raise ConfigError(
            "--from plays the stored match again: apart from it only --bot, --game, "
            "--isolation, --network, --env, --runtime, "
            "--allow-include and limits on the size of a bot can be given"
        )
    if "game" in values:
        offer([values["game"]])
    with Store.read(folder) as store:
        event, row = match_of(store, word)
        is_revealed, secret = row.seed in store.reveals(event.id), secret_of(store, event, row.seed)
    record = row.parsed()
    if event.definition.in_ticks:
        refuse_unspoken(event.definition.meter)
    get(record.header.game, record.header.rules_version)  # it is missed before any bot is
    return StoredTable(f"{event.number}/{row.ordinal}", event, row, record, secret, is_revealed)


def seated(
    table: StoredTable,
    flags: dict[str, Any],
    *,
    guest: int | None = None,
    by_function: bool = False,
) -> SeatedBots:
    """Return the bots at a table, staged, and the job that plays its match again.

    flags: as in ``stored_table``, with the permissions of the bots.
    guest: the seat of a person.

    Raises ConfigError, BotError.
    """
    values, definition, header = (
        settings_by_flags(flags),
        table.event.definition,
        table.record.header,
    )
    loading = asking(loading_of_stored(flags), say)
    if words := flags["bots"]:
        if len(words) != len(header.seats):
            raise ConfigError(
                f"--bot: {len(words)} given, the match has {len(header.seats)} seats; give "
                "one for each, in seat order"
            )
        entrants = [bot_files.load(word, loading=loading) for word in words]
    else:
        entrants = [
            bot_files.load(guests.PERSON)
            if number == guest
            else recorded_bot(table.event, seat.bot, loading)
            for number, seat in enumerate(table.row.seats)
        ]
    in_ticks = definition.in_ticks
    open_to = values.get("network", ()), values.get("env", ())
    problems = bots_of_an_event.of_another_game(entrants, header.game)
    problems += (
        bots_of_an_event.not_modules([bot for bot in entrants if bot.guest != guests.PERSON])
        if in_ticks
        else []
    )
    if problems := [*problems, *mistakes(*open_to, [bot.name for bot in entrants])]:
        raise ConfigError(problems)
    for runtime in changed_runtimes(definition, entrants):
        say(f"warning: the runtime {runtime} has changed since it was played with")
    recorded = definition.sandbox(best())
    sandbox = sandbox_of_stored(
        recorded, flags["isolation"], say, trusts=bool(words) or values.get("trust_bots", False)
    )
    if in_ticks:
        entrants = modules_of(entrants, sandbox.level)
    if not words:
        for number, (bot, seat) in enumerate(zip(entrants, header.seats, strict=True)):
            then = definition.bots[table.row.seats[number].bot]
            if number != guest and bot.identity != (
                seat.bot if in_ticks else then.sources or seat.bot
            ):
                say(f"warning: {seat.name} has changed since it played")
    for bot, sat in zip(entrants, table.row.seats, strict=True):
        if definition.bots[sat.bot].network and bot.name not in open_to[0] and not bot.guest:
            given = shlex.join(permissions_of(bot.name, True, definition.bots[sat.bot].env))
            say(
                harmless(
                    f"warning: {bot.name} played with a network, and has none now; if it "
                    f"is yours, {given} opens it"
                )
            )
    commands = stage_all(entrants, sandbox, *open_to, by_function=by_function)
    keep_apart(entrants, commands, sandbox)
    if guest is not None:
        names = [
            entrants[at].name if words or at == guest else seat.name
            for at, seat in enumerate(header.seats)
        ]
        header = named(header, names)
    if in_ticks:
        header = _of_players(header, table.record.header.persons, entrants)
    return SeatedBots(entrants, Job(0, 1, header, table.secret, commands, sandbox))


def _of_players(header: Header, then: Sequence[int], entrants: Sequence[Bot]) -> Header:
    """Return the header of a match in ticks with the persons who sit there
    now. ``then``: the seats of those who did.
    """
    rows = enumerate(zip(header.seats, entrants, strict=True))
    seats = [
        seat._replace(bot=person_called(seat.name))
        if bot.guest
        else seat._replace(bot=bot.identity)
        if at in then
        else seat
        for at, (seat, bot) in rows
    ]
    now = replace(header, seats=tuple(seats))
    return replace(now, format=WITH_PERSONS if now.persons else IN_TICKS)


def named(header: Header, names: Sequence[str]) -> Header:
    """Return a header with other names of the bots, by seat."""
    return replace(
        header,
        seats=tuple(
            seat._replace(name=name) for seat, name in zip(header.seats, names, strict=True)
        ),
    )


def recorded_bot(event: EventRow, position: int, loading: Loading = AS_IT_IS) -> Bot:
    """Return the bot at a position of an event, found in its recorded folder, or else
    from the working folder.

    Raises ConfigError, BotError.
    """
    row: BotRow = event.bots[position]
    word = row.asked_as
    if os.path.isdir(row.folder):
        with suppress(ConfigError):
            return bot_files.load(word, row.folder, loading)
    if row.folder != os.getcwd():
        say(
            harmless(
                f"warning: {word} was named in {row.folder}, but is not there; looking for it here"
            )
        )
    return bot_files.load(word, loading=loading)
