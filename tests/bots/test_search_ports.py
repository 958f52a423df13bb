"""Khiva's searching bot chooses the same in C and C++ as in Python, natively and as a module."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import languages
import pytest
from arena import arena
from tools import need_module_tools

from khiva_arena.games.khiva import GAME

pytestmark = [pytest.mark.slow, pytest.mark.language]

ROOT = Path(__file__).parents[2]
GROUPS: list[dict[str, Any]] = json.loads((ROOT / "protocol" / "vectors" / "choices" / "khiva.json").read_text())["groups"]
TIMES = {"turn_ms": 1, "bank_ms": 1, "events": []}
OTHER_RULES: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {"overshoot": "bounce", "decline": "yes", "carpet_top": "colour", "compensation": "per_rejected_player"}),
    (4, {"overshoot": "bounce", "gem_slots": [5, 5, 5, 5, 5], "gem_supply": 3, "compensation_time": "after_move"}),
    (2, {"gem_supply": 4, "compensation": "per_player_turn", "khiva_spaces": "own_tent"}),
    (5, {"carpets": 25, "carpet_top": "colour", "end_trigger": "failed_draw"}),
    (3, {"max_turns": 9}),
    (4, {"decline": "yes", "max_turns": 60}),
)
"""Seats, and what differs from the default rules, beside those of the published choices."""


def decides(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Requests with these positions."""
    return [
        {"type": "decide", "req": req, **TIMES, **{key: row[key] for key in ("kind", "view", "legal")}}
        for req, row in enumerate(asked, 1)
    ]


def random_match(seats: int, given: dict[str, Any], seed: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """All that the seats of a match are asked in which everybody chooses at random, with the rules."""
    lots, rules = random.Random(seed), GAME.rules(given)
    state, _ = GAME.new(seats, rules, lots.randbytes(32))
    asked = []
    while not state.is_over:
        pending = state.pending()
        asked += [{"kind": one.kind, "view": state.view(seat), "legal": list(one.legal)} for seat, one in pending.items()]
        state.apply({seat: lots.randrange(len(one.legal)) for seat, one in pending.items()})
    return {"game": "khiva", "rules": rules, "seats": seats}, asked


def match_of_each_rules(seed: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """A match by the rules of each published group, and by each of the other rules."""
    published = [(group["hello"]["seats"], group["hello"]["rules"]) for group in GROUPS]
    for number, (seats, given) in enumerate([*published, *OTHER_RULES]):
        yield random_match(seats, given, f"{seed} {number}")


def choose_alike(bot: Any, choose: Any, hello: dict[str, Any], asked: list[dict[str, Any]], framed: Any) -> None:
    """Compare the answers of a bot with those of the Python one."""
    script = decides(asked)
    said = bot.run(framed(hello, *script))
    assert said.code == 0, said.notes
    expected = [choose(decide, hello) for decide in script]
    assert [act["choice"] for act in said.messages[1:]] == expected, hello


@languages.each(("c", "cpp"), "search")
def test_it_chooses_the_same(name: str, staged: Any, chooser: Any, framed: Any, conversation: Any) -> None:
    for group in GROUPS:
        choose_alike(staged(name), chooser("search"), conversation[0] | group["hello"], group["decides"], framed)


@languages.each(("c", "cpp"))
def test_a_module_chooses_the_same(name: str, lay_out: Any, chooser: Any, framed: Any, conversation: Any, tmp_path: Path) -> None:
    need_module_tools(name)
    arena("new", f"shipped:{name}/search", "mine", "--module", cwd=tmp_path)
    bot = lay_out(tmp_path / "mine", name)
    for group in GROUPS:
        choose_alike(bot, chooser("search"), conversation[0] | group["hello"], group["decides"][::4], framed)


@pytest.mark.long
@languages.each(("c", "cpp"), "search")
def test_it_chooses_the_same_in_whole_matches(name: str, staged: Any, chooser: Any, framed: Any, conversation: Any) -> None:
    for seed in range(4):
        for hello, asked in match_of_each_rules(f"choices {seed}"):
            hello = {**conversation[0], **hello, "seed": random.Random(seed).getrandbits(53)}
            choose_alike(staged(name), chooser("search"), hello, asked, framed)
