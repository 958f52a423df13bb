"""A bot with the user's own rights, outside any match: as a person's adviser, or behind
a relay.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from khiva_arena.bots.sandbox import cell
from khiva_arena.bots.sandbox.level import TRUSTING
from khiva_arena.bots.sandbox.reap import new_mark
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.loading import Loading, allow_include
from khiva_arena.entrants.staging import stage


class Start(NamedTuple):
    """The parts of a bot's start.

    argv: its words.
    folder: where it starts.
    environment: as bare as in a match.
    """

    argv: list[str]
    folder: str
    environment: dict[str, str]


@contextmanager
def unconfined(word: str) -> Iterator[Start]:
    """Stage the bot that a --bot word names, and yield its start. Its home lasts as
    long as the context. Raises ConfigError and BotError.
    """
    command = stage(load(word, loading=Loading(include=allow_include)))
    bot_cell = cell.cell(command, TRUSTING, new_mark())
    try:
        yield Start(list(command.argv), command.folder, bot_cell.environment)
    finally:
        bot_cell.clean()
