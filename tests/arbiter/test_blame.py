"""docs/blame.md, row by row: whatever the machine does in the middle of a run, nobody
is blamed, and a rerun accuses nobody.
"""

import os
import re
import resource
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
import trio
from arena import ROOT
from double_jobs import a_job
from jobs import job as process_job
from module_matches import job, staged
from modules import start, wasm
from msgspec import structs

from khiva_arena.arbiter import lifetimes, live, match_queue, memory_limits, pool, runners
from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import Clock, Verdict
from khiva_arena.competition.audit.compared import compared
from khiva_arena.entrants import module_runner
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage

pytestmark = pytest.mark.slow

EXITS = wasm(start("(call $proc_exit (i32.const 7))"), imports=["proc_exit"])
"""A module that ends before its hello: it is to blame for that as long as its code is
its own.
"""
Fault = Callable[[Job, Path, pytest.MonkeyPatch], Job | None]
"""Brings a fault about before the second match of a job, and returns another job if
that has to start its bots otherwise.
"""


@pytest.fixture(autouse=True)
def _own_cache(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(open_folder / "cache"))


@pytest.fixture(autouse=True)
def _limits_as_before() -> Iterator[None]:
    kinds = (resource.RLIMIT_NOFILE, resource.RLIMIT_AS)
    before = [resource.getrlimit(kind) for kind in kinds]
    yield
    for kind, limits in zip(kinds, before, strict=True):
        resource.setrlimit(kind, limits)


def rows(heading: str) -> dict[str, tuple[str, str]]:
    """The rows of a table of the page by what happens: what comes of that in play, and
    run again.
    """
    text = (ROOT / "docs" / "blame.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"^\| (?!what happens)(.+?) \| (.*?) \| (.*?) ?\|$", text, re.MULTILINE)
    return {what: (play.strip("`"), again) for what, play, again in found}


def once(a_job: Job, fault: Callable[[], Job | None] = lambda: None) -> Outcome:
    """Play one attempt at a match, with a fork server of its own, once a fault has been
    brought about.
    """

    async def play() -> Outcome:
        async with ForkServers() as servers:
            return await live.play_live(fault() or a_job, LagMeter(), servers, alone=True)

    return trio.run(play)


# --- matches ---


def of_modules(clock: Clock) -> Callable[[Path], Job]:
    return lambda folder: job([staged(folder, "m", EXITS)] * 2, clock)


def of_processes(folder: Path) -> Job:
    (folder / "ann").mkdir()
    (folder / "ann" / "bot.toml").write_text('name = "ann"\nrun = "{python} main.py"\n')
    (folder / "ann" / "main.py").write_text("raise SystemExit(7)\n")
    return process_job([stage(load(str(folder / "ann")), best())] * 2, sandbox=Sandbox(best()))


def of_a_runtime(folder: Path) -> Job:
    """A match of processes that read a folder beside their own."""
    (folder / "runtime").mkdir()
    made = of_processes(folder)
    commands = tuple(
        replace(command, readable=(*command.readable, str(folder / "runtime")))
        for command in made.commands
    )
    return structs.replace(made, commands=commands)


def of_doubles(*words: str) -> Callable[[Path], Job]:
    return lambda _: a_job(*words)


# --- faults ---


def files_of(command: Command) -> Path:
    """The one file of a bot: its compiled code, or its staged program."""
    return Path(command.module[0]) if command.module else Path(command.folder, "main.py")


def change(a_job: Job, _: Path, __: pytest.MonkeyPatch) -> None:
    path = files_of(a_job.commands[0])
    path.parent.chmod(0o755)
    path.chmod(0o644)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(a_job: Job, _: Path, __: pytest.MonkeyPatch) -> None:
    path = files_of(a_job.commands[0])
    path.parent.chmod(0o755)
    path.chmod(0o644)
    os.truncate(path, 3)


def remove(a_job: Job, _: Path, __: pytest.MonkeyPatch) -> None:
    folder = files_of(a_job.commands[0]).parent
    folder.chmod(0o755)
    shutil.rmtree(folder)


def without_the_runtime(_: Job, folder: Path, __: pytest.MonkeyPatch) -> None:
    (folder / "runtime").rmdir()


def without_the_vm(a_job: Job, folder: Path, _: pytest.MonkeyPatch) -> Job:
    return _with_words(
        a_job,
        lambda words: [
            str(folder / "gone.so") if word == module_runner.library() else word for word in words
        ],
    )


def _with_words(a_job: Job, change_words: Callable[[list[str]], list[str]]) -> Job:
    """A job whose runners are started by other words."""
    commands = tuple(
        replace(
            command,
            argv=tuple(change_words([*command.argv])),
            module=(*command.module[:2], *change_words([*command.module[2:]])),
        )
        for command in a_job.commands
    )
    return structs.replace(a_job, commands=commands)


def within(limit: str) -> Fault:
    """Start the runners under a limit of the shell's, which nobody has looked at."""
    return lambda a_job, _, __: _with_words(
        a_job, lambda words: ["/bin/sh", "-c", f'ulimit {limit}; exec "$@"', "sh", *words]
    )


def little_address_space(_: Job, __: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_limits, "space_limit", lambda: 300 << 20)


def little_memory(_: Job, __: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_limits, "data_limit", lambda: 30 << 20)


def no_files(_: Job, __: Path, ___: pytest.MonkeyPatch) -> None:
    resource.setrlimit(
        resource.RLIMIT_NOFILE,
        (len(os.listdir("/proc/self/fd")) + 2, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
    )


def raising(error: OSError) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise error

    return fail


def no_processes(_: Job, __: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        lifetimes.subprocess,
        "Popen",
        raising(BlockingIOError(11, "Resource temporarily unavailable")),
    )


def no_cells(_: Job, __: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        lifetimes.isolation, "cell", raising(OSError(28, "No space left on device"))
    )


def impatient(word: str) -> Fault:
    """Have a runner do something that lasts, and give it little time."""

    def bring_about(a_job: Job, _: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
        for name, seconds in (("SLOWEST", 0), ("GRACE", 0.2)):
            monkeypatch.setattr(runners, name, seconds)
        return doing(word)(a_job, Path(), monkeypatch)

    return bring_about


def doing(word: str) -> Fault:
    """Have a runner's double fail by itself at the second seat."""

    def bring_about(a_job: Job, _: Path, __: pytest.MonkeyPatch) -> Job:
        second = a_job.commands[1]
        return structs.replace(
            a_job, commands=(a_job.commands[0], replace(second, module=(word, *second.module[1:])))
        )

    return bring_about


class Case(NamedTuple):
    """A row of the page that is brought about.

    what: the beginning of the row.
    match: makes the match that is played before and after.
    fault: what is brought about between the two.
    """

    what: str
    match: Callable[[Path], Job]
    fault: Fault


IN_TICKS, BY_THE_WALL = of_modules(Clock.TICKS), of_modules(Clock.WALL)
HOST = [
    *(
        Case("compiled code", match, fault)
        for match in (IN_TICKS, BY_THE_WALL)
        for fault in (change, cut, remove)
    ),
    *(Case("a staged copy", of_processes, fault) for fault in (change, cut, remove)),
    *(
        Case("a part of the surroundings", match, without_the_vm)
        for match in (IN_TICKS, BY_THE_WALL)
    ),
    Case("a part of the surroundings", of_a_runtime, without_the_runtime),
    *(Case("a process may", match, little_address_space) for match in (IN_TICKS, BY_THE_WALL)),
    *(Case("`ulimit -d` allows", match, little_memory) for match in (IN_TICKS, BY_THE_WALL)),
    *(
        Case("the runner or the VM", match, within("-v 200000"))
        for match in (IN_TICKS, BY_THE_WALL)
    ),
    Case("the runner or the VM", IN_TICKS, within("-d 4000")),
    *(Case("no file", match, no_files) for match in (IN_TICKS, of_processes)),
    *(Case("no process", match, no_processes) for match in (IN_TICKS, of_processes)),
    *(Case("no sandbox", match, no_cells) for match in (IN_TICKS, of_processes)),
    *(
        Case("a runner ends", of_doubles("honest", "honest"), doing(word))
        for word in ("ends:0", "ends:2", "short:1", "other:1")
    ),
    Case("a runner does not", of_doubles("honest", "honest"), impatient("stands:1")),
]


@pytest.mark.parametrize("case", HOST, ids=lambda case: case.what.replace(" ", "-"))
def test_a_fault_of_the_machine_is_nobodys_and_accuses_nobody(
    case: Case, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = (row for what, row in rows("The machine's").items() if what.startswith(case.what))
    sound = case.match(open_folder)
    before = once(sound)
    assert before.record, before.void
    after = once(sound, lambda: case.fault(sound, open_folder, monkeypatch))
    assert row[0] == "void"
    assert (after.record, after.host, after.causes, after.again) == (None, True, (), False), after
    assert "\n" not in after.void
    difference, untried = compared(before.record, after)
    assert difference == ""
    assert untried
    assert after.void in untried.why
    assert not before.record.ticks or row[1] == "unconfirmed"


def test_each_row_of_the_machine_is_brought_about() -> None:
    # tests/arbiter/test_pool.py ends a process, and
    # tests/bots/modules/runner/test_growth.py has memory refused. The hub is ended in
    # tests/extensions/seats/test_relay.py, and fails in test_of_many.py.
    elsewhere = (
        "a process of the arena that plays",
        "the machine refuses memory",
        "the process that",
    )
    missing = [
        what
        for what in rows("The machine's")
        if not what.startswith(tuple(case.what for case in HOST))
    ]
    assert [what for what in missing if not what.startswith(elsewhere)] == []


BOTS = {
    "a module asks for": ("refused", ()),
    "a bot ends before": ("exits:0", ()),
    "a bot ends, traps": ("traps:2", ()),
    "a module has used up": ("timeout:2", ()),
    "a module takes far more": ("backstop:2", (1,)),
}
"""What a runner's double has its second seat do for each row, and the seats that were
warned.
"""


@pytest.mark.parametrize(("what", "brought"), BOTS.items())
def test_a_fault_of_the_bot_is_its_own_and_is_the_same_again(
    what: str, brought: tuple[str, tuple[int, ...]]
) -> None:
    (row,) = (row for name, row in rows("The bot's").items() if name.startswith(what))
    word, warned = brought
    a_match = structs.replace(a_job("honest", word, "honest", policy="strict"), warned=warned)
    record = once(a_match).record
    assert record
    assert record.verdicts == (Verdict.OK, Verdict(row[0]), Verdict.OK)
    difference, untried = compared(record, once(a_match))
    assert difference == ""
    assert {None: "equal", True: "only claimed"}[untried and untried.is_claim] == row[1]
    assert len(rows("The bot's")) == len(BOTS)


def test_what_the_machine_has_spoilt_waits_before_it_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each void is told at once, so that bots can be staged anew meanwhile."""
    waits: list[float] = []
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.01, 0.02, 0.03))
    monkeypatch.setattr(pool.trio, "sleep", _noting(waits, pool.trio.sleep))
    job_ = IN_TICKS(tmp_path)
    remove(job_, tmp_path, monkeypatch)
    outcomes: list[Outcome] = []
    pool.play([job_], 1, outcomes.append, 1)
    assert [(outcome.host, outcome.again) for outcome in outcomes] == [(True, True)] * 3 + [
        (True, False)
    ]
    assert [wait for wait in waits if wait in match_queue.HOST_WAITS] == [*match_queue.HOST_WAITS]


def _noting(waits: list[float], sleep: Callable[[float], object]) -> Callable[[float], object]:
    async def noted(seconds: float) -> None:
        waits.append(seconds)
        await sleep(seconds)  # type: ignore[misc]

    return noted
