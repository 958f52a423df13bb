"""Level trusted: a process group and limits, nothing else. Only for bots that the user trusts."""

import resource
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Self

from khiva_arena.sandbox import bubblewrap, cell, scratch, stops
from khiva_arena.sandbox.cell import Cell
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.sandbox.rlimits import system_limits


@dataclass(slots=True, eq=False)
class Trusted(Cell):
    """A cell with open doors.

    limits: soft and hard values by number of RLIMIT_<name> that are to be set once the bot runs
    """

    lets_go: ClassVar[bool] = True

    limits: dict[int, tuple[int, int]] | None = None

    @classmethod
    def made(cls, command: Command, program: str, sandbox: Sandbox, mark: str, shown: tuple[str, ...]) -> Self:
        home = scratch.make(None)
        setpriv = shutil.which("setpriv")
        # It ties the bot's life to the thread that spawns it. Where it is missing, a bot whose arbiter is killed ends by the end
        # of its input alone. A preexec_fn could do the same, but makes a spawn twenty times slower.
        words = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
        limits = system_limits(sandbox.resources, program)
        prlimit = shutil.which("prlimit")
        if prlimit:
            words += [prlimit, *bubblewrap.limit_words(sandbox.resources, program), "--"]
        return cls(
            argv=[*words, *stops.open_to_signals(), program, *command.argv[1:]],
            folder=command.folder,
            environment=cell.environment(command, program, home, mark, sandbox.resources.memory),
            scratch=home,
            # Without prlimit they are set a moment after the start, and miss what a bot starts at once.
            limits=None if prlimit else {getattr(resource, f"RLIMIT_{name}"): value for name, value in limits.items()},
        )

    def started(self, pid: int) -> None:
        self.let_go()
        for which, values in (self.limits or {}).items():
            with suppress(OSError, ValueError):  # it has ended already, or may have less than that anyway
                resource.prlimit(pid, which, values)


KIND = Trusted
