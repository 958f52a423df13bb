"""Matches of scripted bots in virtual time, every message and every byte of them kept
with the time it went over the wire.
"""

from collections.abc import Sequence
from typing import Any

import msgpack
import trio
import trio.testing
from jobs import SECRET
from scripted import Bot, ScriptedWire

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.match import Job, LiveMatch, Outcome
from khiva_arena.arbiter.wire import Arrival
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.games.registry import get
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Header, RecordedSeat

SCRIPTED = Command(("scripted",), "/")


class RecordingWire(ScriptedWire):
    """``lines`` holds a map for each message of the arbiter, each piece that a bot
    writes and each bot that is stopped: t_ms from the start; seat; from, "arbiter" or
    "bot"; json, a list of the messages in it, and hex; or event: "killed" by the
    arbiter, or "end of output" of the bot.
    """

    def __init__(self, bots: Sequence[Bot]) -> None:
        super().__init__(bots)
        self.lines: list[dict[str, Any]] = []
        self._rest = [b""] * len(bots)

    def _line(self, at: float, seat: int, sender: str, **what: Any) -> None:
        self.lines.append(
            {"t_ms": round((at - self._began) * 1000), "seat": seat, "from": sender, **what}
        )

    def send(self, seat: int, data: bytes) -> None:
        if seat not in self.stopped:
            self._line(
                trio.current_time(),
                seat,
                "arbiter",
                json=[msgpack.unpackb(data[4:])],
                hex=data.hex(),
            )
        super().send(seat, data)

    def look(self) -> Sequence[Arrival]:
        out = super().look()
        for seat, at, data in out:
            if data:
                self._rest[seat], messages = cut(self._rest[seat] + data)
                self._line(at, seat, "bot", json=messages, hex=data.hex())
            else:
                self._line(at, seat, "bot", event="end of output")
        return out

    def stop(self, seat: int) -> None:
        if seat not in self.stopped:
            self._line(trio.current_time(), seat, "arbiter", event="killed")
        super().stop(seat)


def cut(data: bytes) -> tuple[bytes, list[Any]]:
    """What is left behind the whole frames, and the messages in them, None for one that
    is no msgpack value. Nothing is left once the framing is broken.
    """
    messages = []
    while len(data) >= 4 and len(data) >= 4 + (size := int.from_bytes(data[:4], "big")):
        try:
            messages.append(msgpack.unpackb(data[4 : 4 + size]))
        except ValueError:
            messages.append(None)
        data = data[4 + size :]
    return (b"", [*messages, None]) if data[:1].strip(b"\0") else (data, messages)


def header(
    game: str, seats: int, rules: dict[str, Any], match: str, policy: str = "lenient", **time: int
) -> Header:
    """The header of a match on the secret of ``jobs``. Times in milliseconds."""
    made = get(game)
    return Header(
        match=match,
        game=game,
        rules_version=made.rules_version,
        rules=made.rules(rules),
        seats=tuple(
            RecordedSeat(f"bot{n}", f"{n:064x}", seeds.seat_number(SECRET, match, n))
            for n in range(seats)
        ),
        commit=seeds.commitment(match, SECRET),
        time={"startup_ms": 5_000, "turn_ms": 1_000, "bank_ms": 2_000} | time,
        policy=policy,
        isolation="trusted",
    )


def record(of: Header, bots: Sequence[Bot]) -> tuple[Outcome, RecordingWire]:
    """Play the match in virtual time."""

    async def run() -> tuple[Outcome, RecordingWire]:
        wire = RecordingWire(bots)
        return await LiveMatch(
            Job(0, 1, of, SECRET, (SCRIPTED,) * len(of.seats)), wire, LagMeter()
        ).play(), wire

    return trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
