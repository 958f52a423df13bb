"""Level basic: restrictions that a process can lay on itself: Landlock, seccomp,
limits.

They are set inside, by the launcher in C if it is built, else by launcher.py.
"""

import marshal
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, Self

from khiva_arena.bots.sandbox import cell, launch, proc_mask, readable_paths, scratch, seccomp, uids
from khiva_arena.bots.sandbox.cell import Cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.launch import SAYS, each
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.bots.sandbox.limits import Resources
from khiva_arena.bots.sandbox.reap import MARK
from khiva_arena.bots.sandbox.rlimits import system_limits

START = "import sys; sys.path.append(sys.argv.pop(1)); import launcher; launcher.main()"
"""The program that starts the launcher: imported, the launcher is not compiled at each
start.
"""
HERE = str(Path(__file__).parent)
SPARE_PROCESSES = 1024
"""Processes allowed above the user's present number, if the system counts by user:
watching then holds a bot to its limit.
"""


@dataclass(slots=True, eq=False)
class Basic(Cell):
    """A cell that the bot's process locks from inside before it runs the bot's
    program.
    """

    complaints: ClassVar[tuple[str, ...]] = (SAYS,)

    @classmethod
    def make(
        cls, command: Command, program: str, sandbox: Sandbox, mark: str, paths: tuple[str, ...]
    ) -> Self:
        user = uids.next_user()
        for path in (program, *command.own, tempfile.gettempdir()) if user is not None else ():
            if block := readable_paths.closed_to_others(path):
                raise PermissionError(
                    f"root's bots run as users of their own there, who may not pass {block} to get "
                    f"at {os.path.realpath(path)}; play as an ordinary user, or move what is "
                    "needed to where everybody may read it"
                )
        home = scratch.make(user)
        bot = [program, *command.argv[1:]]
        environment = cell.environment(command, program, home, mark, sandbox.resources.memory)
        readable = [*paths, *(f"{proc_mask.PROC}/{name}" for name in proc_mask.AT_BASIC)]
        writable = [home, *readable_paths.DEVICES, *sandbox.writable]
        limits = {
            **system_limits(sandbox.resources, program),
            "NPROC": _process_limit(sandbox.resources, user),
        }
        filter_, filter_with_signals = (
            seccomp.program(
                may_leave_group=sandbox.may_leave_group,
                hold_files=True,
                hold_signals=hold_signals,
                network=command.network,
            )
            for hold_signals in (False, True)
        )
        if launch.program():
            rules = [
                "-b",
                str(int(command.network)),
                *each("-r", readable),
                *each("-s", proc_mask.OF_ITSELF),
                *each("-w", writable),
            ]
            filters = [
                "-i",
                str(seccomp.OWN_PID),
                "-f",
                filter_.hex(),
                "-g",
                filter_with_signals.hex(),
            ]
            argv = launch.argv(
                bot, limits, user, before=[*rules, "-d", command.folder], after=filters
            )
            return cls(
                argv=argv,
                folder="/",
                environment=environment | command.handed,
                scratch=home,
                user=user,
            )
        orders = {
            "argv": bot,
            "folder": command.folder,
            "environment": environment,
            "readable": readable,
            "writable": writable,
            "limits": limits,
            "user": user,
            "parent": os.getpid(),
            "of_itself": proc_mask.OF_ITSELF,
            "own_pid": seccomp.OWN_PID,
            "network": command.network,
            "handed": [*command.handed],  # by name: the words of a process can be read by all
            "program": filter_,
            "program_with_signals": filter_with_signals,
        }
        return cls(
            argv=[sys.executable, "-I", "-S", "-B", "-c", START, HERE, marshal.dumps(orders).hex()],
            folder="/",
            environment={"PATH": readable_paths.BARE_PATH, MARK: mark} | command.handed,
            scratch=home,
            user=user,
        )

    @classmethod
    def out_of_reach(cls, path: str) -> str:
        """Return the folder on the way to a path that bots may not pass: root's bots
        run as users of their own at this level.
        """
        return readable_paths.closed_to_others(path) if os.geteuid() == 0 else ""

    def starts(self, pid: int) -> bool:
        return Cell.starts(self, pid) or START in cell.words_of(pid)[:6]


def _process_limit(resources: Resources, user: int | None) -> tuple[int, int]:
    """Return the soft and hard limit of processes.

    The system counts by user: a user of the bot's own has none yet, the arbiter's user
    has many.
    """
    limit = resources.processes if user is not None else _tasks_of_this_user() + SPARE_PROCESSES
    return limit, limit


@cache
def _tasks_of_this_user() -> int:
    own = os.geteuid()
    tasks = 0
    for name in os.listdir("/proc"):
        with suppress(OSError):  # it ended meanwhile
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == own:
                tasks += len(os.listdir(f"/proc/{name}/task"))
    return tasks


KIND = Basic
