"""Events of bots that call themselves without an end: how much stack that takes of a VM
depends on their frames.
"""

from collections.abc import Iterator
from pathlib import Path

from arena import ROOT, arena, bots
from javascript import interpreter, payload
from once import made_once
from tick_bots import RECURSION, bot
from wasm import Function

SHAPES = (
    *(
        (0, 0, 0),
        (1, 0, 0),
        (8, 0, 0),
        (0, 8, 0),
        (0, 100, 0),
        (0, 2_000, 0),
        (0, 4_000, 0),
        (128, 0, 0),
        (128, 1_000, 0),
    ),
    *((0, 0, 8), (0, 0, 100), (0, 100, 100), (128, 100, 100), (0, 0, 2_000), (0, 500, 500)),
)
"""Frames: how many parameters, locals and operands that live across the call."""
TYPES = ("i32", "i64", "f32", "f64")
SECONDS = 900
SHORT = "max_turns=2"
"""Each decision goes as deep as the one before."""
IN_JAVASCRIPT = (
    "function f() { d++; f() }",
    "function f() { d++; [2, 1].sort(f) }",
    "const o = { get x() { d++; return this.x } }; function f() { o.x }",
    "class A { constructor() { d++; new A() } } function f() { new A() }",
    "function* g() { d++; yield* g() } function f() { [...g()] }",
    "const o = { toString() { d++; return '' + o } }; function f() { '' + o }",
    "const o = { toJSON() { d++; return JSON.stringify(o) } }; function f() { JSON.stringify(o) }",
    "function f() { d++; JSON.parse('['.repeat(1e6)) }",
)
IN_PYTHON = (
    "def f(x): return f(x + 1)",
    "@functools.lru_cache(None)\ndef f(x): return f(x + 1)",
    "class A:\n    def __init__(self): A()\ndef f(x): A()",
    "def f(x): return sorted([1, 2], key=f)",
    "def f(x): return sum(f(x) for _ in range(1))",
    "class A:\n    def __repr__(self): return '%r' % A()\ndef f(x): repr(A())",
    "def f(x): compile('(' * 100_000, 'x', 'eval')",
)
JAVASCRIPT = """
let d = 0;
{code}
for (let message; (message = khiva.readFrame()); ) {{
  if (message.type === "hello") khiva.writeFrame({{ type: "hello", proto: 1, name: "deep" }});
  if (message.type !== "decide") continue;
  try {{ f() }} catch (error) {{ d += error.name.length }}
  khiva.writeFrame({{ type: "act", req: message.req, choice: d % message.legal.length }});
}}
"""
PYTHON = """
import functools, sys
from khiva_kit import play
sys.setrecursionlimit(10**6)
{code}
def choose(decide, match):
    try:
        f(0)
    except (RecursionError, MemoryError, SyntaxError) as error:
        return len(str(error)) % len(decide["legal"])
    return 0
play("deep", choose, version="1")
"""


def _of_shape(kind: str, params: int, locals_: int, operands: int) -> bytes:
    one = f"{kind}.const 1\n"  # which tells the modules without a frame apart
    sets = "".join(f"{one}local.set {at}\n" for at in range(params + locals_))
    code = sets + one * operands + one * params + f"call {RECURSION}\n" + "drop\n" * operands
    recursion = Function(code, params=" ".join([kind] * params), locals=" ".join([kind] * locals_))
    return bot({1: f"{one}drop {one * params}call {RECURSION}\n"}, recursion=recursion)


def _cup(folder: Path, names: list[str], **words: str) -> None:
    """Play each bot at one table of three, and write "cup.khiva"."""
    more = [word for name, value in words.items() for word in (f"--{name}", value)]
    words_ = (
        "--clock",
        "ticks",
        "--seats",
        "3",
        "--seeds",
        "1",
        "--lineups",
        str(len(names) // 3),
        "--bank",
        "0s",
        *more,
    )
    arena("run", *words_, *bots(*names), "--out", "store", cwd=folder, seconds=SECONDS)
    arena("bundle", "store", "cup.khiva", "--with-modules", cwd=folder)


@made_once
def plain_recursions(folder: Path) -> None:
    """Sixty modules, each of another frame."""
    names = []
    for kind in TYPES:
        for shape in SHAPES:
            names.append(f"{kind}-{'-'.join(map(str, shape))}.wasm")
            (folder / names[-1]).write_bytes(_of_shape(kind, *shape))
    _cup(folder, names, turn="1s", seed="deep", rule=SHORT)


TELLING = tuple(
    len(IN_JAVASCRIPT) * later + at for later, of in enumerate(((0, 1, 7), (0, 3, 6))) for at in of
)
"""Of all programs, those of JavaScript first, the ones that are tried each time."""


def _programs() -> Iterator[tuple[str, dict[str, bytes]]]:
    for code in IN_JAVASCRIPT:
        yield "javascript", {"main.js": JAVASCRIPT.format(code=code).encode()}
    kit = (ROOT / "bots" / "python" / "kit" / "khiva_kit.py").read_bytes()
    for code in IN_PYTHON:
        yield "python", {"main.py": PYTHON.format(code=code).encode(), "khiva_kit.py": kit}


@made_once
def interpreted_recursions(folder: Path) -> None:
    """Fifteen programs of the interpreters."""
    _interpreted_cup(folder, [*_programs()])


@made_once
def few_interpreted_recursions(folder: Path) -> None:
    """Six of them: in each language a plain call, one through a function of the
    interpreter, and its deepest parser.
    """
    _interpreted_cup(
        folder,
        [program for number, program in enumerate(_programs()) if number in TELLING],
        rule=SHORT,
    )


def _interpreted_cup(
    folder: Path, programs: list[tuple[str, dict[str, bytes]]], **words: str
) -> None:
    names = []
    for number, (word, files) in enumerate(programs):
        names.append(f"{word}-{number}")
        (folder / names[-1]).mkdir()
        (folder / names[-1] / "bot.wasm").write_bytes(interpreter(word))
        (folder / names[-1] / "files").write_bytes(payload(files, next(iter(files))))
        (folder / names[-1] / "bot.toml").write_text(
            f'name = "{names[-1]}"\nmodule = "bot.wasm"\npayload = "files"\n'
        )
    _cup(folder, names, turn="500ms", seed="deep", **words)
