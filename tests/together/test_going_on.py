"""Another choice is put into a match that a page holds: its modules play on as those of
the command do, and in its words.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from arena import arena, bots
from module_cup import OwnMachine, of_kind
from native_page import NativePage
from once import made_once
from scripted_person import by_command as by_person
from scripted_person import choice_of
from tick_bots import write_bot
from wording import sentence
from workbench_played import WISH, block, template

from khiva_arena.competition.events.in_bundle import bundled_match
from khiva_arena.extensions.checker import in_page, in_pyodide
from khiva_arena.extensions.checker.workbench.refused import GONE
from khiva_arena.extensions.checker.workbench.workbench import Workbench

pytestmark = [pytest.mark.language, pytest.mark.slow]
PLAYS = """
const shown = '.yourself :is(.options button, .board [data-choice]:not(:disabled))';
const choices = [...document.querySelectorAll(shown)];
choices.find((one) => one.checkVisibility())?.click();
return document.querySelector('.after button');
"""
"""Makes a choice at a person's seat, and tells whether the match is over."""
TAKES = (
    "document.querySelector('.going-on > button').click(); document.querySelector('.offers "
    "summary + button').click()"
)
STANDS = (
    "return !document.querySelector('.seated') && "
    "document.querySelector('.going-on').checkVisibility()"
)
GAMES = {"khiva": "2", "emira": "3", "silk_road": "2"}


class BundlePage(NativePage):
    """A page that has checked a bundle: it holds its modules. Its person chooses by a
    rule. ``told``: what it heard.
    """

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._files: dict[str, Any] = {"": None}
        self.told: list[dict[str, Any]] = []
        self._asked = 0

    def run(self, module: str, payload: str, pages: int, key: bytes, orders: Any) -> Any:
        return self.run_noted(module, payload, pages, key, orders)[:2]

    def tell(self, event: str) -> None:
        self.told.append(json.loads(event))
        message = self.told[-1].get("message", {})
        if message.get("type") == "ask":
            choice = choice_of(self._asked, len(message["ask"]["legal"]))
            self._asked += 1
            told = json.dumps({"type": "choose", "req": message["ask"]["req"], "choice": choice})
            asyncio.get_running_loop().call_soon(in_pyodide.hear, told)


def other_choice(path: Path) -> dict[str, int]:
    """A choice that was not made, in the middle of the first match of a bundle."""
    record, _ = bundled_match(path, "1/0")
    step = len(record.steps) // 2
    seat, then, _ = record.steps[step - 1][-1]
    return {"step": step, "seat": seat, "choice": 0 if then else 1}


def by_command(folder: Path, game: str, other: dict[str, int]) -> dict[str, Any]:
    place = [word for key, value in other.items() for word in (f"--{key}", str(value))]
    found: dict[str, Any] = json.loads(
        arena("match", "--from", game, "1/0", *place, "--json", cwd=folder).stdout
    )
    return found


@made_once
def bundles(folder: Path) -> None:
    """Play in "khiva", "emira" and "silk_road" an event in ticks of three modules, each
    with a bundle beside it.
    """
    for game, seats in GAMES.items():
        made = [
            write_bot(folder / f"{game}-bots" / name, rounds=at)
            for at, name in enumerate(("one", "two", "three"), 1)
        ]
        shape = (
            "--clock",
            "ticks",
            "--game",
            game,
            "--seats",
            seats,
            "--seeds",
            "1",
            "--lineups",
            "1",
            "--seed",
            "on",
        )
        arena("run", *shape, *bots(*made), "--out", game, cwd=folder)
        arena("bundle", game, f"{game}.khiva", "--with-modules", cwd=folder)


def gone_on(
    path: Path, monkeypatch: pytest.MonkeyPatch, *, live: bool = True, **request: Any
) -> dict[str, Any]:
    """What a page tells last that has checked a bundle."""
    return all_told(path, monkeypatch, live=live, **request)[-1]


def all_told(
    path: Path, monkeypatch: pytest.MonkeyPatch, *, live: bool = True, **request: Any
) -> list[dict[str, Any]]:
    """All that a page tells that has checked a bundle."""
    page = BundlePage(live=live)
    monkeypatch.setattr(in_pyodide, "BUNDLE", path)
    in_pyodide.check(page)
    asyncio.run(in_pyodide.go_on(page, json.dumps({"name": "1/0"} | request)))
    return page.told


def offered(path: Path) -> dict[str, bool]:
    """How a match of a bundle may go on, as its check tells."""
    told: list[dict[str, Any]] = []
    in_page.check(path.read_bytes(), OwnMachine(), told.append)
    (matches,) = of_kind(told, "matches")
    (event,) = matches["page"]["events"]
    return {key: event[key] for key in ("goes_on", "takes_over")}


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("game", GAMES)
def test_a_seat_of_a_bundle_is_taken_over_as_by_the_command(
    bundles: Path, monkeypatch: pytest.MonkeyPatch, game: str, live: bool
) -> None:
    place = other_choice(bundles / f"{game}.khiva")
    del place["choice"]
    told = all_told(bundles / f"{game}.khiva", monkeypatch, live=live, **place)
    assert told[-1]["kind"] == "stood", told[-1]
    words = [word for key, value in place.items() for word in (f"--{key}", str(value))]
    assert told[-1]["digest"] == by_person(bundles, "--from", game, "1/0", *words).digest
    over = next(
        event["message"]["over"] for event in told if event.get("message", {}).get("type") == "over"
    )
    assert (over["match"]["scores"], told[-1]["ends"]["now"]["digest"]) == (
        told[-1]["ends"]["now"]["scores"],
        told[-1]["digest"],
    )


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("game", GAMES)
def test_the_same_choice_gives_the_record_of_the_command(
    bundles: Path, monkeypatch: pytest.MonkeyPatch, game: str, live: bool
) -> None:
    path = bundles / f"{game}.khiva"
    other = other_choice(path)
    commanded = by_command(bundles, game, other)
    found = gone_on(path, monkeypatch, live=live, **other)
    assert found["kind"] == "gone_on", found
    assert [found["then"], found["now"] | {"why": ""}] == [
        commanded["then"],
        commanded["now"][0] | {"why": ""},
    ]
    assert found["note"] == commanded["note"]
    assert found["now"]["digest"] != found["then"]["digest"]
    assert found["block"]["scores"][0][-1] == found["now"]["scores"]


def test_a_match_of_the_workbench_goes_on_as_it_was_played(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    bench = Workbench(
        NativePage(), lambda event, data=None: told.append(event), tmp_path, block("opponents")
    )
    asyncio.run(
        bench.work(WISH | {"do": "play", "files": template("javascript"), "opponent": "weak"})
    )
    played = next(event for event in told if event["kind"] == "played")
    record, _ = bench._matches["1/0"]
    seat, choice, _ = record.steps[0][0]
    wish = {"do": "go_on", "name": "1/0", "step": 1, "seat": seat}
    asyncio.run(bench.work(wish | {"choice": choice}))
    asyncio.run(bench.work(wish | {"choice": 0 if choice else 1}))
    asyncio.run(bench.work(wish | {"choice": choice, "name": "1/9"}))
    same, other, refused = told[-3:]
    assert same["now"]["digest"] == played["digest"] != other["now"]["digest"]
    assert (refused["of"], refused["why"]) == ("go_on", GONE)


@pytest.mark.soak
def test_a_reader_goes_on_in_a_browser_and_comes_back(bundles: Path) -> None:
    from browser import browser
    from checker import checker, dropped

    other = other_choice(bundles / "khiva.khiva")
    (page := bundles / "khiva-arena.html").write_text(checker())
    with browser() as opened:
        dropped(opened, page, bundles / "khiva.khiva", f"#match=1/0&step={other['step']}")
        opened.until("return document.querySelector('.going-on > button:not([hidden])')")
        opened.click(".going-on > button")
        places = opened.js(
            "return [...document.querySelectorAll('.offers details')].map((one) => "
            "one.textContent[0])"
        )
        nth = [str(seat) for seat in map(int, places)].index(str(other["seat"]))
        opened.js(
            "document.querySelectorAll('.offers "
            "details')[arguments[0]].querySelectorAll('li button')[arguments[1]].click()",
            nth,
            other["choice"],
        )
        opened.until("return document.querySelector('[data-what=ends]')")
        digest = by_command(bundles, "khiva", other)["now"][0]["digest"]
        assert opened.texts("[data-what=digest]") == [f"digest {digest}"]
        opened.click(".going-on section button")
        opened.until("return document.querySelector('.viewer .viewer, .viewer > div .stage')")
        opened.click(".viewer .note button")
        opened.until("return document.querySelector('.going-on [data-what=ends]')")
        opened.js(TAKES)
        opened.until(PLAYS)
        (taken,) = opened.texts(".after [data-what=digest]")
        assert digest not in taken
        assert opened.texts(".after h3") == [f"From step {other['step']} on, at seat {places[0]}"]
        opened.click(".yourself .bar button")
        opened.until(STANDS)
        opened.js(TAKES)
        opened.until("return document.querySelector('.yourself .options button')")
        opened.js(
            "const of = new DataTransfer(); of.items.add(new File(['x'], 'bot.zip')); "
            "window.of = of"
        )
        opened.js(
            "dispatchEvent(new DragEvent('drop', { dataTransfer: window.of, cancelable: true }))"
        )
        assert opened.texts(".yourself .bar .status") == ["Leave the match first."]
        opened.click(".yourself .bar button")
        opened.until(STANDS)
        opened.click(".going-on > button")
        opened.js(
            "document.querySelector('.offers li button').click(); "
            "document.querySelector('.going-on > button ~ button').click()"
        )
        opened.until(
            "return document.querySelector('.going-on "
            ".status').textContent.startsWith('Refused: you stopped it')"
        )
        opened.click(".going-on > button")
        opened.click(".offers li button")
        opened.until(
            "return document.querySelector('.going-on "
            ".status').textContent.startsWith('Refused: you stopped it')"
        )
        assert (
            opened.js("return document.querySelector('[data-verdict]').dataset.verdict") == "equal"
        )
        assert opened.wrong() == []


def test_the_recorded_choice_gives_the_recorded_match(
    bundles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, _ = bundled_match(bundles / "khiva.khiva", "1/0")
    seat, choice, _ = record.steps[2][0]
    found = gone_on(bundles / "khiva.khiva", monkeypatch, step=3, seat=seat, choice=choice)
    assert found["now"]["digest"] == record.digest


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({"step": 10_000, "seat": 0, "choice": 0}, "--step 10000: seat 0 ("),
        ({"step": 1, "seat": 9, "choice": 0}, "--seat 9: the match has 2 seats, 0 to 1"),
        (
            {"step": 1, "seat": 0, "choice": 10_000},
            "--choice 10000: no choice has these words; at step 1 seat 0 had ",
        ),
        ({"step": 1, "seat": 0, "choice": -1}, sentence("page", "number-from-0", key="choice")),
        ({"step": 1, "seat": True, "choice": 1}, sentence("page", "number-from-0", key="seat")),
        ({"step": 1, "seat": 0, "choice": 0, "name": "7/0"}, "no match '7/0' in "),
    ],
)
def test_a_page_refuses_in_the_words_of_the_command(
    bundles: Path, monkeypatch: pytest.MonkeyPatch, request_: dict[str, Any], why: str
) -> None:
    found = gone_on(bundles / "khiva.khiva", monkeypatch, **request_)
    assert (found["kind"], found["of"]) == ("refused", "go_on")
    assert found["why"].startswith(why)
    if request_["choice"] == 0 and "name" not in request_:
        place = ("--step", str(request_["step"]), "--seat", str(request_["seat"]), "--choice", "0")
        assert (
            found["why"]
            in arena("match", "--from", "khiva", "1/0", *place, cwd=bundles, code=2).stderr
        )


def test_a_bundle_without_its_modules_or_by_the_wall_clock_cannot_go_on(
    bundles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena("bundle", "khiva", "bare.khiva", cwd=bundles)
    request = {"step": 1, "seat": 0, "choice": 0}
    other = bundled_match(bundles / "khiva.khiva", "1/0")[0].header.seats[1].name
    seat = {"step": 1, "seat": 0}
    bare = gone_on(bundles / "bare.khiva", monkeypatch, **request)
    taken = gone_on(bundles / "bare.khiva", monkeypatch, **seat)
    assert (taken["kind"], taken["of"]) == ("refused", "take_over")
    lacks = "the bundle does not hold the module or the payload of "
    assert taken["why"].startswith(lacks + other)
    assert bare["why"].startswith(lacks)
    arena(
        "run",
        *bots("shipped:python/random", "shipped:python/greedy"),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--out",
        "wall",
        "--trust-bots",
        cwd=bundles,
    )
    arena("bundle", "wall", "wall.khiva", cwd=bundles)
    wall = gone_on(bundles / "wall.khiva", monkeypatch, **request)
    assert "it was played by the wall clock, so its bots are not run again" in wall["why"]
    assert gone_on(bundles / "wall.khiva", monkeypatch, **seat) == wall | {"of": "take_over"}
    assert (
        offered(bundles / "bare.khiva")
        == offered(bundles / "wall.khiva")
        == {"goes_on": False, "takes_over": False}
    )
    assert offered(bundles / "khiva.khiva") == {"goes_on": True, "takes_over": True}


def test_nobody_plays_on_in_the_seat_of_a_person_but_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = by_person(
        tmp_path, *bots("person:ann", write_bot(tmp_path / "one")), "--seed", "demo", "--out", "out"
    )
    arena("bundle", "out", "out.khiva", "--with-modules", cwd=tmp_path)
    step, seat = next(
        (at, one.seat) for at, row in enumerate(record.steps, 1) for one in row if one.seat == 1
    )
    found = gone_on(tmp_path / "out.khiva", monkeypatch, step=step, seat=seat, choice=0)
    assert found["why"] == f"--bot person:ann: {sentence('entrants', 'person-plays-khiva-arena')}"
    assert gone_on(tmp_path / "out.khiva", monkeypatch, step=step, seat=seat) == found | {
        "of": "take_over"
    }
    own = next(at for at, row in enumerate(record.steps, 1) for one in row if one.seat == 0)
    assert gone_on(tmp_path / "out.khiva", monkeypatch, step=own, seat=0)["kind"] == "stood"
    assert offered(tmp_path / "out.khiva") == {"goes_on": False, "takes_over": True}
