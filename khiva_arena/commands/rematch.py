"""The work of ``khiva-arena match --from``: a stored match again, with live bots."""

import json
import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from khiva_arena.arbiter.match import Job
from khiva_arena.commands.traced import Tracing, play, print_aside, say_faults
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.loading import AS_IT_IS, Loading
from khiva_arena.errors import ConfigError
from khiva_arena.events.find import match_of, secret_of
from khiva_arena.games.registry import get
from khiva_arena.outside.opening import offer
from khiva_arena.replay.definition import kept_at
from khiva_arena.replay.record import Record
from khiva_arena.replay.ticks import refuse_unspoken
from khiva_arena.sandbox.detect import best
from khiva_arena.settings.define import changed_runtimes
from khiva_arena.settings.flags import loading_of_stored, settings_by_flags
from khiva_arena.settings.isolation import keep_apart, sandbox_of_stored
from khiva_arena.settings.one_match import stage_all
from khiva_arena.settings.permissions import asking, mistakes
from khiva_arena.store.db import BotRow, EventRow, Store
from khiva_arena.terminal.console import say
from khiva_arena.text import harmless


def play_stored(folder: Path, word: str, flags: dict[str, Any], tracing: Tracing, as_json: bool) -> int:
    loading = asking(loading_of_stored(flags), say)
    values = settings_by_flags(flags)
    if set(values) - {"bots", "game", "isolation", "trust_bots", "runtimes", "limits", "network", "env", "allow_include"}:
        raise ConfigError(
            "--from plays the stored match again: apart from it only --bot, --game, --isolation, --network, --env, --runtime, "
            "--allow-include and limits on the size of a bot can be given"
        )
    if "game" in values:
        offer([values["game"]])
    with Store.read(folder) as store:
        event, row = match_of(store, word)
        secret = secret_of(store, event, row.seed)
    record = row.parsed()
    if event.definition.in_ticks:
        refuse_unspoken(event.definition.meter)
    get(record.header.game, record.header.rules_version)  # it is missed before any bot is
    words = flags["bots"]
    if words and len(words) != len(record.header.seats):
        raise ConfigError(
            f"--bot: {len(words)} given, the match has {len(record.header.seats)} seats; give one for each, in seat order"
        )
    if words:
        entrants = [bot_files.load(word, loading=loading) for word in words]
    else:
        entrants = [recorded_bot(event, seat.bot, loading) for seat in row.seats]
    open_to = values.get("network", ()), values.get("env", ())
    problems = bot_files.of_another_game(entrants, record.header.game)
    problems += bot_files.not_modules(entrants) if event.definition.in_ticks else []
    if problems := [*problems, *mistakes(*open_to, [bot.name for bot in entrants])]:
        raise ConfigError(problems)
    for runtime in changed_runtimes(event.definition, entrants):
        say(f"warning: the runtime {runtime} has changed since it was played with")
    recorded = event.definition.sandbox(best())
    sandbox = sandbox_of_stored(recorded, flags["isolation"], say, trusts=bool(words) or values.get("trust_bots", False))
    if event.definition.in_ticks:
        from khiva_arena.entrants.only_modules import only_modules  # not above: few matches are in ticks

        entrants = only_modules(entrants, sandbox.level)
    if not words:
        for bot, seat in zip(entrants, record.header.seats, strict=True):
            if bot.identity != seat.bot:
                say(f"warning: {seat.name} has changed since it played")
    for bot, sat in zip(entrants, row.seats, strict=True):
        if event.definition.bots[sat.bot].network and bot.name not in open_to[0]:
            say(f"warning: {bot.name} played with a network, and has none now; --network {shlex.quote(bot.name)} opens it")
    commands = stage_all(entrants, sandbox, *open_to, by_function=tracing.by_function)
    keep_apart(entrants, commands, sandbox)
    job = Job(0, 1, record.header, secret, commands, sandbox)
    outcome, code = play(job, tracing, [bot.asked_as for bot in entrants])
    if outcome.record is None:
        say(f"the match failed twice on this machine: {outcome.void}")
        return 1
    difference = first_difference(record, outcome.record)
    if as_json:
        values = {"same": difference is None, "difference": difference, "record": json.loads(outcome.record.to_json())}
        click.echo(json.dumps({**values, "cell": outcome.cell}))
    else:
        if outcome.cell:
            click.echo(kept_at(outcome.cell))
        click.echo(difference or f"every choice is the same; digest {outcome.record.digest}")
    print_aside(outcome, [seat.name for seat in record.header.seats], tracing)
    say_faults(outcome, job, [bot.asked_as for bot in entrants], tracing)
    return 1 if difference else code


def recorded_bot(event: EventRow, position: int, loading: Loading = AS_IT_IS) -> Bot:
    """Return the bot at a position of an event, found in its recorded folder, or else from the working folder.

    Raises ConfigError, BotError.
    """
    row: BotRow = event.bots[position]
    word = row.asked_as
    if os.path.isdir(row.folder):
        with suppress(ConfigError):
            return bot_files.load(word, row.folder, loading)
    if row.folder != os.getcwd():
        say(harmless(f"warning: {word} was named in {row.folder}, but is not there; looking for it here"))
    return bot_files.load(word, loading=loading)


def first_difference(before: Record, after: Record) -> str | None:
    """Return in a line where two records of one match first differ; None if they are equal."""
    for number, (old, new) in enumerate(zip(before.steps, after.steps, strict=False), 1):
        for step, later in zip(old, new, strict=False):
            if step != later:
                name = before.header.seats[step.seat].name
                words = [f"choice {c.choice}" + (f" ({c.why})" if c.why else "") for c in (step, later)]
                return f"step {number}, seat {step.seat} ({name}): {words[0]} then, {words[1]} now"
    if len(before.steps) != len(after.steps):
        return f"the stored match has {len(before.steps)} steps, this one {len(after.steps)}"
    if before.digest != after.digest:
        return f"the results differ: ranks {before.ranks} then, {after.ranks} now"
    return None
