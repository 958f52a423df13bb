"""Modules made to keep a compiler or the meter at work: each is refused in one line,
within bounded time and memory.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from arena import arena, without_trust
from wasm import Function, Made, assemble, joined, sized, start, uleb, vector
from wording import pattern

from khiva_arena.bots.modules.meter.bounds import MODULE_BYTES

pytestmark = pytest.mark.slow

MILLION = 10**6
MEMORY = b"\5" + sized(b"\1\0\1")
STAGE = """
import resource, sys
from dataclasses import replace
from khiva_arena.entrants import modules
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError
from khiva_arena.bots.sandbox.limits import MIB

modules.TO_COMPILE = replace(modules.TO_COMPILE, cpu=30, memory=512 * MIB)
try:
    stage(load(sys.argv[1]))
except BotError as error:
    sys.stdout.write(str(error))
sys.stderr.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""
"""Stages a module with 30 s of CPU for the compiler, of the 120 that it has: what is
refused by name comes nowhere near. It prints the refusal, and on stderr the kilobytes
of the largest child. A process of its own does it, since Linux counts for a child what
its parent had in memory, and tests have much.
"""


def million_functions() -> bytes:
    bodies = uleb(MILLION) + b"\2\0\x0b" * MILLION
    exports = vector([sized(b"memory") + b"\2\0", sized(b"_start") + b"\0\0"])
    return joined(
        {1: b"\1\x60\0\0", 3: uleb(MILLION) + bytes(MILLION), 5: b"\1\0\1", 7: exports, 10: bodies}
    )


def million_entries(each: int) -> bytes:
    """Entries of br_tables, ``each`` in one of them."""
    tables = (b"\2\x40\x41\0\x0e" + uleb(each) + bytes(each + 1) + b"\x0b") * min(
        MILLION // each, 80
    )
    return bytes(Made([Function(tables)] * (MILLION // each // 80 or 1)))


def branches(count: int) -> bytes:
    return b"\2\x40" + assemble("i32.const 0 br_if 0") * count + b"\x0b"


def nested(count: int) -> bytes:
    return b"\x41\0\4\x40" * count + b"\x0b" * count


def million_of(section: int, entry: bytes) -> Callable[[], bytes]:
    return lambda: start("", sections={section: uleb(MILLION) + entry * MILLION})


MONSTERS: dict[str, Callable[[], bytes]] = {
    "100 MB": lambda: start("") + b"\0" + sized(b"\0" + bytes(100 * MILLION)),
    "just larger than is read": lambda: start("") + b"\0" + sized(b"\0" + bytes(MODULE_BYTES)),
    "functions": million_functions,
    "a br_table": lambda: million_entries(MILLION),
    "br_tables": lambda: million_entries(10_000),
    "types": million_of(1, b"\x60\0\0"),
    "globals": million_of(6, b"\x7f\0\x41\0\x0b"),
    "data": million_of(11, b"\1\0"),
    "sections": lambda: start("") + b"\0\1\0" * MILLION,
    "locals": lambda: start(
        b"", sections={10: vector([sized(b"\1" + uleb(2**32 - 1) + b"\x7f\x0b")])}
    ),
    "groups of locals": lambda: start(
        b"", sections={10: vector([sized(uleb(300_000) + b"\0\x7f" * 300_000 + b"\x0b")])}
    ),
    "a function to compile for minutes": lambda: start(branches(200_000)),
    "nested blocks": lambda: start(nested(100_000)),
    "operands": lambda: start(b"\x41\0" * 300_000),
}


@pytest.mark.soak
@pytest.mark.parametrize("name", MONSTERS)
def test_a_monster_is_refused_in_a_line_within_bounds(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bot.wasm"
    path.write_bytes(MONSTERS[name]())
    staged = subprocess.run(
        (sys.executable, "-c", STAGE, path), capture_output=True, text=True, check=True
    )
    line = staged.stdout
    assert line.startswith("bot: ")
    assert line.isprintable()
    assert len(line) < 500
    assert not re.search(pattern("entrants", "not-compiled-within", most=".*"), line)
    assert int(staged.stderr) < 1024 * 1024, "kilobytes"


def test_a_command_says_it_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "bot.wasm").write_bytes(MONSTERS["a br_table"]())
    done = arena("match", "--bot", "bot.wasm", "--bot", "bot.wasm", cwd=tmp_path, code=2)
    assert (done.stdout, without_trust(done.stderr).count("\n")) == ("", 1)
