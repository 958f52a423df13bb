"""Level trusted: a process group and limits, nothing else. Only for bots that the user
trusts.
"""

import os
import resource
import shlex
import shutil
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Self

from khiva_arena.bots.sandbox import bubblewrap, cell, launch, scratch, system
from khiva_arena.bots.sandbox.cell import Cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.bots.sandbox.rlimits import system_limits


@dataclass(slots=True, eq=False)
class Trusted(Cell):
    """A cell without walls.

    limits: soft and hard values by number of RLIMIT_<name> that are to be set a moment
        after the start: they miss what a bot starts at once
    """

    walled: ClassVar[bool] = False
    lets_go: ClassVar[bool] = True

    limits: dict[int, tuple[int, int]] | None = None

    @classmethod
    def make(
        cls, command: Command, program: str, sandbox: Sandbox, mark: str, paths: tuple[str, ...]
    ) -> Self:
        home = scratch.make(None)
        limits = system_limits(sandbox.resources, program)
        bot = [program, *command.argv[1:]]
        prlimit = _tool("prlimit")
        is_limited = bool(launch.program() or prlimit or not system.LIMITS_OF_OTHERS)
        return cls(
            argv=launch.argv(bot, limits) if launch.program() else _by_tools(bot, limits, prlimit),
            folder=command.folder,
            environment=cell.environment(command, program, home, mark, sandbox.resources.memory)
            | command.handed,
            scratch=home,
            limits=None if is_limited else _by_number(limits),
        )

    def note_start(self, pid: int) -> None:
        self.let_go()
        for limit, values in (self.limits or {}).items():
            with suppress(
                OSError, ValueError
            ):  # it has ended already, or may have less than that anyway
                resource.prlimit(pid, limit, values)


def _by_tools(bot: list[str], limits: dict[str, tuple[int, int]], prlimit: str | None) -> list[str]:
    """Return the words that start a bot where the launcher is not built, by what the
    system has.
    """
    setpriv = _tool("setpriv")
    # It ties the bot's life to the thread that spawns it. If it is missing, a bot whose
    # arbiter is killed ends only by the end of its input. A preexec_fn could do the
    # same, but makes a spawn twenty times slower.
    words = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
    if prlimit:
        words += [prlimit, *bubblewrap.limit_words(limits), "--"]
    elif not system.LIMITS_OF_OTHERS:
        words += _shell_that_limits(limits)
    return [*words, *bot]


_tool = cache(shutil.which)  # a search for each bot would look into every folder of the PATH
SHELL = "/bin/sh"
LETTERS = {"FSIZE": ("f", 512), "NOFILE": ("n", 1), "CPU": ("t", 1), "CORE": ("c", 512)}
"""The letter by which ulimit sets a limit, and its unit in bytes. Some shells take 1024
for 512, and allow twice as much.
"""


def _by_number(limits: dict[str, tuple[int, int]]) -> dict[int, tuple[int, int]]:
    return {getattr(resource, f"RLIMIT_{name}"): value for name, value in limits.items()}


def _shell_that_limits(limits: dict[str, tuple[int, int]]) -> list[str]:
    """Return words before a command for a system that has neither prlimit nor its call:
    a shell that sets the limits and becomes the command.

    A limit that the system does not take is left as it is.
    """
    set_ = [
        f"ulimit -{kind} -{letter} {-(-value // unit)}"
        for name, (letter, unit) in LETTERS.items()
        for kind, value in zip("SH", limits[name], strict=True)
    ]
    return [SHELL, "-c", f'{{ {"; ".join(set_)}; }} 2>{shlex.quote(os.devnull)}; exec "$@"', SHELL]


KIND = Trusted
