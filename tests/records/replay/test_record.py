"""Records: canonical text, the chain, and that nothing in a record can be changed
without being found.
"""

import json
from typing import Any

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from jobs import SECRET, job
from msgspec.structs import replace
from scripted import act, honest, play
from wording import pattern

from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Verdict, final_ranks
from khiva_arena.errors import RecordError
from khiva_arena.records.replay.record import FORFEITED, Choice, Record, canonical, run_digest
from khiva_arena.records.replay.verify import faults_of, verify


def played() -> Outcome:
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
    return play(job([Command((), "")] * 3), bots)[0]


OUTCOME = played()
assert OUTCOME.record
RECORD = OUTCOME.record


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
    return tuple(
        tuple(c._replace(**fields) if c is which else c for c in step) for step in RECORD.steps
    )


def _choices(why: str) -> list[Choice]:
    return [choice for step in RECORD.steps for choice in step if choice.why == why]


def _out(verdict: Verdict, at: int) -> Record:
    """The record of a match in which seat 0 is out from a gather on, and all else
    follows from that.
    """
    steps = tuple(
        tuple(Choice(0, 0, FORFEITED) if c.seat == 0 and number > at else c for c in step)
        for number, step in enumerate(RECORD.steps, 1)
    )
    return replace(
        RECORD,
        steps=steps,
        verdicts=(verdict, *RECORD.verdicts[1:]),
        forfeited_at=(at, *RECORD.forfeited_at[1:]),
    )


TAMPERED = {
    "another choice": lambda: replace(RECORD, steps=_changed(_choices("")[0], choice=0)),
    "a fault invented": lambda: replace(
        RECORD, steps=_changed(next(c for c in _choices("") if c.choice), why="timeout")
    ),
    "a default that is none": lambda: replace(
        RECORD, steps=_changed(_choices("illegal")[0], choice=1)
    ),
    "a forfeit forgotten": lambda: replace(
        RECORD, forfeited_at=(None, None, None), verdicts=(Verdict.OK,) * 3
    ),
    "a forfeit invented": lambda: replace(
        RECORD,
        forfeited_at=(3, None, RECORD.forfeited_at[2]),
        verdicts=(Verdict.TIMEOUT, Verdict.OK, RECORD.verdicts[2]),
    ),
    "another verdict": lambda: replace(RECORD, verdicts=(Verdict.OK, Verdict.OK, Verdict.CRASHED)),
    "other scores": lambda: replace(RECORD, scores=(RECORD.scores[0] + 1, *RECORD.scores[1:])),
    "other ranks": lambda: replace(RECORD, ranks=(1, 1, 1)),
    "another reason": lambda: replace(RECORD, reason="forfeits"),
    "a step less": lambda: replace(RECORD, steps=RECORD.steps[:-1]),
    "a step more": lambda: replace(RECORD, steps=(*RECORD.steps, RECORD.steps[-1])),
    "late without being asked": lambda: _out(Verdict.TIMEOUT, 0),
    "illegal without being asked": lambda: _out(Verdict.ILLEGAL, 0),
    "a start that failed later": lambda: _out(Verdict.START_FAILED, 3),
    "no fault at the start": lambda: _out(Verdict.VOID, 0),
    "a list too short": lambda: replace(RECORD, ranks=RECORD.ranks[:2]),
    "another rules version": lambda: replace(
        RECORD, header=replace(RECORD.header, rules_version="0")
    ),
    "another game": lambda: replace(RECORD, header=replace(RECORD.header, game="chess")),
    "another commitment": lambda: replace(RECORD, header=replace(RECORD.header, commit="0" * 64)),
    "another match id": lambda: replace(RECORD, header=replace(RECORD.header, match="other")),
    "another seat number": lambda: replace(
        RECORD,
        header=replace(
            RECORD.header,
            seats=(RECORD.header.seats[0]._replace(number=1), *RECORD.header.seats[1:]),
        ),
    ),
}


@cases("what", TAMPERED)
def test_tampering_is_found_even_with_a_fitting_chain(what: str) -> None:
    tampered = TAMPERED[what]()
    assert tampered.digest != RECORD.digest
    with pytest.raises(RecordError):
        verify(tampered, SECRET)


def lonely(verdict: Verdict, at: int) -> Record:
    """Two seats; the first of them is out at once."""
    found = play(job([Command((), "")] * 2), [lambda m: [(0.0, b"")], honest])[0].record
    assert found is not None
    assert (found.forfeited_at, found.steps) == ((0, None), ())
    return replace(found, verdicts=(verdict, Verdict.OK), forfeited_at=(at, None))


@pytest.mark.parametrize("verdict", Verdict)
def test_what_may_be_a_fault_of_the_start(verdict: Verdict) -> None:
    """A seat that greeted may still break the protocol at once; it cannot be late or
    choose wrongly.
    """
    if verdict in (
        Verdict.START_FAILED,
        Verdict.PROTOCOL,
        Verdict.CRASHED,
        Verdict.FLOODED,
        Verdict.RESOURCE,
    ):
        verify(lonely(verdict, 0), SECRET)
        assert faults_of(lonely(verdict, 0)) == [[(str(verdict), 0)], []]
    else:
        with pytest.raises(
            RecordError,
            match="cannot be a fault at the start|" + pattern("replay", "not-go-together"),
        ):
            verify(lonely(verdict, 0), SECRET)


def test_a_start_cannot_fail_later() -> None:
    steps = RECORD.steps[: RECORD.forfeited_at[2]]
    asked = next(
        number for number, step in enumerate(steps, 1) if 0 not in [choice.seat for choice in step]
    )
    with pytest.raises(
        RecordError,
        match=pattern("replay", "step-seat-forfeited-without", number=f"{asked}", seat="0"),
    ):
        verify(_out(Verdict.START_FAILED, asked), SECRET)


def test_the_faults_that_a_record_tells_of() -> None:
    outcome = OUTCOME
    told = [[(str(blame.verdict), blame.step) for blame in seat.faults] for seat in outcome.seats]
    assert faults_of(RECORD) == told
    assert [[verdict for verdict, _ in seat] for seat in told] == [
        ["timeout", "illegal"],
        [],
        ["protocol"],
    ]


def test_a_fault_of_a_seat_that_was_not_asked_is_told_too() -> None:
    """It prints while another one is asked: no step names it, the forfeit does."""

    def prints_unasked(message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] == "decide":
            return [*honest(message), (0.002, b"text")]
        return honest(message)

    outcome = play(job([Command((), "")] * 3), [prints_unasked, honest, honest])[0]
    assert outcome.record
    verify(outcome.record, SECRET)
    assert faults_of(outcome.record) == [
        [(str(b.verdict), b.step) for b in seat.faults] for seat in outcome.seats
    ]
    assert faults_of(outcome.record)[0]


@pytest.mark.parametrize(
    "change",
    [
        {"steps": [[[0, 0, []]]]},
        {"ranks": [True, 2, 3]},
        {"scores": [1.0, 2, 3]},
        {"reason": None},
        {"verdicts": ["x"] * 3},
    ],
)
def test_values_of_other_types_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="not a record"):
        Record.from_json(canonical(json.loads(RECORD.to_json()) | change).decode())


def test_only_canonical_text_is_a_record() -> None:
    text = RECORD.to_json()
    for other in (f" {text}", text.replace(",", ", ", 1), text.replace("{", '{"a":1,', 1)):
        with pytest.raises(RecordError, match="not canonical"):
            Record.from_json(other)
    with pytest.raises(RecordError, match="not a record"):
        Record.from_json("[" * 100_000)


def test_another_secret_does_not_open_the_commitment() -> None:
    with pytest.raises(RecordError, match="commitment"):
        verify(RECORD, bytes(32))


@given(st.data())
def test_any_changed_byte_of_the_text_is_found(data: st.DataObject) -> None:
    text = RECORD.to_json()
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(
        st.characters(min_codepoint=32, max_codepoint=126).filter(lambda c: c != text[at])
    )
    with pytest.raises(RecordError):
        verify(Record.from_json(text[:at] + other + text[at + 1 :]), SECRET)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", '{"header": 3}', '{"header":{"seats":[]},"steps":[]}']
)
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
def test_final_ranks(
    ranks: tuple[int, ...], forfeited: tuple[int | None, ...], final: list[int]
) -> None:
    assert final_ranks(ranks, forfeited) == final


def _in_other_words() -> dict[str, str]:
    """The text of the record, written so that it means the same and is not what the
    arena writes; and what no record may be.
    """
    text = RECORD.to_json()
    score = f'"scores":[{RECORD.scores[0]}'
    changes = {
        "a space": (",", ", "),
        "a number as a float": (score, f"{score}.0"),
        "a number with an exponent": (score, f"{score}e0"),
        "minus zero": ('"steps":[[[0,', '"steps":[[[-0,'),
        "an escaped letter": ('"reason"', '"re\\u0061son"'),
        "an escaped letter of a value": (RECORD.reason, "\\u006f" + RECORD.reason[1:]),
        "a key twice": ('"reason":', '"reason":"over","reason":'),
        "a key more": ('"reason":', '"more":1,"reason":'),
        "a key of the header more": ('"isolation":', '"aaa":1,"isolation":'),
        "a number as a word": (score, score.replace("[", '["') + '"'),
        "true as a number": (',1,""]', ',true,""]'),
        "a number beyond 64 bits": (score, score + "0" * 30),
        "a rule that is a float": ('"rules":{', '"rules":{"aaa":1e16,'),
        "DEL in a name": (
            f'"{RECORD.header.seats[0].name}"',
            f'"{RECORD.header.seats[0].name}\x7f"',
        ),
        "a format that nobody reads": ('"format":1', '"format":2'),
        "a chain of zeros": (RECORD.digest, "0" * 64),
        "no chain": (f'"digest":"{RECORD.digest}",', ""),
    }
    return {name: text.replace(old, new, 1) for name, (old, new) in changes.items()}


@cases("change", _in_other_words())
def test_no_text_but_the_canonical_one_is_a_record(change: str) -> None:
    text = _in_other_words()[change]
    assert text != RECORD.to_json()
    with pytest.raises(RecordError):
        Record.from_json(text)


def test_signs_that_encoders_write_differently_are_read() -> None:
    """The quick way to compare a text holds for plain signs alone; these are read by
    the other way.
    """
    first, *others = RECORD.header.seats
    for name in ("Zo\xeb", "back\\slash", 'a "quote"', "\x7f", "\ud800", "\n"):
        record = replace(
            RECORD, header=replace(RECORD.header, seats=(first._replace(name=name), *others))
        )
        again = Record.from_json(record.to_json())
        assert (again, again.digest) == (record, record.digest)


def test_a_changed_record_has_a_digest_of_its_own() -> None:
    assert RECORD.digest == Record.from_json(RECORD.to_json()).digest  # by now it is kept
    assert replace(RECORD, reason="forfeits").digest != RECORD.digest


def test_a_seat_that_chooses_twice_in_a_step_is_found() -> None:
    step = RECORD.steps[0]
    twice = replace(RECORD, steps=((*step, step[-1]), *RECORD.steps[1:]))
    with pytest.raises(RecordError, match="step 1 "):
        verify(twice, SECRET)
    turned = replace(RECORD, steps=(tuple(reversed(step)), *RECORD.steps[1:]))
    with pytest.raises(RecordError, match="step 1 "):
        verify(turned, SECRET)
