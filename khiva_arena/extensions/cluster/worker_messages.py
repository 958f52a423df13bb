"""The messages between the command and the workers of a cluster, all as msgpack inside
``Sealed``.
"""

from typing import NamedTuple, Self

import msgspec

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.entrants.runtimes import Interpreted, Runtime
from khiva_arena.records.replay.definition import DefinedRuntime
from khiva_arena.records.replay.record import Header

TABLE, HOST = "table", "host"
RESOURCE = "khiva-arena"
"""The name of the Dask resource that says how many matches at a time a worker plays."""
FIRST = "khiva-first-"
"""The beginning of the keys of first questions: nothing is known of the worker then,
not even whether it has khiva-arena.
"""


class Sealed:
    """Bytes that Dask carries and never shows: deals stand in them, and values that are
    handed to bots.

    Dask logs and draws all that it can print of a task.
    """

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

    name: the name in its own settings, else its address
    threads: how many tasks it takes at a time; 0: none of this arena's
    last: the time of its last sign of life, by the scheduler's clock
    """

    name: str
    threads: int
    last: float


class WorkerTask(msgspec.Struct, frozen=True):
    """A task for a worker: start a process of the arena and talk to it.

    kind: TABLE: the arbiter's worker, which gets a message for each match and answers
        each; HOST: ``worker_helper.py``, one message and one answer
    frames: the messages
    seconds: the most that it may take in all
    game: the worker's word for a game which does not come with the arena, "" for one
        that does
    """

    kind: str
    frames: list[bytes]
    seconds: float
    game: str = ""


class TaskDone(msgspec.Struct, frozen=True):
    """The result of a task.

    frames: the answers, fewer than the messages if it did not end well
    why: the reason if it did not end well, else ""
    """

    frames: list[bytes]
    why: str


class AskOffer(msgspec.Struct, frozen=True, tag="offer"):
    """The first question to a worker: its offer."""

    bots: list[str]  # identities; the offer says which of them lie in its cache
    # the code of a game that does not come with the arena; the offer says whether it
    # lies in its cache
    game: str = ""
    level: Level | None = None  # the isolation of the bots; None: the best one of that machine


class WorkerOffer(msgspec.Struct, frozen=True):
    """The offer of a worker: its software and its machine.

    version, source: of its khiva-arena, and a hash of that version's files
    python: "3.11"
    machine: an id that all workers of one machine share
    cores: the numbers of the cores that it may use
    share: how many cores' worth of time it may use; None: as much as the cores have
    clock: its time of day, in seconds since 1970
    levels: by name, why an isolation level does not work there, "" if it does
    limits: by name, the most that a process may be allowed there; None: no limit
    memory: bytes of the machine's memory, or of the container's
    staged: identities of the bots that lie in its cache
    has_game: whether the game of the question lies in its cache
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
    """A file on its way to a worker."""

    name: str
    program: bool
    data: bytes


class PackedBot(msgspec.Struct, frozen=True):
    """A bot on its way to a worker: the fields of ``Bot``, and its files.

    files: None if the worker has them, or if it is a bare command, which does not
        travel
    built_from: of a module that stands for a bot in an event in ticks, the identity of
        what it was built from; else ""
    parts, largest_payload, interpreted, run_line, reports: as those of ``Bot``
    network, handed: whether the bot gets the network, and the environment values that
        it gets
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
    built_from: str
    parts: tuple[str, ...]
    largest_payload: int
    interpreted: Interpreted | None
    run_line: tuple[str, ...]
    reports: bool
    staged: bool
    files: list[PackedFile] | None
    network: bool
    handed: dict[str, str]


class PackedGame(msgspec.Struct, frozen=True):
    """A game that does not come with the arena, on its way to a worker.

    word: the name of its file, folder or package
    code: its identity, a hash
    travels: whether it is a file or folder; a package has to be there
    files: None if the worker has them, or if it does not travel
    """

    word: str
    code: str
    travels: bool
    files: list[PackedFile] | None


class AskBots(msgspec.Struct, frozen=True, tag="bots"):
    """The second message to a worker: stage these bots, and start each once.

    runtimes: the definitions of the runtimes that the bots name, which the worker must
        match
    header: the header of the trial start
    private: files and folders of the command that no bot may read, by the flag that
        names each
    leave_out: whether a bot that cannot be built or started is reported, and the others
        are tried all the same
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
    """The commands by which a worker starts the bots.

    commands: by identity
    lag: seconds that the arbiter's own loop was late, of each second of a probe
    refused: why the worker cannot play, "" if it can
    broken: why bots cannot be built or started there, by identity, if they may be left
        out
    game: the word that names the game there, "" for one that comes with the arena
    level: the isolation of the bots there: in ticks the best one of that machine, else
        the event's
    """

    commands: dict[str, Command]
    lag: float
    refused: str = ""
    broken: dict[str, str] = {}
    game: str = ""
    level: Level = Level.TRUSTED


HostQuestion = AskOffer | AskBots
encode = msgspec.msgpack.Encoder().encode
decode_ask = msgspec.msgpack.Decoder(HostQuestion).decode
decode_task = msgspec.msgpack.Decoder(WorkerTask).decode
decode_done = msgspec.msgpack.Decoder(TaskDone).decode
decode_offer = msgspec.msgpack.Decoder(WorkerOffer).decode
decode_ready = msgspec.msgpack.Decoder(BotsReady).decode
