"""The bytes that a module is sent in a match in ticks, on which its ticks depend:
protocol/METER.md, section 13.
"""

import re
from typing import Any

import msgpack
import pytest
from jobs import SECRET
from msgspec.structs import replace
from scripted_table import Module, ScriptedTable, answer, honest, job_in_ticks, on_decide, play

from khiva_arena.arbiter.match import Job
from khiva_arena.arbiter.tick_batches import Reply, RunEnd
from khiva_arena.bots.protocol import codec
from khiva_arena.games.registry import get
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.requests import requests

GAMES = ("khiva", "emira", "silk_road")


def in_order(value: Any) -> Any:
    """A value whose maps have their keys in ascending order of their UTF-8 bytes, at
    every depth.
    """
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value, key=str.encode)}
    return [in_order(one) for one in value] if isinstance(value, list) else value


def illegal(message: dict[str, Any] | None, _ticks: int) -> Reply:
    assert message
    return answer(message, choice=10**6)


def late(_message: dict[str, Any] | None, ticks: int) -> Reply:
    return Reply(RunEnd.TIMEOUT, ticks)


def a_job(game: str, seats: int) -> Job:
    of_game = get(game)
    job = job_in_ticks(seats)
    header = replace(
        job.header, game=game, rules_version=of_game.rules_version, rules=of_game.rules({})
    )
    return replace(job, header=header)


def played(job: Job) -> tuple[Record, ScriptedTable]:
    """Play with a module that makes an illegal choice, one that is late, and honest
    ones.
    """
    modules: list[Module] = [on_decide(2, illegal), on_decide(1, late), *[honest] * 3]
    outcome, table = play(job, modules[: len(job.header.seats)])
    assert outcome.record
    return outcome.record, table


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seats", [3, 4])
def test_every_frame_is_in_order_and_shortest_and_tells_a_fault_without_words(
    game: str, seats: int
) -> None:
    _, table = played(a_job(game, seats))
    for (_, frame), (_, message) in zip(table.frames, table.sent, strict=True):
        payload = msgpack.packb(in_order(message))
        assert frame == len(payload).to_bytes(4, "big") + payload
    told = [message for _, message in table.sent if message["type"] == "fault"]
    assert {(message["code"], message["detail"]) for message in told} == {
        ("illegal", ""),
        ("timeout", ""),
    }


def test_the_words_of_a_fault_stand_in_the_notes_of_its_seat() -> None:
    _, table = played(a_job("khiva", 3))
    (first, illegal_), (second, late_) = table.remarks
    assert {first, second} == {0, 1}
    words = {illegal_.partition(": ")[2], late_.partition(": ")[2]}
    assert any(re.fullmatch(r"illegal: choice 1000000 of \d+ legal ones", line) for line in words)
    assert any(
        re.fullmatch(r"timeout: used [0-9,]+ of [0-9,]+ ticks, bank empty", line) for line in words
    )


def test_an_order_of_keys_in_the_rules_changes_no_byte() -> None:
    job = a_job("khiva", 2)
    rules = dict(reversed(job.header.rules.items()))
    assert list(rules) != list(job.header.rules)
    other = replace(job, header=replace(job.header, rules=rules))
    assert played(other)[1].frames == played(job)[1].frames


@pytest.mark.parametrize("game", GAMES)
def test_a_record_gives_the_frames_of_each_seat_again(game: str) -> None:
    """``details``, which a record has not, change nothing."""
    record, table = played(a_job(game, 3))
    for seat in range(3):
        again = requests(record, SECRET, seat, dict.fromkeys(range(1_000), "words"))
        sent = [frame for number, frame in table.frames if number == seat]
        assert [codec.encode_for_module(one.message) for one in again] == sent
