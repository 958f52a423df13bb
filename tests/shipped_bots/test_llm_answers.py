"""The meaning of a language model's answer: each shape of a table has one, and one that
can mean two is asked again.
"""

import runpy
import tomllib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT
from cases import cases

TABLE = tomllib.loads(Path(__file__).with_name("llm_answers.toml").read_text())
SHAPES = [(kind == "listed", *row) for kind in ("listed", "free") for row in TABLE[kind]]
AGAIN = ""
PROMPTS = {"free-1": "63e6189165c89995", "legal-1": "b1876ff867e4d723"}
"""The first digits of the SHA-256 of each prompt: bots are identified by its text, so
another text is another prompt.
"""


@pytest.fixture(scope="module")
def choice() -> Callable[..., Any]:
    read: Callable[..., Any] = runpy.run_path(str(ROOT / "bots/python/llm/answers.py"))["choice"]
    return read


def test_the_table_has_sixty_answers_and_no_one_twice() -> None:
    assert len({(listed, text) for listed, text, _ in SHAPES}) == len(SHAPES) >= 60


def test_no_prompt_changes_under_its_number() -> None:
    files = (ROOT / "bots/python/llm/prompts").glob("*.md")
    assert {file.stem: sha256(file.read_bytes()).hexdigest()[:16] for file in files} == PROMPTS


@cases(("listed", "text", "means"), SHAPES)
def test_an_answer_has_one_meaning(
    listed: bool, text: str, means: int | str, choice: Callable[..., Any]
) -> None:
    number, problem = choice(text, "", TABLE["legal"], listed)
    assert (AGAIN if number is None else number) == means
    assert bool(problem) == (number is None)
    assert problem.isprintable()
    assert len(problem) < 100


def test_two_choices_that_are_written_alike_are_not_told_apart(choice: Callable[..., Any]) -> None:
    assert choice('{"choice": ["A b"]}', "", [["a", "b"], ["a b"], ["c"]], False)[0] is None
    assert choice('{"choice": 1}', "", [["a", "b"], ["a b"], ["c"]], True)[0] == 1


@cases(
    "text",
    [
        '{"choice": ' * 9_000,
        '{"choice": [' * 9_000,
        '{"choice": {"a": 1}, ' * 5_000,
        "i " * 50_000,
        "i\n" * 50_000,
        '{"choice": "' + "i " * 50_000 + '"}',
        "<think>" * 14_000,
        "9" * 100_000,
        '{"choice": ' + "9" * 5_000 + "}",
        "\\" * 100_000,
        ":" * 90_000 + "x",
        '{"choice": ' * 2 + '"' * 90_000,
    ],
)
def test_an_answer_that_is_long_or_deep_has_no_meaning(
    text: str, choice: Callable[..., Any]
) -> None:
    number, problem = choice(text, "", [[n] for n in range(2_000)], True)
    assert number is None
    assert len(problem) < 100
