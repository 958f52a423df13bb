"""Records of matches in ticks as a forger makes them who knows the rules: changed in
one place, and played on from there, so that replaying finds nothing wrong. Only the
bots themselves can tell.
"""

import json
import random
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from forging import forge, rewrite_records
from msgspec.structs import replace

from khiva_arena.common.result import (
    FAULTS,
    STRIKES_TO_FORFEIT,
    STRIKING,
    Policy,
    Verdict,
    final_ranks,
)
from khiva_arena.games.registry import get
from khiva_arena.records.replay.record import FORFEITED, Choice, Record
from khiva_arena.records.replay.ticks import TickBank
from khiva_arena.records.replay.verify import faults_of

MADE_UP = 40_000
"""Ticks of an answer that is made up."""


class Paid(NamedTuple):
    """A choice in a place of a record: of a seat, at a step, with its fault and its
    ticks.
    """

    step: int
    seat: int
    choice: int
    why: str
    ticks: int


Forge = Callable[[Record, bytes, random.Random], Record | None]
"""Changes a record; None if it has no place for that. Takes the record, the secret of
its seed, and lots.
"""


def places(record: Record) -> list[Paid]:
    """Every choice of a record but those of seats that are out."""
    assert record.ticks
    return [
        Paid(number, *choice, ticks)
        for number, (step, row) in enumerate(zip(record.steps, record.ticks[1:], strict=True), 1)
        for choice, ticks in zip(step, row, strict=True)
        if choice.why != FORFEITED
    ]


def rebuilt(record: Record, secret: bytes, changes: list[Paid]) -> Record | None:
    """A record with changes, played on by the rules. Everything else stays where it
    can. None if a choice is not legal.
    """
    header, seats = record.header, range(len(record.header.seats))
    assert record.ticks
    state, _ = get(header.game).new(len(seats), header.rules, secret)
    kept = {(place.step, place.seat): place for place in [*places(record), *changes]}
    strikes, out = (
        dict.fromkeys(seats, 0),
        {seat: 0 for seat in seats if record.forfeited_at[seat] == 0},
    )
    verdicts = [record.verdicts[seat] if seat in out else Verdict.OK for seat in seats]
    steps, ticks = [], [record.ticks[0]]
    while not state.is_over and len(out) < len(seats) - 1:
        number, step, row = len(steps) + 1, [], []
        for seat, decision in state.pending().items():
            place = kept.get((number, seat), Paid(number, seat, 0, "", MADE_UP))
            if place.choice >= len(decision.legal):
                return None
            step.append(
                Choice(seat, 0, FORFEITED) if seat in out else Choice(seat, place.choice, place.why)
            )
            row.append(0 if seat in out else place.ticks)
        for seat, _, why in step:
            strikes[seat] += why in FAULTS
            if why in FAULTS and (
                why not in STRIKING or strikes[seat] >= STRIKES_TO_FORFEIT[Policy(header.policy)]
            ):
                out[seat], verdicts[seat] = number, Verdict(why)
        state.apply({choice.seat: choice.choice for choice in step})
        steps.append(tuple(step))
        ticks.append(tuple(row))
    forfeited = tuple(out.get(seat) for seat in seats)
    return replace(
        record,
        steps=tuple(steps),
        verdicts=tuple(verdicts),
        forfeited_at=forfeited,
        ranks=tuple(final_ranks(state.ranks, forfeited)),
        scores=tuple(state.scores),
        reason="over" if state.is_over else "forfeits",
        ticks=tuple(ticks),
    )


def _one(record: Record, rng: random.Random, *, fault: bool) -> Paid | None:
    among = [place for place in places(record) if bool(place.why) == fault]
    return rng.choice(among) if among else None


def choice(record: Record, secret: bytes, rng: random.Random) -> Record | None:
    """Choose otherwise."""
    place = _one(record, rng, fault=False)
    return (
        rebuilt(record, secret, [place._replace(choice=0 if place.choice else 1)])
        if place
        else None
    )


def tick_of_a_start(record: Record, secret: bytes, rng: random.Random) -> Record | None:
    """Change the ticks of a start by one."""
    assert record.ticks
    starts = list(record.ticks[0])
    seat = rng.randrange(len(starts))
    starts[seat] = max(0, starts[seat] - 1)
    return replace(record, ticks=(tuple(starts), *record.ticks[1:]))


def tick_of_a_question(record: Record, secret: bytes, rng: random.Random) -> Record | None:
    """Change the ticks of an answer by one."""
    place = _one(record, rng, fault=False)
    return (
        rebuilt(record, secret, [place._replace(ticks=place.ticks + rng.choice((-1, 1)))])
        if place
        else None
    )


def fault_added(record: Record, secret: bytes, rng: random.Random) -> Record | None:
    """Make an answer illegal, or late."""
    if (place := _one(record, rng, fault=False)) is None:
        return None
    why = rng.choice(("illegal", "timeout"))
    took = TickBank(record.header.time).allowance() if why == "timeout" else place.ticks
    return rebuilt(record, secret, [place._replace(choice=0, why=why, ticks=took)])


def fault_taken_away(record: Record, secret: bytes, rng: random.Random) -> Record | None:
    """Make a fault an answer, which the seat plays on behind."""
    place = _one(record, rng, fault=True)
    return (
        rebuilt(record, secret, [place._replace(why="", ticks=max(1, place.ticks - 1))])
        if place
        else None
    )


def answers_swapped(record: Record, secret: bytes, rng: random.Random) -> Record | None:
    """Give two seats that were asked together each other's answer, with its ticks."""
    pairs = [
        (one, other)
        for one in places(record)
        for other in places(record)
        if one.step == other.step
        and one.seat < other.seat
        and not one.why + other.why
        and one.choice != other.choice
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return rebuilt(record, secret, [one._replace(seat=other.seat), other._replace(seat=one.seat)])


def verdict(record: Record, secret: bytes, rng: random.Random) -> Record | None:
    """Claim a crash where there was an answer, or another fault than there was."""
    place = _one(record, rng, fault=bool(rng.randrange(2)))
    if place is None or place.why == "timeout":
        return None
    words = [word for word in ("crashed", "protocol", "flooded") if word != place.why]
    return rebuilt(record, secret, [place._replace(choice=0, why=rng.choice(words))])


def add_voids(connection: sqlite3.Connection, ordinals: Iterable[int]) -> None:
    """Say that each of these matches was void once before, by the doing of every seat.
    ``forge`` has to follow.
    """
    for ordinal in ordinals:
        key = "(event, ordinal) = (SELECT id, ? FROM events)"
        match = f"FROM matches AS m WHERE {key}"
        bots = [
            bot
            for (bot,) in connection.execute(
                "SELECT bot FROM seats WHERE ordinal = ? ORDER BY seat", (ordinal,)
            )
        ]
        connection.execute(
            f"INSERT INTO voids SELECT event, ordinal, 1, seed, lineup, '{bots}', 'made "
            f"up', '[]', '', '' {match}",
            (ordinal,),
        )
        connection.execute(
            f"INSERT INTO void_causes SELECT event, ordinal, 1, '[0, 1, 2]', '' {match}", (ordinal,)
        )
        connection.execute(f"UPDATE matches SET attempt = 2 WHERE {key}", (ordinal,))


def forge_store(connection: sqlite3.Connection, records: Mapping[int, Record]) -> None:
    """Put forged records into a store of one event, by ordinal, and whatever follows
    from them: seats, digests, sums.
    """

    def change(ordinal: int, plain: dict[str, object]) -> None:
        if ordinal in records:
            plain.clear()
            plain.update(json.loads(records[ordinal].to_json()))

    rewrite_records(connection, change)
    for ordinal, record in records.items():
        for seat, faults in enumerate(faults_of(record)):
            row = [record.ranks[seat], record.scores[seat], record.verdicts[seat]]
            told = json.dumps([[word, "made up", step] for word, step in faults])
            connection.execute(
                "UPDATE seats SET (rank, score, verdict, faults) = (?, ?, ?, ?) WHERE "
                "(ordinal, seat) = (?, ?)",
                (*row, told, ordinal, seat),
            )
    forge(connection)
