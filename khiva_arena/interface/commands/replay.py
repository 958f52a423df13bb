"""The work of ``khiva-arena replay``: a stored match's requests to one seat, sent to
one bot again.
"""

import shlex
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from khiva_arena.arbiter.refeed import FedBot, Reply, feed
from khiva_arena.arbiter.stderr import notes_of
from khiva_arena.arbiter.trace import Trace
from khiva_arena.bots.sandbox.cell import kind
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.find import match_of, secret_of
from khiva_arena.competition.events.in_bundle import bundled_match
from khiva_arena.competition.settings.flags import loading_of_stored, take_fields
from khiva_arena.competition.settings.isolation import sandbox_of_stored
from khiva_arena.competition.settings.permissions import asking
from khiva_arena.display.terminal.console import BufferedStderr, say
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants import bots_of_an_event, guests
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.commits import without_commit
from khiva_arena.entrants.hints.starts import modules_of
from khiva_arena.entrants.loading import Loading
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.asked_again import AskedMatch, first_other, same
from khiva_arena.interface.commands.json_shapes import printed
from khiva_arena.interface.commands.next_step import handed, if_yours
from khiva_arena.interface.commands.replay_json import replay_output
from khiva_arena.interface.commands.replay_text import print_replay
from khiva_arena.interface.commands.stored_table import recorded_bot
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.requests import requests
from khiva_arena.records.replay.ticks import refuse_unspoken
from khiva_arena.records.store.db import Store


class FedFlags(NamedTuple):
    """Which bot is sent a match again, and how, as the flags of the same names say.

    seat: the seat whose requests are sent; None for that of the bot.
    bot: a bot by its word; None for the bot that sat there.
    isolation: a level; None for that of the match.
    runtime: runtimes, NAME=DIR each.
    limit: limits on the size of a bot, KEY=VALUE each.
    allow_include: True to hand the bot files outside of its folder.
    unreleased_interpreters: True to take an interpreter that no release has.
    wait: whether a debugger is waited for.
    trace: whether each message is printed.
    capture: the folder for raw bytes, None for none.
    """

    seat: int | None
    bot: str | None
    isolation: str | None
    runtime: tuple[str, ...]
    limit: tuple[str, ...]
    allow_include: bool | None
    unreleased_interpreters: bool | None
    wait: bool
    trace: bool
    capture: Path | None


class ShownFlags(NamedTuple):
    """What is printed of a match that was sent again.

    first: the first step; None for the first of all.
    last: the last step; None for the last of all.
    notes: whether what the bot wrote on stderr is printed.
    as_json: whether all is printed as JSON.
    """

    first: int | None
    last: int | None
    notes: bool
    as_json: bool


def replay(store: Path, match: str | None, **flags: Any) -> int:
    """Send the bot what the seat was sent, print what differs, and return the exit
    code.

    match: the word that names it; it may be None only for ``replay_lost``.
    flags: those of ``FedFlags`` and of ``ShownFlags``.
    """
    fed, show = take_fields(flags, FedFlags), take_fields(flags, ShownFlags)
    assert not flags, flags
    if match is None:
        raise ConfigError(
            "name a MATCH, as `khiva-arena show` lists them, or the bot whose lost matches "
            "are meant, by --lost"
        )
    loading = asking(loading_of_stored(fed._asdict()), say)
    source = _bundled(store, match) if store.is_file() else stored(store, match, loading)
    record = source.record
    sandbox = _sandbox(source.sandbox, fed.isolation, fed.wait)
    in_ticks = record.ticks is not None
    if record.header.meter:
        refuse_unspoken(record.header.meter)
    if in_ticks and fed.wait:
        raise ConfigError(
            "--wait stops a clock for a debugger, and a match in ticks has none; leave it out"
        )

    other_bot = (
        None
        if fed.bot is None
        else as_played(bot_files.load(fed.bot, loading=loading), record, sandbox.level)
    )
    seat = _seat_of(record, other_bot) if fed.seat is None else fed.seat
    seats = len(record.header.seats)
    if seat >= seats:
        raise ConfigError(f"--seat {seat}: the match has {seats} seats, 0 to {seats - 1}")
    if other_bot is not None:
        entrant = other_bot
    elif seat in record.header.persons:
        raise ConfigError(
            f"--bot person:{record.header.seats[seat].name}: {guests.NOT_HERE[guests.PERSON]}"
        )
    elif source.bot is None:
        raise ConfigError("--bot: a bundle holds no bots; name the one to play")
    else:
        entrant = as_played(source.bot(seat), record, sandbox.level)
    all_requests = requests(record, source.secret, seat, source.details[seat])
    fed_requests = [
        request for request in all_requests if show.last is None or request.step <= show.last
    ]
    bot = FedBot(stage(entrant, sandbox.level), sandbox, record.header, seat)
    attach = _attach(sandbox.level) if fed.wait else None
    with (
        BufferedStderr() as lines,
        closing(Trace([f"{entrant.name}#{seat}"], lines, fed.capture, first=seat)) as trace,
    ):
        trace.write = lines if fed.trace else None
        try:
            refed = feed(
                fed_requests, bot, trace=trace if fed.trace or fed.capture else None, attach=attach
            )
        except BaseException:
            trace.undo()
            raise
    replies = [reply for reply in refed.replies if reply.request.step >= (show.first or 0)]
    differ = [reply for reply in replies if not same(reply)]
    command = ""
    out_of = first_other(differ)
    if out_of and source.bot is not None and source.is_over:
        command = to_play(source, f"{store}", match, seat, out_of, "--choice", str(out_of.choice))
    if show.as_json:
        click.echo(
            printed(
                replay_output(
                    record, seat, entrant.name, refed, replies, [command] if command else []
                )
            )
        )
    else:
        print_replay(source, seat, entrant.name, refed, replies)
        if command:
            say(
                harmless(
                    "to play such a choice out: "
                    f"{command}{if_yours(record.header.isolation, source.bots)}"
                )
            )
        if show.notes:
            click.echo(notes_of(seat, refed.ending.notes, refed.ending.notes_total))
    if trace.failure:
        say(
            f"khiva-arena: error: --capture {fed.capture}: not all bytes are kept: "
            f"{trace.failure}; capture again elsewhere"
        )
    return 1 if differ or refed.out is not None or trace.failure else 0


# --- the match to replay ---


def as_played(bot: Bot, record: Record, level: Level) -> Bot:
    """Return a bot as it can be asked again: in a match in ticks its module alone.
    Raises ConfigError if it has none.
    """
    if record.ticks is None:
        return bot
    if problems := bots_of_an_event.not_modules([bot]):
        raise ConfigError(problems)
    return modules_of([bot], level)[0]


def _seat_of(record: Record, bot: Bot | None) -> int:
    """Return the one seat that a bot had, by its identity or else by its name. Raises
    ConfigError if there is not just one.
    """
    seats = record.header.seats
    for sat in (
        [number for number, seat in enumerate(seats) if bot and seat.bot == bot.identity],
        [number for number, seat in enumerate(seats) if bot and seat.name == bot.name],
        [
            number
            for number, seat in enumerate(seats)
            if bot and seat.name == without_commit(bot.name, bot.commit)
        ],
    ):
        if len(sat) == 1:
            return sat[0]
    listing = ", ".join(f"{number} was {seat.name}" for number, seat in enumerate(seats))
    raise ConfigError(
        f"--seat is missing, and --bot does not say which one is meant: seat {listing}"
    )


def stored(folder: Path, word: str, loading: Loading) -> AskedMatch:
    with Store.read(folder) as store:
        event, row = match_of(store, word)
        is_over, secret = row.seed in store.reveals(event.id), secret_of(store, event, row.seed)

    details = [{step: detail for _, detail, step in seat.faults} for seat in row.seats]

    def bot(seat: int) -> Bot:
        number = row.seats[seat].bot
        entrant, then = recorded_bot(event, number, loading), event.definition.bots[number]
        if entrant.identity != (then.sources or then.identity):
            say(f"warning: {entrant.name} has changed since it played")
        return entrant

    bots = [event.definition.bots[seat.bot] for seat in row.seats]
    return AskedMatch(
        word, row.parsed(), secret, event.definition.sandbox(best()), bot, details, is_over, bots
    )


def _bundled(file: Path, word: str) -> AskedMatch:
    """Return a match of a bundle. Limits that a stranger's file claims are not used."""
    record, secret = bundled_match(file, word)
    return AskedMatch(
        word, record, secret, Sandbox(best()), None, [{}] * len(record.header.seats), is_over=True
    )


def _sandbox(recorded: Sandbox, level_flag: str | None, wait: bool) -> Sandbox:
    sandbox = sandbox_of_stored(recorded, level_flag, say)
    return (
        replace(sandbox, ponder=True) if wait else sandbox
    )  # a debugger cannot use a process that is stopped between its turns


def _attach(level: Level) -> Callable[[int], bool]:
    def attach(pid: int) -> bool:
        hint = (
            f"; it runs at isolation {level}: if a debugger may not attach, try --isolation trusted"
        )
        note = "" if kind(level).debuggable else hint
        if not sys.stdin or not sys.stdin.isatty():
            say(f"the bot is process {pid}{note}; no clock runs")
            return False
        say(f"the bot is process {pid}{note}; attach to it, then press Enter")
        return True

    return attach


def to_play(
    source: AskedMatch, store: str, match: str, seat: int, reply: Reply, *choices: str
) -> str:
    """Return the command that plays a decision of a match on by other choices.

    match: EVENT/ORDINAL, or the beginning of its id.
    choices: the flag and the value that name them.
    """
    words = [
        "khiva-arena",
        "match",
        "--from",
        store,
        match,
        "--step",
        str(reply.request.step),
        "--seat",
        str(seat),
        *choices,
    ]
    return shlex.join(words) + handed(source.record.header)
