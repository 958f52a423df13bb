"""A stream of events for tests: an event of six bots at three seats, whose lines can be
had in any number.
"""

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

from khiva_arena.common import stream

NAMES = ("search", "greedy", "naive", "random-js", "随机机器人", "random")
SEEDS, SEATS = 4, 3
LINE_UPS = tuple(combinations(range(len(NAMES)), SEATS))
ALL = SEEDS * len(LINE_UPS) * SEATS


def begin(**values: Any) -> stream.Begin:
    known: dict[str, Any] = {
        "t": 0.0,
        "event": "0123456789abcdef",
        "stage": None,
        "number": 0,
        "format": "round-robin",
        "game": "khiva",
        "bots": list(NAMES),
        "anchor": 5,
        "seats": SEATS,
        "rounds": 1,
        "seeds": SEEDS,
        "matches": ALL,
        "before": 0,
        "jobs": 2,
        "commitment": "c0",
        "at": "2026-01-01T00:00:00+00:00",
    }
    return stream.Begin(**known | values)


def round_(**values: Any) -> stream.Round:
    known: dict[str, Any] = {
        "t": 0.0,
        "number": 0,
        "first_seed": 0,
        "seeds": SEEDS,
        "tables": len(LINE_UPS),
        "byes": [],
    }
    return stream.Round(**known | values)


def matches(per_second: float = 4.0, seed: int = 1) -> Iterator[stream.MatchRecorded]:
    """A whole event: the earlier a bot in the list, the better; one that did not start
    now and then.
    """
    chance = Random(seed)
    ordinal = 0
    for k in range(SEEDS):
        for lineup, bots in enumerate(LINE_UPS):
            for rotation in range(SEATS):
                seated = [bots[(seat + rotation) % SEATS] for seat in range(SEATS)]
                points = [chance.gauss(-bot, 3.0) for bot in seated]
                verdicts = ["start_failed" if chance.random() < 0.02 else "ok" for _ in seated]
                points = [
                    -99.0 if verdict != "ok" else point
                    for point, verdict in zip(points, verdicts, strict=True)
                ]
                ranks = [1 + sum(other > point for other in points) for point in points]
                yield stream.MatchRecorded(
                    t=(ordinal + 1) / per_second,
                    ordinal=ordinal,
                    round=0,
                    seed=k,
                    lineup=lineup,
                    rotation=rotation,
                    bots=seated,
                    ranks=ranks,
                    scores=[0] * SEATS,
                    verdicts=verdicts,
                    seconds=0.2,
                    before=False,
                )
                ordinal += 1


def fault(detail: str = "no answer within 1000 ms", **values: Any) -> stream.FaultRecorded:
    known: dict[str, Any] = {
        "t": 3.0,
        "match": 7,
        "bot": 1,
        "seat": 0,
        "verdict": "timeout",
        "gather": 2,
        "before": False,
    }
    return stream.FaultRecorded(**known | values, detail=detail)


def replace_line(line: stream.MatchRecorded, **values: Any) -> stream.MatchRecorded:
    known = {name: getattr(line, name) for name in line.__struct_fields__ if name != "v"}
    return stream.MatchRecorded(**known | values)
