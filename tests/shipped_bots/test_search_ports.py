"""Khiva's searching bot chooses the same in C and C++ as in Python, natively and as a
module.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import languages
import pytest
from arena import arena
from once import filled
from tools import need_module_tools

from khiva_arena.games.khiva import GAME

pytestmark = [pytest.mark.slow, pytest.mark.language]

ROOT = Path(__file__).parents[2]
GROUPS: list[dict[str, Any]] = json.loads(
    (ROOT / "protocol" / "vectors" / "choices" / "khiva.json").read_text()
)["groups"]
TIMES = {"turn_ms": 1, "bank_ms": 1, "events": []}
OTHER_RULES: tuple[tuple[int, dict[str, Any]], ...] = (
    (
        2,
        {
            "overshoot": "bounce",
            "decline": "yes",
            "carpet_top": "colour",
            "compensation": "per_rejected_player",
        },
    ),
    (
        4,
        {
            "overshoot": "bounce",
            "gem_slots": [5, 5, 5, 5, 5],
            "gem_supply": 3,
            "compensation_time": "after_move",
        },
    ),
    (2, {"gem_supply": 4, "compensation": "per_player_turn", "khiva_spaces": "own_tent"}),
    (5, {"carpets": 25, "carpet_top": "colour", "end_trigger": "failed_draw"}),
    (3, {"max_turns": 9}),
    (4, {"decline": "yes", "max_turns": 60}),
)
"""Seats, and what differs from the default rules, beside those of the published
choices.
"""


def decides(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Requests with these positions."""
    return [
        {
            "type": "decide",
            "req": req,
            **TIMES,
            **{key: row[key] for key in ("kind", "view", "legal")},
        }
        for req, row in enumerate(asked, 1)
    ]


def random_match(
    seats: int, given: dict[str, Any], seed: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """All that the seats of a match are asked in which everybody chooses at random,
    with the rules.
    """
    lots, rules = random.Random(seed), GAME.rules(given)
    state, _ = GAME.new(seats, rules, lots.randbytes(32))
    asked = []
    while not state.is_over:
        pending = state.pending()
        asked += [
            {"kind": one.kind, "view": state.view(seat), "legal": list(one.legal)}
            for seat, one in pending.items()
        ]
        state.apply({seat: lots.randrange(len(one.legal)) for seat, one in pending.items()})
    return {"game": "khiva", "rules": rules, "seats": seats}, asked


def match_of_each_rules(seed: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """A match by the rules of each published group, and by each of the other rules."""
    published = [(group["hello"]["seats"], group["hello"]["rules"]) for group in GROUPS]
    for number, (seats, given) in enumerate([*published, *OTHER_RULES]):
        yield random_match(seats, given, f"{seed} {number}")


@pytest.fixture
def groups(
    tmp_path_factory: pytest.TempPathFactory, chooser: Any, conversation: Any
) -> list[dict[str, Any]]:
    """The published positions: of each group the hello, the requests, and what the
    Python bot chooses.
    """

    def choose(folder: Path) -> None:
        choices = chooser("search")
        made = []
        for group in GROUPS:
            hello, script = conversation[0] | group["hello"], decides(group["decides"])
            made.append(
                {
                    "hello": hello,
                    "script": script,
                    "choices": [choices(decide, hello) for decide in script],
                }
            )
        (folder / "groups.json").write_text(json.dumps(made))

    made: list[dict[str, Any]] = json.loads(
        (filled(tmp_path_factory, "choices-of-search", choose) / "groups.json").read_text()
    )
    return made


def chosen(bot: Any, hello: dict[str, Any], script: list[dict[str, Any]], framed: Any) -> list[int]:
    """The answers of a bot."""
    said = bot.run(framed(hello, *script))
    assert said.code == 0, said.notes
    return [act["choice"] for act in said.messages[1:]]


@languages.each(("c", "cpp"), "search")
def test_it_chooses_the_same(name: str, staged: Any, framed: Any, groups: Any) -> None:
    for group in groups:
        assert chosen(staged(name), group["hello"], group["script"], framed) == group["choices"], (
            group["hello"]
        )


@languages.each(("c", "cpp"), first=("c",))
def test_a_module_chooses_the_same(
    name: str, lay_out: Any, framed: Any, groups: Any, tmp_path: Path
) -> None:
    need_module_tools(name)
    arena("new", f"shipped:{name}/search", "mine", "--module", cwd=tmp_path)
    bot = lay_out(tmp_path / "mine", name)
    for group in groups:
        assert chosen(bot, group["hello"], group["script"][::4], framed) == group["choices"][::4], (
            group["hello"]
        )


@pytest.mark.long
@languages.each(("c", "cpp"), "search")
def test_it_chooses_the_same_in_whole_matches(
    name: str, staged: Any, chooser: Any, framed: Any, conversation: Any
) -> None:
    for seed in range(4):
        for hello, asked in match_of_each_rules(f"choices {seed}"):
            hello = {**conversation[0], **hello, "seed": random.Random(seed).getrandbits(53)}
            choose, script = chooser("search"), decides(asked)
            assert chosen(staged(name), hello, script, framed) == [
                choose(decide, hello) for decide in script
            ], hello
