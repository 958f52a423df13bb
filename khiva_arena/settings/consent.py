"""What a settings file or a plan opens on this machine, and whether its user agrees to that: somebody else may have written it.

The rows of the settings table say which values open something. Each needs its flag, or the user's word, which is asked for once
at a terminal and remembered in ``khiva-arena/agreed`` of ~/.config: for this file, what it opens, and each program that it runs
outside a cell.
"""

import json
import os
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.say import Say
from khiva_arena.settings.flags import flag_words
from khiva_arena.settings.row import TABLES, Setting
from khiva_arena.settings.table import TABLE
from khiva_arena.store import private
from khiva_arena.terminal.question import agreed, can_ask
from khiva_arena.text import harmless


class Opening(NamedTuple):
    """Something that a file opens.

    row: the setting that does.
    value: what it is set to; of a table, what no flag has set.
    """

    row: Setting
    value: Any

    @property
    def flag(self) -> str:
        """What is typed for the same."""
        return shlex.join(flag_words(self.row, self.value))

    @property
    def text(self) -> str:
        """The flag, and what it opens, for people."""
        return harmless(f"{self.flag}: {self.row.opens}")


def openings(given: Mapping[str, Any], said: Mapping[str, Any]) -> list[Opening]:
    """Return what settings of a file open. ``said``: settings by flags, which win over them. A value of a wrong type opens
    nothing: it is refused elsewhere."""
    found = []
    for row in TABLE:
        value = given.get(row.name)
        if not row.opens or value in (None, row.default, []) or row.mistakes(value):
            continue
        if row.kind in TABLES:
            value = {key: each for key, each in value.items() if key not in said.get(row.name, {})}
        elif row.name in said:
            continue
        if value and not row.harmless(value):
            found.append(Opening(row, value))
    return found


def programs(opened: Sequence[Opening], entrants: Iterable[Bot]) -> list[str]:
    """The hash of each program that runs outside a cell since a file opens that: a game, and bots at trusted. Raises
    ConfigError if there is no such game."""
    values = {one.row.name: one.value for one in opened}
    code = []
    if "game" in values:
        from khiva_arena.outside.source import source_of  # not above: most files name a game of the arena

        try:
            code = [source_of(values["game"]).code]
        except ConfigError as error:
            raise ConfigError([f"--game: {problem}" for problem in error.problems]) from None
    return code + sorted(bot.identity for bot in entrants if values.keys() & {"isolation", "trust_bots"})


def digest_of(file: str, code: Sequence[str] = ()) -> str:
    """The hash under which a word is remembered. ``file``: what of the file counts; ``code``: as ``programs`` gives it."""
    return sha256("\0".join(["khiva-agreed-1", file, *code]).encode()).hexdigest()


def refusal(file: Path, opened: Collection[Opening]) -> str:
    """Return what is said where nobody can be asked: all flags at once."""
    flags = " ".join(one.flag for one in opened)
    return (
        f"{file} opens more of this machine than a file may by itself; if you trust it, add: {flags} "
        "(or type the command once at a terminal, which asks and remembers)"
    )


def ask(file: Path, opened: Sequence[Opening], digest: str, say: Say) -> None:
    """See that the user agrees, now or at an earlier time. Raises ConfigError."""
    if set(_names(opened)) <= _remembered(digest):
        return
    if not can_ask():
        raise ConfigError(refusal(file, opened))
    say(harmless(f"{file} opens more of this machine than a file may by itself:"))
    for one in opened:
        say(f"  {one.text}")
    if not agreed("agree, for as long as this file and the programs that it runs so stay as they are?", yes=False):
        raise ConfigError(f"{file}: not agreed to; nothing is played")
    remember(file, opened, digest, say)


def remember(file: Path, opened: Sequence[Opening], digest: str, say: Say) -> None:
    """Keep the user's word. If it can't be kept, it is asked for again."""
    if not opened:
        return
    kept = {"file": str(file.absolute()), "opens": _names(opened), "flags": [one.flag for one in opened]}
    try:
        private.make_folder(folder())
        with os.fdopen(private.open_file(folder() / digest, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW), "w") as out:
            out.write(f"{json.dumps(kept, indent=1)}\n")
    except OSError as error:
        say(f"{folder()}: cannot be written, so this is asked for again: {error.strerror}", warning=True)


def _remembered(digest: str) -> set[str]:
    """The names of what the user has agreed to."""
    try:
        if (folder() / digest).lstat().st_uid != os.geteuid():
            return set()
        return set(json.loads((folder() / digest).read_text())["opens"])
    except (OSError, ValueError, KeyError, TypeError):  # not yet, or cut short by a full disk
        return set()


def _names(opened: Sequence[Opening]) -> list[str]:
    """The settings that open something, of a table each key."""
    return [
        name
        for one in opened
        for name in ([f"{one.row.name}.{key}" for key in one.value] if one.row.kind in TABLES else [one.row.name])
    ]


def folder() -> Path:
    """Return where words are kept, a file for each. Removing one takes it back."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "khiva-arena" / "agreed"
