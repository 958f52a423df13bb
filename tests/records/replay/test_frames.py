"""What a drawing gets is what the rules say: frames give back each seat's view, and
show no eye more than it saw.
"""

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jobs import SECRET, job
from msgspec import structs
from msgspec.structs import replace
from scripted import act, hello, play

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.text import isolated
from khiva_arena.games.base import Event, State
from khiva_arena.games.registry import NAMES, get
from khiva_arena.records.replay.frames import apply_patch, block, film, patch
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.verify import verify

SEATS = {"khiva": (2, 3, 5), "emira": (3, 5), "silk_road": (2, 4)}
SHORT = {"emira": {"max_rounds": 6}, "silk_road": {"max_turns": 40}}
"""Matches of these end soon: others would go on for long with what they have shown."""
CASES = [(game, seats) for game in NAMES for seats in SEATS[game]]

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)
    ),
    max_leaves=12,
)


def plain(value: Any) -> Any:
    """As a page reads it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def recorded(game: str, seats: int) -> Record:
    """A match of seats that choose at random, with a fault now and then."""
    made = job([Command((), "")] * seats)
    found = get(game)
    rules = found.rules(SHORT.get(game, {}))
    made = structs.replace(
        made, header=replace(made.header, game=game, rules_version=found.rules_version, rules=rules)
    )
    chance = random.Random(f"{game} {seats}")

    def bot(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] == "hello":
            return hello()
        late = chance.random() < 0.005
        return (
            []
            if late or message["type"] != "decide"
            else act(message, choice=chance.randrange(len(message["legal"])))
        )

    record = play(made, [bot] * seats)[0].record
    assert record is not None
    return record


@cache
def shown(game: str, seats: int) -> tuple[Record, list[dict[str, Any]], dict[str, Any], list[Any]]:
    """A record, what a page makes of its block, the block, and the lists of choices."""
    record = recorded(game, seats)
    legal: list[Any] = []

    def shared(choices: Any) -> int:
        if choices not in legal:
            legal.append(choices)
        return legal.index(choices)

    names = [f"bot {seat}" for seat in range(seats)]
    made = plain(block([film(record, SECRET, names, sketches=True)], shared))
    frames, knows = [], {}
    for change in made["knows"][0]:
        knows = apply_patch(knows, change)
        frames.append(knows)
    return record, frames, made, plain(legal)


def within(part: Any, view: Any) -> bool:
    """Whether a view has a part that all know, in which None stands for what they do
    not.
    """
    if part is None or part == view:
        return True
    if isinstance(part, dict):
        return isinstance(view, dict) and all(
            key in view and within(value, view[key]) for key, value in part.items()
        )
    return isinstance(part, list) and len(part) == len(view) and all(map(within, part, view))


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_frames_give_back_each_view_at_each_step_and_what_all_know_is_equal_in_all(
    game: str, seats: int
) -> None:
    """Nothing of a hand, a goal or an order that one seat alone knows is among what all
    know.
    """
    record, frames, made, _ = shown(game, seats)
    public = made["public"][0]

    def watch(step: int, state: State, _: object) -> None:
        assert made["scores"][0][step] == state.scores
        by_source = state.points_by_source or []
        assert made["sources"][0] == [[*part] for part in by_source[0]]
        assert made["points"][0][step] == [
            [*counted.values(), *uncounted.values()] for counted, uncounted in by_source
        ]
        for seat in range(seats):
            view = plain(state.view(seat))
            known = {
                key: value for key, value in frames[step]["all"].items() if key in public
            } | frames[step]["own"][seat]
            assert known == view
            assert within(frames[step]["all"], view)

    verify(record, SECRET, watch)
    assert len(frames) == len(record.steps) + 1


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_frames_have_the_choices_and_events_of_the_record(game: str, seats: int) -> None:
    record, _, made, legal = shown(game, seats)
    texts = iter(zip(made["data"][0], made["to"][0], made["text"][0], strict=True))
    before: list[State] = []

    def watch(step: int, state: State, happened: Sequence[Event]) -> None:
        asked = made["asked"][0][step]
        if step:
            assert [(seat, choice, *why) for seat, _, _, choice, *why in asked] == [
                (one.seat, one.choice, *([one.why] if one.why else []))
                for one in record.steps[step - 1]
            ]
            pending = before[-1].pending()
            assert {seat: (kind, legal[number]) for seat, kind, number, *_ in asked} == {
                seat: (decision.kind, plain(list(decision.legal)))
                for seat, decision in pending.items()
            }
        assert made["count"][0][step] == len(happened)
        for event in happened:
            data, to, text = next(texts)
            assert (data, to or None) == (plain(event.data), plain(event.to))
            assert text == get(game).narrate(event, [f"bot {seat}" for seat in range(seats)])
        before.append(state.clone())

    verify(record, SECRET, watch)
    assert next(texts, None) is None


def test_a_name_from_right_to_left_stands_in_the_story_as_a_page_has_it() -> None:
    name = isolated("\u05d0\u05d1")
    made = film(shown("khiva", 2)[0], SECRET, [name, "b\u202eb"], sketches=True)
    for texts in ([text for of_frame in made.events for _, text in of_frame], made.sketches):
        assert any(name in text for text in texts)
        assert any("b\\u202eb" in text for text in texts)
        assert not any("\\u2068" in text for text in texts)


@given(values, values)
def test_a_patch_turns_the_old_value_into_the_new_one(old: Any, new: Any) -> None:
    assert apply_patch(old, plain(patch(old, new))) == new


@given(values)
def test_of_equal_values_nothing_is_written(value: Any) -> None:
    assert patch(value, value) == 0
