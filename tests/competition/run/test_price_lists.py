"""A run in a store whose events were played by another price list of ticks: nothing is
played again unless that is asked for.
"""

from pathlib import Path

import pytest
from arena import arena
from published import HERE, NEWER_EVENT, contents, newer_event, unpack
from wording import sentence

from khiva_arena.common.result import PRICE_LIST
from khiva_arena.competition.settings import define
from khiva_arena.entrants import interpreters
from khiva_arena.records.replay import ticks
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow
NEXT = PRICE_LIST + 1
OVER = (
    f"event 1 of these settings is over. It was played in ticks of price list {PRICE_LIST!s}, and "
    f"this version plays by list {NEXT!s}, so this command would play it all again: give "
    "--new-event if it should, or another --out"
)


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The event in ticks of the fixtures, finished and interrupted, where new events
    are by the next price list.
    """
    unpack(HERE / NEWER_EVENT, tmp_path)
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(interpreters.FOLDER, str(tmp_path / "bots" / "interpreters"))
    interpreters._module.cache_clear()
    monkeypatch.setattr(define, "PRICE_LIST", NEXT)
    monkeypatch.setattr(ticks, "SPOKEN_PRICE_LISTS", (PRICE_LIST, NEXT))
    return tmp_path


@pytest.mark.parametrize(
    "flags",
    [[], ["--seeds", "4"], ["--seeds", "1"]],
    ids=["the same command", "more seeds", "fewer seeds"],
)
def test_a_finished_event_is_not_played_again_by_another_list(
    stores: Path, flags: list[str]
) -> None:
    before = contents(stores / "finished")
    assert f"finished: {OVER}" in arena(*newer_event("finished"), *flags, cwd=stores, code=2).stderr
    assert contents(stores / "finished") == before


def test_other_settings_are_another_event(stores: Path) -> None:
    arena(*newer_event("finished"), "--turn", "60ms", cwd=stores)
    with Store.read(stores / "finished") as store:
        assert [event.definition.meter for event in store.events()] == [PRICE_LIST, NEXT]


def test_a_new_event_that_is_asked_for_is_played_once_and_extended(stores: Path) -> None:
    arena(*newer_event("finished"), "--new-event", cwd=stores)
    assert "event 2 is over" in arena(*newer_event("finished"), cwd=stores).stderr
    arena(*newer_event("finished"), "--seeds", "3", cwd=stores)
    with Store.read(stores / "finished") as store:
        first, second, third = (event.definition for event in store.events())
    assert [one.meter for one in (first, second, third)] == [PRICE_LIST, NEXT, NEXT]
    assert [bool(one.extends) for one in (first, second, third)] == [False, False, True]
    tables = " ".join(arena("standings", "finished", cwd=stores).stdout.split())
    assert all(
        sentence("events", "paid-in-ticks", meter=str(number)) in tables
        for number in (PRICE_LIST, NEXT)
    )


def test_a_half_played_event_names_the_list_that_has_changed(stores: Path) -> None:
    said = arena(*newer_event("interrupted"), cwd=stores, code=2).stderr
    assert f"the price list of ticks was {PRICE_LIST!s}, is {NEXT!s}" in said
    assert sentence("events", "or-begin-another-event") in said
