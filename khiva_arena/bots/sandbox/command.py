"""The start of a bot, before a sandbox is added."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Command:
    """The start of a bot.

    argv: its words; the first is the program, as a path or as a name on the search path
    folder: where it is started
    environment: variables that are laid over a bare environment
    readable: paths that it may read besides its toolchain
    staged: the folder belongs to the bot alone, so it may read all of it
    ours: a program of the arena that stands for a player who is elsewhere, and runs
        outside every cell
    network: its cell is open to the network
    handed: variables that it is handed with the arbiter's own values, which are struck
        out of its output
    link: the file in which the round trip to its player stands, see
        arbiter/round_trip.py; "" if it is not measured
    barred: in words, why it is not started at all; "" if it is
    module: of a WebAssembly module, the path and the digest of its compiled code, then
        the words that start a runner for a table
    pages: of a module, the maximum of its memory, in pages of 64 KiB
    payload: of a module that reads one, its path and digest, as those of compiled code
    forks: the runner for a table serves one after another, each by a child of its own
    allowance: seconds of the round trip, at most, by which the clock of each of its
        decisions is longer
    reports: it is offered to report what it spends
    """

    argv: tuple[str, ...]
    folder: str
    environment: dict[str, str] = field(default_factory=dict)
    readable: tuple[str, ...] = ()
    staged: bool = False
    ours: bool = False
    network: bool = False
    handed: dict[str, str] = field(default_factory=dict, repr=False)
    link: str = ""
    barred: str = ""
    allowance: float = 0.0
    module: tuple[str, ...] = ()
    payload: tuple[str, ...] = ()
    forks: bool = False
    pages: int = 0
    reports: bool = False

    @property
    def module_memory(self) -> int:
        """The bytes that the memory of a module may have; 0 for a program."""
        return self.pages * 65_536

    @property
    def own(self) -> tuple[str, ...]:
        """The bot's own folder, if it has one: a bare command has only the files that
        its words name.
        """
        return (self.folder,) if self.staged else ()
