"""The state of one bot's process: plain data, which the pipes, the watch and the
lifetimes of a match share.
"""

import subprocess
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.stderr import Notes, Quiet
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox.cell import Cell

if TYPE_CHECKING:
    from khiva_arena.records.store.transcripts import Packer  # most matches keep no transcripts

NOTES_PER_WINDOW = 65_536


class CellProcess(NamedTuple):
    """A process that was started for a bot.

    process: the program that wraps the bot at some levels, else the bot itself
    pid: its process number
    cell: the cell in which the bot is kept
    """

    process: subprocess.Popen[bytes]
    pid: int
    cell: Cell


class Child(msgspec.Struct, eq=False):
    """A bot's process and the arbiter's ends of its pipes.

    seat: number at the table
    started: None if the process could not be started
    unreaped: equal to `started`, None once the process is reaped: until then its number
        cannot mean another process
    start_error: in words, why the process could not be started
    stdin, stdout, stderr: descriptors, -1 once closed
    backlog: bytes that the bot's stdin did not take yet
    input_lost: the bot closed its stdin, so that no request can reach it any more
    notes: the text that the bot wrote on stderr
    transcript: keeps all of that text, None if nobody wants it
    quiet: leaves out of the notes the lines that its runtime writes at each start
    redactor: takes out of the notes the values that the bot was handed
    notes_allowed: bytes of stderr that are still read in this window of time
    exceeded: the limit that the bot exceeded, in words; "" if none is known
    killed: True if the arbiter killed the bot, which had not ended on its own
    resting: all of its processes are stopped
    cpu_seen: seconds of CPU that it had used when it was killed, 0 if the system says
        that later
    ending: set once it is reaped
    ours: a process of the arena that stands for a player who is elsewhere
    link: the file in which the round trip to that player stands; "" for none
    module_memory: bytes that the memory of a module may have; 0 for a program
    """

    seat: int
    started: CellProcess | None = None
    unreaped: CellProcess | None = None
    start_error: str = ""
    stdin: int = -1
    stdout: int = -1
    stderr: int = -1
    backlog: bytearray = msgspec.field(default_factory=bytearray)
    input_lost: bool = False
    notes: Notes = msgspec.field(default_factory=Notes)
    transcript: "Packer | None" = None
    quiet: Quiet = msgspec.field(default_factory=lambda: Quiet(()))
    redactor: Redactor = msgspec.field(default_factory=lambda: Redactor({}))
    notes_allowed: int = NOTES_PER_WINDOW
    exceeded: str = ""
    killed: bool = False
    resting: bool = False
    cpu_seen: float = 0.0
    ending: Ending | None = None
    ours: bool = False
    link: str = ""
    module_memory: int = 0
