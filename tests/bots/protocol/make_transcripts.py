"""Makes transcripts/*.json, timed sessions of whole matches of Khiva with bots good and
bad, and matches/*.json, a match of each game as frames. ``python
tests/bots/protocol/make_frames.py --write`` writes them. Time is virtual, so nothing
here depends on a clock.
"""

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from golden import ROOT, VECTORS, rows
from jobs import SECRET
from msgspec.structs import asdict
from recording import header, record
from scripted import Bot, act, frame, hello, honest

from khiva_arena.arbiter.match import Outcome
from khiva_arena.games.registry import GAMES
from khiva_arena.records.replay.record import Header

Chunks = list[tuple[float, bytes]]
Move = Callable[[dict[str, Any]], Chunks]

SHORT = {"max_turns": 2}
ABOUT = (
    "A whole match of Khiva in virtual time. Each line has t_ms, milliseconds from the start; "
    "seat; from, arbiter or bot; hex, the bytes, with json, the messages that are whole with them, "
    "null for what is none. Or it has event: the arbiter has killed the bot, or its output has "
    "ended. result is by seat: the verdict word, strikes, the faults as [verdict, decision], the "
    "decision in which it forfeited, the bank left. Decisions count from 1, 0 is the start. The "
    "detail of a fault is no rule."
)


def moves(*first: Move, greet: Chunks | None = None, then: Move = honest) -> Bot:
    """A bot that answers its first requests by these moves, all others by ``then``."""
    left = list(first)

    def bot(message: dict[str, Any]) -> Chunks:
        if message["type"] == "hello" and greet is not None:
            return greet
        if message["type"] == "decide" and left:
            return left.pop(0)(message)
        return then(message)

    return bot


def after(seconds: float) -> Move:
    """The last legal choice after a while."""
    return lambda message: act(message, seconds, len(message["legal"]) - 1)


def choose(choice: Any, seconds: float = 0.001) -> Move:
    """Some choice, legal or not."""
    return lambda message: act(message, seconds, choice)


def raw(data: bytes, seconds: float = 0.005) -> Move:
    """Bytes instead of an answer; none end the output."""
    return lambda _: [(seconds, data)]


def silent(_: dict[str, Any]) -> Chunks:
    """No answer at all."""
    return []


def trickle(message: dict[str, Any]) -> Chunks:
    """A byte every 40 ms."""
    ((_, data),) = act(message)
    return [(0.04 * (i + 1), data[i : i + 1]) for i in range(len(data))]


def with_behind(data: bytes) -> Move:
    """An answer with something behind it."""
    return lambda message: [(0.001, act(message)[0][1] + data)]


def again(times: int) -> Move:
    """The same act many times."""
    return lambda message: act(message) * times


def transcripts() -> dict[str, tuple[str, Callable[[], list[Bot]], dict[str, Any]]]:
    """By name: what it shows, its bots, and what differs: policy, limits, rules of the
    match.
    """
    slow = after(0.9)
    faulty = lambda: [honest, moves(choose(999), silent, choose(-1)), honest]  # noqa: E731
    banner = [(0.02, b"Welcome to my bot 1.0\n")]
    return {
        "clean": (
            "Three bots of different speed; nobody is at fault.",
            lambda: [honest, moves(then=_thinks(0.02)), moves(then=_thinks(0.3))],
            {},
        ),
        "late_answer_dropped": (
            "Seat 1 answers its first request half a second behind the deadline of turn_ms + "
            "bank_ms: a timeout, a strike, the default. The answer comes while the next one is "
            "awaited, and is dropped; the next one counts. Its bank is gone.",
            lambda: [honest, moves(after(3.5), after(0.8)), honest],
            {},
        ),
        "bank": (
            "Seat 0 takes 1,500, 2,000 and 1,400 ms where a turn has 1,000: its bank of 2,000 "
            "pays. Then 100 are left, and an answer after 1,200 ms is late.",
            lambda: [moves(*map(after, (1.5, 2.0, 1.4, 1.2))), honest, honest],
            {"rules": {"max_turns": 4}},
        ),
        "trickle": (
            (
                "An answer that comes byte by byte, the last one behind the deadline: bytes "
                "that trickle in move nothing."
            ),
            lambda: [moves(trickle, after(0.4)), honest, honest],
            {"turn_ms": 500, "bank_ms": 500},
        ),
        "three_strikes": (
            "Policy lenient: an illegal choice, no answer, an illegal choice. The default is "
            "played each time; the third strike forfeits, and the others play on.",
            faulty,
            {"rules": {"max_turns": 4}},
        ),
        "strict": (
            "Policy strict, the bots of three_strikes: the first fault forfeits.",
            faulty,
            {"policy": "strict"},
        ),
        "broken_framing": (
            (
                "Seat 2 prints a line on stdout. That is found at the first byte: it is killed "
                "at once, before seat 0 answers."
            ),
            lambda: [moves(slow), honest, moves(raw(b"thinking...\n"))],
            {},
        ),
        "sealed": (
            "Seat 0 sends a frame with a float within milliseconds, seat 1 thinks 900 ms. Frames "
            "are opened when all are there: the breach is found then, not earlier.",
            lambda: [moves(choose(1.0)), moves(slow), honest],
            {},
        ),
        "breach_behind_an_answer": (
            (
                "Text stands behind the awaited answer of seat 1: the answer counts, and the "
                "breach is a fault of the next decision."
            ),
            lambda: [honest, moves(with_behind(b"done\n")), honest],
            {},
        ),
        "answer_before_it_is_asked": (
            (
                "Seat 1 answers its first request and guesses the next req: the breach is a "
                "fault of the next decision."
            ),
            lambda: [honest, moves(lambda m: act(m) + act({"req": m["req"] + 1})), honest],
            {},
        ),
        "waited_for_again": (
            "Seat 1 was late once. For the next request it sends that late act and, before "
            "its answer, another act for the old "
            "request: these are dropped, and it is waited for again until its own deadline.",
            lambda: [honest, moves(silent, _strays_first), honest],
            {"bank_ms": 0, "rules": {"max_turns": 3}},
        ),
        "flooded": (
            "Seat 1 sends its answer 18 times: one answer and 17 acts that nobody waited for.",
            lambda: [honest, moves(again(18)), honest],
            {},
        ),
        "crash": (
            "The output of seat 1 ends instead of an answer.",
            lambda: [honest, moves(raw(b"")), honest],
            {},
        ),
        "start_failed": (
            (
                "Seat 0 prints a banner before its hello, and is out before the first "
                "decision; the others play."
            ),
            lambda: [moves(greet=banner), honest, honest],
            {},
        ),
        "start_failed_twice": (
            (
                "Seat 0 greets behind startup_ms, seat 2 with a protocol not offered. One seat "
                "is left in, and the match is over."
            ),
            lambda: [moves(greet=hello(5.5)), honest, moves(greet=hello(proto=2))],
            {},
        ),
        "forfeits_tie": (
            (
                "Seats 0 and 2 forfeit in the same decision and share the last place; one seat "
                "is left in, and the match is over."
            ),
            lambda: [moves(honest, raw(b"")), honest, moves(honest, raw(b"\n"))],
            {},
        ),
    }


def _thinks(seconds: float) -> Bot:
    return lambda message: (
        after(seconds)(message) if message["type"] == "decide" else honest(message)
    )


def _strays_first(message: dict[str, Any]) -> Chunks:
    old = frame({"type": "act", "req": message["req"] - 1, "choice": 0})
    return [(0.1, old), (0.2, old), *act(message, 0.7, 1)]


def transcript(name: str) -> str:
    """The text of one file."""
    shows, bots, differs = transcripts()[name]
    rules = differs.pop("rules", SHORT)
    of = header("khiva", 3, rules, f"transcript-{name}", **differs)
    outcome, wire = record(of, bots())
    head = {"name": name, "shows": shows, "about": ABOUT, "seed_secret": SECRET.hex(), **_match(of)}
    return rows(head, "lines", wire.lines, {"result": _result(outcome)})


def _match(of: Header) -> dict[str, Any]:
    told = asdict(of)
    return {
        key: told[key] for key in ("match", "game", "rules", "rules_version", "time", "policy")
    } | {"seats": len(of.seats)}


def _result(outcome: Outcome) -> dict[str, Any]:
    played = outcome.record
    assert played is not None, outcome.void
    return {
        "verdicts": [str(verdict) for verdict in played.verdicts],
        "strikes": [
            sum(fault.verdict in ("timeout", "illegal") for fault in seat.faults)
            for seat in outcome.seats
        ],
        "faults": [
            [[str(fault.verdict), fault.step] for fault in seat.faults] for seat in outcome.seats
        ],
        "forfeited_at": list(played.forfeited_at),
        "bank_left_ms": [round(seat.bank_left * 1000) for seat in outcome.seats],
        "ranks": list(played.ranks),
        "scores": list(played.scores),
        "reason": played.reason,
    }


# --- whole matches ---

ABOUT_MATCH = (
    "A whole match as frames, in the order they were sent. Each bot chooses (7 * req + seat) mod "
    "the length of legal. A bot that does so, fed with the frames to its seat, answers with "
    "messages that say the same as the frames from it; an arbiter that deals from seed_secret "
    "sends what the frames to the bots say. record is the record of the match, digest the end of "
    "its hash chain."
)


def match(game: str) -> str:
    """The text of one file."""
    seats, rules = runpy.run_path(str(ROOT / "tests" / "games" / game / "vectors.py"))["MATCH"]
    of = header(game, seats, rules, f"example-{game}")
    outcome, wire = record(of, [_by_rule(seat) for seat in range(seats)])
    assert outcome.record is not None
    frames = [
        {
            "seat": line["seat"],
            "to": "bot" if line["from"] == "arbiter" else "arbiter",
            "json": line["json"][0],
            "hex": line["hex"],
        }
        for line in wire.lines
    ]
    head = {"about": ABOUT_MATCH, "seed_secret": SECRET.hex(), "first_req": outcome.req_start}
    played = json.loads(outcome.record.to_json())
    tail = {
        "ranks": played["ranks"],
        "scores": played["scores"],
        "digest": played["digest"],
        "record": played,
    }
    return rows(head | _match(of), "frames", frames, tail)


def _by_rule(seat: int) -> Bot:
    def bot(message: dict[str, Any]) -> Chunks:
        if message["type"] == "decide":
            return act(message, choice=(7 * message["req"] + seat) % len(message["legal"]))
        return honest(message)

    return bot


def files() -> dict[Path, str]:
    """What this module makes."""
    made = {VECTORS / "transcripts" / f"{name}.json": transcript(name) for name in transcripts()}
    return made | {VECTORS / "matches" / f"{game}.json": match(game) for game in GAMES}
