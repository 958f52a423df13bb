"""The line that plays the matches of a page on the command line, and the event that the
page makes from it.

The line comes first. A page reads its settings back from the line by the code of the
command, so that the two cannot part.
"""

import secrets
import shlex
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from khiva_arena import __version__
from khiva_arena.bots.modules.released import newest
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.setting_row import LISTS, Kind
from khiva_arena.competition.settings.define import definition_of, run_secret
from khiva_arena.competition.settings.flags import flag_words, settings_by_flags
from khiva_arena.competition.settings.settings import ROWS, Settings, settings_from
from khiva_arena.competition.settings.stages import stages_from
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.guests import PERSON
from khiva_arena.entrants.runtimes import USUAL_MAXIMUM
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import identity_with_payload
from khiva_arena.records.store.rows import BotRow, EventRow

AUTHOR = "my-bot"
"""The folder of the author's bot, beside which the line is typed."""
MOST_MATCHES = 10_000
COMMAND, SEAT_COMMAND = ("khiva-arena", "run"), ("khiva-arena", "play")
OWN = "own"
"""The author's bot as the opponent of a person."""
_BUILDS = (
    f"{AUTHOR}/bot.toml: build starts a program, and a page can start none; take the line out, "
    "or play with the command"
)
_NO_INTERPRETER = (
    f"{AUTHOR}/bot.toml: a page plays bots that an interpreter runs, python or javascript, with "
    f"{USUAL_MAXIMUM} MiB of memory; play this one with the command"
)


def typed(request: Mapping[str, Any], opponent: str) -> str:
    """Return the line that plays the matches of a request. Raises ConfigError if nobody
    can play so many.

    opponent: the folder of the opponent's bot
    """
    seats, matches = request["seats"], request["matches"]
    if not (1 <= matches <= MOST_MATCHES and seats > 1):
        raise ConfigError(
            f"a page plays 1 to {MOST_MATCHES:,} matches at a time, at tables of two seats or more"
        )
    values = {
        "bots": (AUTHOR, opponent),
        "game": request["game"],
        "clock": "ticks",
        "seats": seats,
        **(
            {"format": "gauntlet", "copies": seats - 1} if seats > 2 else {}
        ),  # copies of the opponent fill the table
        "seeds": -(-matches // seats),  # each deal is played in all rotations
        "seed": _seed_of(request),
        "trust_bots": True,
    }
    return _line(COMMAND, values)


def typed_seat(request: Mapping[str, Any], opponent: str) -> str:
    """Return the line that plays the match of a person. Raises ConfigError if there is
    no such seat.

    opponent: the word of the bot at each other seat
    """
    seats, seat = request["seats"], request["seat"]
    if not 0 <= seat < seats > 1:
        raise ConfigError(f"there is no seat {seat} at a table of {seats}")
    bots = [PERSON if number == seat else opponent for number in range(seats)]
    values = {
        "bots": bots,
        "game": request["game"],
        "clock": "ticks",
        "seed": _seed_of(request),
        "trust_bots": True,
    }
    return _line(SEAT_COMMAND, values)


def _seed_of(request: Mapping[str, Any]) -> str:
    seed: str = request["seed"] or secrets.token_hex(8)
    if not seed.isprintable():
        raise ConfigError("a seed has printable characters only")
    return seed


def _line(command: Sequence[str], values: Mapping[str, Any]) -> str:
    return shlex.join(
        [
            *command,
            *chain.from_iterable(flag_words(ROWS[name], value) for name, value in values.items()),
        ]
    )


def settings_of(line: str) -> Settings:
    """Return the settings of a line, as its command reads it. Raises ConfigError with
    every mistake.
    """
    rows = {row.option: row for row in ROWS.values()}
    flags: dict[str, Any] = {}
    first, second, *rest = shlex.split(line)
    words = iter(rest)
    for word in words:
        row = rows[word]
        if row.kind is Kind.SWITCH:
            flags[row.parameter] = True
        elif row.kind in LISTS:
            flags[row.parameter] = (*flags.get(row.parameter, ()), next(words))
        else:
            flags[row.parameter] = int(next(words)) if row.kind is Kind.NUMBER else next(words)
    values = settings_by_flags(flags)
    if (first, second) == SEAT_COMMAND:
        return settings_from(
            {**values, "seats": len(values["bots"])}, {"seats": "--bot"}, seats="bots"
        )
    (settings,) = stages_from({}, values, {})
    return settings


def bots_of(settings: Settings) -> list[Bot]:
    """Return the bots of settings, from the working folder. Raises ConfigError with
    every reason why they cannot play here.
    """
    return _playable([bot.in_ticks for bot in bots_of_an_event.load_all(settings.bots)], settings)


def players_of(settings: Settings, opponent: str) -> list[Bot]:
    """Return the players of a person's match by seat, as ``bots_of``
    does. ``opponent``: the folder of the bot.
    """
    (bot,) = _playable([bot_files.load(opponent).in_ticks], settings)
    return [bot_files.load(PERSON) if word == PERSON else bot for word in settings.bots]


def _playable(bots: list[Bot], settings: Settings) -> list[Bot]:
    problems = bots_of_an_event.of_another_game(
        bots, settings.game.name
    ) + bots_of_an_event.not_modules(bots)
    problems += bots_of_an_event.beyond_memory(bots, settings.resources.memory)
    own = bots[0] if bots[0].asked_as == AUTHOR else None
    problems += [_BUILDS] if own and own.build else []
    problems += [_NO_INTERPRETER] if own and own.module and not _module_of(own) else []
    if problems:
        raise ConfigError(problems)
    return bots


def _module_of(bot: Bot) -> str:
    """Return the hash of the module that runs a bot in a page, "" if the page has
    none.
    """
    wish = bot.interpreted
    return newest(wish.word, wish.memory) if wish and wish.memory == USUAL_MAXIMUM else ""


def as_modules(bots: Sequence[Bot], payloads: Sequence[bytes]) -> list[Bot]:
    """Return bots as their modules and payloads alone, as the command does. Raises
    SameBots.
    """
    return bots_of_an_event.with_distinct_names(
        [as_module(bot, payload) for bot, payload in zip(bots, payloads, strict=True)]
    )


def as_module(bot: Bot, payload: bytes) -> Bot:
    """Return a bot as its module and payload alone."""
    parts = _module_of(bot), sha256(payload).hexdigest()
    return replace(
        bot,
        run=(),
        identity=identity_with_payload(*parts),
        built_from=bot.identity,
        parts=parts,
        original=bot,
    )


def sandbox_of(settings: Settings) -> Sandbox:
    """Return the walls that definitions name; a module has its own."""
    return Sandbox(Level.TRUSTED, settings.resources, settings.ponder)


def event_of(settings: Settings, bots: Sequence[Bot]) -> EventRow:
    """Return the event of these settings and modules. Its id is the one that the
    command gives it.
    """
    definition = definition_of(settings, bots, sandbox_of(settings))
    secret = run_secret(settings)
    commitment = seeds.commitment(definition.digest, secret)
    rows = tuple(
        BotRow(bot.name, bot.identity, bot.version, True, bot.asked_as, str(Path())) for bot in bots
    )
    event = seeds.event_id(definition.digest, commitment)
    return EventRow(event, 1, definition.text, (__version__,), "", commitment, secret, rows)
