"""The step that warns of imports that a bot's runtime does not declare."""

import os

from khiva_arena.common.manual import where
from khiva_arena.competition.conformance.context import RunningCheck, Warned
from khiva_arena.competition.conformance.imports import (
    DECLARED,
    has_of_the_arena,
    python_files,
    undeclared,
)
from khiva_arena.words import count

MOST = 10
"""Imports that are named."""


async def declared(running: RunningCheck) -> str:
    """Read the bot's Python files, without running them. Raises Warned with each import
    that may fail on another machine.
    """
    bot = running.bot
    found = undeclared(bot, os.listdir(running.staged.folder) if running.staged else ())
    has = _has(running)
    if not found:
        return f"{count(len(python_files(bot)), 'file')}, which import only from {has}"
    lines = [f"{one.file}, line {one.line}: {one.module}" for one in found[:MOST]]
    lines += [f"and {len(found) - MOST} more"] * (len(found) > MOST)
    page = where("mark-a-course", "Give everybody the same packages")
    raise Warned(
        "\n".join(
            [
                (
                    f"{count(len(found), 'import')} may fail on another machine. A bot can "
                    f"count on {has}:"
                ),
                *lines,
                f"Copy the module into the folder, or name a runtime that has it: {page}",
            ]
        )
    )


def _has(running: RunningCheck) -> str:
    """Return in words the modules that the bot can count on."""
    library = "the standard library"
    if has_of_the_arena(running.bot):
        return f"{library}, {', '.join(DECLARED[:-1])} and {DECLARED[-1]}"
    names = " and ".join(f"{{{runtime.name}}}" for runtime in running.bot.runtimes)
    return f"{library} and the packages of {names}" if names else library
