"""What goes over the wire between the command and the workers of a cluster, all of it as msgpack inside ``Sealed``."""

from typing import NamedTuple, Self

import msgspec

from khiva_arena.entrants.runtimes import Runtime
from khiva_arena.replay.definition import DefinedRuntime
from khiva_arena.replay.record import Header
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Sandbox

TABLE, HOST = "table", "host"
RESOURCE = "khiva-arena"
"""Dask's own word for how many matches at a time a worker plays."""
FIRST = "khiva-first-"
"""How the keys of questions begin that a worker is asked of which nothing is known, not even whether it has khiva-arena."""


class Sealed:
    """Bytes that Dask carries and never shows: deals stand in them, and what bots are handed. Dask logs and draws whatever it
    can print of a task."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<{len(self.data)} bytes>"

    def __sizeof__(self) -> int:
        return len(self.data)

    def __reduce__(self) -> tuple[type[Self], tuple[bytes]]:
        return type(self), (self.data,)


class SeenWorker(NamedTuple):
    """A worker as the scheduler sees it.

    name: as its own settings call it, else its address
    threads: how many tasks it takes at a time; 0: none of ours
    last: when it was heard of last, by the scheduler's clock
    """

    name: str
    threads: int
    last: float


class WorkerTask(msgspec.Struct, frozen=True):
    """What a worker is to do: start a process of ours and talk to it.

    kind: TABLE: the arbiter's worker, which gets a message for each match and answers each; HOST: ``host.py``, one and one
    frames: the messages
    seconds: how long it may take in all
    game: the word that names there a game which does not come with the arena, "" for one that does
    """

    kind: str
    frames: list[bytes]
    seconds: float
    game: str = ""


class TaskDone(msgspec.Struct, frozen=True):
    """What came of it.

    frames: the answers, fewer than were asked for if it did not end well
    why: in words, if it did not
    seconds: that it took by the worker's clock
    ended: when it was done, by the same clock
    day: the worker's time of day then
    """

    frames: list[bytes]
    why: str
    seconds: float
    ended: float = 0.0
    day: float = 0.0


class AskOffer(msgspec.Struct, frozen=True, tag="offer"):
    """The first thing that a worker is asked: what it has."""

    bots: list[str]  # identities, of which it says which lie in its cache
    game: str = ""  # what the code of a game is known by that does not come with the arena; likewise


class WorkerOffer(msgspec.Struct, frozen=True):
    """What a worker has.

    version, source: of its khiva-arena, and a hash of the files that it is made of
    python: "3.11"
    machine: what two workers of one machine have in common
    cores: the numbers of those that it may use
    share: how many cores' worth of time it may use; None: as much as they have
    clock: its time of day, in seconds since 1970
    levels: by name, why an isolation level does not work there, "" if it does
    limits: by name, the most that a process may be allowed there; None: anything
    memory: bytes that it has
    staged: identities of the bots that lie in its cache
    has_game: whether the game that it was asked for does
    """

    version: str
    source: str
    python: str
    machine: str
    cores: list[int]
    share: float | None
    clock: float
    levels: dict[str, str]
    limits: dict[str, int | None]
    memory: int
    staged: list[str]
    has_game: bool = False


class PackedFile(msgspec.Struct, frozen=True):
    """A file of a bot on its way."""

    name: str
    program: bool
    data: bytes


class PackedBot(msgspec.Struct, frozen=True):
    """A bot on its way: what ``Bot`` has of it, and its files.

    files: None if the worker has them, or if it is a bare command, which does not travel
    network, handed: what is opened to it
    """

    name: str
    version: str
    run: tuple[str, ...]
    build: tuple[str, ...]
    identity: str
    asked_as: str
    folder: str
    home: str
    largest: int
    runtimes: tuple[Runtime, ...]
    staged: bool
    files: list[PackedFile] | None
    network: bool
    handed: dict[str, str]


class PackedGame(msgspec.Struct, frozen=True):
    """A game on its way that does not come with the arena.

    word: the name of its file, folder or package
    code: what it is known by, a hash
    travels: whether it is a file or folder; a package has to be there
    files: None if the worker has them, or if it does not travel
    """

    word: str
    code: str
    travels: bool
    files: list[PackedFile] | None


class AskBots(msgspec.Struct, frozen=True, tag="bots"):
    """The second thing: bring these bots to where they can be started, and start each once.

    runtimes: what those that the bots name must have there
    header: what they are started under
    private: files and folders of the command that no bot may read, by the flag that names each
    leave_out: whether a bot that cannot be built or started is told, and the others are tried all the same
    game: None if it comes with the arena
    """

    bots: list[PackedBot]
    sandbox: Sandbox
    runtimes: dict[str, DefinedRuntime]
    header: Header
    private: list[tuple[str, str]]
    leave_out: bool = False
    game: PackedGame | None = None


class BotsReady(msgspec.Struct, frozen=True):
    """How a worker can start the bots.

    commands: by identity
    lag: seconds that the arbiter's own loop was late, of each second of a probe
    refused: why it cannot, "" if it can
    broken: why bots cannot be built or started there, by identity, if it was asked to leave them out
    game: the word that names the game there, "" for one that comes with the arena
    """

    commands: dict[str, Command]
    lag: float
    refused: str = ""
    broken: dict[str, str] = {}
    game: str = ""


HostQuestion = AskOffer | AskBots
encode = msgspec.msgpack.Encoder().encode
decode_ask = msgspec.msgpack.Decoder(HostQuestion).decode
decode_task = msgspec.msgpack.Decoder(WorkerTask).decode
decode_done = msgspec.msgpack.Decoder(TaskDone).decode
decode_offer = msgspec.msgpack.Decoder(WorkerOffer).decode
decode_ready = msgspec.msgpack.Decoder(BotsReady).decode
