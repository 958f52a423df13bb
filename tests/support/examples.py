"""The examples in Python of a page."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

_EXAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """An example that was run.

    number: which one of the page, from 1.
    shown: the block of text directly below it in the page, "" for none.
    said: what it printed.
    """

    number: int
    shown: str
    said: str


def run_examples(
    page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **fewer: str
) -> dict[str, object]:
    """Return the names that a page's examples leave behind."""
    return _run(page, folder, monkeypatch, fewer)[0]


def run_and_print(
    page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **fewer: str
) -> list[Example]:
    """Run the examples of a page. ``fewer``: numbers to put behind words, as
    ``range="25"`` for ``range(200)``.
    """
    return _run(page, folder, monkeypatch, fewer)[1]


def differing(examples: list[Example]) -> list[Example]:
    """Return the examples that print something else than their page shows. A line
    ``...`` there takes the place of any lines.
    """
    return [
        one
        for one in examples
        if one.shown and not re.fullmatch(_pattern(one.shown), one.said, re.DOTALL)
    ]


def _pattern(shown: str) -> str:
    return "".join(
        r"(?:.*\n)?" if line == "...\n" else re.escape(line)
        for line in shown.splitlines(keepends=True)
    )


def _run(
    page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, fewer: dict[str, str]
) -> tuple[dict[str, object], list[Example]]:
    monkeypatch.chdir(folder)
    names: dict[str, object] = {"__name__": "__main__"}
    examples = []
    for number, found in enumerate(_EXAMPLE.finditer(page), 1):
        example, said = found[1], io.StringIO()
        for word, other in fewer.items():
            example = re.sub(
                rf"\b{word}\b[=(]\d+",
                lambda found, other=other: re.sub(r"\d+", other, found[0]),
                example,
            )
        with redirect_stdout(said):
            exec(compile(example, f"example {number}", "exec"), names)
        print(said.getvalue(), end="")
        examples.append(Example(number, found[2] or "", said.getvalue()))
    return names, examples
