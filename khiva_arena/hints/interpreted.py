"""Causes of failures of a bot in Python that an interpreter runs in ticks, which its stderr does not name."""

import re
import sys
from pathlib import PurePosixPath

from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.runtimes import MAXIMA

_UNSHOWN = re.compile(r"^python: .* cannot be shown$", re.MULTILINE)
"""The line of the interpreter's main.c."""
_NO_MEMORY = re.compile(r"^MemoryError\b|returned NULL without setting an exception", re.MULTILINE)


def hint_of(bot: Bot, actual: str, notes: str) -> str:
    """Return a line for a bot that an interpreter runs, which ended as ``actual`` says and left ``notes`` on stderr; "" if these
    show no cause."""
    if not bot.is_interpreted or bot.interpreted is None or bot.interpreted.word != "python":
        return ""
    is_silent = "exited with code 1" in actual and not notes.strip()
    if (is_silent or _UNSHOWN.search(notes)) and (hiding := _names_of_the_library(bot)):
        return f"{', '.join(hiding)}: a module of Python's own library has this name, and the interpreter needs it: give another"
    if is_silent or _UNSHOWN.search(notes) or _NO_MEMORY.search(notes):
        larger = [maximum for maximum in MAXIMA if maximum > bot.interpreted.memory]
        more = f"memory = {larger[-1]} in bot.toml gives more; " if larger else ""
        return f"its memory, {bot.interpreted.memory} MiB, is used up: {more}import less, or smaller files"
    return ""


def _names_of_the_library(bot: Bot) -> list[str]:
    """Return the bot's files that are found before modules of Python's library."""
    paths = [PurePosixPath(name) for name, _ in bot.sources]
    first = {path.parts[0] for path in paths if len(path.parts) > 1} | {path.name for path in paths if path.suffix == ".py"}
    own = {name for name in first if name.removesuffix(".py") in sys.stdlib_module_names}
    return sorted(str(path) for path in paths if path.parts[0] in own and path.suffix == ".py")
