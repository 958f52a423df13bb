"""The examples of docs/python-api.md run, in their order, as in one notebook."""

import re
from inspect import isfunction
from pathlib import Path

import pytest
from arena import ROOT
from stores import GREEDY, RANDOM

import khiva_arena
from khiva_arena import env

pytestmark = pytest.mark.slow
PAGE = (ROOT / "docs" / "python-api.md").read_text()
REFERENCE = (ROOT / "docs" / "python-reference.md").read_text()


LONGEST = '"shipped:python/greedy", "shipped:python/random", elo1=400'
"""Of the sequential test, which takes 32 deals at least: with bots that start at once."""


@pytest.mark.soak
def test_its_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    examples = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(examples) == 7
    assert LONGEST in examples[4]
    for number, example in enumerate(examples, 1):
        exec(compile(example.replace(LONGEST, f"{GREEDY!r}, {RANDOM!r}, elo1=400"), f"example {number}", "exec"), names)
    said = capsys.readouterr().out
    assert "('random', 'naive')" in said
    assert "last#0" in said


def test_it_names_all_that_is_public() -> None:
    """Classes that nobody makes by hand are in the reference."""
    hidden = [name for name in khiva_arena.__all__ if f"khiva_arena.{name}" not in PAGE]
    assert not [name for name in hidden if f".. autoclass:: {name}\n" not in REFERENCE]
    assert not [name for name in hidden if name in ("Checkpoint", "Game", "State", "BotMatch", "BotRequest")]


def test_the_reference_has_each_environment() -> None:
    public = [name for name, made in vars(env).items() if isfunction(made) and made.__module__.startswith(env.__name__)]
    named = [name for name in public if not name.startswith("_")]
    assert {"aec", "parallel"} < set(named)
    assert [name for name in named if f".. autofunction:: {env.__name__}.{name}\n" not in REFERENCE] == []
