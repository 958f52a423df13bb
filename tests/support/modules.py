"""WebAssembly modules for tests: written as text, and run by the runner as a process,
or by its parts in this one.
"""

import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path

from golden import Word
from second_vm import QUIET, WORDS
from wasmtime import wat2wasm

from khiva_arena.bots.modules.meter import rewritten
from khiva_arena.bots.modules.meter.imports import PARAMS
from khiva_arena.bots.modules.runner import baton, instance, line, vm, wasi
from khiva_arena.bots.modules.runner.seat_in_ticks import TickSeat
from khiva_arena.bots.modules.runner.vm import Unfit
from khiva_arena.entrants import module_runner
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage

SECONDS = 120
WASI = wasi.NAME
PAGES = 1
SIZE = PAGES * instance.PAGE
LARGE = 500_000
"""Bytes of a module, which all interpreters exceed."""


@cache
def machine() -> vm.Vm:
    """The VM, once for all tests of this process."""
    return vm.Vm(module_runner.library())


def wasm(body: str, *, imports: Sequence[str] = (), pages: str = str(PAGES)) -> bytes:
    """A module with these functions of WASI, a memory, and what ``body`` has in it."""
    asked = "".join(f'(import "{WASI}" "{name}" (func ${name} {_type(name)}))' for name in imports)
    return bytes(wat2wasm(f'(module {asked} (memory (export "memory") {pages}) {body})'))


def _type(name: str) -> str:
    words = {"i": "i32", "I": "i64"}
    return "".join(f"(param {words[letter]})" for letter in PARAMS[name]) + (
        "" if name == "proc_exit" else "(result i32)"
    )


@lru_cache(maxsize=2)
def compiled(module: bytes) -> int:
    """The address of a module in the VM, rewritten as each bot's is. A large one, which
    takes seconds to compile, is taken from the cache that all workers share.
    """
    if len(module) < LARGE:
        return vm.compile_(machine(), rewritten(module).wasm)[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.wasm")
        path.write_bytes(module)
        *_, code, _digest = stage(load(str(path))).argv
    return vm.load(machine(), Path(code).read_bytes())


class SeatAlone(TickSeat):
    """A seat whose questions are asked one at a time, by a test."""

    def __init__(
        self, machine: vm.Vm, module: int, key: bytes, most_bytes: int, payload: bytes | None = None
    ) -> None:
        super().__init__(machine, module, most_bytes)
        self.open(key, payload=payload)

    def ask(self, ticks: int) -> tuple[int, int, bytes]:  # type: ignore[override]
        return baton.run(super().ask(ticks))

    def finish(self, ticks: int) -> tuple[int, int, bytes]:  # type: ignore[override]
        return baton.run(super().finish(ticks))


def answers_to(
    orders: Iterable[Word], module: bytes, key: bytes, most_bytes: int, payload: bytes | None = None
) -> tuple[list[Word], bytes]:
    """Give orders to the runner's seat of a module in this process. Return its answers,
    and what the module wrote on stderr.

    The line of a trap or a refusal is left out: each VM has its own.
    """
    try:
        seat = SeatAlone(machine(), compiled(module), key, most_bytes, payload=payload)
    except (Unfit, instance.Trapped):
        return [(WORDS[line.REFUSED], 0, "") for order, _, _ in orders if order != "say"], b""
    answers, notes = [], b""
    for order, ticks, data in orders:
        seat.say(bytes.fromhex(data))
        if order != "say":
            number, used, told = seat.ask(ticks) if order == "ask" else seat.finish(ticks)
            answers.append((WORDS[number], used, "" if number in QUIET else told.hex()))
            notes += seat.notes
            seat.notes.clear()
    seat.drop()
    return answers, notes


def start(code: str) -> str:
    """The function that a command begins with."""
    return f'(func (export "_start") {code})'


def run(module: bytes, folder: Path, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Compile and run a module by the runner, in processes of their own."""
    source, code = folder / "bot.wasm", folder / "code"
    source.write_bytes(module)
    code.unlink(missing_ok=True)
    words = module_runner.runner(module_runner.COMPILE, str(source), str(code))
    made = subprocess.run(words, capture_output=True, timeout=SECONDS, check=False)
    return made if made.returncode else run_code(code, digest(code.read_bytes()), data)


def run_code(code: Path, expected: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run compiled code that is expected to have a hash."""
    words = module_runner.runner(module_runner.RUN, str(code), expected)
    return subprocess.run(words, input=data, capture_output=True, timeout=SECONDS, check=False)


def digest(code: bytes) -> str:
    """The hash by which the runner knows code."""
    return blake2b(code, digest_size=32).hexdigest()
