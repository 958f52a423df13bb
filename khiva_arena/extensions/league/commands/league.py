"""The work of ``khiva-arena league``: a new league, bots that are entered, batches that
are played, and how a league stands.
"""

import json
import os
import shlex
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from khiva_arena.bots.modules.released import released
from khiva_arena.common import shipped
from khiva_arena.common.result import Clock
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.stored import open_batch
from khiva_arena.competition.settings.flags import settings_by_flags, take_fields
from khiva_arena.competition.settings.permissions import asking
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.interrupts import if_interrupted
from khiva_arena.display.terminal.tty import list_width
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.commits import without_commit
from khiva_arena.entrants.interpreters import WORDS, pin_of
from khiva_arena.entrants.loading import valid_part_of
from khiva_arena.entrants.packing import pack
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.folder import BOTS, SETTINGS, check_league
from khiva_arena.extensions.league.full_disk import outlast
from khiva_arena.extensions.league.player.final import FinalShape, play_final
from khiva_arena.extensions.league.player.pauses import failing_machine_told
from khiva_arena.extensions.league.player.player import draw
from khiva_arena.extensions.league.player.player import play as play_batches
from khiva_arena.extensions.league.player.refusals import HowLong
from khiva_arena.extensions.league.seasons import ALL
from khiva_arena.extensions.league.seen import receipt_of
from khiva_arena.extensions.league.settings import (
    NO_BOTS_IN_BUNDLES,
    league_of,
    league_text,
    remember_maker,
    way_to_play,
)
from khiva_arena.extensions.league.status import LeagueStatus, active_families, status_of
from khiva_arena.extensions.league.submissions import by_hand
from khiva_arena.extensions.league.submissions.limits import BotsBound
from khiva_arena.extensions.league.submissions.names import check_name
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.waiting import take_back
from khiva_arena.extensions.shards.plan import keep_plan, places_of_bots
from khiva_arena.extensions.shards.plan_file import read_plan
from khiva_arena.extensions.shards.plans import tell_plan
from khiva_arena.games.registry import NAMES
from khiva_arena.interface.commands.new_folder import make
from khiva_arena.interface.commands.run import check_needed_flags
from khiva_arena.rating.report.text import listing
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.files import MODULES
from khiva_arena.records.store.new_file import check_new_file, new_file

ANCHORS = "anchors"
"""The folder below ``BOTS`` with the anchors of a new league."""


def new(folder: Path, game: str, seats: int, clock: str, publish_bots: bool | None) -> None:
    """Make the folder of a new league and say what to do next. Raises ConfigError if
    there is one.
    """
    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]):
        raise ConfigError(f"{folder}: exists already; give another name")
    if publish_bots is not None and clock != Clock.TICKS:
        raise ConfigError(f"--{'' if publish_bots else 'no-'}publish-bots: {NO_BOTS_IN_BUNDLES}")
    word = os.path.abspath(game) if os.path.exists(game) and game not in NAMES else game
    settings: dict[str, Any] = {"game": word, "seats": seats, "clock": clock}
    language = _language_of_anchors(clock)
    anchors = _anchors(game, language)
    settings["bots"] = [f"{BOTS}/{ANCHORS}/{name}" for name in anchors]
    settings["anchor"] = next(iter(anchors))
    if clock == Clock.TICKS:
        settings["publish_bots"] = publish_bots is not False
        settings["interpreters"] = {
            word: digest for word in WORDS if (digest := pin_of(word)) in released()
        }
    text = league_text(settings)
    first, *others = anchors.items()
    _make_anchor(
        folder, language, *first
    )  # which fails if another command makes the same league, whose folder then stays
    try:
        for name, start in others:
            _make_anchor(folder, language, name, start)
        with new_file(folder / SETTINGS) as file:
            file.write(text.encode())
        remember_maker(folder, say)
        league_of(folder, {}, say, is_new=True)  # so that a mistake in a flag is told now
    except BaseException:
        shutil.rmtree(
            folder, ignore_errors=True
        )  # else the same command would find a folder that is no league
        raise
    word = shlex.quote(str(folder))
    say(
        harmless(f"{folder}: a new league; its settings, all explained, are in {folder / SETTINGS}")
    )
    say(
        harmless(
            f"next: khiva-arena league enter {word} my-bot --author ann, then khiva-arena "
            f"league play {word}"
        )
    )


def _make_anchor(league: Path, language: str, name: str, start: str) -> None:
    make(shipped.languages()[language], league / BOTS / ANCHORS / name, start, language == "c")


def _language_of_anchors(clock: str) -> str:
    """Return the language of the anchors: in ticks the first one with an interpreter
    here, without a compiler for C.
    """
    if clock == Clock.WALL:
        return "python"
    tools = shipped.languages()["c"].module
    if not (tools and shipped.lacks(tools)):
        return "c"
    return next((word for word in WORDS if pin_of(word) in released()), "c")


def _anchors(game: str, language: str) -> dict[str, str]:
    """Return the anchors of a new league, by name the shipped bot of a language that
    each is: one with simple rules, and a random one; two random ones for a game of the
    user's own.
    """
    words = [word for word in shipped.bots() if word.startswith(f"{shipped.WORD}{language}/")]
    plays = [
        word.partition("/")[2] for word in words if game in (bot_files.load(word).games or (game,))
    ]
    simple = [name for name in plays if name.startswith("greedy")][:1]
    return (
        {name: name for name in simple}
        | {"random": "random"}
        | ({} if simple else {"random-2": "random"})
    )


def enter(
    league: Path, bot: str, author: str, name: str | None, allow_include: bool | None, as_json: bool
) -> int:
    """Check a bot, play its trial table, and let it wait for the next batch. Returns
    the exit code.
    """
    loaded = league_of(league, {}, say)
    allowed = valid_part_of(
        {"allow_include": allow_include}
    ).include  # what league.toml allows its anchors is not for this bot
    entrant = bot_files.load(bot, loading=asking(replace(loaded.loading, include=allowed), say))
    if entrant.guest:
        raise ConfigError(
            f"{bot}: bots on other machines cannot be checked, so they are in no league"
        )
    family, packed = name or without_commit(entrant.name, entrant.commit), pack(entrant)
    with (
        Queue(league) as queue,
        if_interrupted(say, lambda: f"{harmless(family)} does not come in by this command"),
    ):
        whose = queue.author(author) or queue.add_author(author)
        if whose.revoked:
            again = (
                f"khiva-arena league author rotate {shlex.quote(str(league))} {shlex.quote(author)}"
            )
            raise ConfigError(
                f"--author {author}: may not take part any more; `{again}` allows it again"
            )
        bound = BotsBound(loaded.options.bots_an_author, active_families(league, whose.id))
        entry = by_hand.enter(
            loaded, queue, by_hand.Packed(whose.id, family, entrant.identity, packed), bound, say
        )
    is_accepted = entry.state != "refused"
    if as_json:
        click.echo(
            json.dumps({"entry": entry.number, "state": entry.state, "report": entry.report})
        )
    else:
        click.echo(f"{harmless(entry.family_name)}: {entry.state}; {entry.report}")
        if is_accepted:
            beacon = "COMMAND" if loaded.terms.beacon else ""
            say(harmless(f"it is in from the next batch: {way_to_play(league, beacon)}"))
            if loaded.terms.publishes_bots:
                say(
                    "bundles of this league may hold its module, and all of its files if it is in "
                    "JavaScript or Python (publish_bots): tell its author"
                )
    return 0 if is_accepted else 1


def play(league: Path, **flags: Any) -> None:
    """Play batches until it is time to stop. ``flags``: the fields of ``HowLong``, and
    settings.
    """
    until = flags.pop("until")
    how_long = take_fields({**flags, "until": _time_of_day(until) if until else None}, HowLong)
    for name in HowLong._fields:
        flags.pop(name, None)
    settings = settings_by_flags(flags)
    with failing_machine_told():
        loaded = outlast(
            lambda: league_of(league, settings, say), league, say, waits=how_long.batches is None
        )
    if how_long.batches == 0 and not receipt_of(league):
        raise ConfigError(
            f"{league}: not founded yet, so nothing is due; --batches 1 plays the first "
            "batch, which founds it"
        )
    check_needed_flags(loaded.settings)
    play_batches(loaded, how_long, say)
    word = shlex.quote(str(league))
    say(harmless(f"next: khiva-arena standings {word}, khiva-arena verify {word}"))


def plan(league: Path, file: Path, as_json: bool, **flags: Any) -> None:
    """Write the batch that is drawn and not over as a plan; if there is none, draw it
    first. ``flags``: fields of ``HowLong``. Raises ConfigError.
    """
    loaded = league_of(league, {}, say)
    if file.resolve().is_relative_to(league.resolve()):
        raise ConfigError(
            f"{file}: lies in the folder of the league, which others may read; name a file "
            "elsewhere"
        )
    if problems := places_of_bots(file, loaded.anchors):
        raise ConfigError(problems)
    if os.path.lexists(file):
        _check_plan(file, league)
    else:
        check_new_file(file)
    event = draw(loaded, HowLong(batches=1, **flags), say)
    word = shlex.quote(str(league))
    made = keep_plan(file, event, loaded.settings.game, say, league / MODULES)
    tell_plan(file, made._replace(event=event), word, as_json, is_published=True)
    say(
        harmless(
            f"then `{way_to_play(league, flags['beacon'])}` plays what is missing and ends "
            "the batch"
        )
    )


def _check_plan(file: Path, league: Path) -> None:
    """Raise ConfigError if a file that exists is no plan of the batch that a league
    plays.
    """
    event, batch = read_plan(file).event.id, ""
    if receipt_of(league):
        with Store.read(league) as store:
            batch = open_batch(store)
    if event != batch:
        raise ConfigError(
            f"{file}: exists already with another plan, and is not changed; give another name"
        )


def _time_of_day(text: str) -> datetime:
    """Return the next moment that has this time of day. Raises ConfigError."""
    try:
        at = datetime.strptime(text, "%H:%M").time()
    except ValueError:
        raise ConfigError(f"--until {text}: write a time of day, as 7:00") from None
    now = datetime.now().astimezone()
    moment = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return (moment if moment > now else moment + timedelta(days=1)).astimezone(UTC)


def change(league: Path, bot: str, state: str, why: str) -> None:
    """Let a change of the roster wait for the next batch. Raises ConfigError if it is
    not possible.
    """
    standing = status_of(league)
    known = {row.name: row for row in standing.bots}
    if bot not in known:
        raise ConfigError(
            f"no bot called {bot!r} in {league}; there are {', '.join(known) or 'none yet'}"
        )
    if not known[bot].author:
        raise ConfigError(f"{bot} is an anchor, which plays in every batch and never changes")
    if known[bot].state in ("retired", state):
        raise ConfigError(f"{bot} is {known[bot].state} already")
    if not (len(why) <= 200 and why.isprintable()):
        raise ConfigError("--why: give a line of at most 200 characters")
    with Queue(league) as queue:
        queue.add_change(known[bot].identity, state, why)
    say(f"{harmless(bot)} is {state} from the next batch on")


def cancel(league: Path, what: str) -> None:
    """Take back what waits for the next batch. ``what``: as ``league status`` names it.
    Raises ConfigError.
    """
    check_league(league)
    one = take_back(league, what)
    say(harmless(f"{one.id}, {one.name}, is taken back and changes nothing"))


def season(league: Path, name: str) -> None:
    """Let a season begin with the next batch. Raises ConfigError for a name that is not
    valid, or taken.
    """
    standing = status_of(league)
    check_name(name, "a season")
    if name in (*standing.seasons, ALL):
        raise ConfigError(f"{name!r}: there is a season of that name; take another one")
    with Queue(league) as queue:
        queue.add_change("", "season", name)
    later = f"khiva-arena standings {shlex.quote(str(league))} --season {shlex.quote(name)}"
    say(f"season {name} begins with the next batch; later: {later}")


def final(
    league: Path,
    top: int,
    seeds: int,
    lineups: str,
    as_json: bool,
    **flags: Any,
) -> int:
    """Play a final and print its table. Returns the exit code. ``flags``: settings, and
    two fields of ``HowLong``.
    """
    if lineups not in ("auto", "all") and not (lineups.isdecimal() and int(lineups)):
        raise ConfigError(f"--lineups {lineups}: give a number, auto or all")
    how_long = HowLong(beacon=flags.pop("beacon"), clock_is_right=flags.pop("clock_is_right"))
    loaded = league_of(league, settings_by_flags(flags), say)
    check_needed_flags(loaded.settings)
    few = {"auto": "auto", "all": None}.get(lineups, int(lineups) if lineups.isdecimal() else None)
    played = play_final(loaded, FinalShape(top, seeds, few), how_long, say)
    # numpy comes with it: not before the matches have been played
    from khiva_arena.interface.commands.standings import print_standings

    print_standings(played.out, played.result.events, as_json=as_json)
    return 0 if played.result.complete else 1


def status(league: Path, as_json: bool) -> None:
    """Print how a league stands."""
    standing = status_of(league)
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(standing)))
        return
    click.echo(_head(standing))
    rows = [
        [str(bot.place or "-"), bot.name, bot.state, str(bot.tables), bot.author or "anchor"]
        for bot in sorted(standing.bots, key=lambda bot: bot.place or len(standing.bots) + 1)
    ]
    if rows:
        head = ["place", "bot", "state", "tables", "author"]
        click.echo("\n".join(map(harmless, listing([head, *rows], list_width(), right=[0]))))
    if standing.next_begin:
        click.echo(f"the next batch begins at {standing.next_begin}")
    if standing.takes:
        click.echo(f"a batch takes {standing.takes}, one at a time")
    for one in standing.waiting:
        click.echo(harmless(f"{one.id}: {one.name} {one.why}"))
    if standing.waiting:
        say(
            harmless(
                "to take one of these back: khiva-arena league cancel "
                f"{shlex.quote(str(league))} {standing.waiting[0].id}"
            )
        )


def _head(standing: LeagueStatus) -> str:
    if standing.link is None:
        return harmless(f"{standing.name}: not founded yet; the first batch founds it")
    played = (
        f"batch {standing.batches} is played: {standing.recorded} of {standing.planned} "
        "matches are recorded"
    )
    now = played if standing.planned else f"{standing.batches} batches are over"
    return harmless(f"{standing.name}: {now}; link {standing.link} {standing.digest}")
