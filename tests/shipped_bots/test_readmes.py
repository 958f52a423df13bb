"""The README of each language, followed from nothing: new, check, match, and the bot
that it shows.
"""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import languages
import pytest
from arena import arena
from languages import ALL
from tools import need_language
from wording import sentence

from khiva_arena.common import shipped
from khiva_arena.entrants.bots import load

pytestmark = pytest.mark.slow

BOTS = Path(__file__).parents[2] / "bots"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
NOT_OURS = (
    "apt ",
    "gem ",
    "luarocks ",
    "cargo ",
    "go ",
    "npm ",
    "composer ",
    "pecl ",
    "pip ",
    "cpanm ",
    "(echo ",
    "python -m ziglang ",
)
"""What other tools do, over a network most of it: tried by hand."""
FIRST = ("python", "c", "csharp")
"""Languages whose commands are typed as they stand: one that is read, one that is
compiled, and one that a runtime runs.

The commands of the others differ by the language's name alone. Their bots are built
within the same walls, but for those of ``KEEPS_LIBRARIES``, and checked quickly.
"""
KEEPS_LIBRARIES = ("go", "rust")
"""Languages whose compilers make their libraries anew within walls, in ten seconds.
There ``tests/entrants/test_modules.py`` has both build modules, and ``make test-long``
programs.
"""
SECONDS = 600
"""Longer than any build or tournament takes where much else runs: a limit, and no
measure.
"""


def _blocks(name: str) -> list[tuple[str, str]]:
    return BLOCK.findall((BOTS / name / "README.md").read_text())


def _typed(name: str) -> list[list[str]]:
    """The commands of the README, each as words; of packages and other tools there is
    nothing to test.
    """
    lines = [line for kind, text in _blocks(name) if kind == "sh" for line in text.splitlines()]
    words = [shlex.split(line) for line in lines if line and not line.startswith(NOT_OURS)]
    assert all(line[0] == "khiva-arena" for line in words), words
    return [line[1:] for line in words]


def test_the_commands_are_those_of_the_languages_that_are_typed() -> None:
    def of(name: str) -> list[list[str]]:
        return [["LANGUAGE" if word == name else word for word in words] for words in _typed(name)]

    first = [of(name) for name in FIRST]
    for name in ALL:
        assert of(name) in first, name
        assert [words[0] for words in _typed(name)][:3] == ["new", "check", "match"]


@pytest.mark.soak
@languages.each(ALL, first=FIRST)
def test_each_command_works_as_it_stands(name: str, tmp_path: Path) -> None:
    need_language(name)
    for words in _typed(name):
        if words[0] == "match":
            assert "greedy#1" in arena(*words, cwd=tmp_path, seconds=SECONDS).stdout
        else:
            arena(*words, cwd=tmp_path, seconds=SECONDS)


@pytest.mark.soak
@languages.each(ALL)
def test_the_bot_that_it_shows_plays(name: str, tmp_path: Path) -> None:
    """It is built within walls, or with the libraries that a compiler has kept for
    other tests.
    """
    shown_bot_plays(name, tmp_path, ["--isolation", "trusted"] if name in KEEPS_LIBRARIES else [])


@pytest.mark.long
@languages.each(KEEPS_LIBRARIES)
def test_the_bot_that_it_shows_is_built_within_walls(name: str, tmp_path: Path) -> None:
    shown_bot_plays(name, tmp_path, [])


def shown_bot_plays(name: str, tmp_path: Path, level: list[str]) -> None:
    """Check the bot of a language's README in the place of the one that ``new``
    writes.
    """
    need_language(name)
    arena("new", name, "my-bot", cwd=tmp_path)
    main = tmp_path / "my-bot" / shipped.languages()[name].main
    shown = [text for kind, text in _blocks(name) if kind not in ("sh", "toml", "")]
    main.write_text(shown[0])
    said = arena("check", "--quick", *level, "my-bot", cwd=tmp_path, seconds=SECONDS).stdout
    assert sentence("check", "keeps-protocol-next") in said


def test_every_block_is_run_or_shown_for_what_it_is() -> None:
    for name in ALL:
        kinds = {kind for kind, _ in _blocks(name)}
        assert "" not in kinds, f"bots/{name}/README.md: a block without its language"
        outside = BLOCK.sub("", (BOTS / name / "README.md").read_text())
        assert not re.search(r"^    \S", outside, re.MULTILINE), (
            f"bots/{name}/README.md: a block that is only indented"
        )


@pytest.mark.language
@pytest.mark.xdist_group("tournament")
def test_one_tournament_of_all_languages_without_a_fault(staged: Any, tmp_path: Path) -> None:
    """Bots of every language at one table with each other, at tables of five, each bot
    in every seat.
    """
    bots = {
        word: load(word).name for word in shipped.bots() if word.endswith(("/random", "/greedy"))
    }
    for word in bots:
        staged(word.removeprefix(shipped.WORD))
    flags = [part for word in bots for part in ("--bot", word)]
    run = [
        "run",
        *flags,
        "--seats",
        "5",
        "--seeds",
        "1",
        "--lineups",
        "6",
        "-j",
        "2",
        "--out",
        "out",
        "--json",
    ]
    (table,) = json.loads(arena(*run, cwd=tmp_path, seconds=SECONDS).stdout)["standings"]
    assert sorted(row["name"] for row in table["rows"]) == sorted(bots.values())
    assert table["matches"] == table["fault_free_matches"] == 30
    for row in table["rows"]:
        assert (sum(row["faults"].values()), row["matches"] > 0) == (0, True), row["name"]
    assert "30 of 30 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout
