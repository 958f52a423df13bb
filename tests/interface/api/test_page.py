"""The examples of docs/python-api.md run, in their order, as in one notebook, and print
what the page shows.
"""

import re
from inspect import isfunction
from pathlib import Path

import pytest
from arena import ROOT
from examples import differing, run_and_print

import khiva_arena
from khiva_arena import env

pytestmark = pytest.mark.slow
PAGE = (ROOT / "docs" / "python-api.md").read_text()
REFERENCE = (ROOT / "docs" / "python-reference.md").read_text()


@pytest.mark.soak
def test_its_examples_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the match of a function: its hash, which moves the random numbers, is
    that of the file in which it is written.
    """
    printed = run_and_print(PAGE, tmp_path, monkeypatch)
    assert [pair[0] for pair in differing(printed)] == [2]
    assert re.search(r"^  1\. .*\n  2\. .*\n", printed[1].said, re.MULTILINE)


def test_it_names_all_that_is_public() -> None:
    """Classes that nobody makes by hand are in the reference."""
    hidden = [name for name in khiva_arena.__all__ if f"khiva_arena.{name}" not in PAGE]
    assert not [name for name in hidden if f".. autoclass:: {name}\n" not in REFERENCE]
    assert not [
        name for name in hidden if name in ("Checkpoint", "Game", "State", "BotMatch", "BotRequest")
    ]


def test_the_reference_has_each_environment() -> None:
    public = [
        name
        for name, made in vars(env).items()
        if isfunction(made) and made.__module__.startswith(env.__name__)
    ]
    named = [name for name in public if not name.startswith("_")]
    assert {"aec", "parallel"} < set(named)
    assert [
        name for name in named if f".. autofunction:: {env.__name__}.{name}\n" not in REFERENCE
    ] == []
