"""Memory that the event allows a module and the machine refuses: the module never
notices, and nobody can bring that about.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from arena import ROOT
from levels import EVERY_LEVEL, python_at
from module_matches import job
from modules import SeatAlone, compiled, machine, start, wasm
from msgspec.structs import replace
from tools import lacks

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.modules.runner import instance, line, vm
from khiva_arena.bots.modules.runner.wall import Wall
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import MIB, Resources
from khiva_arena.common.result import Clock
from khiva_arena.entrants import bots, module_runner, staging

pytestmark = pytest.mark.slow

PAGES, MOST = 40, 30
KEY = bytes(8)
PLENTY = 10**10


def grows(first: str, asked: str = "(i32.const 1)") -> SeatAlone:
    """A module of 40 pages at the most that grows twice where the machine gives 30, and
    exits with what it has then.
    """
    code = (
        f"(drop (memory.grow {first})) (drop (memory.grow {asked})) (call $proc_exit (memory.size))"
    )
    module = compiled(wasm(start(code), imports=("proc_exit",), pages=f"1 {PAGES}"))
    seat = SeatAlone(machine(), module, KEY, MOST * instance.PAGE)
    seat._instance.allow(PAGES * instance.PAGE)
    return seat


@pytest.mark.parametrize(("first", "asked"), [(29, 1), (29, 10), (0, 39), (28, 11)])
def test_a_growth_that_the_machine_refuses_is_the_machines_failure(first: int, asked: int) -> None:
    with pytest.raises(vm.VmFailed, match=instance.REFUSED_GROWTH):
        grows(f"(i32.const {first})", f"(i32.const {asked})").ask(PLENTY)


@pytest.mark.parametrize("asked", [11, 12, 4_096, 2**31 - 1, -1, -30, -(2**31)])
def test_a_growth_beyond_what_the_event_allows_fails_in_the_module(asked: int) -> None:
    """The pages there are and those asked for are added in 64 bits: in 32 the sum of
    some of these would be small.
    """
    assert grows("(i32.const 29)", f"(i32.const {asked})").ask(PLENTY)[::2] == (
        line.EXITED,
        (30).to_bytes(4, "big"),
    )


def test_it_costs_no_ticks_to_look() -> None:
    code = "(drop (memory.grow (i32.const 2)))"
    seat = SeatAlone(
        machine(), compiled(wasm(start(code), pages="1 40")), KEY, MOST * instance.PAGE
    )
    assert seat.ask(PLENTY)[1] == 1 + 2_000 + 2 * 10_000 + 1


def test_by_the_wall_clock_a_refused_growth_is_the_modules() -> None:
    """Its limit of memory is the system's there, and what it does at that limit is its
    own doing.
    """
    code = (
        "(drop (memory.grow (i32.const 29))) (drop (memory.grow (i32.const 1))) (call "
        "$proc_exit (memory.size))"
    )
    module = compiled(wasm(start(code), imports=("proc_exit",), pages=f"1 {PAGES}"))
    assert instance.Instance(machine(), module, Wall(), MOST * instance.PAGE).run() == 30


HOG = """
(global $at (mut i32) (i32.const 16))
(func (export "_start")
  (loop $read  ;; the whole payload
    (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 60000))
    (drop (call $fd_read (i32.const 3) (i32.const 0) (i32.const 1) (i32.const 8)))
    (br_if $read (i32.load (i32.const 8))))
  (i32.store (i32.const 0) (i32.const 0)) (i32.store (i32.const 4) (i32.const 65536))
  (drop (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
  (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 60000))
  ;; a frame of 65,536 bytes that does not come to its end
  (i32.store (i32.const 1024) (i32.const 0x100))
  (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
  (loop $grow (br_if $grow (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
  (call $proc_exit (i32.div_u (memory.size) (i32.const 100))))
"""
"""Reads its payload, fills stderr and output, grows until it may no more, and exits
with the hundreds of its pages.
"""
CODE_BYTES = 30 * MIB
"""Of each module, a little below the bound of METER.md, section 8: its data are in its
code.
"""


def hogs(names: str, level: Level, folder: Path, code_bytes: int) -> list[Command]:
    """Stage bots that take all they may, each with code and a payload of its own."""
    if python_at(level) != module_runner.runner(module_runner.RUN)[0]:
        lacks(f"at {level} this user's bots may not read {python_at(level)}", may=True)
    commands = []
    for name in names:
        (place := folder / name).mkdir()
        data = f'(data (i32.const 1024) "{name * code_bytes}")'
        (place / "bot.wasm").write_bytes(
            wasm(HOG + data, imports=("fd_read", "fd_write", "proc_exit"), pages="482")
        )
        (place / "payload").write_bytes(name.encode() * (4 * MIB - 1))
        (place / "bot.toml").write_text(
            f'name = "{name}"\nversion = "1"\nmodule = "bot.wasm"\npayload = "payload"\n'
        )
        commands.append(staging.stage(bots.load(str(place)), level))
    return commands


def faults_of(commands: Sequence[Command], clock: Clock, level: Level, memory: int) -> list[str]:
    """Play a match of these bots, and return the first fault of each seat."""
    outcomes: list[Outcome] = []
    sandbox = Sandbox(level, resources=Resources(memory=memory * MIB))
    pool.play(iter([replace(job(commands, clock), sandbox=sandbox)]), 1, outcomes.append, 1)
    assert not outcomes[0].void, outcomes[0].void
    return [seat.faults[0].detail for seat in outcomes[0].seats]


@pytest.mark.soak
@EVERY_LEVEL
@pytest.mark.parametrize("memory", [320, 80])
def test_the_machine_refuses_nothing_at_full_tables(
    level: Level, memory: int, tmp_path: Path, open_folder: Path
) -> None:
    """Or a bot that is about to lose could bring that about. Each seat has a large
    payload and the most code, writes all that is kept, and grows to its last page, by a
    limit of the event that leaves nothing beside that.
    """
    commands = hogs("abcde", level, tmp_path, CODE_BYTES)
    told = f"crashed: exited with code {min(4096, line.module_pages(memory * MIB)) // 100}"
    for seats in range(2, 6):
        assert faults_of(commands[:seats], Clock.TICKS, level, memory) == [told] * seats


def test_the_machine_refuses_nothing_at_a_full_table_of_two(
    tmp_path: Path, open_folder: Path
) -> None:
    told = f"crashed: exited with code {line.module_pages(80 * MIB) // 100}"
    assert (
        faults_of(hogs("ab", Level.TRUSTED, tmp_path, MIB), Clock.TICKS, Level.TRUSTED, 80)
        == [told] * 2
    )


def test_by_the_wall_clock_the_limit_of_the_system_is_the_bots_own(
    tmp_path: Path, open_folder: Path
) -> None:
    """Its payload and its code count there, so it has fewer pages; the match is not
    void.
    """
    for fault in faults_of(hogs("ab", Level.TRUSTED, tmp_path, MIB), Clock.WALL, Level.TRUSTED, 80):
        code = int(fault.removeprefix("crashed: exited with code "))
        assert 482 // 100 <= code <= line.module_pages(80 * MIB) // 100


SHORT = """
import json, resource, sys
from pathlib import Path
import trio
from module_matches import job, staged
from khiva_arena.arbiter import memory_limits
from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.live import play_live
from khiva_arena.common.result import Clock

async def play(job):
    async with ForkServers() as servers:
        return await play_live(job, LagMeter(), servers, alone=True)

module = Path(sys.argv[1])
command = staged(module.parent, "staged", module.read_bytes())
resource.setrlimit(resource.RLIMIT_DATA, (150_000 << 10,) * 2)
said = trio.run(play, job([command] * 2, Clock.TICKS)).void
# as if the machine were short without a limit that can be read
memory_limits.data_limit = lambda: None
print(json.dumps([said, trio.run(play, job([command] * 2, Clock.TICKS)).void]))
"""


def test_a_machine_that_is_short_of_memory_voids_the_match(
    tmp_path: Path, open_folder: Path
) -> None:
    """The limit is said before the match; where nothing says it, the match is void at
    the growth that the machine refuses.
    """
    (tmp_path / "bot.wasm").write_bytes(
        wasm(HOG, imports=("fd_read", "fd_write", "proc_exit"), pages="257")
    )
    environment = {
        "PATH": "/usr/bin:/bin",
        "KHIVA_ARENA_CACHE": str(open_folder),
        "PYTHONPATH": f"{ROOT}:{ROOT}/tests/support",
    }
    words = [sys.executable, "-c", SHORT, str(tmp_path / "bot.wasm")]
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert not done.returncode, done.stderr[-3000:]
    before, within = json.loads(done.stdout)
    needed = 2 * (40 + 256 + 16)  # of the runner, of the module, and of a step for compiled code
    assert f"needs {needed} MiB of memory; " in before
    assert f"(ulimit -d {needed * 1024})" in before
    assert within == f"{line.FAILS}{instance.REFUSED_GROWTH}"
