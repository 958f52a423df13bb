"""A person's match in the workbench, without a browser: to the record that the command
plays, and with its refusals.
"""

import shlex
from pathlib import Path
from typing import Any

import pytest
from scripted_person import by_command, choice_of
from scripted_seat import LEAVE, asked_from, sat, taken_over
from wording import sentence
from workbench_played import template

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("python")]
TABLES = [
    ("khiva", 2, 0),
    ("khiva", 3, 2),
    ("emira", 3, 1),
    ("silk_road", 2, 1),
    ("silk_road", 3, 0),
]


@pytest.mark.parametrize(("game", "seats", "seat"), TABLES)
def test_the_same_choices_give_the_record_of_the_command(
    tmp_path: Path, game: str, seats: int, seat: int
) -> None:
    seated, *_, over, stood = sat(tmp_path, choice_of, game=game, seats=seats, seat=seat)
    record = by_command(tmp_path, *shlex.split(seated["line"])[2:])
    assert record.digest == stood["digest"]
    match = over["message"]["over"]["match"]
    assert (match["names"][seat], match["ranks"], match["scores"]) == (
        "you",
        [*record.ranks],
        [*record.scores],
    )
    assert sum(choice.seat == seat for step in record.steps for choice in step) > 10
    rows = zip(record.steps, (record.ticks or ())[1:], strict=True)
    assert {
        took for step, row in rows for one, took in zip(step, row, strict=True) if one.seat == seat
    } == {1}


def test_ones_own_bot_is_an_opponent_and_jspi_changes_no_record(tmp_path: Path) -> None:
    with_jspi, without = (
        sat(tmp_path, choice_of, live=live, seats=3, opponent="own") for live in (True, False)
    )
    assert with_jspi[-1] == without[-1]
    assert with_jspi[0]["line"].count("--bot my-bot") == 2


def test_a_person_sees_no_clock_and_what_play_shows(tmp_path: Path) -> None:
    told = [event["message"] for event in sat(tmp_path, choice_of) if event["kind"] == "seat"]
    asks = [message["ask"] for message in told if message["type"] == "ask"]
    assert {ask["turn_ms"] for ask in asks} == {86_400_000}
    assert (told[0]["type"], told[0]["names"], told[0]["marks"]) == (
        "table",
        ["you", "greedy"],
        [["person"], []],
    )
    assert [message["type"] for message in told].count("chosen") == len(asks) > 10


@pytest.mark.parametrize("tried", [10_000, -1, True, "0", None])
def test_a_choice_that_is_none_is_refused_and_the_question_stays_open(
    tmp_path: Path, tried: Any
) -> None:
    answers = iter([tried])
    told = sat(tmp_path, lambda asked, legal: next(answers, 0))
    said = [event["message"] for event in told if event.get("message", {}).get("type") == "said"]
    assert [message["open"] for message in said] == [True]
    assert said[0]["text"].startswith(sentence("seats", "no-choice-2", choice=repr(tried)))
    assert told[-1]["kind"] == "stood"


@pytest.mark.parametrize(
    ("wish", "why"),
    [({"seat": 2}, "no seat 2"), ({"seat": -1}, "no seat -1"), ({"seed": "a\n"}, "printable")],
)
def test_a_seat_that_there_is_not_is_refused(
    tmp_path: Path, wish: dict[str, Any], why: str
) -> None:
    (refused,) = sat(tmp_path, choice_of, **wish)
    assert (refused["kind"], refused["of"]) == ("refused", "sit")
    assert why in refused["why"]


def test_ones_own_bot_that_does_not_start_is_refused_at_its_line(tmp_path: Path) -> None:
    *_, refused = sat(tmp_path, choice_of, opponent="own", files=template(main="x = (\n"))
    assert (refused["of"], refused["file"], refused["line"]) == ("sit", "main.py", 1)
    assert "SyntaxError" in refused["why"]


def test_a_seat_that_is_taken_over_goes_on_as_recorded_if_the_person_chooses_so(
    tmp_path: Path,
) -> None:
    step = asked_from(tmp_path, 0, 5)
    told = taken_over(tmp_path, choice_of, step, 0)
    ends = told[-1]["ends"]
    (replay,) = [event for event in told if event["kind"] == "replay"]
    recorded = [who for step in replay["block"]["asked"][0][step:] for who in step if who[0] == 0]
    first = next(
        event["message"] for event in told if event.get("message", {}).get("type") == "ask"
    )
    assert first["frame"]["events"], "what the seat saw before"
    assert ends["now"]["choice"] == choice_of(0, len(first["ask"]["legal"]))
    same = taken_over(tmp_path, lambda asked, legal: recorded[asked][3], step, 0)[-1]["ends"]
    of_bots = same["then"].pop("digest")
    assert same["then"] | {"digest": of_bots} == ends["then"]
    assert same["now"].pop("digest") != of_bots, "a person sat there"
    assert same["now"] == same["then"]


@pytest.mark.parametrize(
    ("step", "seat", "why"),
    [(5, 2, "--seat 2"), (10_000, 0, "--step 10000"), ("5", 0, "--step"), (5, True, "--seat")],
)
def test_a_seat_that_was_not_asked_cannot_be_taken_over(
    tmp_path: Path, step: Any, seat: Any, why: str
) -> None:
    *_, refused = taken_over(tmp_path, choice_of, step, seat)
    assert (refused["kind"], refused["of"]) == ("refused", "take_over")
    assert why in refused["why"]


@pytest.mark.parametrize("live", [True, False])
def test_the_records_of_a_play_stay_when_its_match_with_a_person_is_left(
    tmp_path: Path, live: bool
) -> None:
    step = asked_from(tmp_path, 0, 5)
    after = [
        {"do": "replay", "name": "1/0"},
        {"do": "go_on", "name": "1/0", "step": step, "seat": 0, "choice": 0},
    ]
    told = taken_over(
        tmp_path, lambda asked, legal: 0 if asked < 2 else LEAVE, step, 0, live=live, after=after
    )
    first, again = [event for event in told if event["kind"] == "replay"]
    assert [event["kind"] for event in told[-3:]] == ["left", "replay", "gone_on"]
    assert again == first
    assert not any(event["kind"] == "stood" for event in told)


def test_a_match_of_its_own_that_is_left_ends(tmp_path: Path) -> None:
    seated, *_, left = sat(tmp_path, lambda asked, legal: LEAVE)
    assert (seated["kind"], left) == ("seated", {"kind": "left"})
