"""Meters that have misread one sentence of protocol/METER.md: of all vectors only the
rows that are there for it fail.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
import wasm_vm
from arena import ROOT
from makers import maker_at
from tools import need
from wording import pattern

from khiva_arena.bots.modules.meter import ModuleRefused, rewritten

PROTOCOL = ROOT / "protocol"
LIMIT = 10**6
DEAD = "    if (this.dead) return;\n"
RESULTS = "    this.heavy += Math.max(0, results.length - 1);\n"
FLOAT, PLAIN, INDIRECT, BULK = (
    f"    this.counts({name});\n" for name in ('"float"', "row.price", '"indirect"', '"bulk"')
)


class Misreading(NamedTuple):
    """A change of protocol/verifier/walk.js: a part of its text, what stands there
    then, and the rows that come out otherwise.
    """

    right: str
    wrong: str
    rows: tuple[str, ...]


MISREADINGS = {
    "a call to the runner pays no cold": Misreading(
        'this.pay(this.priceOf("call") + (imported ? IMPORTED_CALL : 0));',
        'this.pay(imported ? PRICES.call + IMPORTED_CALL : this.priceOf("call"));',
        (
            "cold: a call to the runner",
            "cold: none behind if, loop, br_if and a call to the runner",
        ),
    ),
    "the default of br_table is no label": Misreading(
        "this.carries(last, entries + 1)",
        "this.carries(last, entries)",
        ("too heavy: values of br_table",),
    ),
    "return is no branch": Misreading(
        "this.carries(this.open[0])",
        "Math.max(0, this.open[0].results - 1)",
        ("too heavy: values of return",),
    ),
    "call_indirect is heavy only where it can be reached": Misreading(
        INDIRECT + RESULTS + DEAD,
        DEAD + INDIRECT + RESULTS,
        ("too heavy: call_indirect", "too heavy: results of call_indirect"),
    ),
    "results of a call are heavy only where it can be reached": Misreading(
        RESULTS + DEAD + "    const imported",
        DEAD + RESULTS + "    const imported",
        ("too heavy: results of a call",),
    ),
    "a conversion is heavy only where it can be reached": Misreading(
        FLOAT + DEAD, DEAD + FLOAT, ("too heavy: saturating conversions",)
    ),
    "a plain instruction is heavy only where it can be reached": Misreading(
        PLAIN + DEAD, DEAD + PLAIN, ("too heavy: floats", "too heavy: divisions")
    ),
    "a bulk instruction is heavy only where it can be reached": Misreading(
        BULK + DEAD, DEAD + BULK, ("too heavy: memory.fill",)
    ),
    "memory.grow is not heavy": Misreading(
        '    this.counts("grow");\n', "", ("too heavy: memory.grow",)
    ),
    "a branch to a loop carries its results": Misreading(
        "(kind === LOOP ? params : results)",
        "results",
        ("a branch to a loop with two", "too heavy: values of a branch to a loop"),
    ),
    "a br back pays no cold": Misreading(
        "this.toLabel(this.label());\n    this.leaves",
        "this.carries(this.label());\n    this.leaves",
        ("cold: a br far back",),
    ),
    "a br_table back pays cold as br does": Misreading(
        "this.carries(last, entries + 1));",
        "this.carries(last, entries + 1) + (last.kind === LOOP ? this.cold : 0));",
        ("cold: a br_table far back, which pays it once",),
    ),
}


@pytest.mark.language
@pytest.mark.slow
@pytest.mark.parametrize("name", MISREADINGS)
def test_a_meter_that_has_misread_a_sentence_fails_at_its_rows_alone(
    name: str, tmp_path: Path
) -> None:
    need("node")
    misread = MISREADINGS[name]
    shutil.copytree(PROTOCOL / "verifier", tmp_path / "verifier")
    (tmp_path / "vectors").symlink_to(PROTOCOL / "vectors")
    walk = tmp_path / "verifier" / "walk.js"
    text = walk.read_text("utf-8")
    assert text.count(misread.right) == 1
    walk.write_text(text.replace(misread.right, misread.wrong), "utf-8")
    words = ["node", "--stack-size=1800", str(tmp_path / "verifier" / "vectors.js")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    failed = re.findall(r"^\w+\.json: (.+)\n  wanted ", done.stdout, re.MULTILINE)
    assert (done.returncode, sorted(failed), done.stderr) == (1, sorted(misread.rows), "")


@pytest.fixture(scope="module")
def large() -> Iterator[ModuleType]:
    """Load the makers of the large rows, a module of this folder."""
    with maker_at(Path(__file__).with_name("make_modules.py")) as module:
        yield module.large_rows


def test_ticks_of_large_modules_are_those_by_hand(large: ModuleType) -> None:
    engine = wasm_vm.engine()
    for one in (*large.just_heavy(), *large.cold()):
        ran = wasm_vm.on_wasmtime(engine, rewritten(one.module).wasm, LIMIT)
        assert (LIMIT - ran.ticks, ran.end) == (one.used, one.end), one.name


def test_one_heavy_thing_too_many_is_refused_wherever_it_stands(large: ModuleType) -> None:
    engine = wasm_vm.engine()
    refusal = "^" + pattern("modules", "refused", what="more heavy.+", remedy=".+")
    for name, module in large.too_heavy().items():
        with pytest.raises(ModuleRefused, match=refusal):
            rewritten(module)
        assert wasm_vm.is_valid(engine, module), name
