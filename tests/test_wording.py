"""Phrases that readers did not understand do not come back."""

import re
from functools import cache
from pathlib import Path

from arena import ROOT
from cases import cases

PHRASES = (
    "bot's name lights",
    "frame marks what luck",
    "and not for its input",
    "no terminal to ask at",
    "agrees beforehand",
    "needs this bot no more",
    "its modes, or a mount",
    "Your turn: play pass",
    "leads to the matches",
    "Too narrow for",
    "tried, which are not recorded",
    "take time from each other",
    "is the one to quote",
    "mend those first",
    "the eyes of that seat",
    '"eyes")',
    "*Eyes*",
    "the chosen eyes",
    "the same eyes",
)
KINDS = ("*.py", "*.js", "*.md", "*.css")


@cache
def _texts() -> dict[Path, str]:
    """Return each page and source in a line."""
    places = [
        path for place in ("khiva_arena", "docs", "bots", "protocol") for kind in KINDS for path in (ROOT / place).rglob(kind)
    ]
    places += [ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "CHANGELOG.md", ROOT / "results" / "README.md"]
    return {path: _in_a_line(path.read_text("utf-8", "replace")) for path in places}


@cases("phrase", PHRASES)
def test_nothing_says_it_so(phrase: str) -> None:
    assert len(_texts()) > 400
    assert [str(path) for path, text in _texts().items() if phrase in text] == []


def _in_a_line(text: str) -> str:
    """A phrase may go on in the next line, of a page or of a text in the code."""
    return " ".join(re.sub(r"""["']\n\s*f?["']""", "", text).split())
