"""The published transcripts and matches keep to SPEC.md, as a referee finds who knows
the lines of a transcript alone.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import msgpack
import pytest

from khiva_arena.bots.protocol import codec
from khiva_arena.games.registry import GAMES
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.verify import faults_of, verify

VECTORS = Path(__file__).parents[3] / "protocol" / "vectors"
TRANSCRIPTS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text()) for path in (VECTORS / "transcripts").iterdir()
}
MATCHES: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text()) for path in (VECTORS / "matches").iterdir()
}

each_transcript = pytest.mark.parametrize("told", TRANSCRIPTS.values(), ids=TRANSCRIPTS)
each_match = pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES)


def first_req(told: dict[str, Any]) -> int:
    """Section 9."""
    block = hashlib.sha256(
        b"khiva-req-1\0" + bytes.fromhex(told["seed_secret"]) + bytes(4) + told["match"].encode()
    ).digest()
    return 1 + (int.from_bytes(block[:8], "big") >> 11) % 2**31


class Referee:
    """One seat: its open request, bank and strikes, by the lines alone. Times in
    milliseconds.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self.turn: int = told["time"]["turn_ms"]
        self.bank: int = told["time"]["bank_ms"]
        self.next_req = first_req(told)
        self.asked_at: int | None = None
        self.answered = False
        self.choices = 0
        self.illegal = False
        self.strikes = 0
        self.greeted = self.dead = self.ended = False
        self.dropped = 0

    @property
    def deadline(self) -> int:
        assert self.asked_at is not None
        return self.asked_at + self.turn + self.bank

    @property
    def is_open(self) -> bool:
        return self.asked_at is not None and not self.answered

    def asked(self, at: int, message: dict[str, Any]) -> None:
        assert self.greeted
        assert not self.is_open
        assert message["req"] == self.next_req
        assert (message["turn_ms"], message["bank_ms"]) == (self.turn, self.bank)
        assert len(message["legal"]) >= 2
        self.next_req += 1
        self.asked_at, self.answered, self.choices = at, False, len(message["legal"])

    def said(self, at: int, message: dict[str, Any] | None) -> None:
        if message is None:
            return
        if message["type"] == "hello":
            self.greeted = True
        elif (
            self.is_open and message["req"] == self.next_req - 1 and type(message["choice"]) is int
        ):
            assert self.asked_at is not None
            assert at <= self.deadline
            self.answered = True
            self.bank -= max(0, at - self.asked_at - self.turn)
            self.illegal = not 0 <= message["choice"] < self.choices
        else:
            self.dropped += 1

    def faulted(self, at: int, message: dict[str, Any]) -> None:
        self.strikes += 1
        assert message["strikes"] == self.strikes
        if message["code"] == "timeout":
            assert self.is_open
            assert at == self.deadline  # the seat that is late is the last one, here
            self.asked_at, self.bank = None, 0
        else:
            assert message["code"] == "illegal"
            assert self.illegal


@each_transcript
def test_a_transcript_keeps_to_the_spec(told: dict[str, Any]) -> None:
    seats = [Referee(told) for _ in range(told["seats"])]
    before = 0
    for line in told["lines"]:
        seat, at = seats[line["seat"]], line["t_ms"]
        assert not seat.dead
        assert not seat.ended
        assert at >= before
        before = at
        if "event" in line:
            seat.dead = line["event"] == "killed"
            continue
        if line["from"] == "bot":
            for message in line["json"]:
                seat.said(at, message)
            continue
        (message,) = line["json"]
        assert msgpack.unpackb(bytes.fromhex(line["hex"])[4:]) == message
        # Nothing goes out while an answer is awaited and not yet late, but the other
        # requests of the same decision.
        others = [
            other for other in seats if other.is_open and not other.dead and other is not seat
        ]
        assert all(other.asked_at == at or at >= other.deadline for other in others)
        if message["type"] == "hello":
            assert at == 0
            assert message["time"] == told["time"]
        elif message["type"] == "decide":
            seat.asked(at, message)
        elif message["type"] == "fault":
            seat.faulted(at, message)
        else:
            seat.ended = True
            assert message == {
                "type": "end",
                **{key: told["result"][key] for key in ("reason", "ranks", "scores")},
            }
    _hold_against_the_result(told, seats)


def _hold_against_the_result(told: dict[str, Any], seats: list[Referee]) -> None:
    result = told["result"]
    assert [seat.dead for seat in seats] == [verdict != "ok" for verdict in result["verdicts"]]
    assert [seat.ended for seat in seats] == [verdict == "ok" for verdict in result["verdicts"]]
    for seat, strikes, faults, out in zip(
        seats, result["strikes"], result["faults"], result["forfeited_at"], strict=True
    ):
        striking = [verdict for verdict, _ in faults if verdict in ("timeout", "illegal")]
        assert strikes == len(striking)
        assert (out is not None) == (
            len(striking) < len(faults) or strikes >= (3 if told["policy"] == "lenient" else 1)
        )
        assert out is None or faults[-1][1] == out
        assert strikes - seat.strikes == (
            1 if seat.dead and striking == [verdict for verdict, _ in faults] else 0
        )
    for seat, left in zip(seats, result["bank_left_ms"], strict=True):
        assert seat.dead or seat.bank == left
    out = [-1 if at is None else at for at in result["forfeited_at"]]
    keys = [
        (at >= 0, -at if at >= 0 else rank) for at, rank in zip(out, result["ranks"], strict=True)
    ]
    assert result["ranks"] == [1 + sum(other < key for other in keys) for key in keys]
    assert (result["reason"] == "forfeits") == (out.count(-1) <= 1)


def _when(name: str, what: str, **line: Any) -> list[int]:
    """When lines of a transcript hold a message type or event."""
    found = []
    for each in TRANSCRIPTS[name]["lines"]:
        kinds = (
            [each["event"]]
            if "event" in each
            else [message["type"] for message in each["json"] if message]
        )
        if what in kinds and all(each[key] == value for key, value in line.items()):
            found.append(each["t_ms"])
    return found


def test_a_broken_frame_is_found_at_once_and_a_bad_payload_when_all_have_answered() -> None:
    assert _when("broken_framing", "killed") == [5]
    assert max(_when("sealed", "act", seat=1)[:1]) == 900
    assert _when("sealed", "killed") == [900]
    assert _when("sealed", "act", seat=0) == [1]


def test_each_transcript_shows_what_it_is_named_for() -> None:
    verdicts = {
        name: [fault[0] for faults in told["result"]["faults"] for fault in faults]
        for name, told in TRANSCRIPTS.items()
    }
    assert verdicts == {
        "clean": [],
        "late_answer_dropped": ["timeout"],
        "bank": ["timeout"],
        "trickle": ["timeout"],
        "three_strikes": ["illegal", "timeout", "illegal"],
        "strict": ["illegal"],
        "broken_framing": ["protocol"],
        "sealed": ["protocol"],
        "breach_behind_an_answer": ["protocol"],
        "answer_before_it_is_asked": ["protocol"],
        "waited_for_again": ["timeout"],
        "flooded": ["flooded"],
        "crash": ["crashed"],
        "start_failed": ["start_failed"],
        "start_failed_twice": ["start_failed", "start_failed"],
        "forfeits_tie": ["crashed", "protocol"],
    }
    banks = [
        m["bank_ms"]
        for line in TRANSCRIPTS["bank"]["lines"]
        if line["seat"] == 0
        for m in line["json"]
        if "bank_ms" in m
    ]
    assert banks == [2000, 1500, 500, 100]
    assert TRANSCRIPTS["three_strikes"]["policy"] == "lenient"
    assert TRANSCRIPTS["strict"]["policy"] == "strict"


# --- whole matches ---


def test_there_is_a_match_of_every_game() -> None:
    assert set(MATCHES) == set(GAMES)


@each_match
def test_the_frames_of_a_match_are_what_is_beside_them_and_follow_its_rule(
    match: dict[str, Any],
) -> None:
    asked: dict[int, dict[str, Any]] = {}
    for line in match["frames"]:
        data, message = bytes.fromhex(line["hex"]), line["json"]
        assert int.from_bytes(data[:4], "big") == len(data) - 4
        assert codec.plain_value(data[4:]) == msgpack.unpackb(data[4:]) == message
        if message["type"] == "decide":
            asked[line["seat"]] = message
        elif message["type"] == "act":
            request = asked.pop(line["seat"])
            choice = (7 * request["req"] + line["seat"]) % len(request["legal"])
            assert message == {"type": "act", "req": request["req"], "choice": choice}
    assert asked == {}


@each_match
def test_the_record_of_a_match_replays_to_its_frames(match: dict[str, Any]) -> None:
    text = json.dumps(match["record"], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    played = Record.from_json(text)
    assert played.digest == match["digest"]
    assert (list(played.ranks), list(played.scores)) == (match["ranks"], match["scores"])
    views: list[dict[str, Any]] = []
    verify(
        played,
        bytes.fromhex(match["seed_secret"]),
        lambda _, state, __: views.extend(map(state.view, state.pending())),
    )
    assert views == [
        line["json"]["view"] for line in match["frames"] if line["json"]["type"] == "decide"
    ]
    assert first_req(match) == match["first_req"]
    for seat, hello in enumerate(line["json"] for line in match["frames"][: match["seats"]]):
        assert (hello["type"], hello["seat"], hello["commit"]) == (
            "hello",
            seat,
            played.header.commit,
        )
        assert hello["seed"] == played.header.seats[seat].number
    assert not any(faults_of(played))
    assert [line["json"]["ranks"] for line in match["frames"] if line["json"]["type"] == "end"] == [
        match["ranks"]
    ] * match["seats"]
