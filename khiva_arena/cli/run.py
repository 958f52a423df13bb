"""``khiva-arena run``: a whole competition, from bots to a rating table."""

import os
import secrets
import shlex
from collections.abc import Sequence
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
from khiva_arena.cli.log import Log
from khiva_arena.cli.options import json_option, match_options
from khiva_arena.cli.progress import Progress
from khiva_arena.cli.settings import Settings, read_file, rules_of_flags, settle
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
@json_option
def command(config: Path | None, rule: tuple[str, ...], any_engine: bool, shipped: bool, as_json: bool, **flags: Any) -> int:
    """Play a round-robin: every line-up of the bots, on every seed, in every rotation of the seats.

    CONFIG is a TOML file with the same settings by their long names (bots = [...], seats = 3, turn = "1s", a [rules]
    table); flags win over KHIVA_ARENA_RUN_* variables (one for each setting but --bot), and those over the file. The same
    command again resumes.
    """
    settings = _settings(config, rule, flags, shipped)
    entrants = bot_files.load_all(settings.bots)
    _check_games(entrants, settings.game.name)
    definition = events.definition_of(settings, entrants)
    chosen = events.line_ups_of(definition)
    pool.reserve(settings.jobs, settings.seats)
    Store.check(settings.out)
    commands = [bot_files.stage(bot) for bot in entrants]
    _preflight(settings, definition, entrants, commands)
    with Store.write(settings.out) as store:
        log = Log(settings.out)
        try:
            secret = seeds.run_secret(settings.seed) if settings.seed is not None else secrets.token_bytes(seeds.SECRET_BYTES)
            event = events.open_event(store, definition, entrants, secret, any_engine)
            play = events.Play(store, event, chosen, commands)
            _announce(log, settings, event, play, chosen)
            _play(log, settings, play)
            complete = len(play.done) == play.totals.matches
            _conclude(log, store, settings, event, play, complete)
        finally:
            log.close()
    from khiva_arena.cli.standings import print_standings  # numpy comes with it: not before the matches have been played

    print_standings(settings.out, [event.id], as_json=as_json, anchor=None)
    return 0 if complete else 1


def _settings(config: Path | None, rule: tuple[str, ...], flags: dict[str, Any], shipped: bool) -> Settings:
    given, places = read_file(config) if config else ({}, {})
    said = {key: value for key, value in flags.items() if value not in (None, ())}
    named = said.get("bots", given.get("bots", ()))
    if shipped and isinstance(named, list | tuple):
        said["bots"] = (*named, *ready_bots(said.get("game") or given.get("game", "khiva")))
    rules = rules_of_flags(rule)
    if rules and isinstance(given.get("rules", {}), dict):
        said["rules"] = {**given.get("rules", {}), **rules}
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
    preflight([bot.name for bot in entrants], commands, header)


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
            for blame in report.faults:
                progress.clear()
                log.say(
                    "fault",
                    match=outcome.ordinal,
                    bot=outcome.record.header.seats[seat].name,
                    seat=seat,
                    verdict=str(blame.verdict),
                    gather=blame.gather,
                    detail=blame.detail,
                )

    try:
        pool.play(play.jobs(), settings.jobs, fix)
    except KeyboardInterrupt:
        progress.clear()
        log.say(
            f"interrupted with {len(play.done)} of {play.totals.matches} matches fixed; the same command resumes", warning=True
        )
        raise
    progress.clear()


def _conclude(log: Log, store: Store, settings: Settings, event: EventRow, play: events.Play, complete: bool) -> None:
    if not complete:
        tables = ", ".join(f"seed {k} line-up {lineup}" for k, lineup in sorted(play.set_aside))
        log.say(f"set aside after {pool.VOIDS_MOST} voids each: {tables}; the same command tries them again", warning=True)
    log.say(f"run digest {run_digest(store.digests(event.id))}")
    out = shlex.quote(str(settings.out))
    log.say(f"results are in {settings.out}; next: khiva-arena verify {out}, khiva-arena show {out}")
