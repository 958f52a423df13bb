"""Phrases that readers did not understand do not come back."""

import pytest
from arena import ROOT

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
)
KINDS = ("*.py", "*.js", "*.md", "*.css")


@pytest.mark.parametrize("phrase", PHRASES)
def test_nothing_says_it_so(phrase: str) -> None:
    places = [
        path for place in ("khiva_arena", "docs", "bots", "protocol") for kind in KINDS for path in (ROOT / place).rglob(kind)
    ]
    places += [ROOT / "README.md", ROOT / "SECURITY.md"]
    assert len(places) > 400
    assert [str(path) for path in places if phrase in path.read_text("utf-8", "replace")] == []
