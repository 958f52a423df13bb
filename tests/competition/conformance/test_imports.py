"""Imports that a bot's runtime does not declare: read from its files, named by `check`,
and told on the pages.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT, arena
from wording import sentence

from khiva_arena.common import shipped
from khiva_arena.competition.conformance import imports
from khiva_arena.competition.conformance.imports import DECLARED, BotImport, imports_of, undeclared
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.loading import Loading, allow_include
from khiva_arena.entrants.runtimes import of_settings

TEXTS = {
    "import numpy": ["numpy"],
    "import os.path, numpy.linalg as la": ["os.path", "numpy.linalg"],
    "from numpy import array": ["numpy"],
    "from . import numpy": [],
    "from .numpy import array": [],
    "def f():\n    import numpy": ["numpy"],
    "from khiva_arena import crules, no_such_name": [
        "khiva_arena.crules",
        "khiva_arena.no_such_name",
    ],
    "import importlib\nimportlib.import_module('numpy')": ["importlib", "numpy"],
    "__import__('numpy')": ["numpy"],
    "import_module(name)": [],
    "try:\n    import numpy\nexcept ImportError:\n    import rich": ["rich"],
    "try:\n    import numpy\nexcept (KeyError, ModuleNotFoundError):\n    pass": [],
    "try:\n    import numpy\nexcept KeyError:\n    pass": ["numpy"],
    "try:\n    import numpy\nfinally:\n    import rich": ["numpy", "rich"],
    "try:\n    import numpy\nexcept:\n    pass\nelse:\n    import rich": ["rich"],
    "with suppress(ImportError):\n    import numpy": [],
    (
        "with open(path) as file, contextlib.suppress(OSError, ModuleNotFoundError):\n    "
        "import numpy\nimport rich"
    ): ["rich"],
    "with suppress(OSError):\n    import numpy": ["numpy"],
    "if TYPE_CHECKING:\n    import numpy\nelse:\n    import rich": ["rich"],
    "if typing.TYPE_CHECKING:\n    import numpy": [],
    "import numpy\nthis is no Python": [],
    "x = '\\d'\nimport numpy": ["numpy"],
    "a\0b": [],
    "(" * 5_000: [],
    "x = " + "-" * 200_000 + "1\nimport numpy": [],
}


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_imports_are_read_and_nothing_is_run(text: str) -> None:
    assert [one.module for one in imports_of("main.py", text.encode())] == TEXTS[text]


def bot(folder: Path, files: dict[str, str], toml: str = 'run = "{python} main.py"') -> str:
    for name, text in {"bot.toml": f'name = "mine"\n{toml}\n', **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return str(folder)


def test_what_a_bot_has_itself_and_what_python_declares_is_no_finding(tmp_path: Path) -> None:
    everything = "\n".join(
        f"import {name}"
        for name in ("os", "kit", "part", "part.deep", "inner", "built", "khiva_kit", *DECLARED)
    )
    word = bot(
        tmp_path / "b",
        {
            "main.py": everything,
            "part/__init__.py": "",
            "part/inner.py": "import numpy",
            "kit.py": "",
        },
        'run = "{python} main.py"\ninclude = ["../khiva_kit.py"]',
    )
    (tmp_path / "khiva_kit.py").write_text("import rich\n")
    loaded = load(word, loading=Loading(include=allow_include))
    assert undeclared(loaded, ["built.cpython-311-x86_64-linux-gnu.so"]) == [
        BotImport("khiva_kit.py", 1, "rich"),
        BotImport("part/inner.py", 1, "numpy"),
    ]


def test_the_modules_of_a_build_count(tmp_path: Path) -> None:
    loaded = load(bot(tmp_path / "b", {"main.py": "import fast"}))
    assert undeclared(loaded) == [BotImport("main.py", 1, "fast")]
    assert undeclared(loaded, ["fast.cpython-313-x86_64-linux-gnu.so", "main.py"]) == []


RUNS = {
    'run = "{python} main.py"': ["numpy", "torch", "_cffi"],
    'interpreter = "python main.py"': ["numpy", "torch", "_cffi"],
    'run = "{torch} main.py"': ["msgpack", "numpy"],
    'run = "python3 main.py"': ["msgpack", "numpy", "torch", "_cffi"],
}


@pytest.mark.parametrize("run", RUNS)
def test_a_runtime_declares_the_packages_that_lie_in_it(run: str, tmp_path: Path) -> None:
    site = tmp_path / "torch" / "lib" / "python3.12" / "site-packages"
    (site / "torch").mkdir(parents=True)
    (site / "_cffi.cpython-312-x86_64-linux-gnu.so").write_text("")
    (tmp_path / "torch" / "bin").mkdir()
    (tmp_path / "torch" / "bin" / "python3").symlink_to(sys.executable)
    loading = Loading(runtimes=of_settings({"torch": tmp_path / "torch"}))
    word = bot(
        tmp_path / "b",
        {"main.py": "import msgpack\nimport numpy\nimport torch\nimport _cffi\nimport json\n"},
        run,
    )
    assert [one.module for one in undeclared(load(word, loading=loading))] == RUNS[run]


def test_a_shipped_bot_comes_with_its_arena_and_a_copy_of_it_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trained = load("shipped:python/trained")
    assert undeclared(trained) == []
    monkeypatch.setattr(imports, "is_shipped", lambda path: False)
    assert {one.module for one in undeclared(trained)} == {
        "numpy",
        "khiva_arena",
        "khiva_arena.env.coding",
    }
    others = [
        word
        for word in shipped.bots()
        if word.startswith("shipped:python/") and word != "shipped:python/trained"
    ]
    assert {word: {one.module for one in undeclared(load(word))} for word in others} == {
        word: {"pyspiel"} if word.endswith("openspiel") else set() for word in others
    }


# --- the command ---


def checked(folder: Path, cwd: Path) -> dict[str, Any]:
    words = ("check", "--quick", "--game", "khiva", "--json", str(folder))
    report = json.loads(arena(*words, cwd=cwd).stdout)
    assert report["passed"]
    (step,) = [step for step in report["steps"] if step["id"] == "imports"]
    return dict(step)


@pytest.mark.slow
def test_check_names_file_line_and_module_and_a_warning_fails_nothing(tmp_path: Path) -> None:
    arena("new", "python", "my-bot", cwd=tmp_path)
    assert checked(tmp_path / "my-bot", tmp_path)["status"] == "ok"
    main = tmp_path / "my-bot" / "main.py"
    main.write_text(f"{main.read_text()}\n\ndef later():\n    import numpy\n")
    step = checked(tmp_path / "my-bot", tmp_path)
    assert step["status"] == "warning"
    head, where, advice = step["said"].splitlines()
    assert sentence("check", "import-elsewhere", imports="1 import") in head
    assert where == f"main.py, line {len(main.read_text().splitlines())}: numpy"
    assert sentence("check", "import-advice") in advice
    (tmp_path / "my-bot" / "many.py").write_text(
        "\n".join(f"import not_here_{number}" for number in range(20))
    )
    toml = tmp_path / "my-bot" / "bot.toml"
    toml.write_text(toml.read_text().replace('"main.py"', '"main.py", "many.py"'))
    said = checked(tmp_path / "my-bot", tmp_path)["said"].splitlines()
    assert len(said) == 13
    assert said[-2] == "and 11 more"


@pytest.mark.slow
def test_a_bot_in_another_language_has_no_such_step(tmp_path: Path) -> None:
    arena("new", "perl", "other", cwd=tmp_path)
    report = json.loads(
        arena(
            "check", "--quick", "--game", "khiva", "--json", "other", cwd=tmp_path, code=None
        ).stdout
    )
    assert "imports" not in {step["id"] for step in report["steps"]}


# --- the pages ---

TRIES = """
import importlib, json, sys
found = {}
for name in NAMES:
    try:
        importlib.import_module(name)
        found[name] = True
    except Exception as error:
        found[name] = False
print("FOUND " + json.dumps(found), file=sys.stderr)
"""
SENTENCE = re.compile(
    r"`\{python\}` declares (.+?)\. .+?, such as ([\w, ]+?), can be imported", re.DOTALL
)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["bots/SANDBOX.md", "docs/mark-a-course.md"])
def test_the_pages_say_what_a_bot_can_import_at_standard(
    page: str, standard: None, tmp_path: Path
) -> None:
    text = " ".join((ROOT / page).read_text().split())
    told = SENTENCE.search(text)
    assert told, f"{page} says what is declared, and what is there besides"
    declared, besides = (
        re.findall(r"`([\w.]+)`", told[1]),
        re.findall(r"\w+", told[2].replace(" and ", " ")),
    )
    assert sorted(declared) == sorted(DECLARED)
    arena("new", "python", "my-bot", cwd=tmp_path)
    main = tmp_path / "my-bot" / "main.py"
    names = [*declared, *besides, "khiva_arena.arbiter.match", "no_such_module"]
    main.write_text(TRIES.replace("NAMES", repr(names)) + main.read_text())
    words = (
        "--bot",
        "my-bot",
        "--bot",
        "shipped:python/random",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--isolation",
        "standard",
    )
    arena("run", *words, "--game", "khiva", "--out", "out", cwd=tmp_path)
    notes = arena("show", "out", "1/0", "--notes", cwd=tmp_path).stdout
    found = json.loads(re.findall(r"FOUND (\{.*\})", notes)[0])
    assert found == {name: name != "no_such_module" for name in names}
    assert not {*besides, "khiva_arena.arbiter.match"} & {*DECLARED}
