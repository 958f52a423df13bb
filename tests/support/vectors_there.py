"""Run vectors of METER.md by the meter and the runner, in whatever Python and on
whatever machine this is started.

``argv[1]``: the folder of both, ``argv[2]``: the VM's library. Each line of stdin is a
row of the vectors. Each line of stdout is how its module ends here, the ticks that are
left, the hash of its memory, and what the meter makes of it, in hex.
"""

import json
import sys
from hashlib import sha256
from typing import Any

sys.path.append(sys.argv[1])

from meter import rewritten  # type: ignore[import-not-found]  # in the folder
from runner import instance, vm, wasi  # type: ignore[import-not-found]
from runner.wall import Wall  # type: ignore[import-not-found]

NOSYS = 52


class Left(Exception):
    """proc_exit was called, with whatever code."""


def refuse(*_: Any) -> None:
    raise wasi.Errno(NOSYS)


def leave(*_: Any) -> None:
    raise Left


def ran(machine: Any, wasm: bytes, ticks: int) -> tuple[str, int, str]:
    """How a module that pays runs, compiled and loaded as a bot is."""
    one = instance.Instance(machine, vm.load(machine, vm.compile_(machine, wasm)[1]), Wall(), -1)
    one.ticks, end = ticks, ""
    try:
        one.run()
    except Left:
        end = "exit"
    except instance.OutOfTicks:
        return "time", -1, ""
    except instance.StackFull:
        return "stack", one.ticks, ""
    except instance.Trapped:
        end = "own"
    one._place = one._export(
        instance.MEMORY_NAME, vm.MEMORY
    )  # otherwise it is known from a call on
    return end, one.ticks, sha256(one._memory()).hexdigest()[:16]


wasi.FUNCTIONS.update(
    dict.fromkeys(wasi.FUNCTIONS.keys() - {"sched_yield"}, refuse), proc_exit=leave
)
here = vm.Vm(sys.argv[2])
for line in sys.stdin:
    row = json.loads(line)
    wasm = rewritten(bytes.fromhex(row["module"])).wasm
    print(json.dumps([*ran(here, wasm, row["limit"]), wasm.hex()]))
