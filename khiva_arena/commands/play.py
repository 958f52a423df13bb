"""The work of ``khiva-arena play``: a person takes a seat in the browser, and bots the others."""

import os
import sys
import webbrowser
from collections import Counter
from typing import Any

import click

from khiva_arena import __version__
from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.arbiter.preflight import preflight
from khiva_arena.competition.one_match import OneMatch, one_match
from khiva_arena.competition.settings_flags import given_by_flags
from khiva_arena.entrants import bots, guests
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import ConfigError
from khiva_arena.sandbox import cell as isolation
from khiva_arena.sandbox.level import TRUSTING
from khiva_arena.sandbox.reap import new_mark
from khiva_arena.terminal.console import say
from khiva_arena.text import harmless, isolated
from khiva_arena.web import ended
from khiva_arena.web.hub_process import Hub
from khiva_arena.web.needed import check_installed
from khiva_arena.words import count

DAY = "1440m"
OPPONENTS = {"khiva": "greedy", "emira": "greedy_emira", "silk_road": "greedy_silk_road"}
"""By game: the bot that sits down if none was named."""
ADVISERS = {"khiva": "search", "emira": "greedy_emira", "silk_road": "greedy_silk_road"}
"""By game: the bot that gives hints."""


def play(hints: bool, port: int, opens: bool, terminal: bool, as_json: bool, flags: dict[str, Any]) -> int:
    """Play a match with persons and print how it ended. Returns the exit code."""
    if not terminal:
        check_installed()
    given = given_by_flags(flags)
    given["bots"] = _seated(list(given.get("bots", ())), given.get("game", "khiva"))
    with Hub() as hub:
        one = one_match({"turn": DAY, **given})
        names = _names(one)
        persons = {word: seat for seat, word in enumerate(one.words) if guests.is_one(word)}
        game = one.job.header.game
        if terminal and len(persons) > 1:
            raise ConfigError("--terminal: one person sits at a terminal; leave it out for a page each")
        hub.say(
            {
                "socket": hub.socket,
                "persons": [{"name": guests.named(word)[1], "seat": seat} for word, seat in persons.items()],
                "names": names,
                "game": game,
                "engine": __version__,
                "port": port,
                "terminal": _terminal() if terminal else None,
                "hints": _adviser(game) if hints else None,
            }
        )
        addresses = hub.hear()["addresses"]
        preflight(names, one.job.commands, one.job.header, one.job.sandbox, words=one.words)
        for name, address in addresses.items():
            say(f"{name} plays here: {address}")
        if addresses and opens and not webbrowser.open(next(iter(addresses.values()))):
            say("no browser could be opened; open the address yourself")
        outcome = play_one(one.job)
        if outcome.record is None:
            hub.say(ended.void(outcome.void))
            say(f"the match is void, twice: {outcome.void}")
            return 1
        hub.say(ended.ended(outcome.record, one.job.secret, [isolated(name) for name in names]))
        _print(outcome, one, names, as_json)
        if not terminal:
            say("the replay is in the page, all hands open, until you close it or press Ctrl-C")
        try:
            hub.hear()
        except KeyboardInterrupt:
            return 0
    return 0


def _seated(words: list[str], game: str) -> list[str]:
    """Who sits down: a person at the first seat unless one was given a place, and two bots if none was named. Raises
    ConfigError."""
    if not [word for word in words if not guests.is_one(word)] and len(words) < 2:
        bot = OPPONENTS.get(game)
        if bot is None:
            raise ConfigError(f"--bot: name who plays {game} against you")
        words += [f"shipped:python/{bot}"] * 2
    persons = [word for word in words if guests.is_one(word)]
    if not persons:
        words.insert(0, guests.PERSON)
    if remote := [word for word in persons if guests.named(word)[0] != guests.PERSON]:
        raise ConfigError(f"--bot {remote[0]}: here persons and bots of this machine play; `khiva-arena run` seats remote bots")
    called = Counter(guests.named(word)[1] for word in persons)
    if twice := [name for name, times in called.items() if times > 1]:
        raise ConfigError(f"--bot person:{twice[0]}: two persons have one name; give each another, as --bot person:ann")
    return words


def _terminal() -> str:
    """The path of the terminal that this command was typed at. Raises ConfigError."""
    try:
        return os.ttyname(sys.stdin.fileno())
    except (OSError, ValueError):
        raise ConfigError("--terminal: standard input is no terminal") from None


def _names(one: OneMatch) -> list[str]:
    """What each seat is called on the page: bots of one name with their seat behind it."""
    names = [seat.name for seat in one.job.header.seats]
    return [f"{name}#{seat}" if names.count(name) > 1 else name for seat, name in enumerate(names)]


def _adviser(game: str) -> dict[str, Any] | None:
    """How the bot is started that gives hints; None if there is none for a game."""
    if game not in ADVISERS:
        return None
    command = stage(bots.load(f"shipped:python/{ADVISERS[game]}"))
    cell = isolation.cell(command, TRUSTING, new_mark())
    return {"name": ADVISERS[game], "argv": list(command.argv), "folder": command.folder, "environment": cell.environment}


def _print(outcome: Outcome, one: OneMatch, names: list[str], as_json: bool) -> None:
    record = outcome.record
    assert record is not None
    if as_json:
        click.echo(record.to_json())
    else:
        for seat in sorted(range(len(names)), key=lambda seat: (record.ranks[seat], seat)):
            verdict = record.verdicts[seat]
            fault = "" if verdict == "ok" else f"  {verdict}"
            click.echo(harmless(f"{record.ranks[seat]:>3}. {names[seat]}  {count(record.scores[seat], 'point')}{fault}"))
        click.echo(f"every choice replays; digest {record.digest}")
    if one.drawn is not None:
        say(f"to play these deals again: --seed {one.drawn.hex()}")
