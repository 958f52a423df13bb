"""A seat that a page takes by ``sit``: drawings that know of no choices go on working,
and the plain drawing offers them.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from browser import Page

from khiva_arena.display.page import html

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
SEATED = """
const drawings = { old: _drawing_of_old.drawing };
const connect = (heard) => { window.heard = heard; window.sent = [];
  return (message) => window.sent.push(message); };
_seat.sit({ connect, place: document.querySelector("main"), keys: _dom.keyed }, drawings);
"""


def frame(step: int, at: int, hand: list[str]) -> dict[str, Any]:
    known = {"seat": 0, "at": at, "hand": hand}
    return {
        "step": step,
        "all": known,
        "open": [],
        "own": [known, None],
        "asked": [],
        "events": [],
        "scores": [step, 0],
        "sketch": "",
    }


def ask(req: int, hand: list[str]) -> dict[str, Any]:
    question = {
        "kind": "play",
        "turn_ms": 600_000,
        "bank_ms": 0,
        "title": "Play a card",
        "about": "",
        "rulings": [],
    }
    return question | {
        "req": req,
        "legal": [[0], [1]],
        "texts": [f"play {card}" for card in hand],
        "numbers": [1, 2],
    }


def seated(page: Page, folder: Path, game: str) -> None:
    """A seat at a table of a game, with its first question: which of two cards to
    play.
    """
    sources = {
        path.stem: path.read_text()
        for path in html._folder().iterdir()
        if path.name.endswith(".js")
    }
    script = html.script_of(
        sources | {"drawing_of_old": (HERE / "drawing_of_old.js").read_text()},
        "drawing_of_old",
        "seat",
    )
    text = (
        "<!doctype "
        f"html><title>seat</title><style>{html.page_style()}</style><main></main><script>{script}{SEATED}</script>"
    )
    (folder / "seat.html").write_text(text)
    page.visit((folder / "seat.html").as_uri())
    table = {
        "type": "table",
        "seat": 0,
        "hints": True,
        "names": ["you", "bot"],
        "marks": [[], []],
        "game": game,
        "title": "Old",
    }
    words = {
        "rules": {},
        "aim": [],
        "legend": [],
        "rulings": {},
        "scenery": {},
        "said": [],
        "over": None,
    }
    hear(page, table | words | {"frames": [frame(0, 0, ["A1", "A2"])], "ask": ask(0, ["A1", "A2"])})


def hear(page: Page, message: dict[str, Any]) -> None:
    page.js("window.heard(JSON.parse(arguments[0]))", json.dumps(message))


def test_a_drawing_that_knows_of_no_choices_works_as_it_did(page: Page, tmp_path: Path) -> None:
    seated(page, tmp_path, "old")
    assert page.texts(".choose .options button") == ["1play A1", "2play A2"]
    page.click(".mine .held", 1)  # a card of the own hand, which stands beside the question
    assert page.js("return window.sent") == [{"type": "choose", "req": 0, "choice": 1}]
    hear(page, {"type": "chosen", "req": 0})
    assert page.texts(".options button") == []
    hear(page, {"type": "ask", "frame": frame(1, 3, ["A1", "A3"]), "ask": ask(1, ["A1", "A3"])})
    assert page.js("return document.querySelector('[data-at]').dataset.at") == "3"
    page.keys("2")
    assert page.js("return window.sent.at(-1)") == {"type": "choose", "req": 1, "choice": 1}
    assert page.wrong() == []


def test_the_plain_drawing_offers_the_choices_and_marks_the_one_that_was_made(
    page: Page, tmp_path: Path
) -> None:
    seated(page, tmp_path, "without a drawing")
    assert page.texts(".board .options button") == ["1play A1", "2play A2"]
    assert page.texts(".choose .options") == []
    hear(page, {"type": "hint", "req": 0, "choice": 1, "by": "search"})
    assert page.texts(".board .options .hinted") == ["2play A2"]
    page.click(".board .options button")
    hear(page, {"type": "chosen", "req": 0})
    marked = (
        "return [...document.querySelectorAll('.board button')].map((one) => [one.className, "
        "one.disabled])"
    )
    assert page.js(marked) == [["chosen", True], ["", True]]
    hear(page, {"type": "ask", "frame": frame(1, 3, ["A1", "A3"]), "ask": ask(1, ["A1", "A3"])})
    assert page.js(marked) == [["", False], ["", False]]
    page.keys("2")
    assert page.js("return window.sent") == [
        {"type": "choose", "req": 0, "choice": 0},
        {"type": "choose", "req": 1, "choice": 1},
    ]
    assert page.wrong() == []
