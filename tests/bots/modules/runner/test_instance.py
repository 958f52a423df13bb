"""A module in the runner's process: how it ends, what it may have, and what no module
can do to the host.
"""

import ctypes
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import wasmtime._bindings as bindings
from modules import compiled, digest, machine, run, run_code, start, wasm
from wasmtime import wat2wasm
from wording import sentence

from khiva_arena.bots.modules.meter.prices import PAGES
from khiva_arena.bots.modules.runner import instance, vm
from khiva_arena.bots.modules.runner.main import FAILED, REFUSED, TRAPPED
from khiva_arena.bots.modules.runner.wall import Wall
from khiva_arena.bots.sandbox.limits import MIB
from khiva_arena.entrants import module_runner, modules

pytestmark = pytest.mark.slow


def test_structs_of_the_vm_are_as_declared_here() -> None:
    """The library is told by its own package how large they are; this fails with a
    release that changes one.
    """
    assert ctypes.sizeof(bindings.wasmtime_extern) == vm.EXTERN
    assert bindings.wasmtime_extern.of.offset == vm.HANDLE
    assert ctypes.sizeof(bindings.wasmtime_func) == ctypes.sizeof(bindings.wasmtime_instance) == 16
    assert ctypes.sizeof(bindings.wasmtime_val_raw_t) == vm.VALUE
    assert ctypes.sizeof(bindings.wasm_byte_vec_t) == 16
    codes = {code.value: code.name for code in bindings.wasmtime_trap_code_enum}
    assert [codes[code].removeprefix("WASMTIME_TRAP_CODE_") for code in sorted(instance.TRAPS)] == [
        "STACK_OVERFLOW",
        "MEMORY_OUT_OF_BOUNDS",
        "HEAP_MISALIGNED",
        "TABLE_OUT_OF_BOUNDS",
        "INDIRECT_CALL_TO_NULL",
        "BAD_SIGNATURE",
        "INTEGER_OVERFLOW",
        "INTEGER_DIVISION_BY_ZERO",
        "BAD_CONVERSION_TO_INTEGER",
        "UNREACHABLE_CODE_REACHED",
    ]


def test_each_function_is_declared_as_the_vm_s_package_declares_it() -> None:
    width = {"P": 8, "L": 8, "q": 8, "B": 1, "-": 0}
    switches = {f"wasmtime_config_wasm_{name}_set": "-PB" for name in vm.SWITCHED_OFF}
    for name, signature in (vm.SIGNATURES | switches).items():
        function = getattr(bindings, f"_{name}")
        types = [function.restype, *function.argtypes]
        assert [ctypes.sizeof(type_) if type_ else 0 for type_ in types] == [
            width[letter] for letter in signature
        ], name


# --- ends ---


def test_no_module_ends_as_a_runner_does_that_fails(tmp_path: Path) -> None:
    """Else it could make a match void."""
    for code in (FAILED, FAILED + 256):
        done = run(
            wasm(start(f"(call $proc_exit (i32.const {code}))"), imports=["proc_exit"]), tmp_path
        )
        assert (done.returncode, done.stderr.decode().count("\n")) == (TRAPPED, 1)


@pytest.mark.parametrize(
    ("code", "status"), [(0, 0), (3, 3), (255, 255), (256, 0), (0xFFFF_FFFF, 255)]
)
def test_it_exits_with_its_code(code: int, status: int, tmp_path: Path) -> None:
    done = run(
        wasm(start(f"(call $proc_exit (i32.const {code})) unreachable"), imports=["proc_exit"]),
        tmp_path,
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")


def test_a_start_that_returns_is_an_exit_with_0(tmp_path: Path) -> None:
    assert run(wasm(start("")), tmp_path).returncode == 0


STARTS = ' (func (export "_start") (call $f))'
BY_TABLE = (
    "(table 1 funcref) (type $t (func)) (func $f (call_indirect (type $t) (i32.const {})))" + STARTS
)
TRAPS = {
    sentence("modules", "calls-too-deep"): "(func $f (call $f))" + STARTS,
    "an access to memory that it does not have": "(func $f (drop (i32.load (i32.const 65533))))"
    + STARTS,
    "an access to a table beyond its end": BY_TABLE.format(7),
    "a call through an empty pointer to a function": BY_TABLE.format(0),
    "a call through a pointer to a function of another type": (
        "(func $g (param i32)) (elem (i32.const 0) $g) "
    )
    + BY_TABLE.format(0),
    "a division of which the result does not fit": (
        "(func $f (drop (i32.div_s (i32.const 0x80000000) (i32.const -1))))"
    )
    + STARTS,
    sentence("modules", "division-zero"): "(func $f (drop (i32.rem_u (i32.const 1) (i32.const 0))))"
    + STARTS,
    "a number that fits no integer is made one": (
        "(func $f (drop (i32.trunc_f64_s (f64.const nan))))"
    )
    + STARTS,
    sentence("modules", "place-never-reached"): "(func $f unreachable)" + STARTS,
}


UNREACHABLE = TRAPS[sentence("modules", "place-never-reached")]


@pytest.mark.parametrize("reason", TRAPS)
def test_a_trap_is_said_in_our_words_with_its_function(reason: str, tmp_path: Path) -> None:
    done = run(wasm(TRAPS[reason]), tmp_path)
    assert (done.returncode, done.stderr.decode()) == (
        TRAPPED,
        f"the module was ended: {reason}, in f" + "\n",
    )


def test_a_name_of_a_function_is_a_part_of_one_line(tmp_path: Path) -> None:
    """A name that cannot be printed is left out, and a long one is cut."""
    text = wasm(UNREACHABLE.replace("$f", '$"\\1b[31m\\0aforged"'))
    done = run(text, tmp_path)
    assert done.stderr.count(b"\n") == 1
    assert b"forged" not in done.stderr
    long = run(wasm(UNREACHABLE.replace("$f", f'$"{"x" * 10_000}"')), tmp_path)
    assert len(long.stderr) < 2 * vm.LONGEST


def test_calls_of_the_host_from_the_bottom_of_the_stack_end_in_words(tmp_path: Path) -> None:
    """Each call of the recursion calls the host too, so that one of these calls is made
    where the stack is all but used up.
    """
    body = "(func $f (call $random_get (i32.const 0) (i32.const 8)) drop (call $f))"
    done = run(wasm(body + start("(call $f)"), imports=["random_get"]), tmp_path)
    assert (done.returncode, done.stderr.count(b"\n")) == (TRAPPED, 1)
    assert sentence("modules", "calls-too-deep") in done.stderr.decode()


# --- what it may have ---


GROW = """
(func (export "_start") (local $pages i32)
  (loop $more
    (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
  (i32.store (i32.const 8) (memory.size))
  (i32.store8 (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 1)) (i32.const 7))
  (i32.store (i32.const 0) (i32.const 8)) (i32.store (i32.const 4) (i32.const 4))
  (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 12))))
"""


@pytest.mark.parametrize("limit", [MIB, 10 * MIB, 3 * instance.PAGE])
def test_memory_grows_to_the_limit_and_no_further(limit: int) -> None:
    outputs: list[bytes] = []

    class Kept(Wall):
        @staticmethod
        def write(_descriptor: int, views: object) -> int:  # type: ignore[override]
            outputs.extend(map(bytes, views))  # type: ignore[call-overload]
            return 4

    code = wasm(GROW, imports=["fd_write"])
    assert instance.Instance(machine(), compiled(code), Kept(), limit).run() == 0
    pages = int.from_bytes(outputs[0], "little")
    assert limit - 16 * instance.PAGE < pages * instance.PAGE <= limit


def test_a_module_s_own_maximum_holds() -> None:
    code = wasm(
        GROW.replace(
            "(drop (call $fd_write", "(call $proc_exit (memory.size)) (drop (call $fd_write"
        ),
        imports=["fd_write", "proc_exit"],
        pages="1 40",
    )
    assert instance.Instance(machine(), compiled(code), Wall(), 1 << 30).run() == 33


def test_more_memory_at_once_than_the_limit_is_refused() -> None:
    code = compiled(wasm(start(""), pages="100"))
    with pytest.raises(
        vm.Unfit,
        match=(
            "it asks for 6,553,600 bytes of memory at its start, and may have 6,488,064: "
            "declare less"
        ),
    ):
        instance.Instance(machine(), code, Wall(), 99 * instance.PAGE)


def used_space() -> int:
    """Bytes of address space that this process takes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def test_what_the_machine_does_not_give_is_no_fault_of_the_module() -> None:
    """There is no address space left for its memory."""
    code = compiled(wasm(start(""), pages="100"))
    machine()  # loaded before
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used_space() + 64 * MIB, hard))
    try:
        with pytest.raises(vm.VmFailed):
            instance.Instance(machine(), code, Wall(), 1 << 30)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_no_growth_moves_memory_or_needs_address_space() -> None:
    """What is reserved at the start is all that the meter lets a module have: the
    host's view stays where it is.
    """
    pages = vm.RESERVED // instance.PAGE
    look = "(drop (call $random_get (i32.const 0) (i32.const 4)))"
    code = wasm(
        start(
            f"{look} (drop (memory.grow (i32.const {pages - 1}))) {look} (call $proc_exit "
            "(memory.size))"
        ),
        imports=["random_get", "proc_exit"],
    )
    places: list[int] = []

    class Looks(Wall):
        def random(self, view: memoryview) -> None:
            places.append(ctypes.addressof(ctypes.c_char.from_buffer(view)))
            if len(places) == 1:
                resource.setrlimit(resource.RLIMIT_AS, (used_space(), hard))

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    made = instance.Instance(machine(), compiled(code), Looks(), 4 << 30)
    try:
        assert made.run() == pages == PAGES
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert len(set(places)) == 1


# --- what cannot be a bot ---


def refusal(module: bytes, folder: Path) -> str:
    done = run(module, folder)
    assert done.returncode == REFUSED == modules.REFUSED
    assert done.stderr.count(b"\n") == 1
    return done.stderr.decode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0asm",
        b"garbage" * 100,
        b"\0asm\1\0\0",
        b"\0asm\x0d\0\1\0",
        b"#!/bin/sh\n",
        b"\x7fELF" + bytes(100),
    ],
)
def test_what_does_not_begin_as_a_module_is_none(data: bytes, tmp_path: Path) -> None:
    assert sentence("modules", "not-begin-module") in refusal(data, tmp_path)


def test_a_module_that_is_cut_or_damaged_is_refused(tmp_path: Path) -> None:
    whole = wasm(start("(call $proc_exit (i32.const 1))"), imports=["proc_exit"])
    for size in (9, 20, len(whole) - 1):
        refusal(whole[:size], tmp_path)
    call = b"\x10\x00\x0b"
    assert whole.count(call) == 1
    refusal(whole.replace(call, b"\x10\x09\x0b"), tmp_path)


@pytest.mark.parametrize(
    "proposal",
    [
        '(memory (export "memory") 1 1 shared) (func (export "_start"))',
        '(memory (export "memory") i64 1) (func (export "_start"))',
        '(memory (export "memory") 1) (memory 1) (func (export "_start"))',
        '(memory (export "memory") 1) (func $f (export "_start") return_call $f)',
        '(memory (export "memory") 1) (tag $t) (func (export "_start") (throw $t))',
        '(memory (export "memory") 1) (type (struct)) (func (export "_start"))',
    ],
)
def test_what_the_meter_would_not_count_is_not_compiled(proposal: str, tmp_path: Path) -> None:
    refusal(bytes(wat2wasm(f"(module {proposal})")), tmp_path)


# --- code ---


def test_code_that_the_arena_did_not_write_is_not_loaded(tmp_path: Path) -> None:
    assert run(wasm(start("")), tmp_path).returncode == 0
    code = tmp_path / "code"
    expected, data = digest(code.read_bytes()), bytearray(code.read_bytes())
    data[len(data) // 2] ^= 1
    other = tmp_path / "other"
    other.write_bytes(data)
    done = run_code(other, expected)
    why = f"the runner failed: {sentence('modules', 'code-changed', what='the compiled code')}"
    for path in (other, tmp_path / "none"):
        done = run_code(path, expected)
        assert (done.returncode, done.stderr.decode()) == (FAILED, f"{why}\n")


def test_code_of_another_vm_is_the_host_s_fault(tmp_path: Path) -> None:
    (tmp_path / "code").write_bytes(b"\x7fELF" + bytes(200))
    done = run_code(tmp_path / "code", digest((tmp_path / "code").read_bytes()))
    assert (done.returncode, done.stderr.count(b"\n")) == (FAILED, 1)


def test_two_seats_of_one_process_share_code_and_nothing_else() -> None:
    code = wasm(
        start(
            "(i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))"
            " (call $proc_exit (i32.load (i32.const 0)))"
        ),
        imports=["proc_exit"],
    )
    module = compiled(code)
    assert [instance.Instance(machine(), module, Wall(), MIB).run() for _ in range(2)] == [1, 1]


def test_an_error_of_the_system_reaches_the_caller_and_not_the_module() -> None:
    class Broken(Wall):
        def random(self, view: memoryview) -> None:
            raise ValueError("a mistake of ours")

    code = wasm(
        start("(drop (call $random_get (i32.const 0) (i32.const 4)))"), imports=["random_get"]
    )
    with pytest.raises(ValueError, match="a mistake of ours"):
        instance.Instance(machine(), compiled(code), Broken(), MIB).run()


def test_the_runner_loads_few_modules(tmp_path: Path) -> None:
    """What a start waits for: the files of this folder, and modules in C. Neither
    ctypes nor os is among them.
    """
    script = (
        "import sys; sys.path.append(sys.argv[1]); before = set(sys.modules); import runner.main\n"
    )
    script += "print(*sorted(set(sys.modules) - before))"
    words = [sys.executable, "-I", "-S", "-c", script, str(module_runner.FOLDER)]
    loaded = set(
        subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.split()
    )
    assert not loaded & {
        "ctypes",
        "os",
        "typing",
        "dataclasses",
        "collections",
        "click",
        "trio",
        "msgspec",
        "wasmtime",
    }
    assert {name for name in loaded if not name.startswith("runner")} <= {
        *("_ctypes", "_struct", "_blake2", "resource", "errno", "time", "posix"),
    }
