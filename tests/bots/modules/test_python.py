"""The interpreter of Python: its build, what bots can do in it, what they are told, and
that two VMs agree on all of it.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path

import javascript
import pytest
import python
from arena import ROOT
from in_targets import in_long
from javascript import HELLO, KEY, MEMORY, PROJECT, interpreter, payload
from module_matches import TIME, job
from modules import answers_to
from python_programs import ROWS
from second_vm import Part, again, overheard

from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.modules.meter import rewritten
from khiva_arena.bots.modules.meter.maxima import with_memory
from khiva_arena.bots.modules.meter.parse import parse
from khiva_arena.bots.modules.meter.prices import COLD
from khiva_arena.common.result import Clock, Verdict
from khiva_arena.entrants import bots, staging
from khiva_arena.entrants.hints import interpreted
from khiva_arena.entrants.hints.interpreted import NEEDED
from khiva_arena.records.replay.verify import verify

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("python")]

WORD = "python"
BOTS = ROOT / "bots" / "python"
BESIDE = {"empty": b"", "pkg/__init__.py": b"", "pkg/one.txt": b"one"}
"""Files that each program has beside it."""


def ran(code: str, /, *, ticks: int = 10_000_000_000, key: int = KEY, **others: str) -> Part:
    """Run a program, with other files beside it by their names without ".py", up to the
    answer to the hello. It has as many ticks as a turn has.

    What it takes to use up all memory by calls depends on how much that is: 2,700
    million, and 8,850 if nothing catches the error.
    """
    orders = [("ask", ticks, HELLO)]
    files = {f"{name}.py": text.encode() for name, text in {"main": code, **others}.items()}
    read = payload({**files, **BESIDE}, "main.py")
    answers, notes = answers_to(orders, interpreter(WORD), key.to_bytes(8), MEMORY, read)
    return Part(interpreter(WORD), key, MEMORY, orders, answers, notes, read)


@pytest.fixture(scope="module")
def parts() -> dict[str, Part]:
    """All programs, run once."""
    return {name: ran(row.code) for name, row in ROWS.items()}


def test_an_own_module_hides_errors_only_if_the_hints_name_it() -> None:
    """Of a file in UTF-8 the interpreter needs two of them, and of one in another
    encoding all four.
    """
    latin = "# coding: latin-1\n1/0"
    for code, names in (
        ("1/0", sys.stdlib_module_names - {"codecs", "encodings"}),
        (latin, NEEDED),
    ):
        hiding = {
            name
            for name in names
            if interpreted.UNSHOWN.search(ran(code, **{name: "raise ValueError"}).notes.decode())
        }
        assert hiding == {*NEEDED} & {*names}


@pytest.mark.parametrize("name", ROWS)
def test_a_program_ends_as_it_should(name: str, parts: dict[str, Part]) -> None:
    row, part = ROWS[name], parts[name]
    ((word, _, data),) = part.answers
    assert ((word, data), part.notes.decode()) == (row.end, part.notes.decode())
    assert re.fullmatch(row.notes, part.notes.decode()), part.notes.decode()


def test_it_ends_alike_on_another_vm(parts: dict[str, Part], tmp_path: Path) -> None:
    for part, (answers, notes) in zip(parts.values(), again(parts.values(), tmp_path), strict=True):
        assert (answers, notes) == (part.answers, part.notes)


def test_chance_is_of_the_seat_and_the_order_of_sets_is_of_nobody() -> None:
    one, same, other = (
        ran("import random\nprint(random.random())\nprint(hash('a'), {*'abc'})", key=key)
        for key in (0, 0, 1)
    )
    assert one.notes == same.notes
    (drawn, order), (drawn_otherwise, same_order) = (
        part.notes.splitlines() for part in (one, other)
    )
    assert drawn != drawn_otherwise
    assert order == same_order


# --- built ---


# each checkout builds it once, and its hash has to be the released one: the others of
# these tests fail if not
@pytest.mark.long
def test_two_folders_give_the_same_bytes(tmp_path: Path) -> None:
    """The one that every test takes, and a copy elsewhere, which has nothing of what
    the first one left but the compiler.
    """
    assert sha256(interpreter(WORD)).hexdigest() == javascript.released(WORD)
    project = tmp_path / "interpreters"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("build"))
    shutil.copytree(
        ROOT / "khiva_arena", tmp_path / "khiva_arena", ignore=shutil.ignore_patterns("__pycache__")
    )
    for part in ("rules", "c/kit", "python/kit"):
        shutil.copytree(ROOT / "bots" / part, tmp_path / "bots" / part)
    shutil.copy(ROOT / "LICENSE", tmp_path)
    done = javascript.build(
        project, WORD, "--toolchain", str(javascript.BUILT.parent / "toolchain")
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (project / "build" / "python.wasm").read_bytes() == interpreter(WORD)


@pytest.mark.parametrize(
    "mib", [*in_long([16]), 64]
)  # that of 16 MiB is what all others of these tests run
def test_each_maximum_is_the_same_module_with_another_number_of_pages(mib: int) -> None:
    row = [
        row
        for row in tomllib.loads(javascript.RELEASED.read_text())["interpreters"]
        if row["word"] == WORD
    ][-1]
    made = with_memory(interpreter(WORD), mib)
    assert sha256(made).hexdigest() == row["maxima"][str(mib)]
    assert rewritten(made).wasm


def test_its_code_stays_below_the_step_at_which_calls_and_jumps_become_dearer() -> None:
    """Beyond it all programs would cost a third more. ``QUICK`` in
    interpreters/cpython.py says what is compiled to be small.
    """
    assert len(parse(interpreter(WORD)).sections[10]) <= COLD[2][0]


# --- played ---


def test_where_ticks_were_spent_is_told_by_function_of_the_bot_and_changes_none() -> None:
    interpreter(WORD)
    loaded = [bots.load(f"shipped:python/{name}").in_ticks for name in ("greedy", "naive")]
    outcomes = [
        play_one(
            job(
                [staging.stage(bot, by_function=by_function) for bot in loaded], Clock.TICKS, **TIME
            )
        )
        for by_function in (False, True)
    ]
    assert outcomes[0].record == outcomes[1].record
    names = [[name for _, name in seat.ending.functions] for seat in outcomes[1].seats]
    assert any(re.fullmatch(r"totals policy\.py:\d+", name) for name in names[0])
    assert any(re.fullmatch(r"read_frame khiva_kit\.py:\d+", name) for name in names[1])


def shipped_files(name: str) -> dict[str, bytes]:
    """The files of a shipped bot, and those that it includes. One that thinks by the
    clock has a number of playouts instead.
    """
    folder = BOTS / name
    named = [
        folder / include for include in tomllib.loads((folder / "bot.toml").read_text())["include"]
    ]
    files = {
        path.name: path.read_bytes()
        for path in (*folder.glob("*.py"), *(path for path in named if path.is_file()))
    }
    for place in (path for path in named if path.is_dir()):
        files |= {
            path.relative_to(place.parent).as_posix(): path.read_bytes()
            for path in place.rglob("*.py")
        }
    return files | {"main.py": files["main.py"].replace(b"\nPLAYOUTS = 0\n", b"\nPLAYOUTS = 400\n")}


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("khiva", ("greedy", "naive")),
        ("khiva", ("search", "random")),
        ("khiva", ("search_deep", "greedy")),
        ("khiva", ("thinker", "greedy")),
        ("emira", ("greedy_emira", "search_emira", "random")),
        ("silk_road", ("search_silk_road", "random")),
        *in_long([("silk_road", ("greedy_silk_road", "search_silk_road", "random"))]),
    ],
)
def test_shipped_bots_choose_in_ticks_as_by_the_wall_clock(
    game: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    bots_in_ticks = [
        staging.stage(bots.load(str(python.payload_folder(tmp_path / name, shipped_files(name)))))
        for name in names
    ]
    one = job(bots_in_ticks, Clock.TICKS, game=game, **TIME | {"turn_ms": 3_000})
    record, parts = overheard(
        one, {f"{number:064x}": interpreter(WORD) for number in range(len(names))}
    )
    verify(record, one.secret)
    assert set(record.verdicts) == {Verdict.OK}
    for name, part in zip(names, parts, strict=True):
        folder = tmp_path / f"{name}-by-the-wall-clock"
        for file, data in shipped_files(name).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(data)
        asked = b"".join(bytes.fromhex(data) for _, _, data in part.orders)
        done = subprocess.run(
            [sys.executable, "main.py"],
            cwd=folder,
            input=asked,
            capture_output=True,
            timeout=300,
            check=True,
        )
        assert done.stdout.hex() == "".join(
            data for word, _, data in part.answers if word == "answered"
        )
