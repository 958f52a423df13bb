"""Recorded matches as values, of a store and of its bundle."""

import copy
import pickle
import sys
from collections import Counter
from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from stores import GREEDY, NAIVE, RANDOM
from wording import pattern

import khiva_arena
from khiva_arena.errors import ConfigError, RecordError, StoreError
from khiva_arena.games.registry import get

pytestmark = pytest.mark.slow


def test_all_matches_of_a_store_in_order(played: Path) -> None:
    found = list(khiva_arena.matches(played / "out"))
    assert [(one.event, one.ordinal) for one in found] == [
        *((1, k) for k in range(12)),
        *((2, k) for k in range(6)),
    ]
    assert Counter(one.seed for one in found) == {0: 9, 1: 9}
    assert {len(one.bots) for one in found} == {2, 3}
    assert all(one.verdicts == ("ok",) * len(one.bots) for one in found)
    assert all(one.faults == ((),) * len(one.bots) for one in found)


@pytest.mark.soak
def test_a_frame_has_a_row_for_each_seat(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = khiva_arena.matches(played / "out").to_pandas()
    found = list(khiva_arena.matches(played / "out"))
    assert list(frame["score"]) == [score for one in found for score in one.scores]
    assert list(frame["bot"]) == [bot for one in found for bot in one.bots]
    assert list(frame["seat"]) == [seat for one in found for seat in range(len(one.bots))]
    assert list(frame["match"].unique()) == [one.id for one in found]
    assert set(frame["faults"]) == {0}
    assert khiva_arena.matches(played / "all.khiva").to_pandas()["faults"].isna().all()
    assert list(khiva_arena.matches(played / "out", 2).to_pandas()) == list(frame)
    made: dict[str, Any] = {}
    polars = SimpleNamespace(
        Int64=int, String=str, DataFrame=lambda rows, schema: made.update(rows=rows, schema=schema)
    )
    monkeypatch.setitem(sys.modules, "polars", polars)  # which is large, and no oracle of ours
    khiva_arena.matches(played / "out").to_polars()
    assert made["rows"] == frame.to_dict("records")
    assert list(made["schema"]) == list(frame)


def test_a_frame_has_points_by_source_on_request(played: Path) -> None:
    frame = khiva_arena.matches(played / "out").to_pandas(points=True)
    sources = [name for name in frame if name.startswith("points_")]
    assert "points_teapots" in sources
    assert list(frame[sources].sum(axis=1)) == list(frame["score"])
    one = next(khiva_arena.matches(played / "all.khiva"))
    assert [sum(points.counted.values()) for points in one.points_by_source() or ()] == list(
        one.scores
    )


def test_how_many_are_verified_is_a_number_of_them(played: Path) -> None:
    for wrong, why in (
        ({"sample": -1}, "sample: -1 is not 1 or more"),
        ({"jobs": "x"}, pattern("api", "not-whole-number", name="jobs", value="'x'")),
    ):
        with pytest.raises(ConfigError, match=why):
            khiva_arena.verify(played / "out", **wrong)


def test_events_are_named_as_commands_name_them(played: Path) -> None:
    assert {one.event for one in khiva_arena.matches(played / "out", 2)} == {2}
    with pytest.raises(ConfigError, match="no event 'no' here"):
        next(khiva_arena.matches(played / "out", "no"))


def test_a_bundle_has_the_same_matches(played: Path) -> None:
    of_store = list(khiva_arena.matches(played / "out"))
    of_bundle = list(khiva_arena.matches(str(played / "all.khiva")))
    same = [(one.event, one.ordinal, one.seed, one.record, one.secret) for one in of_store]
    assert same == [(one.event, one.ordinal, one.seed, one.record, one.secret) for one in of_bundle]
    assert of_bundle[0].faults is of_bundle[0].notes is None


def test_a_bundle_is_read_as_a_whole(played: Path) -> None:
    with pytest.raises(ConfigError, match="a bundle is read as a whole: leave out the events"):
        next(khiva_arena.matches(played / "all.khiva", 1))


def test_matches_are_values(played: Path) -> None:
    one, same = (next(khiva_arena.matches(played / "out")) for _ in range(2))
    assert one == same
    assert len({one, same}) == 1
    again = pickle.loads(pickle.dumps(one))
    assert again == one


def test_a_match_is_replayed_step_by_step(played: Path) -> None:
    one = next(khiva_arena.matches(played / "out"))
    steps = one.replay()
    opening, last = steps[0], steps[-1]
    assert (opening.number, opening.before, dict(opening.asked), opening.choices) == (
        0,
        None,
        {},
        {},
    )
    assert [step.number for step in steps] == list(range(len(one.record.steps) + 1))
    game = get(one.game)
    state, events = game.new(2, game.rules(one.rules), one.secret)
    assert list(opening.events) == events
    for before, step in pairwise(steps):
        assert step.before is before.state
        assert list(step.asked) == list(step.choices)
        assert [decision.legal for decision in step.asked.values()] == [
            one.legal for one in state.pending().values()
        ]
        assert state.apply(step.choices) == list(step.events)
        assert [step.state.view(seat) for seat in (0, 1)] == [state.view(seat) for seat in (0, 1)]
    assert last.state.is_over
    assert tuple(last.state.scores) == one.scores
    assert "Decision" not in repr(steps[1])


@pytest.mark.soak
@pytest.mark.parametrize("game", khiva_arena.games.GAMES)
def test_states_are_copied_and_pickled(game: str) -> None:
    one = khiva_arena.games.get(game)
    state, _ = one.new(3, one.rules({}), bytes(32))
    for step in count():
        if state.is_over:
            break
        choices = {seat: len(decision.legal) // 2 for seat, decision in state.pending().items()}
        for again in (
            (copy.deepcopy(state), pickle.loads(pickle.dumps(state))) if step % 7 == 0 else ()
        ):
            assert again.pending() == state.pending()
            expected = state.clone()
            assert again.apply(choices) == expected.apply(choices)
            assert [again.view(seat) for seat in range(3)] == [
                expected.view(seat) for seat in range(3)
            ]
        state.apply(choices)
    assert pickle.loads(pickle.dumps(state)).scores == state.scores


def test_what_is_read_is_not_more_than_what_is_asked_for(played: Path) -> None:
    assert next(khiva_arena.matches(played / "out")).ordinal == 0


def test_a_match_shows_itself(played: Path) -> None:
    one = next(khiva_arena.matches(played / "out"))
    assert repr(one).startswith(f"<match {one.id} of khiva: ")
    assert one.secret.hex() not in repr(one)
    assert one.story().startswith(f"match {one.id}: Khiva, 2 seats")
    assert one._repr_html_().startswith("<pre>match ")


@pytest.mark.parametrize(
    ("name", "error"),
    [("nothing", StoreError), ("text", StoreError), ("cut", RecordError)],
    ids=["nothing", "text", "cut"],
)
def test_what_is_no_store_and_no_bundle_is_said_so(
    played: Path, tmp_path: Path, name: str, error: type[Exception]
) -> None:
    (tmp_path / "text").write_text("hello")
    whole = (played / "all.khiva").read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(error, match=name):
        list(khiva_arena.matches(tmp_path / name))


def test_one_match_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = {"seed": "a", "isolation": "trusted", "rules": {"overshoot": "bounce"}}
    one = khiva_arena.match(RANDOM, GREEDY, NAIVE, **settings)
    assert one.bots == ("random", "greedy", "naive")
    assert one.rules["overshoot"] == "bounce"
    assert one.replay()[-1].state.is_over
    again = khiva_arena.match(RANDOM, GREEDY, NAIVE, **settings)
    assert again.digest == one.digest
    assert capfd.readouterr() == ("", "")
    assert not list(tmp_path.iterdir())
