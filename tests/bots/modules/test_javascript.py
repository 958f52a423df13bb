"""The interpreter of JavaScript: its build, what bots can do in it, what they are told,
and that two VMs agree on all of it.
"""

import json
import re
import shutil
import subprocess
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import javascript
import pytest
from arena import ROOT, arena
from javascript import interpreter, payload_folder, ran, shipped_files, stage_shipped
from module_matches import TIME, job
from second_vm import Part, again, overheard
from tools import need

from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.modules.meter import rewritten
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Clock, Verdict
from khiva_arena.entrants import bots, staging
from khiva_arena.records.replay.verify import verify

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("javascript")]

EXITED, CRASHED = ("exited", "00000000"), ("exited", "00000001")
STACK, LATE = ("stack", ""), ("timeout", "")


class Row(NamedTuple):
    """A program, and how it ends.

    end: the word of the runner, and its bytes
    notes: what is on stderr, as a regular expression
    """

    code: str
    end: tuple[str, str]
    notes: str


def told(code: str, *lines: str) -> Row:
    """A program whose error is told in these lines."""
    return Row(code, CRASHED, "\n".join(map(re.escape, lines)) + "\n")


def missing(name: str, code: str) -> Row:
    """A program that takes what is not there."""
    return Row(
        code,
        CRASHED,
        rf"main\.js:1\n.*\nReferenceError: {name} is not defined\n    at .*\n{name} is not "
        r"part of .*: .+\n",
    )


def recursion(code: str, least: int) -> Row:
    """A program whose function ``f`` calls itself too deep, and counts in ``d``: that
    is an error to be caught.
    """
    return Row(
        f"let d = 0; {code}; try {{ f() }} catch (e) {{ console.log(d > {least}, e.name) }}",
        EXITED,
        "true RangeError\n",
    )


ROWS = {
    "shows": Row(
        'console.log("a", 1, [1, {b: 2}], null, 1n, new Error("e"))',
        EXITED,
        r'a 1 \[1,{"b":2}\] null 1 Error: e\n    at .*\n',
    ),
    "throws": told(
        '"use strict";\nfunction choose(a) {\n  throw new TypeError("no such '
        'card");\n}\n[1].forEach(choose);',
        *("main.js:3", '  throw new TypeError("no such card");', "TypeError: no such card"),
        *(
            "    at choose (main.js:3:13)",
            "    at forEach (native)",
            "    at <anonymous> (main.js:5:13)",
        ),
    ),
    "throws later": Row(
        '(async () => { await null; throw new Error("late") })()',
        CRASHED,
        r"main\.js:1\n.*\nError: late\n    at .*\n",
    ),
    "handles later": Row(
        "const p = Promise.reject(1); Promise.resolve().then(() => p.catch((e) => console.log(e)))",
        EXITED,
        "1\n",
    ),
    "throws what cannot be shown": told(
        "throw new Proxy(new Error(), { get() { throw 1 } })",
        "javascript: an error that cannot be shown",
    ),
    "no JavaScript": told(
        "let a = 1;\nlet b = ;",
        "main.js:2",
        "let b = ;",
        "SyntaxError: unexpected token in expression: ';'",
        "    at main.js:2:9",
    ),
    "modules of ECMAScript": Row(
        'import { x } from "./a.js"',
        CRASHED,
        r"(?s).*\nimport is not part of JavaScript in ticks: files are taken by require.*\n",
    ),
    "no such file": Row(
        'require("fs")',
        CRASHED,
        r"(?s)main\.js:1\n.*\nError: Cannot find module 'fs': here are only a bot's own "
        r"files: main\.js\n.*",
    ),
    "chance": Row(
        "const a = Math.random(); console.log(a > 0 && a < 1 && a !== Math.random())",
        EXITED,
        "true\n",
    ),
    "clock": Row("console.log(performance.now() > 0, Date.now() < 1000)", EXITED, "true true\n"),
    "Intl": missing("Intl", "Intl.NumberFormat()"),
    "structuredClone": missing("structuredClone", "structuredClone({})"),
    "TextDecoder": missing("TextDecoder", "new TextDecoder()"),
    "setTimeout": missing("setTimeout", "setTimeout(() => 0)"),
    "WebAssembly": missing("WebAssembly", "new WebAssembly.Module()"),
    "can ask for what is missing": Row(
        "console.log(typeof Intl, typeof setTimeout)", EXITED, "undefined undefined\n"
    ),
    "messages": Row(
        "const bytes = khiva.encode({ a: -1 }); console.log(khiva.readFrame().seed, "
        "khiva.decode(bytes), bytes.join())",
        EXITED,
        '7 {"a":-1} 129,218,0,1,97,211,255,255,255,255,255,255,255,255\n',
    ),
    "a frame of nothing else": Row(
        "khiva.writeFrame({ a: 1.5 })",
        CRASHED,
        r"(?s).*TypeError: a message of a bot has strings and whole numbers only\n.*",
    ),
    "bytes of a file": Row(
        'console.log(khiva.readFile("main.js").length); khiva.readFile("x")',
        CRASHED,
        r"(?s)66\n.*Error: a bot has no file 'x': .*",
    ),
    "calls": recursion("function f() { d++; f() }", 400),
    "callbacks": recursion("function f() { d++; [2, 1].sort(f) }", 80),
    "getters": recursion("const o = { get x() { d++; return this.x } }; function f() { o.x }", 300),
    "constructors": recursion(
        "class A { constructor() { d++; new A() } } function f() { new A() }", 300
    ),
    "generators": recursion("function* g() { d++; yield* g() } function f() { [...g()] }", 150),
    "conversions": recursion(
        "const o = { toString() { d++; return '' + o } }; function f() { '' + o }", 300
    ),
    "JSON in JSON": recursion(
        "const o = { toJSON() { d++; return JSON.stringify(o) } }; function f() { "
        "JSON.stringify(o) }",
        100,
    ),
    "4 MiB of source": Row("/*" + "x" * (4 << 20) + "*/", EXITED, ""),
    "much source": Row("function a(){return [1,2,3].map(x=>x+1)}\n" * 60_000, LATE, ""),
    "a million brackets": Row("(" * 1_000_000, STACK, ""),
    "a million brackets in eval": Row('eval("[".repeat(1e6))', STACK, ""),
    "a million brackets in JSON": Row('JSON.parse("[".repeat(1e6))', STACK, ""),
    "a million lists in a message": Row("khiva.decode(new Uint8Array(1e6).fill(0x91))", STACK, ""),
    "a regular expression": Row('/(x+x+)+y/.test("x".repeat(50))', LATE, ""),
    "a large integer": Row("let n = 3n; for (;;) n *= n", LATE, ""),
    "an integer that is too large": Row(
        "try { 2n ** 10000000n } catch (e) { console.log(e.name) }", EXITED, "RangeError\n"
    ),
    "all memory": Row(
        "const a = []; for (;;) a.push(new Uint8Array(1e5))",
        CRASHED,
        r"(?s)main\.js:1\n.*\nInternalError: out of memory\n.*",
    ),
    "all memory, caught": Row("let s = 'x'; for (;;) try { s += s } catch { s = 'x' }", LATE, ""),
    "no end": Row("for (;;);", LATE, ""),
}


@pytest.fixture(scope="module")
def parts() -> dict[str, Part]:
    """All programs, run once."""
    return {name: ran(row.code) for name, row in ROWS.items()}


@pytest.mark.parametrize("name", ROWS)
def test_a_program_ends_as_it_should(name: str, parts: dict[str, Part]) -> None:
    row, part = ROWS[name], parts[name]
    ((word, _, data),) = part.answers
    assert ((word, data), part.notes.decode()) == (row.end, part.notes.decode())
    assert re.fullmatch(row.notes, part.notes.decode())


def test_it_ends_alike_on_another_vm(parts: dict[str, Part], tmp_path: Path) -> None:
    for part, (answers, notes) in zip(parts.values(), again(parts.values(), tmp_path), strict=True):
        assert (answers, notes) == (part.answers, part.notes)


def test_chance_is_of_the_seat() -> None:
    code = "console.log(Math.random())"
    assert ran(code).notes == ran(code).notes
    assert ran(code).notes != ran(code, key=1).notes


def test_files_take_others_as_in_node() -> None:
    part = ran(
        'const a = require("./lib/a"); console.log(a.x, a === require("./lib/a.js"), '
        'require("words"), a.of.b, __dirname)',
        **{
            "lib/a": 'exports.of = require("../b"); exports.x = __dirname + __filename',
            "b": 'exports.b = require("./lib/a").x',
        },
        **{"node_modules/words/index": "module.exports = 7"},
    )
    assert part.notes == b"liblib/a.js true 7 undefined .\n"


def test_an_older_kit_is_told_so_in_a_line() -> None:
    part = ran('require("./khiva_kit")', khiva_kit='const fs = require("fs");')
    assert (
        b"\nError: khiva_kit.js is an older copy, which knows node alone: take the one "
        b"that `khiva-arena new` writes\n" in part.notes
    )


# --- built ---


# each checkout builds it once, and its hash has to be the released one: the others of
# these tests fail if not
@pytest.mark.long
def test_two_folders_give_the_same_bytes(tmp_path: Path) -> None:
    """The one that every test takes, and a copy elsewhere, which has nothing of what
    the first one left but the compiler.
    """
    assert sha256(interpreter()).hexdigest() == javascript.released()
    project = tmp_path / "interpreters"
    shutil.copytree(javascript.PROJECT, project, ignore=shutil.ignore_patterns("build"))
    released = tmp_path / javascript.RELEASED.relative_to(ROOT)
    released.parent.mkdir(parents=True)
    shutil.copy(javascript.RELEASED, released)
    shutil.copy(ROOT / "LICENSE", tmp_path)
    done = javascript.build(
        project, "javascript", "--toolchain", str(javascript.BUILT.parent / "toolchain")
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (project / "build" / "javascript.wasm").read_bytes() == interpreter()


def test_sources_of_another_hash_are_refused(tmp_path: Path) -> None:
    project = tmp_path / "interpreters"
    shutil.copytree(javascript.PROJECT, project, ignore=shutil.ignore_patterns("build", "sources"))
    (project / "sources").mkdir()
    (project / "sources" / "quickjs_ng-0.17.0.2.tar.gz").write_bytes(b"another one")
    done = javascript.build(
        project, "javascript", "--toolchain", str(javascript.BUILT.parent / "toolchain")
    )
    assert done.returncode == 1
    assert re.fullmatch(
        r"interpreters: \S+quickjs_ng-0.17.0.2.tar.gz has the hash [0-9a-f]{64}, and "
        r"pins.toml has [0-9a-f]{64}\n",
        done.stderr,
    )


@pytest.mark.parametrize(("mib", "pages"), [(4, b"\x40"), (16, b"\x80\x02"), (64, b"\x80\x08")])
def test_each_maximum_is_the_same_module_with_another_number_of_pages(
    mib: int, pages: bytes
) -> None:
    row = [
        row
        for row in tomllib.loads(javascript.RELEASED.read_text())["interpreters"]
        if row["word"] == "javascript"
    ][-1]
    before, least, behind = re.split(
        rb"\x05\x05\x01\x01(.)\x80\x02(?=\x06)", interpreter(), flags=re.DOTALL
    )
    made = b"".join([before, bytes([5, 3 + len(pages), 1, 1]), least, pages, behind])
    assert sha256(made).hexdigest() == row["maxima"][str(mib)]
    assert rewritten(made).wasm


# --- played ---


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Command]:
    return stage_shipped(tmp_path_factory.mktemp("bots"))


@pytest.mark.parametrize("game", ["khiva", "emira", "silk_road"])
def test_shipped_bots_choose_in_ticks_as_in_node(
    game: str, commands: dict[str, Command], tmp_path: Path
) -> None:
    need("node")
    names = ("greedy", "random") if game == "khiva" else ("random",) * 3
    one = job([commands[name] for name in names], Clock.TICKS, game=game, **TIME)
    seats = {f"{number:064x}": interpreter() for number in range(3)}
    record, parts = overheard(one, seats)
    verify(record, one.secret)
    assert set(record.verdicts) == {Verdict.OK}
    for name, part in zip(names, parts, strict=True):
        folder = tmp_path / str(part.key)
        folder.mkdir()
        for file, data in shipped_files(name).items():
            (folder / file).write_bytes(data)
        asked = b"".join(bytes.fromhex(data) for _, _, data in part.orders)
        done = subprocess.run(
            ["node", "main.js"],
            cwd=folder,
            input=asked,
            capture_output=True,
            timeout=120,
            check=True,
        )
        assert done.stdout.hex() == "".join(
            data for word, _, data in part.answers if word == "answered"
        )
    for part, (answers, notes) in zip(parts, again(parts, tmp_path), strict=True):
        assert (answers, notes) == (part.answers, part.notes)


def test_what_typescript_becomes_plays_too(commands: dict[str, Command], tmp_path: Path) -> None:
    need("tsc")
    folders = [ROOT / "bots" / "typescript" / name for name in ("random", "kit")]
    for path in (path for folder in folders for path in folder.glob("*.ts")):
        shutil.copy(path, tmp_path)
    build = tomllib.loads((folders[0] / "bot.toml").read_text())["build"]
    subprocess.run(build.split(), cwd=tmp_path, check=True, timeout=300)
    files = {path.name: path.read_bytes() for path in tmp_path.glob("*.js")}
    command = staging.stage(bots.load(str(payload_folder(tmp_path / "typescript", files))))
    record = play_one(job([command, commands["random"]], Clock.TICKS, **TIME)).record
    assert record
    assert set(record.verdicts) == {Verdict.OK}


def test_a_check_says_what_a_match_takes_and_names_no_function_of_the_interpreter(
    tmp_path: Path,
) -> None:
    need("node")
    interpreter()
    report = json.loads(
        arena("check", "--quick", "shipped:javascript/random", "--json", cwd=tmp_path).stdout
    )
    (step,) = (step for step in report["steps"] if step["id"] == "ticks")
    assert step["status"] == "ok"
    assert "ticks to start" in step["said"]
    assert "by function" not in step["said"]
