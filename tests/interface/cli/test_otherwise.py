"""``match --from ... --choice``: another choice is put into a stored match, and the
bots go on.
"""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena import SECONDS, arena, bots, descendants, left_over
from forked_command import started
from in_targets import soak_but_every
from stopping import STOPPED
from stores import NAIVE, RANDOM, SEATS, bytes_in
from stores import games as games
from wording import pattern, sentence

from khiva_arena.bots.sandbox.detect import best
from khiva_arena.competition.events.find import match_of
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands import otherwise as command
from khiva_arena.interface.commands.decision import decision_of
from khiva_arena.interface.commands.stored_table import StoredTable, stored_table
from khiva_arena.records.replay.decided import StoredDecision, choice_meant
from khiva_arena.records.replay.record import Choice, Record
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow

THIS_DEAL = sentence("match", "this-deal")


def record_of(store: Path, match: str) -> Record:
    with Store.read(store) as opened:
        return match_of(opened, match).row.parsed()


def otherwise(
    store: Path, match: str, step: int, seat: int, choice: object, *more: str
) -> dict[str, Any]:
    place = ("--step", str(step), "--seat", str(seat), "--choice", str(choice))
    found: dict[str, Any] = json.loads(
        arena("match", "--from", "out", match, *place, *more, "--json", cwd=store).stdout
    )
    return found


@pytest.mark.parametrize("event", soak_but_every(range(1, 1 + len(SEATS)), 3))
def test_the_recorded_choice_brings_the_recorded_end_and_nothing_is_written(
    games: Path, event: int
) -> None:
    match, before, processes = f"{event}/1", bytes_in(games / "out"), descendants(os.getpid())
    record = record_of(games / "out", match)
    for step in (1, len(record.steps) // 2, len(record.steps)):
        seat, choice, _ = record.steps[step - 1][-1]
        found = otherwise(games, match, step, seat, choice)
        assert (
            [end["digest"] for end in found["now"]] == [found["then"]["digest"]] == [record.digest]
        )
        assert found["now"][0]["words"] == found["then"]["words"]
    assert bytes_in(games / "out") == before
    assert left_over(processes) == []


@pytest.mark.soak
def test_matches_with_faults_end_as_they_did(round_robin: Path) -> None:
    faulty = 0
    for match in ("1/3", "1/5", "1/9"):
        record = record_of(round_robin / "out", match)
        faulty += any(choice.why for step in record.steps for choice in step)
        own = [
            (step, *choice[:2])
            for step, choices in enumerate(record.steps, 1)
            for choice in choices
            if not choice.why
        ]
        for place in (own[0], own[-1]):
            assert otherwise(round_robin, match, *place)["now"][0]["digest"] == record.digest, (
                match,
                place,
            )
    assert faulty


def test_both_ends_stand_beside_each_other(games: Path) -> None:
    record = record_of(games / "out", "1/0")
    seat, then, _ = record.steps[0][0]
    now = 0 if then else 1
    place = ("--step", "1", "--seat", str(seat))
    done = arena("match", "--from", "out", "1/0", *place, "--choice", str(now), cwd=games)
    assert sentence("match", "sent-again") in done.stderr
    title, heads, choices, *ends, last = done.stdout.splitlines()
    ends, tables = ends[:2], ends[2:]
    assert re.fullmatch(
        rf"match 1/0, step 1, seat {seat} \(\w+\), play_pass; hand( [WBGPK]\d){{8}}", title
    )
    assert heads.split() == ["then", "now"]
    card = r"[WBGPK]\d [WBGPK]\d"
    assert re.fullmatch(
        rf"choice +{then}: play {card}, pass {card} +{now}: play {card}, pass {card}", choices
    )
    found = otherwise(games, "1/0", 1, seat, now)
    for at, line in enumerate(ends):
        name, *cells = re.split(r"  +", line)
        assert name == f"{record.header.seats[at].name}#{at}"
        assert cells == [
            f"{found[when]['scores'][at]} points ({found[when]['ranks'][at]}.)"
            for when in ("then",)
        ] + [f"{found['now'][0]['scores'][at]} points ({found['now'][0]['ranks'][at]}.)"]
    assert last == THIS_DEAL
    for table, when, end in (
        (tables[:4], "then", found["then"]),
        (tables[4:], "now", found["now"][0]),
    ):
        assert table[0].startswith(f"{sentence('replay', 'points-by-source')} {when}, ")
        for at, row in enumerate(table[2:]):
            points = end["points"][at]
            assert sum(points["counted"].values()) == end["scores"][at]
            numbers = [
                *points["counted"].values(),
                end["scores"][at],
                *points["uncounted"].values(),
            ]
            assert row.split()[1:] == [*map(str, numbers)]
    assert len(tables) == 8
    by_words = arena(
        "match",
        "--from",
        "out",
        "1/0",
        *place,
        "--choice",
        found["now"][0]["words"].upper(),
        cwd=games,
    )
    assert by_words.stdout == done.stdout
    other = arena(
        "match",
        "--from",
        "out",
        "1/0",
        *place,
        "--choice",
        str(now),
        *bots(NAIVE, RANDOM),
        cwd=games,
    ).stdout
    assert "#0, now naive " in other


def test_every_choice_is_tried_and_the_best_stands_first(games: Path) -> None:
    record = record_of(games / "out", "1/0")
    seat, choices = next((one.seat, len(step)) for step in record.steps[-1:] for one in step)
    step = len(record.steps)
    place = (
        "match",
        "--from",
        "out",
        "1/0",
        "--step",
        str(step),
        "--seat",
        str(seat),
        "--try",
        "all",
    )
    found = json.loads(arena(*place, "--json", cwd=games).stdout)
    assert len(found["now"]) > 1
    assert choices
    lines = arena(*place, cwd=games).stdout.splitlines()
    assert lines[-1] == THIS_DEAL
    rows = lines[2:-1]
    numbers = [int(re.findall(r"  (\d+): ", row)[0]) for row in rows]
    by_choice = {
        end["choice"]: (end["ranks"][seat], -end["scores"][seat], end["choice"])
        for end in found["now"]
    }
    assert numbers == sorted(by_choice, key=by_choice.__getitem__)
    assert [row for row in rows if "as recorded" in row] == [
        rows[numbers.index(found["then"]["choice"])]
    ]


def last_decision(games: Path) -> tuple[tuple[str, ...], int]:
    """Return the words that name the last decision of a match, and its number of
    choices.
    """
    record = record_of(games / "out", "1/0")
    (seat,) = (one.seat for one in record.steps[-1][:1])
    place = ("match", "--from", "out", "1/0", "--step", str(len(record.steps)), "--seat", str(seat))
    said = arena(*place, cwd=games, code=2).stderr
    return place, len(re.findall(r"\b\d+: ", said.partition(" had ")[2]))


def test_some_choices_are_tried_and_each_end_is_said_as_it_comes(games: Path) -> None:
    place, choices = last_decision(games)
    done = arena(*place, "--try", "1, 0,1", "--json", cwd=games)
    assert [end["choice"] for end in json.loads(done.stdout)["now"]] == [1, 0]
    lines = done.stderr.splitlines()
    others = [line for line in lines if re.match(r"\d of \d: ", line)]
    estimate = pattern(
        "match", "tried-takes", text="2 matches, .*", in_time=".* m?s", in_time_2=".* m?s"
    )
    assert any(re.fullmatch(estimate, line) for line in lines[: lines.index(others[0])])
    assert [
        re.match(r"(\d) of 2: choice (\d), .*: \d+ points? \(\d", line) is not None
        for line in others
    ] == [True, True]
    for word in ("", "x", "0,x", str(choices), f"0,{choices}", "-1", "all,0"):
        said = arena(*place, f"--try={word}", cwd=games, code=2).stderr
        assert "had 0: " in said, word


def test_an_interrupt_prints_the_choices_that_were_played(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, choices = last_decision(games)
    played = command.play_all

    def stops(jobs: Any, at_a_time: int, take: Any) -> None:
        played(list(jobs)[:1], at_a_time, take)
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "play_all", stops)
    process = started(*place, "--try", "all", cwd=games)
    out, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == STOPPED
    assert f"1 of {choices}: choice 0, " in errors
    assert "interrupted: 1 choice was played" in errors.splitlines()[-1]
    assert out.splitlines()[-1] == THIS_DEAL
    assert len(re.findall(r"  0: ", out)) == 1
    process = started(*place, "--try", "all", "--json", cwd=games)
    assert [
        end["choice"] for end in json.loads(process.communicate(timeout=SECONDS)[0])["now"]
    ] == [0]


def test_flags_that_do_not_go_together_are_one_line(games: Path) -> None:
    store = ("match", "--from", "out", "1/0")
    for words, said in (
        (
            ("match", "--step", "1"),
            (
                "--step, --seat, --choice and --try change a stored match: name it with --from "
                "STORE MATCH"
            ),
        ),
        (
            (*store, "--choice", "1"),
            (
                "--choice and --try need the decision: add --step N and --seat S, as "
                "`khiva-arena replay` numbers them"
            ),
        ),
        (
            (*store, "--step", "1", "--seat", "0"),
            "--choice K, --try all or --try 0,1: give one of them; at step 1 seat 0 had 0: play ",
        ),
        (
            (*store, "--step", "1", "--seat", "0", "--try", "all", "--trace"),
            (
                "--try plays several matches: --trace, --capture, --notes and --by-function go "
                "with --choice"
            ),
        ),
        ((*store, "--step", "1", "--seat", "0", "--choice", "0", "--turn", "1s"), "only --bot"),
    ):
        done = arena(*words, cwd=games, code=2)
        assert said in done.stderr, words
        assert (done.stdout, done.stderr.count("\n")) == ("", 1), words


def table_of(store: Path, match: str) -> StoredTable:
    return stored_table(store, match, {})


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(ConfigError) as caught:
        call()
    return str(caught.value)


def test_what_is_not_there_is_named_with_what_is(games: Path) -> None:
    table = table_of(games / "out", "1/0")
    steps = table.record.steps
    step = next(number for number, choices in enumerate(steps, 1) if len(choices) == 1)
    seat = 1 - steps[step - 1][0].seat
    asked = ", ".join(
        str(number)
        for number, choices in enumerate(steps, 1)
        if seat in [one.seat for one in choices]
    )
    name = table.record.header.seats[seat].name
    for bad in (step, len(steps) + 1):
        said = refused(lambda bad=bad: decision_of(table, bad, seat))
        assert said.startswith(
            f"--step {bad}: seat {seat} ({name}) was not asked there; it was asked at"
            + f" steps {asked}, of the "
        )
    assert "--seat 7: the match has 2 seats, 0 to 1" in refused(lambda: decision_of(table, 1, 7))
    decision = decision_of(table, 1, 0)
    text = decision.texts[7]
    for words in (text, text.upper(), "7", "/".join(re.findall(r"[A-Z]\d", text))):
        assert choice_meant(decision, words) == 7
    assert refused(lambda: choice_meant(decision, "99999")).startswith(
        "--choice 99999: no choice has these words; at step 1 "
    )
    assert refused(lambda: choice_meant(decision, "-1")).startswith(
        "--choice -1: no choice has these words; "
    )
    assert refused(lambda: choice_meant(decision, "")).startswith(
        "--choice : no choice has these words; "
    )
    assert refused(lambda: choice_meant(decision, "play")).endswith(
        f"; and {len(decision.texts) - 8} more"
    )
    few = refused(
        lambda: choice_meant(decision, text.split(", ")[0])
    )  # only those that fit are listed
    assert f"7: {text}" in few
    assert decision.texts[-1] not in few


def test_words_of_a_choice_stand_in_any_order_within_a_part() -> None:
    texts = ["play G5 W2, pass B1 K1", "play B1 K1, pass G5 W2", "play G5 B1, pass W2 K1"]
    decision = StoredDecision(1, 0, "play_pass", "", texts, Choice(0, 0, ""))
    for word, choice in (("W2 G5/K1 B1", 0), ("w2 G5 / b1", 0), ("K1/W2", 1), ("B1 G5/W2 K1", 2)):
        assert choice_meant(decision, word) == choice, word
    said = refused(lambda: choice_meant(decision, "W2/G5"))
    assert said.startswith("--choice W2/G5: no choice has these words; at step 1 seat 0 had ")
    many = decision._replace(texts=[f"{number} coins" for number in (*range(5, 9), *range(20, 30))])
    assert [choice_meant(many, word) for word in ("3", "29", "28 coins")] == [
        3,
        13,
        12,
    ]  # an index comes first
    assert refused(lambda: choice_meant(many, "30")).count(" coins") == 8


def test_nothing_is_tried_out_on_a_deal_that_is_not_over(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "reveals", lambda _store, _event: {})
    place, said = (
        ("--from", "out", "1/0", "--step", "1", "--seat", "0"),
        sentence("match", "deal-not-over", name="1/0"),
    )
    for words in (("match", *place, "--try", "all"), ("match", *place)):
        done = arena(*words, cwd=games, code=2)
        assert (done.stdout, done.stderr) == ("", f"khiva-arena: error: {said}\n")


@pytest.mark.language
def test_in_ticks_the_recorded_choice_brings_the_recorded_match_bit_for_bit(ticks: Path) -> None:
    faulty = 0
    for match in ("1/0", "1/1", "1/3"):
        record = record_of(ticks / "out", match)
        faulty += any(choice.why for step in record.steps for choice in step)
        own = [
            (step, *choice[:2])
            for step, choices in enumerate(record.steps, 1)
            for choice in choices
            if not choice.why
        ]
        for place in (own[0], own[-1]):
            assert otherwise(ticks, match, *place)["now"][0]["digest"] == record.digest, (
                match,
                place,
            )
    assert faulty
    step, seat, choice = own[0]
    place = ("--step", str(step), "--seat", str(seat), "--choice", "1" if choice == 0 else "0")
    said = arena("match", "--from", "out", match, *place, cwd=ticks)
    assert sentence("match", "sent-again") not in said.stderr
    assert sentence("replay", "kept-at", level=best()) in said.stdout.splitlines()[0]
