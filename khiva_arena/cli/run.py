"""``khiva-arena run``: a whole competition, from bots to a rating table."""

import os
import secrets
import shlex
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from khiva_arena.arbiter import bots as bot_files
from khiva_arena.arbiter import pool
from khiva_arena.arbiter.bots import Bot
from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.preflight import preflight
from khiva_arena.arbiter.wire import Command
from khiva_arena.cli import event as events
from khiva_arena.cli.bots import ready_bots
from khiva_arena.cli.changes import refuse_changed
from khiva_arena.cli.log import Log
from khiva_arena.cli.lookup import check_event
from khiva_arena.cli.options import json_option, match_options
from khiva_arena.cli.progress import Progress
from khiva_arena.cli.sandbox import keep_private, sandbox_of
from khiva_arena.cli.say import say
from khiva_arena.cli.settings import Settings, pairs_of_flags, read_file, settle
from khiva_arena.errors import ConfigError
from khiva_arena.replay import seeds
from khiva_arena.replay.record import run_digest
from khiva_arena.store.db import EventRow, Store


@click.command("run", short_help="Play a competition and print its rating table.")
@click.argument("config", required=False, type=click.Path(path_type=Path, dir_okay=False))
@match_options
@click.option("--seats", type=int, metavar="N", help="Seats at a table [default: 3].")
@click.option(
    "--seeds",
    type=int,
    metavar="N",
    help="Deals; each is played by every line-up in all rotations [default: 10]; at most a million.",
)
@click.option("--copies", type=int, metavar="N", help="Seat up to N copies of one bot at a table [default: 1].")
@click.option("--lineups", type=int, metavar="N", help="At most N line-ups, balanced; all are played unless there are very many.")
@click.option("-j", "--jobs", type=int, metavar="N", help="Matches at a time [default: 1].")
@click.option("--out", metavar="DIR", help="The store [default: results/latest]; one that exists is resumed or added to.")
@click.option(
    "--shipped", is_flag=True, help="Add the bots that come with the arena, as far as this machine has their languages."
)
@click.option("--any-engine", is_flag=True, help="Go on with an event that another version of khiva-arena began; it is marked.")
@click.option(
    "--new-event",
    is_flag=True,
    help="Begin another event beside one that is not over and that bots or settings have left behind.",
)
@json_option
def command(config: Path | None, any_engine: bool, new_event: bool, shipped: bool, as_json: bool, **flags: Any) -> int:
    """Play a round-robin: every line-up of the bots, on every seed, in every rotation of the seats.

    CONFIG is a TOML file with the same settings by their long names (bots = [...], seats = 3, turn = "1s", a [rules]
    table); flags win over KHIVA_ARENA_RUN_* variables (one for each setting but --bot), and those over the file. The same
    command again resumes.
    """
    settings = _settings(config, flags, shipped)
    entrants = bot_files.load_all(settings.bots)
    _check_games(entrants, settings.game.name)
    sandbox = sandbox_of(settings, rated=True)
    definition = events.definition_of(settings, entrants, sandbox)
    chosen = events.line_ups_of(definition)
    pool.reserve(settings.jobs, settings.seats)
    if Store.check(settings.out) and not new_event:
        with Store.read(settings.out) as store:
            refuse_changed(store, definition, entrants)
    with _if_interrupted(say, lambda: "no match was begun"):
        with _one_interrupt():
            commands = [bot_files.stage(bot, sandbox.level) for bot in entrants]
        keep_private(settings.out, sandbox, commands)
        _preflight(settings, definition, entrants, commands)
        opened = Store.write(settings.out)
    with opened as store, closing(Log(settings.out)) as log:
        with _if_interrupted(say, lambda: "no match was begun"):
            secret = seeds.run_secret(settings.seed) if settings.seed is not None else secrets.token_bytes(seeds.SECRET_BYTES)
            event = events.open_event(store, definition, entrants, secret, any_engine)
            check_event(store, event)
            play = events.Play(store, event, chosen, commands)
        with _if_interrupted(log.say, lambda: f"{len(play.done)} of {play.totals.matches} matches are fixed"):
            _announce(log, settings, event, play, chosen)
            _play(log, settings, play)
            complete = len(play.done) == play.totals.matches
            _conclude(log, store, settings, event, play, complete)
    with _if_interrupted(say, lambda: f"{len(play.done)} of {play.totals.matches} matches are fixed"):
        from khiva_arena.cli.standings import print_standings  # numpy comes with it: not before the matches have been played

        print_standings(settings.out, [event.id], as_json=as_json, anchor=None)
    return 0 if complete else 1


def _settings(config: Path | None, flags: dict[str, Any], shipped: bool) -> Settings:
    given, places = read_file(config) if config else ({}, {})
    said = {key: value for key, value in flags.items() if value not in (None, ())}
    named = said.get("bots", given.get("bots", ()))
    if shipped and isinstance(named, list | tuple):
        said["bots"] = (*named, *ready_bots(said.get("game") or given.get("game", "khiva")))
    for key, flag, pairs in (("rules", "--rule", said.pop("rule", ())), ("limits", "--limit", said.pop("limit", ()))):
        found = pairs_of_flags(flag, pairs)
        places = {place: line for place, line in places.items() if place not in [f"{key}.{name}" for name in found]}
        if found and isinstance(given.get(key, {}), dict):
            said[key] = {**given.get(key, {}), **found}
    return settle({**given, **said}, {key: place for key, place in places.items() if key not in said})


def _check_games(entrants: Sequence[Bot], game: str) -> None:
    problems = [
        f"--bot {bot.asked_as}: its bot.toml lists {', '.join(bot.games)}, not {game}"
        for bot in entrants
        if bot.games and game not in bot.games
    ]
    if problems:
        raise ConfigError(problems)


def _preflight(settings: Settings, definition: dict[str, Any], entrants: Sequence[Bot], commands: Sequence[Command]) -> None:
    who = [("preflight", "")] * settings.seats
    header = events.header_of(definition, who, "preflight", bytes(seeds.SECRET_BYTES))
    preflight([bot.name for bot in entrants], commands, header, events.sandbox_as_stored(definition))


def _announce(log: Log, settings: Settings, event: EventRow, play: events.Play, chosen: Any) -> None:
    totals = play.totals
    if chosen.total > totals.line_ups:
        log.say(
            f"of {chosen.total} possible line-ups a balanced set of {totals.line_ups} is played; --lineups N changes that",
            warning=True,
        )
    log.say(
        f"event {event.id}: {totals.seeds} seeds x {totals.line_ups} line-ups x {totals.rotations} rotations "
        f"= {totals.matches} matches" + (f", {len(play.done)} of them fixed before" if play.done else "")
    )
    log.say(f"commitment {event.commitment}")
    cores = len(os.sched_getaffinity(0))
    if settings.seats * settings.jobs > cores:
        log.say(
            f"{settings.jobs} x {settings.seats} bots at a time on {cores} cores: bots that think long take time from each other",
            warning=True,
        )


def _play(log: Log, settings: Settings, play: events.Play) -> None:
    progress = Progress(play.totals.matches, len(play.done))

    def fix(outcome: Outcome) -> None:
        play.fix(outcome, last=outcome.attempt >= pool.VOIDS_MOST)
        if outcome.record is None:
            progress.clear()
            log.say("void", warning=True, match=outcome.ordinal, attempt=outcome.attempt, why=outcome.void)
            return
        progress.one()
        for seat, report in enumerate(outcome.seats):
            where: dict[str, Any] = {"match": outcome.ordinal, "bot": outcome.record.header.seats[seat].name, "seat": seat}
            if report.faults or report.paused:
                progress.clear()
            for blame in report.faults:
                log.say("fault", **where, verdict=str(blame.verdict), gather=blame.gather, detail=blame.detail)
            if report.paused:
                log.say("paused", **where, times=report.paused, why="it kept a core from a seat that was asked")

    try:
        pool.play(play.jobs(), settings.jobs, fix)
    finally:
        progress.clear()


@contextmanager
def _if_interrupted(tell: Callable[[str], None], how_far: Callable[[], str]) -> Iterator[None]:
    """Say how far it came and how it goes on, whatever an interrupt hits."""
    try:
        yield
    except KeyboardInterrupt:
        tell(f"interrupted: {how_far()}; the same command resumes")
        raise


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """Take one interrupt and no more, outside of trio, which sees to that itself: an impatient second one must not keep what
    was started from being ended."""

    def first(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException:
        signal.signal(signal.SIGINT, before)
        raise
    signal.signal(signal.SIGINT, before)


def _conclude(log: Log, store: Store, settings: Settings, event: EventRow, play: events.Play, complete: bool) -> None:
    if not complete:
        tables = ", ".join(f"seed {k} line-up {lineup}" for k, lineup in sorted(play.set_aside))
        log.say(f"set aside after {pool.VOIDS_MOST} voids each: {tables}; the same command tries them again", warning=True)
    log.say(f"run digest {run_digest(store.digests(event.id))}")
    out = shlex.quote(str(settings.out))
    log.say(f"results are in {settings.out}; next: khiva-arena verify {out}, khiva-arena show {out}")
