"""Another choice is put into a match that a page holds: its modules play on as those of the command do, and in its words."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from arena import arena, bots
from native_page import NativePage
from once import made_once
from tick_bots import write_bot
from wording import sentence

from khiva_arena.competition.events.in_bundle import bundled_match
from khiva_arena.extensions.checker import in_pyodide

pytestmark = [pytest.mark.language, pytest.mark.slow]
GAMES = {"khiva": "2", "emira": "3", "silk_road": "2"}


class BundlePage(NativePage):
    """A page that has checked a bundle: it holds its modules. ``told``: what it heard."""

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._files: dict[str, Any] = {"": None}
        self.told: list[dict[str, Any]] = []

    def run(self, module: str, payload: str, pages: int, key: bytes, orders: Any) -> Any:
        return self.run_noted(module, payload, pages, key, orders)[:2]

    def tell(self, event: str) -> None:
        self.told.append(json.loads(event))


@made_once
def bundles(folder: Path) -> None:
    """Play in "khiva", "emira" and "silk_road" an event in ticks of three modules, each with a bundle beside it."""
    for game, seats in GAMES.items():
        made = [write_bot(folder / f"{game}-bots" / name, rounds=at) for at, name in enumerate(("one", "two", "three"), 1)]
        shape = ("--clock", "ticks", "--game", game, "--seats", seats, "--seeds", "1", "--lineups", "1", "--seed", "on")
        arena("run", *shape, *bots(*made), "--out", game, cwd=folder)
        arena("bundle", game, f"{game}.khiva", "--with-modules", cwd=folder)


def gone_on(path: Path, monkeypatch: pytest.MonkeyPatch, *, live: bool = True, **request: Any) -> dict[str, Any]:
    """What a page tells that has checked a bundle."""
    page = BundlePage(live=live)
    monkeypatch.setattr(in_pyodide, "BUNDLE", path)
    in_pyodide.check(page)
    asyncio.run(in_pyodide.go_on(page, json.dumps({"name": "1/0"} | request)))
    return page.told[-1]


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("game", GAMES)
def test_the_same_choice_gives_the_record_of_the_command(
    bundles: Path, monkeypatch: pytest.MonkeyPatch, game: str, live: bool
) -> None:
    record, _ = bundled_match(bundles / f"{game}.khiva", "1/0")
    step = len(record.steps) // 2
    seat, then, _ = record.steps[step - 1][-1]
    choice = 0 if then else 1
    place = ("--step", str(step), "--seat", str(seat), "--choice", str(choice))
    by_command = json.loads(arena("match", "--from", game, "1/0", *place, "--json", cwd=bundles).stdout)
    found = gone_on(bundles / f"{game}.khiva", monkeypatch, live=live, step=step, seat=seat, choice=choice)
    assert found["kind"] == "gone_on", found
    assert [found["then"], found["now"] | {"why": ""}] == [by_command["then"], by_command["now"][0] | {"why": ""}]
    assert found["note"] == by_command["note"]
    assert found["now"]["digest"] != record.digest
    assert found["block"]["scores"][0][-1] == found["now"]["scores"]


def test_the_recorded_choice_gives_the_recorded_match(bundles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, _ = bundled_match(bundles / "khiva.khiva", "1/0")
    seat, choice, _ = record.steps[2][0]
    found = gone_on(bundles / "khiva.khiva", monkeypatch, step=3, seat=seat, choice=choice)
    assert found["now"]["digest"] == record.digest


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({"step": 10_000, "seat": 0, "choice": 0}, "--step 10000: seat 0 ("),
        ({"step": 1, "seat": 9, "choice": 0}, "--seat 9: the match has 2 seats, 0 to 1"),
        ({"step": 1, "seat": 0, "choice": 10_000}, "--choice 10000: no choice has these words; at step 1 seat 0 had "),
        ({"step": 1, "seat": 0, "choice": -1}, "--choice is a number from 0 on"),
        ({"step": 1, "seat": True, "choice": 1}, "--seat is a number from 0 on"),
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
        assert found["why"] in arena("match", "--from", "khiva", "1/0", *place, cwd=bundles, code=2).stderr


def test_a_bundle_without_its_modules_or_by_the_wall_clock_cannot_go_on(bundles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arena("bundle", "khiva", "bare.khiva", cwd=bundles)
    request = {"step": 1, "seat": 0, "choice": 0}
    bare = gone_on(bundles / "bare.khiva", monkeypatch, **request)
    assert bare["why"].startswith("the bundle does not hold the module or the payload of ")
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


def test_nobody_plays_on_in_the_seat_of_a_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scripted_person import by_command

    record = by_command(tmp_path, *bots("person:ann", write_bot(tmp_path / "one")), "--seed", "demo", "--out", "out")
    arena("bundle", "out", "out.khiva", "--with-modules", cwd=tmp_path)
    step, seat = next((at, one.seat) for at, row in enumerate(record.steps, 1) for one in row if one.seat == 1)
    found = gone_on(tmp_path / "out.khiva", monkeypatch, step=step, seat=seat, choice=0)
    assert found["why"] == f"--bot person:ann: {sentence('entrants', 'person-plays-khiva-arena')}"
