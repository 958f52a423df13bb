"""Requests of random matches of Khiva for bots in any language, and what a bot
answers.
"""

import json
import random
from typing import Any

from drawn_rules import drawn_rules

from khiva_arena.games import registry

GAME = registry.get("khiva")
TIMES = {"turn_ms": 1, "bank_ms": 1, "events": []}


def requests_of(label: str, number: int, most: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Draw rules, and return what is special in a hello and some requests of a match in
    which all choose at random.
    """
    lots = random.Random(f"{label} {number}")
    seats, rules = 2 + number % 4, drawn_rules(GAME, lots)
    state, _ = GAME.new(seats, rules, lots.randbytes(32))
    requests = []
    while not state.is_over:
        pending = state.pending()
        for seat, one in pending.items():
            requests.append(
                {
                    "type": "decide",
                    **TIMES,
                    "kind": one.kind,
                    "view": state.view(seat),
                    "legal": list(one.legal),
                }
            )
        state.apply({seat: lots.randrange(len(one.legal)) for seat, one in pending.items()})
    kept = json.loads(json.dumps(lots.sample(requests, min(most, len(requests)))))
    hello = {
        "game": "khiva",
        "rules": rules,
        "rules_version": GAME.rules_version,
        "seats": seats,
        "seed": number,
    }
    return hello, [request | {"req": req} for req, request in enumerate(kept, 1)]


def answers(
    bot: Any, hello: dict[str, Any], requests: list[dict[str, Any]], framed: Any
) -> list[int]:
    """Return what a new process of a bot chooses."""
    said = bot.run(framed(hello, *requests))
    assert said.code == 0, said.notes
    choices = [act["choice"] for act in said.messages[1:]]
    assert all(
        0 <= choice < len(row["legal"]) for choice, row in zip(choices, requests, strict=True)
    )
    return choices
