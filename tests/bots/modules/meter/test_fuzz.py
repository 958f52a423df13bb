"""Random and mutated modules, as many as a test may take; ``python -m tests.tools
fuzz-meter`` goes on as long as you like.
"""

import time
import tracemalloc
from collections import Counter
from contextlib import suppress
from random import Random

import meter_fuzz
import pytest
import random_modules
import wasm_vm
from wasm import Function, Made, assemble, sized, start, uleb

from khiva_arena.bots.modules.meter import ModuleRefused, rewritten


@pytest.mark.slow
def test_the_meter_and_a_vm_agree_which_modules_are_valid() -> None:
    engine = wasm_vm.engine()
    words = Counter(meter_fuzz.check(engine, number) for number in range(2_000))
    assert all(words[word] > 200 for word in ("taken", "invalid", "refused")), words


@pytest.mark.slow
@pytest.mark.language
def test_two_vms_and_two_meters_come_to_the_same_with_random_modules() -> None:
    engine = wasm_vm.engine()
    modules = [random_modules.module(Random(seed)) for seed in range(1_000, 1_400)]
    jobs = [(rewritten(module).wasm, 100_000) for module in modules]
    runs = [wasm_vm.on_wasmtime(engine, *job) for job in jobs]
    assert wasm_vm.on_node(jobs) == runs
    assert wasm_vm.on_node([(module, 100_000) for module in modules], verifier=True) == runs


def is_taken(module: bytes) -> bool:
    """Return whether the arena's meter takes a module."""
    try:
        rewritten(module)
    except ModuleRefused:
        return False
    return True


@pytest.mark.slow
@pytest.mark.language
def test_two_meters_agree_which_modules_are_taken() -> None:
    modules = [meter_fuzz.module(number) for number in range(2_000)]
    taken = wasm_vm.taken_by_the_verifier(modules)
    assert taken == list(map(is_taken, modules))
    assert 200 < sum(taken) < 1_800


def test_bytes_of_chance_are_refused_in_one_line() -> None:
    for seed in range(2_000):
        chance = Random(seed)
        with pytest.raises(ModuleRefused):
            rewritten(b"\0asm\1\0\0\0" + chance.randbytes(chance.randint(0, 60)))


def test_a_module_that_is_cut_short_anywhere_is_refused() -> None:
    module = random_modules.module(Random(1))
    for length in range(len(module)):
        with pytest.raises(ModuleRefused):
            rewritten(module[:length])


MANY = " ".join(["i32"] * 16)
MONSTERS = {
    "100 MB": lambda: bytes(100_000_000),
    "16 MiB of sections": lambda: b"\0asm\1\0\0\0" + b"\0\1\0" * 5_000_000,
    "10^6 functions": lambda: start("", sections={3: uleb(10**6) + bytes(10**6)}),
    "a br_table of 10^6": lambda: start(b"\x41\0\x0e" + uleb(10**6) + bytes(10**6)),
    "a br_table that is not there": lambda: start(b"\x41\0\x0e\xff\xff\xff\xff\x0f"),
    "nested blocks": lambda: start(b"\2\x40" * 500_000 + b"\x0b" * 500_000),
    "nested blocks that are never reached": lambda: start(
        b"\0" + b"\2\x40" * 500_000 + b"\x0b" * 500_000
    ),
    "10^6 operands": lambda: start(b"\x41\0" * 500_000),
    "2^32 locals": lambda: start(
        "", sections={10: b"\1" + sized(b"\1\xff\xff\xff\xff\x0f\x7f\x0b")}
    ),
    "locals without end": lambda: start(
        "", sections={10: b"\1" + sized(uleb(10**6) + b"\0\x7f" * 500_000)}
    ),
    "2^32 data segments": lambda: start("", sections={11: b"\xff\xff\xff\xff\x0f"}),
    "2^32 names": lambda: (
        start("") + b"\0" + sized(sized(b"name") + b"\1" + sized(b"\xff\xff\xff\xff\x0f"))
    ),
    "10^6 names": lambda: (
        start("") + b"\0" + sized(sized(b"name") + b"\1" + sized(uleb(10**6) + b"\0\1a" * 10**6))
    ),
    "br_tables of many values": lambda: start(
        b"\2\x40" * 900
        + (b"\0" + assemble("i32.const 0") + b"\x0e" + uleb(900) + b"".join(map(uleb, range(901))))
        * 100
        + b"\x0b" * 900
    ),
    "br_ifs of many values": lambda: start(
        b"\2\1\0" + b"\x0d\0" * 100_000 + b"\x0b" + b"\x1a" * 16, more=(("", MANY),)
    ),
    "calls of many values from nowhere": lambda: bytes(
        Made([Function(b"\0" + b"\x10\1" * 100_000), Function("", "i32 " * 128)])
    ),
    "calls of many values": lambda: bytes(
        Made(
            [
                Function(b"\0" + b"\x1b\x10\1\x10\2" * 45_000),
                Function("unreachable", "", MANY),
                Function("", MANY + " i32"),
            ]
        )
    ),
    "very many additions": lambda: start(b"\x41\0" + b"\x41\1\x6a" * 75_000 + b"\x1a"),
}
"""Modules that are large, or say so."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MONSTERS)
def test_a_monster_takes_little_memory_and_ends(name: str) -> None:
    module = MONSTERS[name]()
    tracemalloc.start()
    began = time.process_time()
    with suppress(ModuleRefused):
        rewritten(module)
    took, (_, most) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"{name}: {took:.1f} s, {most / 2**20:.0f} MiB")
    assert most < 50 * 2**20
