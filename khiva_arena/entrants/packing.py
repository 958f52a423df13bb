"""A bot's files as one stream of bytes, as a league takes them: archive.py has its
form.
"""

import glob
import json
import shlex
from pathlib import Path
from typing import Any

from khiva_arena.entrants import sources
from khiva_arena.entrants.archive import (
    MANIFEST,
    MOST_BYTES,
    PackedContent,
    check_packed,
    stream_of,
)
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError


def pack(bot: Bot) -> bytes:
    """Return the files of a bot as one stream, with a bot.toml that names them and no
    others: its identity stays the same.

    Raises ConfigError if it is a bare command, or too large.
    """
    if not bot.sources:
        raise ConfigError(
            f"{bot.asked_as}: a league takes bots that are folders with a bot.toml, and modules"
        )
    if sum(path.stat().st_size for _, path in bot.sources) > MOST_BYTES:
        raise ConfigError(
            f"{bot.asked_as}: its files have more than {MOST_BYTES >> 20} MiB, which a "
            "league does not take"
        )
    contents = {name: _read(bot, path) for name, path in bot.sources}
    contents.setdefault(MANIFEST, PackedContent(_manifest(bot).encode(), runs=False))
    packed = stream_of(contents)
    check_packed(packed)  # so that its author hears at once what would be refused
    return packed


def _manifest(bot: Bot) -> str:
    """Return a bot.toml for a bot's staged files. It holds no author: the league knows
    whose bot it is.
    """
    if bot.interpreted:
        wish = bot.interpreted
        words = shlex.join((wish.word, wish.main))
        commands: dict[str, Any] = {
            "run": shlex.join(bot.run_line),
            "interpreter": words,
            "memory": wish.memory,
        }
    elif bot.module:
        commands = {"module": bot.module, "payload": bot.payload}
    else:
        commands = {"run": shlex.join(bot.run)}
    given = {key: words for key, words in commands.items() if words}
    values = {"name": _own_name(bot), **given, "build": shlex.join(bot.build), "games": bot.games}
    tops = dict.fromkeys(name.partition("/")[:2] for name, _ in bot.sources)
    if bot.reports:
        values["reports"] = True
    values["files"] = [glob.escape(top) + ("/**/*" if below else "") for top, below in tops]
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())


def _own_name(bot: Bot) -> str:
    if not bot.commit:
        return bot.name
    # not above: a page in a browser has none of what it needs
    from khiva_arena.entrants.commits import without_commit

    return without_commit(bot.name, bot.commit)


def _read(bot: Bot, path: Path) -> PackedContent:
    try:
        with sources.open_source(path, bot.root) as file:
            return PackedContent(file.read(MOST_BYTES + 1), sources.runs(file))
    except OSError as error:
        raise ConfigError(f"{bot.asked_as}: {path.name}: {error.strerror or error}") from None
