"""Words for bots as users type them at first: a file of a bot, the last word of a
shipped bot's name, a glob of folders.
"""

import json
import os
import shlex
import shutil
from collections.abc import Sequence
from glob import escape as glob_escape
from glob import glob, has_magic
from pathlib import Path
from typing import NamedTuple

from khiva_arena.common import shipped
from khiva_arena.common.text import file_name, is_text
from khiva_arena.entrants import guests
from khiva_arena.entrants.archive import ENTRY
from khiva_arena.words import count

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ENTRY)
"""The ends of the names of archives that hold a bot, and of the stream of one."""
OTHER_ARCHIVES = (".7z", ".rar", ".gz", ".bz2", ".xz", ".zst")
FEW = 4
"""Bots or files that a message names; of more it says how many there are."""


class Glob(NamedTuple):
    """The paths that fit a glob, sorted.

    bots: folders with a bot.toml, and archives, for which the glob stands.
    others: folders without, and other files.
    """

    bots: list[str]
    others: list[str]


class CommitWord(NamedTuple):
    """A word for a bot as a commit has it, such as my-bot@HEAD~1.

    folder: the bot's, which the working copy may lack.
    revision: the words behind the @, which git reads.
    """

    folder: str
    revision: str


def commit_word(word: str, base: str = "") -> CommitWord | None:
    """Return the folder and the revision of a word such as my-bot@HEAD~1; None for a
    word of another kind.

    A file or folder of this name wins, and so does a command. Of several @ the last one
    behind a folder counts.

    base: the folder to which paths are relative.
    """
    if "@" not in word or not is_text(word) or os.path.lexists(os.path.join(base, word)):
        return None
    places = [place for place, letter in enumerate(word) if letter == "@" and place]
    for place in reversed(places):
        if os.path.isdir(os.path.join(base, word[:place])):
            return CommitWord(word[:place], word[place + 1 :])
    if not places or len(word.split()) > 1 or shutil.which(word):
        return None
    gone = word[: places[0]]  # the working copy may lack a folder that a commit has
    return (
        CommitWord(gone, word[places[0] + 1 :])
        if os.path.isdir(os.path.join(base, os.path.dirname(gone)) or os.curdir)
        else None
    )


def is_archive(path: str) -> bool:
    """Tell whether a path is that of a zip, a tar or a stream, by its name."""
    return path.lower().endswith(ARCHIVES) and os.path.isfile(path)


def folders_of(word: str) -> Glob | None:
    """Return the folders and archives for which a glob stands; None for a word that is
    no glob, or that is the name of a file or folder.
    """
    if not is_text(word) or not has_magic(word) or os.path.lexists(word):
        return None
    paths = sorted(glob(word))
    bots = [
        path
        for path in paths
        if is_archive(path) or os.path.lexists(os.path.join(path, "bot.toml"))
    ]
    return Glob(bots, [path for path in paths if path not in bots])


def not_taken_in_words(word: str, paths: Sequence[str]) -> list[str]:
    """Return a line for each reason for which a glob does not take paths, with some of
    these.
    """
    by_reason: dict[str, list[str]] = {}
    for path in paths:
        by_reason.setdefault(why_not_taken(path), []).append(path)
    return [f"{word} does not take {_some(named)}: {reason}" for reason, named in by_reason.items()]


def _some(paths: Sequence[str]) -> str:
    more = len(paths) - FEW
    return ", ".join([*map(file_name, paths[:FEW]), *([f"and {more} more"] if more > 0 else [])])


def why_not_taken(path: str) -> str:
    """Return why a glob does not take a path."""
    if os.path.isdir(path):
        return "a folder without a bot.toml"
    if path.lower().endswith(OTHER_ARCHIVES):
        return "an archive of a kind that is not read; pack the bot as a .zip or .tar.gz"
    if path.endswith(".wasm"):
        return "a file, of which a glob takes none; name the module by itself"
    return "a file, not a folder with a bot.toml or an archive of one"


def meant_bot(word: str, base: str = "") -> str:
    """Return the ``--bot`` word that a word most likely means, itself if it names a
    bot; "" if it is like none.

    base: the folder to which paths are relative.
    """
    place = os.path.join(base, word)
    if guests.is_guest(word) or os.path.isfile(os.path.join(place, "bot.toml")):
        return word
    if is_archive(place):
        return word
    if os.path.isfile(place):
        homes = [
            str(parent)
            for parent in Path(word).parents
            if os.path.isfile(os.path.join(base, parent, "bot.toml"))
        ]
        return homes[0] if homes else ""
    end, python = word.removeprefix(shipped.WORD), f"{shipped.WORD}python/"
    bots = [bot for bot in shipped.bots() if end and bot.endswith((f":{end}", f"/{end}"))]
    return min(bots, key=lambda bot: (not bot.startswith(python), bot), default="")


def near_shipped(word: str) -> str:
    """Return the shipped bot whose name is most like the last part of a word, in its
    language if it is there; "" for none.
    """
    from difflib import get_close_matches  # not above: few words are mistaken

    language, _, end = word.removeprefix(shipped.WORD).rpartition("/")
    if language.startswith(("/", ".")):  # a path
        return ""
    start = f"{shipped.WORD}{language or 'python'}/"
    named = {
        bot: bot.rpartition("/")[2]
        for bot in sorted(shipped.bots(), key=lambda bot: not bot.startswith(start))
    }
    near = get_close_matches(end, named.values(), n=1, cutoff=0.7)
    return next((bot for bot, name in named.items() if name in near), "")


def near_folder(word: str, base: str = "") -> str:
    """Return the bot's folder beside the place of a word whose name is most like it; ""
    for none.
    """
    from difflib import get_close_matches  # not above: few words are mistaken

    home, name = os.path.split(word.rstrip("/"))
    there = [
        Path(found).parent.name
        for found in glob(os.path.join(glob_escape(os.path.join(base, home)), "*", "bot.toml"))
    ]
    return next((os.path.join(home, near) for near in get_close_matches(name, there, n=1)), "")


def bot_below(word: str, folder: Path) -> str:
    """Return the first bot in a folder that is none itself, as a word for ``--bot``; ""
    for none.
    """
    return min(
        (os.path.join(word, found.parent.name) for found in folder.glob("*/bot.toml")), default=""
    )


def why_no_bot(word: str, program: str, base: str = "") -> str:
    """Return why a word names neither a folder nor a command that can be run, and what
    to name instead.

    program: the first word of the command.
    base: the folder to which paths are relative.
    """
    meant = meant_bot(word, base)
    if os.path.isfile(os.path.join(base, word)):
        if meant:
            return f"this is a file of a bot; name the bot's folder, {meant}"
        return (
            "this file is no command, and no bot.toml lies beside it; name a command that runs "
            "it, as 'python3 FILE'"
        )
    if len(word.split()) == 1 and (named := folders_of(os.path.join(base, word))):
        if len(named.bots) > FEW:
            number = count(len(named.bots), "bot")
            return (
                f"only settings files may have a glob; write bots = [{json.dumps(word)}] into "
                f"one, which names {number}"
            )
        each = " ".join(f"--bot {shlex.quote(bot)}" for bot in named.bots)
        return (
            f"only settings files may have a glob; here: {each}"
            if each
            else "no folder with a bot.toml fits this glob"
        )
    reason = (
        "no such folder or command"
        if "/" in program
        else "no such folder, and no such command on the PATH"
    )
    if near := meant or near_folder(word, base) or near_shipped(word):
        return f"{reason}; did you mean {near}?"
    return (
        f"{reason}; `khiva-arena new python {word}` makes a bot"
        if word.replace("-", "_").isidentifier()
        else reason
    )
