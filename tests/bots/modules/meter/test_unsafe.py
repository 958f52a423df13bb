"""Ways in which a naive meter is unsafe: modules that do not pay, or that a VM runs
otherwise.
"""

import struct
from hashlib import sha256
from typing import Any

import pytest
import wasm_vm
from wasm import Function, Made, sized, start, uleb, vector

from khiva_arena.bots.modules.meter import rewritten
from khiva_arena.bots.modules.meter.prices import CALL, HEIGHT_LIMIT, PAGES

LIMIT = 10_000_000
PAGE = 65_536


@pytest.fixture(scope="module")
def engine() -> Any:
    return wasm_vm.engine()


def used(engine: Any, module: bytes, end: str = "time") -> int:
    """The ticks that a module uses; it ends as said."""
    ran = wasm_vm.on_wasmtime(engine, rewritten(module).wasm, LIMIT)
    assert ran.end == end
    return LIMIT - max(ran.ticks, 0)


def test_the_maximum_of_memory_is_set_and_growing_ends_there(engine: Any) -> None:
    count = (
        "loop i32.const 1 memory.grow i32.const -1 i32.ne br_if 0 end i32.const 0 memory.size "
        "i32.store 0"
    )
    without, much, seven = (
        rewritten(start(count, memory=memory))
        for memory in (b"\0\1", b"\1\1\x80\x80\x04", b"\1\1\x07")
    )
    assert without == much
    for metered, most in ((much, PAGES), (seven, 7)):
        assert metered.pages == most
        ran = wasm_vm.on_wasmtime(engine, metered.wasm, 10**9)
        assert ran == (
            "",
            ran.ticks,
            sha256(struct.pack("<I", most) + bytes(most * PAGE - 4)).hexdigest()[:16],
        )


def test_growing_beyond_the_maximum_fails_instead_of_taking_all_ticks(engine: Any) -> None:
    assert used(engine, start("i32.const -1 memory.grow drop"), "") < 10_000


@pytest.mark.parametrize("operation", ["memory.fill", "memory.copy"])
def test_bulk_operations_of_nothing_pay(engine: Any, operation: str) -> None:
    rounds = used(engine, start(f"i32.const 0 i32.const 0 i32.const 0 {operation} " * 10), "")
    assert rounds >= 10 * 100


def test_calls_to_the_runner_pay_before_they_work_and_if_they_fail(engine: Any) -> None:
    module = start("loop i32.const -5 call 0 drop br 0 end", imports=("fd_close",))
    calls = []
    import wasmtime

    store = wasmtime.Store(engine)
    compiled = wasmtime.Module(engine, rewritten(module).wasm)
    exports: Any = None

    def close(_: int) -> int:
        calls.append(exports["khiva:ticks"].value(store))
        return 8

    exports = wasmtime.Instance(
        store, compiled, [wasmtime.Func(store, compiled.imports[0].type, close)]
    ).exports(store)
    exports["khiva:ticks"].set_value(store, 10 * CALL)
    with pytest.raises(wasmtime.Trap):
        exports["_start"](store)
    assert len(calls) == 9
    assert all(
        before - after >= CALL for before, after in zip([10 * CALL, *calls], calls, strict=False)
    )


def test_an_import_may_be_imported_twice(engine: Any) -> None:
    assert used(
        engine, start("call 0 drop call 1 drop", imports=("sched_yield", "sched_yield")), ""
    ) == 2 * (CALL + 9)


def recursive(
    code: str, kind: str = "", *, many: int = 0, params: int = 0, results: int = 0
) -> bytes:
    """A module that calls without end a function of these values."""
    values = " ".join([f"{kind}.const 1"] * params)
    first = Function(f"{values} call 1 {'drop ' * results}")
    types = [" ".join([kind] * length) for length in (params, results, many)]
    return bytes(Made([first, Function(code, *types)]))


def live(kind: str, locals_: int, operands: int, results: int = 0) -> bytes:
    """A module that calls without end a function whose locals and operands are used
    behind the call.
    """
    sets = " ".join(f"i32.const 0 {kind}.load {8 * at} local.set {at}" for at in range(locals_))
    loads = " ".join(f"i32.const 0 {kind}.load {8 * at + 4}" for at in range(operands))
    drops = "drop " * results
    sums = f"{kind}.add " * (operands - 1) + ("local.set 0" if operands else "")
    gets = " ".join(f"i32.const 0 local.get {at} {kind}.store {8 * at}" for at in range(locals_))
    more = " ".join([f"i32.const 0 {kind}.load 0"] * results)
    return recursive(
        f"{sets} {loads} call 1 {drops} {sums} {gets} {more}", kind, many=locals_, results=results
    )


DEEP = {
    "calls alone": recursive("call 1"),
    "few locals": live("f64", 4, 0),
    "many locals": live("f64", 2_000, 0),
    "few operands": live("i64", 1, 4),
    "many operands": live("i64", 1, 1_000),
    "locals, operands and results": live("f64", 128, 30, 16),
    "many results": recursive("call 1", "f64", results=16),
    "many parameters": recursive(
        " ".join(f"local.get {at}" for at in range(128)) + " call 1", "i64", params=128
    ),
    "a call from the table": bytes(
        Made([Function("call 1"), Function("i32.const 1 call_indirect 1")], table=(1,))
    ),
}


@pytest.mark.parametrize("name", DEEP)
def test_no_vm_s_stack_is_full_before_the_height(engine: Any, name: str) -> None:
    ran = wasm_vm.on_wasmtime(engine, rewritten(DEEP[name]).wasm, 10**9)
    assert ran.end == "stack"


@pytest.mark.language
def test_the_stack_is_full_at_the_same_tick_on_v8(engine: Any) -> None:
    jobs = [(rewritten(module).wasm, 10**9) for module in DEEP.values()]
    runs = [wasm_vm.on_wasmtime(engine, *job) for job in jobs]
    assert wasm_vm.on_node(jobs) == runs
    assert wasm_vm.on_node([(module, 10**9) for module in DEEP.values()], verifier=True) == runs


def test_the_height_is_given_back_by_each_way_out_of_a_function(engine: Any) -> None:
    ways = (
        "return",
        "block br 1 end unreachable",
        "i32.const 0 br_table 0 0",
        "i32.const 1 if return end",
        "nop",
        "i32.const 1 br_if 0",
    )
    calls = " ".join(f"call {at + 1}" for at in range(len(ways)))
    enough = HEIGHT_LIMIT // 128
    code = (
        f"loop {calls} local.get 0 i32.const 1 i32.add local.tee 0 i32.const {enough} i32.lt_u "
        "br_if 0 end"
    )
    ran = wasm_vm.on_wasmtime(
        engine,
        rewritten(bytes(Made([Function(code, locals="i32"), *map(Function, ways)]))).wasm,
        10**9,
    )
    assert ran.end == ""


NAN = {
    "f64.sqrt": "f64.const -1 f64.sqrt",
    "f64.div": "f64.const 0 f64.const 0 f64.div",
    "f64.add": "f64.const inf f64.const -inf f64.add",
    "f64.add of a payload": "i64.const 0x7ff0000000000123 f64.reinterpret_i64 f64.const 1 f64.add",
    "f64.mul of a sign": "f64.const nan f64.neg f64.const 2 f64.mul",
    "f64.min": "i64.const -3 f64.reinterpret_i64 f64.const 2 f64.min",
    "f64.max": "f64.const 1 i64.const -3 f64.reinterpret_i64 f64.max",
    **{
        f"f64.{name}": f"i64.const -3 f64.reinterpret_i64 f64.{name}"
        for name in ("ceil", "floor", "trunc", "nearest")
    },
    "f64.promote_f32": "i32.const -3 f32.reinterpret_i32 f64.promote_f32",
    "f64.sub of two that were made": (
        "f64.const -1 f64.sqrt f64.const 0 f64.const 0 f64.div f64.sub"
    ),
    "behind a block": "block :f64 f64.const -1 f64.sqrt end f64.const 1 f64.add",
    "f32.demote_f64": (
        "i64.const -3 f64.reinterpret_i64 f32.demote_f64 i32.reinterpret_f32 i64.extend_i32_u "
        "f64.reinterpret_i64"
    ),
    "f32.sub": (
        "i32.const -3 f32.reinterpret_i32 f32.const 1 f32.sub i32.reinterpret_f32 "
        "i64.extend_i32_u f64.reinterpret_i64"
    ),
}


def nan_module(code: str) -> bytes:
    return start(f"i32.const 0 {code} f64.store 0")


@pytest.mark.parametrize("name", NAN)
def test_a_nan_that_is_made_is_the_canonical_one(engine: Any, name: str) -> None:
    bits = 0x7FC00000 if name.startswith("f32") else 0x7FF8000000000000
    ran = wasm_vm.on_wasmtime(engine, rewritten(nan_module(NAN[name])).wasm, LIMIT)
    assert ran.memory == sha256(struct.pack("<Q", bits) + bytes(PAGE - 8)).hexdigest()[:16]


@pytest.mark.language
def test_v8_makes_the_same_nan() -> None:
    jobs = [(rewritten(nan_module(code)).wasm, LIMIT) for code in NAN.values()]
    expected = [0x7FC00000 if name.startswith("f32") else 0x7FF8000000000000 for name in NAN]
    hashes = [
        sha256(struct.pack("<Q", bits) + bytes(PAGE - 8)).hexdigest()[:16] for bits in expected
    ]
    assert [ran.memory for ran in wasm_vm.on_node(jobs)] == hashes


@pytest.mark.parametrize("code", ["f64.neg", "f64.abs f64.neg", "f64.const -1 f64.copysign"])
def test_a_payload_that_no_operation_touches_stays(engine: Any, code: str) -> None:
    wasm = rewritten(nan_module(f"i64.const 0x7ff0000000000123 f64.reinterpret_i64 {code}")).wasm
    ran = wasm_vm.on_wasmtime(engine, wasm, LIMIT)
    assert (
        ran.memory
        == sha256(struct.pack("<Q", 0xFFF0000000000123) + bytes(PAGE - 8)).hexdigest()[:16]
    )


def test_exports_of_the_meter_collide_with_none_and_all_others_stay(engine: Any) -> None:
    module = start("", globals=("i32",), exports=(sized(b"$ticks") + b"\3\0",))
    wasm = rewritten(module).wasm
    import wasmtime

    names = [one.name for one in wasmtime.Module(engine, wasm).exports]
    assert names == ["memory", "_start", "$ticks", "khiva:ticks", "khiva:height", "khiva:pages"]


def test_custom_sections_are_left_out() -> None:
    secret = b"\0" + sized(sized(b"secret") + b"abc")
    assert b"secret" not in rewritten(start("") + secret).wasm


def test_names_of_functions_are_handed_up_if_they_are_printable() -> None:
    entries = [b"\0" + sized(b"think"), b"\1" + sized(b"a\nb"), b"\x09" + sized(b"nobody")]
    names = b"\0" + sized(sized(b"name") + b"\1" + sized(vector(entries)))
    assert rewritten(bytes(Made([Function(""), Function("")])) + names).functions == ("think", "")
    assert rewritten(start("") + b"\0" + sized(sized(b"name") + b"\1" + uleb(99))).functions == (
        "",
    )
