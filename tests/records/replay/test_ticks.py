"""Records in ticks: their text, their digest, and ticks that do not add up."""

import json
from typing import Any

import pytest
from jobs import SECRET, job
from msgspec import UNSET
from msgspec.structs import replace
from scripted import honest, play
from wording import pattern

from khiva_arena.bots.protocol.messages import Decide
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import TICKS_A_MS
from khiva_arena.errors import RecordError
from khiva_arena.records.replay.record import FORFEITED, Record
from khiva_arena.records.replay.requests import requests
from khiva_arena.records.replay.ticks import TickBank
from khiva_arena.records.replay.verify import verify

MS = TICKS_A_MS
TURN, BANK = 1_000 * MS, 2_000 * MS


def by_the_wall() -> Record:
    """A match in which seat 0 is late at its second decision, and seat 1 breaks the
    protocol at its fourth.
    """
    counts = [0, 0]

    def faulty(
        message: dict[str, Any], seat: int, at: int, written: list[tuple[float, bytes]]
    ) -> list[tuple[float, bytes]]:
        counts[seat] += message["type"] == "decide"
        return written if message["type"] == "decide" and counts[seat] == at else honest(message)

    record = play(
        job([Command((), "")] * 3),
        [lambda m: faulty(m, 0, 2, []), lambda m: faulty(m, 1, 4, [(0.0, b"text")]), honest],
    )
    assert record[0].record
    return record[0].record


def with_ticks(record: Record) -> Record:
    """The record as if each seat had taken a fixed time, with half of seat 0's bank
    gone at its first decision.
    """
    header = replace(record.header, format=2, clock="ticks", meter=1, isolation="module")
    banks, ticks, asked = [BANK] * 3, [(5, 6, 7)], [0] * 3
    for step in record.steps:
        spent = []
        for seat, _, why in step:
            asked[seat] += 1
            first = seat == 0 and asked[0] == 1
            took = (
                TURN + 1_500 * MS + 1
                if first
                else TURN + banks[seat]
                if why == "timeout"
                else 40_000 + seat
            )
            spent.append(0 if why == FORFEITED else took)
            banks[seat] -= max(0, spent[-1] - TURN)
        ticks.append(tuple(spent))
    return replace(record, header=header, ticks=tuple(ticks))


WALL = by_the_wall()
RECORD = with_ticks(WALL)
LATE = next(
    (n, i)
    for n, step in enumerate(RECORD.steps, 1)
    for i, choice in enumerate(step)
    if choice.why == "timeout"
)
OUT = next(
    (n, i)
    for n, step in enumerate(RECORD.steps, 1)
    for i, choice in enumerate(step)
    if choice.why == FORFEITED
)


def changed(at: tuple[int, int], by: int) -> Record:
    """The record with one number of ticks changed, its chain fitting again."""
    assert RECORD.ticks
    rows = [list(row) for row in RECORD.ticks]
    rows[at[0]][at[1]] += by
    return replace(RECORD, ticks=tuple(map(tuple, rows)))


def test_it_replays_and_comes_back_from_its_text() -> None:
    verify(RECORD, SECRET)
    again = Record.from_json(RECORD.to_json())
    assert again == RECORD
    assert again.digest == RECORD.digest
    raw = json.loads(RECORD.to_json())
    assert (raw["header"]["clock"], raw["header"]["meter"], raw["header"]["format"]) == (
        "ticks",
        1,
        2,
    )
    assert raw["ticks"][0] == [5, 6, 7]


def test_the_wall_clock_leaves_no_word_in_a_record() -> None:
    raw = json.loads(WALL.to_json())
    assert not {"ticks", "clock", "meter"} & {*raw, *raw["header"]}


def test_the_digest_holds_every_tick() -> None:
    places = [(0, 1), (1, 0), LATE, OUT]
    assert len({RECORD.digest, *(changed(at, 1).digest for at in places)}) == len(places) + 1
    assert replace(RECORD, header=replace(RECORD.header, meter=2)).digest != RECORD.digest


WRONG = {
    "a tick that was never there": lambda: changed(OUT, 1),
    "a time-out before its limit": lambda: changed(LATE, -1),
    "a time-out behind its limit": lambda: changed(LATE, 1),
    "an earlier question that leaves another bank": lambda: changed((1, 0), 1),
    "an answer behind turn and bank": lambda: changed((len(RECORD.steps), 0), 3_000 * MS),
    "a start behind its limit": lambda: changed((0, 2), 5_000 * MS),
    "a start too few": lambda: replace(RECORD, ticks=(RECORD.ticks[0][:2], *RECORD.ticks[1:])),  # type: ignore[index]
    "a step too few": lambda: replace(RECORD, ticks=RECORD.ticks[:-1]),  # type: ignore[index]
    "a choice too many": lambda: replace(
        RECORD, ticks=(*RECORD.ticks[:-1], (*RECORD.ticks[-1], 0))
    ),  # type: ignore[index]
    "a seat that is not there": lambda: replace(
        RECORD,
        steps=((RECORD.steps[0][0]._replace(seat=-1), *RECORD.steps[0][1:]), *RECORD.steps[1:]),
    ),
}


NUMBER = "[0-9,]+"
ONE_EACH = pattern("replay", "ticks-not-one-each")
SAYS = {
    "a start behind its limit": "seat 2 took more ticks to start than it had",
    "a start too few": ONE_EACH,
    "a step too few": ONE_EACH,
    "a choice too many": ONE_EACH,
    "a seat that is not there": "it has choices of seats that are not at the table",
}
TOOK = pattern("replay", "ticks-took", step=NUMBER, seat=NUMBER, ticks=NUMBER, most=NUMBER)


@pytest.mark.parametrize("what", WRONG)
def test_ticks_that_do_not_add_up_are_named(what: str) -> None:
    record = Record.from_json(WRONG[what]().to_json())
    with pytest.raises(RecordError, match=SAYS.get(what, TOOK)):
        verify(record, SECRET)


@pytest.mark.parametrize(
    "record",
    [
        replace(RECORD, ticks=None),
        replace(WALL, ticks=RECORD.ticks),
        replace(RECORD, header=replace(RECORD.header, format=1)),
        replace(RECORD, header=replace(RECORD.header, clock=UNSET)),
        replace(RECORD, header=replace(RECORD.header, meter=UNSET)),
        replace(WALL, header=replace(WALL.header, meter=1)),
    ],
)
def test_a_record_has_all_that_its_format_has_and_no_more(record: Record) -> None:
    with pytest.raises(RecordError, match=pattern("replay", "belongs-to-its-format")):
        Record.from_json(record.to_json())


def test_no_number_of_ticks_is_negative() -> None:
    with pytest.raises(RecordError):
        Record.from_json(changed((0, 0), -6).to_json())


def test_a_bank_is_exact_and_never_refills() -> None:
    bank = TickBank({"turn_ms": 1, "bank_ms": 2})
    assert (bank.left_ms, bank.allowance()) == (2, 3 * MS)
    assert bank.charge(MS + 1) == (MS + 1) / (1_000 * MS)
    assert (bank.left_ms, bank.allowance()) == (1, 3 * MS - 1)
    bank.charge(5)
    assert bank.allowance() == 3 * MS - 1
    assert bank.balance == (2 * MS - 1) / (1_000 * MS)


def test_the_requests_of_a_record_have_its_banks() -> None:
    sent = [
        request.message
        for request in requests(RECORD, SECRET, 0, {})
        if isinstance(request.message, Decide)
    ]
    assert [message.bank_ms for message in sent[:4]] == [2_000, 499, 0, 0]
    assert {message.turn_ms for message in sent} == {1_000}
