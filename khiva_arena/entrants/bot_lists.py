"""Bots of a list: the hook of an extension that makes a bot of each row of a TOML file,
which the word FILE.toml:NAME names.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from khiva_arena.common.hooks import Hook
from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.entrants.loading import Loading
from khiva_arena.entrants.private_bot import PrivateBot

END = ".toml:"


class ListedBot(NamedTuple):
    """A bot of a list, for the question whether it may have the network and variables.

    address: the host to which it sends what it is given.
    about: more for people, which whoever wrote the list has chosen.
    row: all by which it plays.
    """

    address: str
    about: str
    row: str

    def line(self, name: str, gets: Sequence[str]) -> str:
        """Return the line on a bot that gets the network or variables, the address
        first: the rest may look like one.
        """
        return harmless(
            f"{name}: sends to {self.address}; it gets {' and '.join(gets)}; {self.about}"
        )


class BotLists(Protocol):
    """Files whose rows are bots."""

    def settings(self, path: Path, say: Say, *, yes: bool) -> Mapping[str, tuple[str, ...]]:
        """Return the settings by which all bots of a list play: their words as
        ``bots``, and their permissions as ``network`` and ``env``, once the user has
        agreed to these. From then on ``read`` takes the rows agreed to, whatever
        becomes of the file.

        say: takes a line on what each is given.
        yes: the user has agreed by a flag.

        Raises ConfigError with every mistake, and if the user does not agree.
        """

    def read(self, word: str, base: str, loading: Loading) -> PrivateBot:
        """Lay out the files of the bot that a word names. ``base``: the folder to which
        paths are relative. Raises ConfigError.
        """

    def row_of(self, home: str) -> ListedBot | None:
        """Return the row that ``read`` has made a bot of. ``home``: the bot's folder.
        None for another bot.
        """


BOT_LISTS: Hook[BotLists] = Hook("spending")


def is_in_list(word: str, base: str = "") -> bool:
    """Tell whether a word names a row of a file that is there."""
    path, colon, name = word.rpartition(":")
    return (
        bool(colon and name)
        and path.endswith(END[:-1])
        and os.path.isfile(os.path.join(base, path))
    )
