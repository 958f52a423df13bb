"""The examples in Python of a page."""

import re
from pathlib import Path

import pytest


def run_examples(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **fewer: str) -> dict[str, object]:
    """The names that a page's examples leave behind."""
    monkeypatch.chdir(folder)
    names: dict[str, object] = {"__name__": "__main__"}
    for number, example in enumerate(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL), 1):
        for word, other in fewer.items():
            example = re.sub(rf"\b{word}\b[=(]\d+", lambda found, other=other: re.sub(r"\d+", other, found[0]), example)  # type: ignore[misc]
        exec(compile(example, f"example {number}", "exec"), names)
    return names
