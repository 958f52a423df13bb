"""Matches of real modules, in ticks or by the wall clock: staged as any bot, and played
without a store.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from khiva_arena.arbiter.match import Job
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.result import PRICE_LIST, Clock
from khiva_arena.entrants import bots, staging
from khiva_arena.games.registry import get
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Header, RecordedSeat

SECRET = bytes(range(32))
BEST = cache(best)
"""Finds the best level once: that starts processes."""
TIME = {"startup_ms": 3_000, "turn_ms": 300, "bank_ms": 0}


def staged(folder: Path, name: str, module: bytes, level: Level | None = None) -> Command:
    """The command of a module, compiled in the arena's cell. ``folder``: where its file
    is put.
    """
    path = folder / f"{name}.wasm"
    path.write_bytes(module)
    return staging.stage(bots.load(str(path)), level or BEST())


def job(
    commands: Sequence[Command],
    clock: Clock,
    *,
    ordinal: int = 0,
    game: str = "khiva",
    policy: str = "strict",
    **time: int,
) -> Job:
    """A match of these commands, seated in their order. ``time``: limits in
    milliseconds in place of those of TIME.
    """
    made, match = get(game), f"test{ordinal}"
    header = Header(
        match=match,
        game=game,
        rules_version=made.rules_version,
        rules=made.rules({}),
        seats=tuple(
            RecordedSeat(f"bot{n}", f"{n:064x}", seeds.seat_number(SECRET, match, n))
            for n in range(len(commands))
        ),
        commit=seeds.commitment(match, SECRET),
        time=TIME | time,
        policy=policy,
        isolation="module" if clock is Clock.TICKS else str(BEST()),
    )
    if clock is Clock.TICKS:
        header = replace(header, format=2, clock="ticks", meter=PRICE_LIST)
    return Job(ordinal, 1, header, SECRET, tuple(commands), Sandbox(BEST()))
