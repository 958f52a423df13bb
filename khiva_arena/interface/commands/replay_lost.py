"""The work of ``khiva-arena replay --lost``: all matches that a bot lost, asked of
another bot, a line a match.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from khiva_arena.arbiter.refeed import FedBot, RefeedResult, feed
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.exit_codes import BAD_RESULT, DONE
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.events.find import matches_of
from khiva_arena.competition.settings.flags import loading_of_stored
from khiva_arena.competition.settings.isolation import sandbox_of_stored
from khiva_arena.competition.settings.permissions import asking
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.asked_again import (
    AskedMatch,
    decision_asked,
    first_other,
    in_words,
    kinds_of,
    moment_of,
    same,
)
from khiva_arena.interface.commands.json_shapes import VERSION, LostAsked, LostOutput, printed
from khiva_arena.interface.commands.next_step import if_yours
from khiva_arena.interface.commands.replay import as_played, stored, to_play
from khiva_arena.interface.commands.replay_json import kinds_as_json, replay_sentence
from khiva_arena.records.replay.requests import requests
from khiva_arena.records.replay.ticks import refuse_unspoken
from khiva_arena.records.store.db import Store
from khiva_arena.words import count

MOST = 50
"""The most matches that one command asks again, the newest ones."""
WITHOUT = ("wait", "trace", "notes", "capture", "first", "last")


class LostMatch(NamedTuple):
    """A match that a bot did not win alone.

    match: EVENT/ORDINAL.
    seat: of the bot.
    """

    match: str
    seat: int


def replay_lost(store: Path, match: str | None, lost: str, as_json: bool, **flags: Any) -> int:
    """Ask a bot all that another was asked in matches that it lost, print what differs,
    and return the exit code.

    match: None, since all are meant.
    lost: the name of the bot that lost, as tables have it.
    flags: the other flags of ``replay``.

    Raises ConfigError, BotError, StoreError, StagingError.
    """
    if match is not None or flags["seat"] is not None or any(flags[name] for name in WITHOUT):
        raise ConfigError(
            "--lost asks again whole matches, all that the bot lost: without MATCH, --seat, "
            "--from, --until, --wait, --trace, --capture and --notes"
        )
    loading = asking(loading_of_stored(flags), say)
    entrant = None if flags["bot"] is None else bot_files.load(flags["bot"], loading=loading)
    all_lost = lost_matches(store, lost)
    if len(all_lost) > MOST:
        say(f"the newest {MOST} of {len(all_lost)} lost matches are asked again")
        all_lost = all_lost[-MOST:]
    if not all_lost:
        nothing = harmless(
            f"{lost} lost no recorded match of {store}: nothing is asked again", LONGEST
        )
        click.echo(
            printed(LostOutput(v=VERSION, sentence=nothing, matches=[], kinds={}, next=[]))
            if as_json
            else nothing
        )
        return DONE
    sandboxes: dict[Sandbox, Sandbox] = {}
    asked: list[tuple[AskedMatch, RefeedResult]] = []
    plain = []
    for lost_match in all_lost:
        source = stored(store, lost_match.match, loading)
        header = source.record.header
        if header.meter:
            refuse_unspoken(header.meter)
        if source.sandbox not in sandboxes:  # what is to be said of one is said once
            sandboxes[source.sandbox] = sandbox_of_stored(source.sandbox, flags["isolation"], say)
        sandbox = sandboxes[source.sandbox]
        assert source.bot is not None, "a store has bots"
        bot = as_played(entrant or source.bot(lost_match.seat), source.record, sandbox.level)
        sent = requests(
            source.record, source.secret, lost_match.seat, source.details[lost_match.seat]
        )
        refed = feed(sent, FedBot(stage(bot, sandbox.level), sandbox, header, lost_match.seat))
        asked.append((source, refed))
        differ, failed = sum(not same(reply) for reply in refed.replies), _failed(refed)
        plain.append(LostAsked(*lost_match, len(refed.replies), differ, failed or None))
        if not as_json:
            line = (
                f"{lost_match.match}, seat {lost_match.seat}: {differ} of "
                f"{count(len(refed.replies), 'choice')} differ"
            )
            click.echo(harmless(f"{line}{failed and f'; {bot.name} fails {failed}'}", LONGEST))
    kinds = kinds_of(*((source.record.header, refed.replies) for source, refed in asked))
    differ, total = (
        sum(numbers)
        for numbers in ([of.differ for of in kinds.values()], [of.asked for of in kinds.values()])
    )
    command, hint = _to_try(store, all_lost, asked)
    if as_json:
        output = LostOutput(
            v=VERSION,
            sentence=f"{count(len(asked), 'lost match', 'lost matches')}: "
            f"{replay_sentence(differ, total, '')}",
            matches=plain,
            kinds=kinds_as_json(kinds),
            next=[harmless(command)] if command else [],
        )
        click.echo(printed(output))
    else:
        of_all = f"{differ} of {count(total, 'choice')} differ"
        by_kind = f": {in_words(kinds)}" if differ else ""
        click.echo(
            harmless(
                f"{count(len(asked), 'lost match', 'lost matches')}: {of_all}{by_kind}", LONGEST
            )
        )
        if command:
            say(
                "most differences are style, between good bots too; try the few that may "
                "matter before you copy them, as here:"
            )
            say(harmless(f"  {command}{hint}", LONGEST))
    return BAD_RESULT if differ or any(refed.out for _, refed in asked) else DONE


class ToTry(NamedTuple):
    """A command that plays a difference on.

    command: "" if none can be played on.
    hint: words behind it, of ``if_yours``.
    """

    command: str
    hint: str


def _to_try(
    store: Path, matches: Sequence[LostMatch], asked: Sequence[tuple[AskedMatch, RefeedResult]]
) -> ToTry:
    """Return the command that plays the first difference on by both choices."""
    for lost_match, (source, refed) in zip(matches, asked, strict=True):
        reply = first_other(refed.replies)
        if reply and source.is_over:
            both = f"{decision_asked(reply.request).choice.choice},{reply.choice}"
            command = to_play(source, f"{store}", *lost_match, reply, "--try", both)
            return ToTry(command, if_yours(source.record.header.isolation, source.bots))
    return ToTry("", "")


def lost_matches(folder: Path, lost: str) -> list[LostMatch]:
    """Return the matches of a store in which a bot was not first alone, in the order of
    their play; of copies each seat.

    lost: its name. Of several versions with this name the one that played last is
        meant.

    Raises ConfigError if the store has no bot of that name.
    """
    with Store.read(folder) as store:
        events = store.events()
        names = sorted({bot.name for event in events for bot in event.bots})
        if lost not in names:
            raise ConfigError(
                harmless(
                    f"--lost {lost}: no bot of {folder} has this name; there are "
                    f"{', '.join(names)}",
                    LONGEST,
                )
            )
        newest = [bot.identity for event in events for bot in event.bots if bot.name == lost][-1]
        return [
            LostMatch(f"{event.number}/{row.ordinal}", seat.seat)
            for event in events
            if newest in [bot.identity for bot in event.bots]
            for row in matches_of(store, event, beside=())
            for seat in row.seats
            if event.bots[seat.bot].identity == newest
            and (seat.rank > 1 or [one.rank for one in row.seats].count(1) > 1)
        ]


def _failed(refed: RefeedResult) -> str:
    """Return when and how a bot failed, "" if it did not."""
    return "" if refed.out is None else moment_of(refed.out)
