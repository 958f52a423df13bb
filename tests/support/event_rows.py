"""Events as a store has them, without a store."""

from typing import Any

from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import BotRow, EventRow

LIMITS = {
    "cpu": 3600,
    "file_size": 1 << 26,
    "memory": 1 << 30,
    "open_files": 256,
    "processes": 64,
    "scratch": 1 << 24,
}
DEFINITION: dict[str, Any] = {
    "anchor": "a",
    "bots": [{"identity": "id-a", "name": "a"}, {"identity": "id-b", "name": "b"}],
    "copies": 1,
    "format": "round-robin",
    "game": "khiva",
    "isolation": "trusted",
    "limits": LIMITS,
    "lineups": None,
    "policy": "lenient",
    "ponder": True,
    "rules": {"max_turns": 200},
    "rules_version": "1",
    "seats": 2,
    "seed": None,
    "seeds": 1,
    "stage": 1,
    "time": {"bank_ms": 10000, "startup_ms": 10000, "turn_ms": 1000},
}
BOTS = tuple(BotRow(name, f"id-{name}", "1", True, name, "/") for name in ("a", "b"))


def event(number: int, **changes: Any) -> EventRow:
    text = canonical({**DEFINITION, **changes}).decode()
    return EventRow(f"e{number}", number, text, ("0.2.0",), "", "", bytes(32), BOTS)
