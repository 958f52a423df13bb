"""Run modules that pay on the VMs that are here: wasmtime in this process, and V8 in
Node.
"""

import json
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tools import lacks, need

from khiva_arena.bots.modules.meter.prices import HEIGHT_LIMIT, STACK_BYTES
from khiva_arena.bots.modules.meter.rewrite import BY_FUNCTION, HEIGHT, TICKS

SCRIPT = Path(__file__).with_name("wasm_vm.mjs")


class Ran(NamedTuple):
    """How a module ran.

    end: "" if it returned, "exit" by proc_exit, else the kind of its trap: "time",
        "stack" or "own".
    ticks: that were left; -1 if they ran out.
    memory: the first 16 hex digits of the SHA-256 of its memory; "" if ticks or stack
        ran out.
    """

    end: str
    ticks: int
    memory: str


class Exit(Exception):
    """proc_exit was called."""


def engine() -> Any:
    """wasmtime, with the stack that METER.md asks for."""
    try:
        import wasmtime
    except ImportError:
        lacks("wasmtime is missing: the extra modules brings it")
    config = wasmtime.Config()
    config.max_wasm_stack = STACK_BYTES
    return wasmtime.Engine(config)


def is_valid(engine_: Any, module: bytes) -> bool:
    """Whether wasmtime takes a module."""
    import wasmtime

    try:
        wasmtime.Module.validate(engine_, module)
    except wasmtime.WasmtimeError:
        return False
    return True


def kind_of_trap(ticks: int, height: int) -> str:
    """The kind of a trap, from the two globals, as METER.md says."""
    return "time" if ticks < 0 else "stack" if height > HEIGHT_LIMIT else "own"


def ran(end: str, ticks: int, height: int, memory: str) -> Ran:
    """How a module ran: what is the same everywhere."""
    kind = kind_of_trap(ticks, height) if end == "trap" else end
    return Ran(kind, max(ticks, -1), "" if kind in ("time", "stack") else memory)


def on_wasmtime(engine_: Any, wasm: bytes, ticks: int) -> Ran:
    """Run a module that pays on wasmtime. Calls to the runner fail with 52, but
    sched_yield.
    """
    return counted_on_wasmtime(engine_, wasm, ticks)[0]


def counted_on_wasmtime(engine_: Any, wasm: bytes, ticks: int) -> tuple[Ran, int, int]:
    """Run a module that pays on wasmtime. Gives how it ran, the ticks that it paid, and
    those that were counted by function.
    """
    import wasmtime

    store = wasmtime.Store(engine_)
    module = wasmtime.Module(engine_, wasm)

    def leave(*_: int) -> None:
        raise Exit

    answers: dict[str, Any] = {"proc_exit": leave, "sched_yield": lambda *_: 0}
    functions = [
        wasmtime.Func(store, one.type, answers.get(one.name, lambda *_: 52))
        for one in module.imports
    ]
    exports = wasmtime.Instance(store, module, functions).exports(store)
    exports[TICKS].set_value(store, ticks)
    end = ""
    try:
        exports["_start"](store)
    except Exit:
        end = "exit"
    except (wasmtime.Trap, wasmtime.WasmtimeError):
        end = "trap"
    memory = sha256(exports["memory"].read(store)).hexdigest()[:16]
    left = exports[TICKS].value(store)
    counted = sum(
        exports[one.name].value(store) for one in module.exports if one.name.startswith(BY_FUNCTION)
    )
    return ran(end, left, exports[HEIGHT].value(store), memory), ticks - left, counted


def _by_node(rows: list[dict[str, Any]]) -> list[Any]:
    """Hand rows to Node, and return what it makes of each."""
    need("node")
    words = ["node", f"--stack-size={STACK_BYTES // 1000}", str(SCRIPT)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run(
        words, input=text, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def taken_by_the_verifier(modules: list[bytes]) -> list[bool]:
    """Return of each module whether the meter of protocol/verifier takes it."""
    return _by_node([{"module": module.hex()} for module in modules])


def on_node(jobs: list[tuple[bytes, int]], *, verifier: bool = False) -> list[Ran]:
    """Run modules that pay, each with its ticks, on V8.

    verifier: they do not pay yet, and the meter of protocol/verifier rewrites them
    """
    key = "module" if verifier else "wasm"
    rows = _by_node([{key: module.hex(), "ticks": ticks} for module, ticks in jobs])
    lefts = [
        -1 if row["end"] == "time" else ticks - row["used"]
        for row, (_, ticks) in zip(rows, jobs, strict=True)
    ]
    return [Ran(row["end"], left, row["memory"]) for row, left in zip(rows, lefts, strict=True)]


@pytest.fixture(scope="session")
def wasmtime_engine() -> Any:
    return engine()
