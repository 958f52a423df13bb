"""The address space that tables of modules need: what is said is enough, and a MiB less
is refused with that number.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from arena import ROOT
from modules import start, wasm

from khiva_arena.arbiter import memory_limits
from khiva_arena.bots.modules.runner import line, seat_in_ticks, vm
from khiva_arena.bots.sandbox.limits import MIB

pytestmark = pytest.mark.slow

PLAY = """
import json, resource, sys
from pathlib import Path
import trio
from module_matches import job, staged
from khiva_arena.arbiter import memory_limits
from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.live import play_live
from khiva_arena.arbiter.match import Outcome
from khiva_arena.common.result import Clock

async def play(job):
    async with ForkServers() as servers:
        return await play_live(job, LagMeter(), servers, alone=True)

folder = Path(sys.argv[1])
commands = [staged(folder, path.stem, path.read_bytes()) for path in sorted(folder.glob("*.wasm"))]
codes = [Path(command.module[0]).stat().st_size for command in commands]
for seats, clock in ((2, Clock.TICKS), (5, Clock.TICKS), (2, Clock.WALL)):
    of_all = [*commands, *commands, *commands][:seats]
    of = (seats, codes) if clock is Clock.TICKS else (1, [max(codes)])
    needed = memory_limits.of_a_runner(*of)
    # With room for two heaps of 64 MiB beyond, a thread of the C library's may take one.
    for beyond in (-1, 0, *(range(8, 144, 8) if clock is Clock.TICKS else ())):
        resource.setrlimit(resource.RLIMIT_AS, (needed + (beyond << 20), resource.RLIM_INFINITY))
        outcome = trio.run(play, job(of_all, clock))
        said = outcome.void or str([seat.faults[0].detail for seat in outcome.seats])
        print(json.dumps([seats, clock, beyond, -(-needed >> 20), said]))
"""
EXITS = "(call $proc_exit (i32.const 7))"
ENDED = "crashed: exited with code 7"


@pytest.mark.soak
def test_a_table_plays_in_as_much_as_is_said_and_is_refused_in_less(
    tmp_path: Path, open_folder: Path
) -> None:
    """One module has much code, by the data in it, which is in memory twice while it is
    loaded. More than is said is enough, too: no thread takes of it what another seat
    needs.
    """
    data = f'(data (i32.const 0) "{"a" * 8 * MIB}")'
    for name, more in (("large", data), ("small", "")):
        (tmp_path / f"{name}.wasm").write_bytes(
            wasm(f"{start(EXITS)} {more}", imports=["proc_exit"], pages="200")
        )
    environment = {
        "PATH": "/usr/bin:/bin",
        "KHIVA_ARENA_CACHE": str(open_folder),
        "PYTHONPATH": f"{ROOT}:{ROOT}/tests/support",
    }
    done = subprocess.run(
        [sys.executable, "-c", PLAY, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert not done.returncode, done.stderr[-3000:]
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    assert Counter((seats, clock) for seats, clock, *_ in rows) == {
        (2, "ticks"): 19,
        (5, "ticks"): 19,
        (2, "wall"): 2,
    }
    assert [row for row in rows if row[2] >= 0 and row[-1] != str([ENDED] * row[0])] == []
    for *_, number, text in (row for row in rows if row[2] < 0):
        (kib,) = re.findall(r"ulimit -v ([0-9]+)", text)
        assert int(kib) == number * 1024
        assert f" {number:,} MiB of address space" in text


def test_a_seat_is_counted_with_all_that_it_reserves() -> None:
    assert (
        line.SEAT_SPACE
        >= vm.RESERVED
        + 2 * vm.GUARD
        + seat_in_ticks.THREAD_STACK
        + seat_in_ticks.KEPT_FRAMES * seat_in_ticks.LARGEST_FRAME
    )
    assert memory_limits.of_a_runner(3) - memory_limits.of_a_runner(2) == line.SEAT_SPACE
