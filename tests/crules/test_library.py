"""Without the library, or with one that cannot be loaded, the rules in C are not there;
a hello of other rules is refused.
"""

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from rules_in_c import GAMES
from wording import pattern

import khiva_arena
from khiva_arena.crules import HabitsInC, QuickStreamInC, RulesInC
from khiva_arena.crules.library import function, ints, is_built, library, memory, sizes
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game
from khiva_arena.native import build

named = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
OK, OTHER_GAME, OTHER_VERSION = 0, 3, 4
"""Errors of the headers."""


@pytest.fixture
def unloaded() -> Iterator[None]:
    """The library as if nobody had asked for it yet."""
    for cached in (is_built, library):
        cached.cache_clear()
    yield
    for cached in (is_built, library):
        cached.cache_clear()


@pytest.mark.usefixtures("unloaded")
@pytest.mark.parametrize("text", [None, "no library"])
def test_a_library_that_is_not_there_or_damaged_is_none(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rules"
    if text:
        path.write_text(text)
    monkeypatch.setattr(build, "program", lambda _: str(path) if text else "")
    assert not is_built()
    with pytest.raises(ConfigError, match=pattern("crules", "not-built")):
        library()
    with pytest.warns(RuntimeWarning):
        env = khiva_arena.env.aec("khiva", 3)
    env.reset(seed=1)
    assert not env.table.in_c


def test_a_tree_without_the_sources_has_no_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "HERE", tmp_path)
    monkeypatch.setattr(build, "RULES", tmp_path)
    build.program.cache_clear()
    assert build.program("rules") == ""
    build.program.cache_clear()


@pytest.mark.usefixtures("rules_in_c")
@named
def test_a_hello_of_another_game_or_of_other_rules_is_refused(game: Game) -> None:

    def read(**other: Any) -> int:
        hello = {"game": game.name, "rules_version": game.rules_version, "seats": game.seats[0]}
        hello["rules"] = game.every_rule(game.rules({}))
        packed, seats = msgpack.packb(hello | other), ints(1)
        error = function(game.name, "read_hello")(
            packed, ctypes.c_size_t(len(packed)), memory(sizes(game.name).rules), seats
        )
        assert error or seats[0] == game.seats[0]
        return error

    assert read() == OK
    assert read(game="chess") == OTHER_GAME
    assert read(rules_version="0") == OTHER_VERSION
    assert read(seats=game.seats[-1] + 1) not in (OK, OTHER_GAME, OTHER_VERSION)
    assert read(rules={}) not in (OK, OTHER_GAME, OTHER_VERSION)


@pytest.mark.usefixtures("rules_in_c")
@named
def test_what_a_position_shows_a_seat_makes_worlds(game: Game) -> None:
    rules = RulesInC(game.name, game.every_rule(game.rules({})))
    state, stream = rules.new(game.seats[-1], bytes(32)), QuickStreamInC(bytes(32), "worlds")
    seen = state.see(1)
    view = rules.view(seen)
    assert (view.seats, bytes(view)) == (game.seats[-1], seen)
    world = view.world(stream)
    assert world.see(1) == seen
    assert world.see(0) != state.see(0)
    for wrong in (seen[:-1], b"", bytes(len(seen)), b"\xff" * len(seen)):
        with pytest.raises(ConfigError, match="not a view"):
            rules.view(wrong)


@pytest.mark.usefixtures("rules_in_c")
def test_an_attempt_changes_habits_and_no_position() -> None:
    khiva = next(game for game in GAMES if game.name == "khiva")
    rules = RulesInC("khiva", khiva.rules({}))
    habits, stream = HabitsInC(rules), QuickStreamInC(bytes(32), "attempts")
    state = rules.new(3, bytes(32))
    before, none = bytes(state._memory), bytes(habits._memory)
    leads = [state.attempt(habits, 1, choice, 4, stream) for choice in range(20)]
    assert bytes(state._memory) == before
    assert bytes(habits._memory) != none
    assert len(set(leads)) > 1
    again, other = HabitsInC(rules), QuickStreamInC(bytes(32), "attempts")
    assert [state.attempt(again, 1, choice, 4, other) for choice in range(20)] == leads
    after = bytes(habits._memory)
    assert [
        state.attempt(habits, 1, choice, turns, stream)
        for choice, turns in ((-1, 4), (20, 4), (2**32, 4))
    ] == [
        0.0,
        0.0,
        0.0,
    ]
    assert bytes(habits._memory) == after
    assert state.attempt(habits, 1, 0, 10**6, stream) != 0.0
    with pytest.raises(
        ValueError,
        match=pattern("crules", "number-beyond", name="seat", value="3", least="0", most="2"),
    ):
        state.attempt(habits, 3, 0, 4, stream)
    emira = next(game for game in GAMES if game.name == "emira")
    with pytest.raises(ConfigError, match="emira has no playouts that learn, as khiva has"):
        HabitsInC(RulesInC("emira", emira.rules({})))
    with pytest.raises(ValueError, match="these are habits of khiva, not of emira"):
        RulesInC("emira", emira.rules({})).new(3, bytes(32)).attempt(habits, 0, 0, 4, stream)
