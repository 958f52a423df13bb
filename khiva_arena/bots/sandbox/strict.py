"""Level strict: level standard in the bot's own control group, which counts exactly and
is killed as a whole.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Self

from khiva_arena.bots.sandbox import cgroup
from khiva_arena.bots.sandbox.cgroup import Group
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.standard import Standard


@dataclass(slots=True, eq=False)
class Strict(Standard):
    """A cell of namespaces in a control group of the bot's own.

    group: entered by the bot before all else
    """

    needs: ClassVar[Level | None] = Level.STANDARD
    complaints: ClassVar[tuple[str, ...]] = (
        *Standard.complaints,
        "/sys/fs/cgroup/",
        "sh: ",
        "/bin/sh: ",
    )

    group: Group = field(init=False)

    @classmethod
    def make(
        cls, command: Command, program: str, sandbox: Sandbox, mark: str, paths: tuple[str, ...]
    ) -> Self:
        group = Group(sandbox.resources)
        try:
            cell = cls.make_wrapped(command, program, sandbox, mark, paths, counted=True)
        except BaseException:
            group.remove()
            raise
        cell.group = group
        cell.argv = group.entering(cell.argv)
        return cell

    @classmethod
    def keeps_warm(cls) -> bool:
        return True

    @classmethod
    def remedy(cls, why: str) -> str:
        # not above: it is for machines that lack something
        from khiva_arena.bots.sandbox import remedies

        return remedies.of_control_groups()

    @classmethod
    def sweep(cls) -> None:
        cgroup.sweep(cgroup.home())

    def kill(self, pid: int) -> None:
        # Before Linux 5.14 a group has no switch that kills it, so the namespace is
        # ended as well.
        self.group.kill()
        Standard.kill(self, pid)

    def pause(self, pid: int, on: bool) -> None:
        self.group.freeze(on)

    def clean(self) -> None:
        # The group comes last: it can be removed only when it is empty.
        Standard.clean(self)
        self.group.remove()

    def refusal(self) -> str:
        if self.group.event("memory.events", "oom_kill"):
            return "memory"
        return "processes" if self.group.event("pids.events", "max") else ""


KIND = Strict
