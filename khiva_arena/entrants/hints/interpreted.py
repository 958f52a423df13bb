"""Causes of failures of a bot in Python that an interpreter runs in ticks, which its
stderr does not name.
"""

import re
from pathlib import PurePosixPath

from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.runtimes import MAXIMA

UNSHOWN = re.compile(r"^python: .* cannot be shown$", re.MULTILINE)
"""The line of the interpreter's main.c."""
NEEDED = ("codecs", "encodings", "os", "tokenize")
"""The modules of Python's library that the interpreter imports to show an error; the
first two for a file that is no UTF-8. If a bot's own files have these names, its errors
cannot be shown.
"""
_NO_MEMORY = re.compile(r"^MemoryError\b|returned NULL without setting an exception", re.MULTILINE)


def hint_of(bot: Bot, actual: str, notes: str) -> str:
    """Return a line for a bot that an interpreter runs, which ended as ``actual`` says
    and left ``notes`` on stderr; "" if these show no cause.
    """
    if not bot.is_interpreted or bot.interpreted is None or bot.interpreted.word != "python":
        return ""
    is_silent, is_unshown = (
        "exited with code 1" in actual and not notes.strip(),
        bool(UNSHOWN.search(notes)),
    )
    if is_unshown and (hiding := _own_files_of_needed_names(bot, bot.interpreted.main)):
        return (
            f"{', '.join(hiding)}: the interpreter needs Python's own module of this name to "
            "show an error: give another name"
        )
    memory = bot.interpreted.memory
    larger = [maximum for maximum in MAXIMA if maximum > memory]
    more = f"memory = {larger[-1]} in bot.toml gives more; " if larger else ""
    if _NO_MEMORY.search(notes):
        return f"its memory, {memory} MiB, is used up: {more}import less, or smaller files"
    if is_silent:
        return (
            f"perhaps it calls sys.exit(1), or its {memory} MiB of memory are used up; for "
            f"memory: {more}import less"
        )
    if is_unshown:
        return (
            f"perhaps its {memory} MiB of memory are used up, or its error raises another one; "
            f"for memory: {more}import less"
        )
    return ""


def _own_files_of_needed_names(bot: Bot, main: str) -> list[str]:
    """Return the bot's files that hide modules which the interpreter needs, since they
    are found first, beside ``main``.
    """
    home = PurePosixPath(main).parent
    beside = [path for name, _ in bot.sources if (path := PurePosixPath(name)).is_relative_to(home)]
    return sorted(
        str(path)
        for path in beside
        if path.relative_to(home).parts[0].removesuffix(".py") in NEEDED
    )
