"""Records: canonical text, the chain, and that nothing in a record can be changed without being found."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jobs import SECRET, job
from scripted import act, honest, play

from khiva_arena.arbiter.wire import Command
from khiva_arena.errors import RecordError
from khiva_arena.replay.record import Choice, Record, canonical, run_digest
from khiva_arena.replay.verify import verify
from khiva_arena.result import Verdict, final_ranks


def played() -> Record:
    """A match with a timeout, an illegal choice and a forfeit in it."""
    counts = [0, 0, 0]

    def faulty(message: dict[str, Any], seat: int, at: dict[int, str]) -> list[tuple[float, bytes]]:
        counts[seat] += message["type"] == "decide"
        how = at.get(counts[seat]) if message["type"] == "decide" else None
        if how == "late":
            return []
        if how == "illegal":
            return act(message, choice=77)
        return [(0.0, b"text")] if how == "text" else honest(message)

    bots = [
        lambda m: faulty(m, 0, {2: "late", 5: "illegal"}),
        lambda m: faulty(m, 1, {}),
        lambda m: faulty(m, 2, {7: "text"}),
    ]
    record = play(job([Command((), "")] * 3), bots)[0].record
    assert record is not None
    return record


RECORD = played()


def test_the_record_replays() -> None:
    verify(RECORD, SECRET)
    whys = {choice.why for step in RECORD.steps for choice in step}
    assert whys == {"", "timeout", "illegal", "protocol", "forfeited"}


def test_text_round_trip() -> None:
    text = RECORD.to_json()
    again = Record.from_json(text)
    assert again == RECORD
    assert again.to_json() == text
    assert text == canonical(json.loads(text)).decode()


def test_nothing_of_time_or_attempt_is_in_it() -> None:
    assert set(json.loads(RECORD.to_json())) == {
        "header",
        "steps",
        "verdicts",
        "forfeited_at",
        "ranks",
        "scores",
        "reason",
        "digest",
    }


def _changed(which: Choice, **fields: Any) -> tuple[tuple[Choice, ...], ...]:
    return tuple(tuple(c._replace(**fields) if c is which else c for c in step) for step in RECORD.steps)


def _choices(why: str) -> list[Choice]:
    return [choice for step in RECORD.steps for choice in step if choice.why == why]


TAMPERED = {
    "another choice": lambda: replace(RECORD, steps=_changed(_choices("")[0], choice=0)),
    "a fault invented": lambda: replace(RECORD, steps=_changed(next(c for c in _choices("") if c.choice), why="timeout")),
    "a default that is none": lambda: replace(RECORD, steps=_changed(_choices("illegal")[0], choice=1)),
    "a forfeit forgotten": lambda: replace(RECORD, forfeited_at=(None, None, None), verdicts=(Verdict.OK,) * 3),
    "a forfeit invented": lambda: replace(
        RECORD, forfeited_at=(3, None, RECORD.forfeited_at[2]), verdicts=(Verdict.TIMEOUT, Verdict.OK, RECORD.verdicts[2])
    ),
    "another verdict": lambda: replace(RECORD, verdicts=(Verdict.OK, Verdict.OK, Verdict.CRASHED)),
    "other scores": lambda: replace(RECORD, scores=(RECORD.scores[0] + 1, *RECORD.scores[1:])),
    "other ranks": lambda: replace(RECORD, ranks=(1, 1, 1)),
    "another reason": lambda: replace(RECORD, reason="forfeits"),
    "a step less": lambda: replace(RECORD, steps=RECORD.steps[:-1]),
    "a step more": lambda: replace(RECORD, steps=(*RECORD.steps, RECORD.steps[-1])),
    "a list too short": lambda: replace(RECORD, ranks=RECORD.ranks[:2]),
    "another rules version": lambda: replace(RECORD, header=replace(RECORD.header, rules_version="0")),
    "another game": lambda: replace(RECORD, header=replace(RECORD.header, game="chess")),
    "another commitment": lambda: replace(RECORD, header=replace(RECORD.header, commit="0" * 64)),
    "another match id": lambda: replace(RECORD, header=replace(RECORD.header, match="other")),
    "another seat number": lambda: replace(
        RECORD, header=replace(RECORD.header, seats=(RECORD.header.seats[0]._replace(number=1), *RECORD.header.seats[1:]))
    ),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_tampering_is_found_even_with_a_fitting_chain(what: str) -> None:
    tampered = TAMPERED[what]()
    assert tampered.digest != RECORD.digest
    with pytest.raises(RecordError):
        verify(tampered, SECRET)


def test_another_secret_does_not_open_the_commitment() -> None:
    with pytest.raises(RecordError, match="commitment"):
        verify(RECORD, bytes(32))


@given(st.data())
def test_any_changed_byte_of_the_text_is_found(data: st.DataObject) -> None:
    text = RECORD.to_json()
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(min_codepoint=32, max_codepoint=126).filter(lambda c: c != text[at]))
    with pytest.raises(RecordError):
        verify(Record.from_json(text[:at] + other + text[at + 1 :]), SECRET)


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"header": 3}', '{"header":{"seats":[]},"steps":[]}'])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(RecordError, match="not a record"):
        Record.from_json(text)


def test_run_digest_depends_on_order() -> None:
    assert run_digest(["a", "b"]) != run_digest(["b", "a"])


@pytest.mark.parametrize(
    ("ranks", "forfeited", "final"),
    [
        ((1, 2, 3), (None, None, None), [1, 2, 3]),
        ((1, 1, 3), (None, None, None), [1, 1, 3]),
        ((1, 2, 3), (5, None, None), [3, 1, 2]),
        ((1, 2, 3), (5, 9, None), [3, 2, 1]),
        ((1, 2, 3, 4), (5, 5, None, None), [3, 3, 1, 2]),
        ((1, 2), (0, 0), [1, 1]),
    ],
)
def test_final_ranks(ranks: tuple[int, ...], forfeited: tuple[int | None, ...], final: list[int]) -> None:
    assert final_ranks(ranks, forfeited) == final
