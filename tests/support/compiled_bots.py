"""Bots in C that a compiler has made modules of, and an event of two of them in
ticks.
"""

import os
import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from arena import arena, bots
from once import made_once
from tools import need_module_tools
from wording import pattern

from khiva_arena.common import shipped

EVENT = ("--clock", "ticks", "--seats", "2", "--seeds", "2", "--seed", "a")
RUN_AGAIN = pattern("verify", "bots-run-again", matches="4 matches")


@pytest.fixture(scope="module", autouse=True)
def _compiler() -> None:
    need_module_tools("c")


@pytest.fixture(autouse=True)
def _debians_compiler_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler from elsewhere may come first on the PATH, without the libraries that
    Debian's has.
    """
    tools = shipped.languages()["c"].module
    if tools and shipped.lacks(tools):
        monkeypatch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")


@made_once
def played(folder: Path) -> None:
    arena("new", "shipped:c/greedy", "greedy", "--module", cwd=folder)
    arena("new", "c", "random", "--module", cwd=folder)
    arena("run", *EVENT, *bots("greedy", "random"), "--out", "cup", cwd=folder)


def digest(done: CompletedProcess[str]) -> str:
    """The run digest that a command has printed."""
    return re.findall(r"run digest ([0-9a-f]{64})", done.stdout + done.stderr)[0]
