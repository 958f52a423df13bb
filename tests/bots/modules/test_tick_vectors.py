"""The vectors of whole matches: they are what is played here, their frames follow from
their records, and their bots answer alike when they run again.
``tests/bots/modules/runner/test_runner_vectors.py`` gives them to the verifier.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import msgpack
import pytest
from golden import orders_of, short
from makers import maker_at
from modules import answers_to

from khiva_arena.bots.protocol import codec
from khiva_arena.common.result import TICKS_A_MS, Verdict
from khiva_arena.games.registry import GAMES, get
from khiva_arena.records.replay.record import FORFEITED, Record, canonical
from khiva_arena.records.replay.requests import requests

MOST_SEATS = 5
SMALL = 1_000
"""Bytes of a module at most."""


@pytest.fixture(scope="module")
def maker() -> Iterator[ModuleType]:
    """Load the maker of the file, which is a module of this folder."""
    with maker_at(Path(__file__).with_name("make_ticks.py")) as module:
        yield module


@pytest.fixture(scope="module")
def vectors(maker: ModuleType) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(maker.VECTOR_FILE.read_text("utf-8"))
    return content


@pytest.fixture(scope="module")
def records(vectors: dict[str, Any]) -> dict[str, Record]:
    """Read the record of each match, whose digest is compared."""
    every = [Record.from_json(canonical(one).decode()) for one in vectors["records"]]
    return {record.header.match: record for record in every}


def frames_of(row: Mapping[str, Any]) -> list[str]:
    """Return what a seat was sent."""
    return [order["bytes"] for order in row["orders"] if order["bytes"]]


def answered_again(
    vectors: Mapping[str, Any], row: Mapping[str, Any], orders: list[dict[str, Any]]
) -> tuple[Any, Any]:
    """Return orders with what the arena's runner now answers to them, and what the
    module writes on stderr.
    """
    module = bytes.fromhex(vectors["modules"][row["module"]])
    told = [(order["order"], order.get("ticks", 0), order["bytes"]) for order in orders]
    answers, notes = answers_to(told, module, bytes.fromhex(row["key"]), row["most_bytes"])
    return orders_of(told, answers), short(notes)


@pytest.mark.slow
def test_the_matches_are_played_as_they_were(maker: ModuleType, vectors: dict[str, Any]) -> None:
    ((path, text),) = maker.files().items()
    played = json.loads(text)
    for was, row in zip(vectors["seats"], played["seats"], strict=True):
        assert was == row, f"{row['name']}: `make vectors`, but only for a new price list"
    assert played["records"] == vectors["records"]
    assert path.read_text("utf-8") == text


def test_every_frame_follows_from_the_record_alone(
    maker: ModuleType, vectors: dict[str, Any], records: dict[str, Record]
) -> None:
    for row in vectors["seats"]:
        record, seat = records[row["match"]], int(row["name"].split()[-1])
        messages = [one.message for one in requests(record, maker.SECRET, seat, {})]
        assert [codec.encode_for_module(message).hex() for message in messages] == frames_of(row), (
            row["name"]
        )


def test_modules_answer_alike_when_they_run_again(vectors: dict[str, Any]) -> None:
    for row in vectors["seats"]:
        assert answered_again(vectors, row, row["orders"]) == (row["orders"], row["stderr"]), row[
            "name"
        ]


def test_another_byte_anywhere_in_a_frame_changes_what_is_answered(vectors: dict[str, Any]) -> None:
    row = next(row for row in vectors["seats"] if row["name"] == "ticks-khiva-3 seat 1")
    order = row["orders"][1]
    for at in range(4, len(order["bytes"]) // 2, 25):
        frame = bytearray.fromhex(order["bytes"])
        frame[at] ^= 1
        orders = [row["orders"][0], {**order, "bytes": frame.hex()}]
        assert answered_again(vectors, row, orders)[0][1]["used"] != order["used"], at


def test_every_game_number_of_seats_and_fault_has_a_match(
    vectors: dict[str, Any], records: dict[str, Record]
) -> None:
    headers = [record.header for record in records.values()]
    tables = {(header.game, len(header.seats)) for header in headers}
    assert tables == {
        (game, seats) for game in GAMES for seats in get(game).seats if seats <= MOST_SEATS
    }
    assert {header.policy for header in headers} == {"lenient", "strict"}
    assert {record.reason for record in records.values()} == {"over", "forfeits"}
    verdicts = {verdict for record in records.values() for verdict in record.verdicts}
    assert verdicts == set(Verdict) - {Verdict.RESOURCE, Verdict.VOID}
    words = {
        order["word"] for row in vectors["seats"] for order in row["orders"] if "word" in order
    }
    assert words == {"answered", "timeout", "exited", "trapped", "stack"}


def test_each_game_has_a_whole_match_at_its_fewest_seats(records: dict[str, Record]) -> None:
    for name, game in GAMES.items():
        record = records[f"ticks-{name}-{game.seats[0]}-full"]
        assert dict(record.header.rules) == get(name).rules({})
        assert (record.reason, set(record.verdicts)) == ("over", {Verdict.OK})


def test_the_whole_match_of_khiva_has_two_cards_of_a_seat_at_one_camel(
    vectors: dict[str, Any],
) -> None:
    """A verifier that guesses how they are told or listed sends other bytes than
    these.
    """
    rows = [row for row in vectors["seats"] if row["match"] == "ticks-khiva-2-full"]
    messages = [
        msgpack.unpackb(bytes.fromhex(frame)[4:]) for row in rows for frame in frames_of(row)
    ]
    tables = [
        cards for message in messages if "view" in message for cards in message["view"]["table"]
    ]
    pairs = [cards for cards in tables if len(cards) == 2 and cards[0][0] == cards[1][0]]
    paid = [
        message["events"][at + 1 : at + 3]
        for message in messages
        for at, event in enumerate(message.get("events", ()))
        if event["type"] == "win" and [seat for seat, _ in event["rejected"]] in ([0, 0], [1, 1])
    ]
    assert pairs
    assert all(first > second for (_, first), (_, second) in pairs)
    assert paid
    for gems in paid:
        assert [(event["type"], event["count"], event["why"]) for event in gems] == [
            ("gems", 1, "rejected")
        ] * 2


def test_banks_are_used_and_strikes_counted(
    vectors: dict[str, Any], records: dict[str, Record]
) -> None:
    choices = [
        (choice.why, ticks > record.header.time["turn_ms"] * TICKS_A_MS)
        for record in records.values()
        for step, row in zip(record.steps, (record.ticks or ())[1:], strict=True)
        for choice, ticks in zip(step, row, strict=True)
    ]
    assert {("", True), ("timeout", True), ("timeout", False), ("illegal", False)} <= set(choices)
    told = {bytes.fromhex(frame) for row in vectors["seats"] for frame in frames_of(row)}
    assert [
        code
        for code in (b"timeout", b"illegal")
        if not any(b"\xa4code\xa7" + code in frame for frame in told)
    ] == []


def test_ticks_of_a_record_are_those_of_the_orders(
    vectors: dict[str, Any], records: dict[str, Record]
) -> None:
    for row in vectors["seats"]:
        record, seat = records[row["match"]], int(row["name"].split()[-1])
        assert record.ticks is not None
        steps = zip(record.steps, record.ticks[1:], strict=True)
        paid = [
            (choice.why, took)
            for step, ticks in steps
            for choice, took in zip(step, ticks, strict=True)
            if choice.seat == seat
        ]
        recorded = [record.ticks[0][seat], *(took for why, took in paid if why != FORFEITED)]
        questions: list[int] = []
        for order in (order for order in row["orders"] if order["order"] == "ask"):
            questions += [0] if order["bytes"] else []
            questions[-1] += order["ticks"] if order["word"] == "timeout" else order["used"]
        assert questions == recorded, row["name"]


def test_modules_are_small_and_each_plays(vectors: dict[str, Any]) -> None:
    assert max(len(module) // 2 for module in vectors["modules"].values()) < SMALL
    assert {row["module"] for row in vectors["seats"]} == set(vectors["modules"])
