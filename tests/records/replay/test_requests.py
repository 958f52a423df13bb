"""What a seat was sent, rebuilt from the record, is byte for byte what really went out:
every game, with every kind of fault.
"""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from jobs import SECRET, job
from msgspec import structs
from msgspec.structs import replace
from scripted import act, frame, hello, play

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.messages import Decide, End, Fault
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Verdict
from khiva_arena.errors import RecordError
from khiva_arena.games.registry import GAMES, NAMES
from khiva_arena.records.replay.requests import Request, requests

NOBODY = Command((), "")
SHORT = {"emira": {"max_rounds": 12}, "silk_road": {"max_turns": 30}}
"""All that is sent in these matches is sent in their first rounds, and they go on for
long.
"""


def job_of(game: str, seats: int, policy: str = "lenient") -> Job:
    made = job([NOBODY] * seats, policy=policy)
    found = GAMES[game]
    return structs.replace(
        made,
        header=replace(
            made.header,
            game=game,
            rules_version=found.rules_version,
            rules=found.rules(SHORT.get(game, {})),
        ),
    )


class Wild:
    """Chooses at random, and now and then misbehaves in one of all ways."""

    def __init__(self, seed: str, faults: float) -> None:
        self._random = random.Random(seed)
        self._faults = faults

    def __call__(self, message: dict[str, Any]) -> list[tuple[float, bytes]]:
        bad = self._random.random() < self._faults
        if message["type"] == "hello":
            return [(0.0, b"")] if bad and self._random.random() < 0.2 else hello()
        if message["type"] != "decide":
            return []
        good = act(message, choice=self._random.randrange(len(message["legal"])))
        if not bad:
            return good
        ways = [
            [],  # a timeout
            act(message, choice=len(message["legal"])),
            [(0.0, b"text\n")],
            [(0.0, b"")],
            [
                *good,
                (0.0015, b"text\n"),
            ],  # behind the answer: found when the next decision begins, or later
            [*good, (0.0015, b"")],
            [*good, *act(message, delay=0.0012)],
            [(0.0, frame({"type": "act", "req": message["req"] + 9, "choice": 0}))],
        ]
        return self._random.choice(ways)


def details(outcome: Outcome, seat: int) -> dict[int, str]:
    return {blame.step: blame.detail for blame in outcome.seats[seat].faults}


def check(made: Job, seed: str, faults: float) -> list[list[Request]]:
    outcome, wire = play(
        made, [Wild(f"{seed}/{seat}", faults) for seat in range(len(made.header.seats))]
    )
    assert outcome.record is not None
    by_seat = []
    for seat in range(len(made.header.seats)):
        found = requests(outcome.record, SECRET, seat, details(outcome, seat))
        sent = [frame for number, frame in wire.frames if number == seat]
        rebuilt = [codec.encode(request.message) for request in found]
        if len(sent) < len(rebuilt):
            last = found.pop()
            if isinstance(
                last.message,
                End,
                # it broke the protocol behind its last answer, and the match was over
                # before that told
            ):
                assert seat in wire.stopped
            else:
                assert last.asked is not None
                assert last.asked.perhaps
            rebuilt.pop()
        assert rebuilt == sent
        by_seat.append(found)
    return by_seat


@pytest.mark.slow
@given(
    st.sampled_from(NAMES),
    st.integers(3, 5),
    st.integers(0, 10**6),
    st.sampled_from((0.0, 0.01, 0.1)),
)
@hypothesis_settings(max_examples=25)
def test_rebuilt_requests_are_those_that_were_sent(
    game: str, seats: int, seed: int, faults: float
) -> None:
    check(job_of(game, seats, "strict" if seed % 3 == 0 else "lenient"), str(seed), faults)


def test_a_seat_that_breaks_the_protocol_behind_its_last_answer_is_told_no_end() -> None:
    *_, found = check(job_of("emira", 3), "379", 0.1)
    assert not any(isinstance(request.message, End) for request in found)


def test_every_message_and_both_kinds_of_end_occur() -> None:
    """So that the property above is about something."""
    found = [one for seed in range(12) for one in check(job_of("khiva", 3), str(seed), 0.06)]
    last = [one[-1] for one in found]
    assert {type(request.message) for one in found for request in one[1:]} == {Decide, Fault, End}
    assert any(
        isinstance(request.message, Decide) for request in last
    )  # a seat that is out hears no more
    assert any(request.asked.perhaps for request in last if request.asked)
    banks = {
        request.message.bank_ms
        for one in found
        for request in one
        if isinstance(request.message, Decide)
    }
    assert banks == {0, 2_000}


def test_a_recorded_choice_comes_with_its_state() -> None:
    for request in check(job_of("silk_road", 2), "1", 0.0)[1]:
        if isinstance(request.message, Decide):
            assert request.asked is not None
            assert request.asked.state.pending()[1].kind == request.message.kind
            request.asked.state.clone().apply(
                {seat: choice for seat, choice, _ in request.asked.step}
            )


def test_a_record_that_does_not_replay_is_refused_and_nothing_else() -> None:
    outcome, _ = play(job_of("khiva", 2), [Wild("1", 0.0), Wild("2", 0.0)])
    record = outcome.record
    assert record is not None
    first, *rest = record.steps
    changed = [
        {
            "steps": (
                tuple(choice._replace(choice=(choice.choice + 1) % 5) for choice in first),
                *rest,
            )
        },
        {"steps": (first[1:], *rest)},
        {"steps": (tuple(choice._replace(why="boredom") for choice in first), *rest)},
        {"steps": (tuple(choice._replace(choice=9_999) for choice in first), *rest)},
        {"verdicts": ()},
        {"verdicts": (Verdict.CRASHED, Verdict.OK), "forfeited_at": (-1, None)},
        {"steps": ()},
    ]
    for fields in changed:
        for seat in range(2):
            with pytest.raises(RecordError):
                requests(replace(record, **fields), SECRET, seat, {})
