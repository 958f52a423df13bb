"""Players who are no program of this machine: a person, or a bot behind a relay.

At the table each guest is a small process of the arena, the link. It joins its pipes to
the hub, another process of the arena, at which the players themselves arrive. So the
arbiter knows nothing but processes.
"""

import os
import re
import sys
from typing import NamedTuple

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.errors import ConfigError

PERSON, REMOTE = "person", "remote"
HUB = "KHIVA_ARENA_HUB"
"""The environment variable with the path of the hub's socket; the command that starts
the hub sets it and ``LINK`` for itself.
"""
LINK = "KHIVA_ARENA_LINK"
"""The environment variable with the path of the program that joins a guest's pipes to
the hub.
"""
NOT_HERE = {
    PERSON: "a person plays by `khiva-arena play`; this command seats only programs",
    REMOTE: (
        "a stored match is played again by bots of this machine; name one for each seat with --bot"
    ),
}
"""Each kind of guest, and why a command without a hub cannot seat one."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")


def is_guest(word: str) -> bool:
    """Tell whether a --bot word names a guest."""
    return word.partition(":")[0] in NOT_HERE


class Guest(NamedTuple):
    """A player who is no local program.

    kind: PERSON or REMOTE
    name: as the other players see it
    """

    kind: str
    name: str


def guest_of(word: str) -> Guest:
    """Return the guest that a word names; ``person`` alone is a person of that name.
    Raises ConfigError.
    """
    kind, colon, name = word.partition(":")
    if (colon or kind == REMOTE) and not _NAME.fullmatch(name):
        raise ConfigError(
            f"--bot {word}: a name has up to 32 letters, digits, dots, dashes and "
            f"underscores after {kind}:"
        )
    return Guest(kind, name or kind)


def command(word: str) -> Command:
    """Return the command of the process that stands for a guest at the table.

    Raises ConfigError if no hub runs at which the player could arrive.
    """
    kind, name = guest_of(word)
    hub = os.environ.get(HUB)
    if not hub:
        raise ConfigError(f"--bot {word}: {NOT_HERE[kind]}")
    folder = os.path.dirname(hub)
    trips = trips_file(hub, name) if kind == REMOTE else ""
    return Command(
        (sys.executable, "-I", "-S", os.environ[LINK], hub, seat_of(kind, name)),
        folder,
        ours=True,
        link=trips,
    )


def seat_of(kind: str, name: str) -> str:
    """Return the name of a guest's seat at the hub, where a person and a relay may have
    one name.
    """
    return f"{kind}:{name}" if kind == REMOTE else name


def trips_file(hub: str, name: str) -> str:
    """Return the file in which the hub with this socket notes how long the way to a
    relay and back takes.
    """
    return f"{hub}-trip-{name}"
