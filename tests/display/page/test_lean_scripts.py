"""The scripts of pages without comments and spaces are the programs that their modules
are, text for text.
"""

import json
import subprocess
from pathlib import Path

import pytest
from tools import need

import khiva_arena
from khiva_arena.display.page import html

MODULES = sorted(Path(khiva_arena.__file__).parent.rglob("*.js"))
TREES = """
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
const bare = (key, value) => (key === "start" || key === "end" ? undefined
  : typeof value === "bigint" ? String(value) : value);
const tree = (text) => JSON.stringify(parse(text, { ecmaVersion: "latest",
  sourceType: "module" }), bare);
const pairs = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(pairs.map(([one, other]) => tree(one) === tree(other))));
"""


def same(pairs: list[tuple[str, str]]) -> list[bool]:
    """Tell of each two modules whether a parser that comes with Node reads the same
    from both, each literal as it is written.
    """
    need("node")
    words = ["node", "--expose-internals", "--eval", TREES]
    done = subprocess.run(
        words, input=json.dumps(pairs), capture_output=True, text=True, timeout=60, check=True
    )
    answers: list[bool] = json.loads(done.stdout)
    return answers


@pytest.mark.slow
def test_a_lean_script_is_the_same_program() -> None:
    sources = [path.read_text() for path in MODULES]
    answers = same([(source, html._lean(source)) for source in sources])
    assert [path.name for path, is_same in zip(MODULES, answers, strict=True) if not is_same] == []
    assert same([("f(`a = ${1}`);", "f(`a=${1}`);"), ("a = 1 - -b;", "a=1- -b;")]) == [False, True]


@pytest.mark.parametrize(
    ("source", "lean"),
    [
        (
            "f(`${key} = ${value ? `a , b` : { c: 1 }} // d`, 2); // e\n",
            "f(`${key} = ${value?`a , b`:{c:1}} // d`,2);\n",
        ),
        (
            """const a = ' + ', b = "x /* y */ \\" : z";\n""",
            """const a=' + ',b="x /* y */ \\" : z";\n""",
        ),
        (
            "/** @type {string} */\nconst a = b.replace(/[/ `{] = /g, c) / 2 / d; /* e */\n",
            "const a=b.replace(/[/ `{] = /g,c)/2/d;\n",
        ),
        ("a = b - -c + ++d - e-- - f;\n", "a=b- -c+ ++d-e-- -f;\n"),
    ],
)
def test_texts_stay_as_they_are_written(source: str, lean: str) -> None:
    assert html._lean(source).strip() == lean.strip()
