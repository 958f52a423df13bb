"""Consent of the user to the openings of a settings file or a plan on this machine.

Somebody else may have written the file. The rows of the settings table say which values
open something. Each such value needs its flag, or the user's word. The word is asked
for once at a terminal and remembered in ``khiva-arena/agreed`` of ~/.config. It counts
for this file, its openings, each program that runs outside a cell because of them, and
each row of a list whose bot gets the network or a variable.
"""

import json
import os
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.say import Say
from khiva_arena.common.setting_row import TABLES, Setting
from khiva_arena.common.text import harmless
from khiva_arena.competition.settings.flags import flag_words
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.display.terminal.question import agreed, can_ask
from khiva_arena.entrants.bot_lists import BOT_LISTS, END, ListedBot
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.records.store import private


class Opening(NamedTuple):
    """An opening of this machine by a file.

    row: the setting that opens it.
    value: the value of that setting; of a table, the keys that no flag has set.
    """

    row: Setting
    value: Any

    @property
    def flag(self) -> str:
        """The flag to type for the same opening."""
        return shlex.join(flag_words(self.row, self.value))

    @property
    def text(self) -> str:
        """The flag, and the effect of the opening, for people."""
        return harmless(f"{self.flag}: {self.row.opens}")


def openings_of(file_settings: Mapping[str, Any], flags: Mapping[str, Any]) -> list[Opening]:
    """Return the openings that settings of a file make. ``flags``: settings by flags,
    which win over those of the file.

    A value of a wrong type opens nothing: it is refused elsewhere.
    """
    result = []
    for row in TABLE:
        value = file_settings.get(row.name)
        if not row.opens or value in (None, row.default, []) or row.mistakes(value):
            continue
        if row.kind in TABLES:
            value = {key: each for key, each in value.items() if key not in flags.get(row.name, {})}
        elif row.name in flags:
            continue
        if value and not row.harmless(value):
            result.append(Opening(row, value))
    return result


def programs(openings: Sequence[Opening], entrants: Iterable[Bot]) -> list[str]:
    """Return the hash of each program that runs outside a cell because a file opens
    that: a game, and bots at trusted.

    Raises ConfigError if there is no such game.
    """
    values = {opening.row.name: opening.value for opening in openings}
    code = []
    if "game" in values:
        # not above: most files name a game of the arena
        from khiva_arena.arbiter.handed_games import show

        try:
            code = [show(values["game"]).code]
        except ConfigError as error:
            raise ConfigError([f"--game: {problem}" for problem in error.problems]) from None
    return code + sorted(
        bot.identity
        for bot in entrants
        if values.keys() & {"isolation", "trust_bots", "allow_include"}
    )


def listed(openings: Sequence[Opening], entrants: Iterable[Bot], say: Say) -> list[ListedBot]:
    """Return the rows of the bots of lists to which a file gives the network or
    variables: another file says where these send.

    say: takes a line on each.
    """
    values = {opening.row.name: opening.value for opening in openings}
    pairs = [(name, "the network") for name in values.get("network", ())]
    pairs += [
        (name, variable)
        for name, _, variable in (word.rpartition("=") for word in values.get("env", ()))
    ]
    rows = []
    for bot in entrants:
        gets = [what for name, what in pairs if name == bot.name]
        if (
            gets
            and END in bot.asked_as
            and (row := BOT_LISTS.get("a bot of a list").row_of(bot.home))
        ):
            say(row.line(bot.name, gets))
            rows.append(row._replace(row=f"{bot.name}\0{row.row}"))
    return rows


def digest_of(file: str, code: Sequence[str] = ()) -> str:
    """Return the hash under which the user's word is remembered, in hex.

    file: the part of the file that counts.
    code: as ``programs`` gives it.
    """
    return sha256("\0".join(["khiva-agreed-1", file, *code]).encode()).hexdigest()


def digest_of_file(path: Path, text: str, code: Sequence[str]) -> str:
    """Return the hash under which the user's word on a settings file is remembered: the
    file in its folder, and ``programs``.
    """
    return digest_of(f"{path.parent.resolve()}\0{text}", code)


def refusal(file: Path, openings: Collection[Opening], asks: str = "") -> str:
    """Return the message where nobody can be asked: all flags at once, or the command
    that ``asks`` where these are no flags.
    """
    flags = " ".join(opening.flag for opening in openings)
    if asks:
        return (
            f"{file} opens more of this machine than a file may by itself: {flags}; if you trust "
            f"it, type `{asks}` once at a terminal, which asks and remembers"
        )
    return (
        f"{file} opens more of this machine than a file may by itself; if you trust it, add: "
        f"{flags} (or type the command once at a terminal, which asks and remembers)"
    )


def ask(
    file: Path,
    openings: Sequence[Opening],
    digest: str,
    say: Say,
    asks: str = "",
    rows: Iterable[ListedBot] = (),
) -> None:
    """Check that the user agrees, now or at an earlier time. Raises ConfigError if not.

    asks: as in ``refusal``.
    rows: of the bots of lists that are given something.
    """
    if set(_names(openings)) <= remembered(digest):
        return
    if not can_ask():
        raise ConfigError(refusal(file, openings, asks))
    say(harmless(f"{file} opens more of this machine than a file may by itself:"))
    for opening in openings:
        say(f"  {opening.text}")
    addresses = ", ".join(dict.fromkeys(row.address for row in rows))
    sends = f" to this, and that bots send to {addresses}" if addresses else ""
    if not agreed(
        f"agree{sends}, for as long as this file and the programs that it runs so stay as "
        "they are?",
        yes=False,
    ):
        raise ConfigError(f"{file}: not agreed to; nothing is played")
    remember(file, openings, digest, say)


def remember(file: Path, openings: Sequence[Opening], digest: str, say: Say) -> None:
    """Keep the user's word. A word that cannot be kept is asked for again, and a
    warning says so.
    """
    if not openings:
        return
    agreement = {
        "file": str(file.absolute()),
        "opens": _names(openings),
        "flags": [opening.flag for opening in openings],
    }
    try:
        private.make_folder(folder())
        with os.fdopen(
            private.open_file(folder() / digest, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW), "w"
        ) as out:
            out.write(f"{json.dumps(agreement, indent=1)}\n")
    except OSError as error:
        say(
            f"{folder()}: cannot be written, so this is asked for again: {error.strerror}",
            warning=True,
        )


def remembered(digest: str) -> set[str]:
    """Return the names of the settings that the user has agreed to."""
    try:
        with regular_files.open_file(folder() / digest, follow=False) as file:
            return (
                set(json.load(file)["opens"])
                if os.fstat(file.fileno()).st_uid == os.geteuid()
                else set()
            )
    except (OSError, ValueError, KeyError, TypeError):  # not yet, or cut short by a full disk
        return set()


def _names(openings: Sequence[Opening]) -> list[str]:
    """Return the names of the settings that open something; for a table, a name for
    each key.
    """
    return [
        name
        for opening in openings
        for name in (
            [f"{opening.row.name}.{key}" for key in opening.value]
            if opening.row.kind in TABLES
            else [opening.row.name]
        )
    ]


def folder() -> Path:
    """Return the folder where words are kept, a file for each. Removing a file takes
    that word back.
    """
    return (
        Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        / "khiva-arena"
        / "agreed"
    )
