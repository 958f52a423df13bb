"""Which events of a store make one table, and what stands above it."""

from typing import Any

import pytest
from event_rows import BOTS, LIMITS, event
from msgspec import structs

from khiva_arena.competition.pools import entrants_of, in_common, pooled, title
from khiva_arena.store.db import BotRow


@pytest.mark.parametrize(
    "changes",
    [
        {"game": "emira"},
        {"rules": {"max_turns": 100}},
        {"rules_version": "2"},
        {"time": {"bank_ms": 0, "startup_ms": 10000, "turn_ms": 1000}},
        {"policy": "strict"},
        {"isolation": "strict"},
        {"limits": {**LIMITS, "memory": 1 << 29}},
        {"ponder": False},
    ],
    ids=str,
)
def test_events_make_one_table_if_conditions_are_equal(changes: dict[str, Any]) -> None:
    one, other, two = event(1), event(2, **changes), event(3, seats=3, seeds=9, format="swiss", rounds=1)
    assert pooled([one, other, two]) == [[one, two], [other]]


def test_an_event_named_twice_counts_once() -> None:
    assert pooled([event(2), event(1), event(2)]) == [[event(2), event(1)]]


def test_a_bot_has_the_name_it_had_first() -> None:
    renamed = structs.replace(
        event(2), bots=(BotRow("new", "id-c", "1", True, "new", "/"), structs.replace(BOTS[0], name="other"))
    )
    assert [(bot.id, bot.name) for bot in entrants_of([event(1), renamed])] == [("id-a", "a"), ("id-b", "b"), ("id-c", "new")]


def test_the_title_says_what_is_common_and_what_is_not_the_default() -> None:
    events = [event(1, ponder=False), event(3, ponder=False, seats=3)]
    assert title(events) == (
        "khiva at 2, 3 seats; turn 1000 ms, bank 10000 ms, lenient, isolation trusted, no pondering; events 1, 3"
    )
    assert list(in_common(events)) == [
        *("events", "seats", "game", "rules_version", "time", "policy", "isolation", "limits", "ponder"),
    ]
