"""Writes protocol/vectors/choices/khiva.json, positions and what the greedy bots choose
in them: ``python tests/shipped_bots/make_choices.py [--write]``.

The choices are those of bots/python/greedy; every other language's greedy bot has to
choose the same. The positions are from matches in which some seats play as it does and
the others any choice, so that odd ones occur, too.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SUPPORT = str(Path(__file__).parents[1] / "support")
if SUPPORT not in sys.path:  # as a command, not under pytest
    sys.path.append(SUPPORT)

from golden import ROOT, VECTORS, settle  # noqa: E402

from khiva_arena.games.khiva import GAME  # noqa: E402
from khiva_arena.records.replay import seeds  # noqa: E402
from khiva_arena.rng import Stream  # noqa: E402

FILE = VECTORS / "choices" / "khiva.json"
SHARED = ROOT / "bots" / "python" / "shared"
PARTS = ("policy", "evaluate")
RUN = seeds.run_secret("choices of the greedy bots")
MOST = 64
"""As many positions of a group are kept."""
ABOUT = (
    "Positions of Khiva and the choice of the greedy bots in them, the same in all languages. "
    "hello has what they use of the arbiter's hello; each decide what they use of a request (not "
    "req, times and events), and choice, an index into legal."
)

GROUPS: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {}),
    (3, {}),
    (4, {}),
    (5, {}),
    (3, {"overshoot": "bounce", "gem_slots": [2, 2, 2, 2, 2]}),
    (
        2,
        {
            "overshoot": "no_move",
            "khiva_spaces": "own_tent",
            "gem_slots": [[5, 4, 3, 2, 1], *[[2, 2, 1, 0, 0]] * 4],
        },
    ),
    (4, {"compensation": "per_player_turn", "gem_supply": 6, "carpet_top": "colour"}),
    (
        5,
        {"decline": "yes", "carpets": 25, "end_trigger": "failed_draw", "khiva_spaces": "own_tent"},
    ),
    (
        3,
        {
            "compensation_time": "after_move",
            "teapot_counts": [4, 4, 4, 4, 3, 3],
            "salt_tie_break": "sum_bags",
            "decline": "yes",
        },
    ),
)
"""Seats, and what differs from the default rules."""

Choose = Callable[[dict[str, Any], dict[str, Any]], int]


@contextmanager
def greedy() -> Iterator[Choose]:
    """``choose`` of bots/python/shared, its modules private to it."""
    kept = {part: sys.modules.pop(part) for part in PARTS if part in sys.modules}
    sys.path.insert(0, str(SHARED))
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        from policy import choose

        yield choose
    finally:
        sys.dont_write_bytecode = before
        sys.path.remove(str(SHARED))
        for part in PARTS:
            sys.modules.pop(part, None)
        sys.modules.update(kept)


def group(number: int, choose: Choose) -> dict[str, Any]:
    """The positions of one match: hello, decides."""
    seats, given = GROUPS[number]
    rules = GAME.rules(given)
    secret = seeds.seed_secret(RUN, number)
    hello = {"game": "khiva", "rules": rules, "seats": seats}
    lots = Stream(secret, "other seats")
    state, _ = GAME.new(seats, rules, secret)
    found: list[dict[str, Any]] = []
    while not state.is_over:
        choices = {}
        for seat, asked in state.pending().items():
            decide = {
                "kind": asked.kind,
                "view": state.view(seat),
                "legal": [list(entry) for entry in asked.legal],
            }
            choice = choose(decide, {**hello, "seat": seat, "seed": 0})
            found.append({**decide, "choice": choice})
            choices[seat] = choice if (seat + number) % 2 else lots.below(len(asked.legal))
        state.apply(choices)
    return {"hello": hello, "decides": _sample(found)}


def _sample(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the rarer kinds the first ones, and of ``play_pass`` as many as there is room
    for, spread over the match.
    """
    rare = [decide for decide in found if decide["kind"] != "play_pass"][: MOST // 3]
    common = [decide for decide in found if decide["kind"] == "play_pass"]
    room = MOST - len(rare)
    kept = (
        [common[i * len(common) // room] for i in range(min(room, len(common)))]
        if len(common) > room
        else common
    )
    return sorted([*rare, *kept], key=lambda decide: decide["view"]["turn"])


def text() -> str:
    """The file: one decide a line."""
    with greedy() as choose:
        groups = [group(number, choose) for number in range(len(GROUPS))]
    parts = []
    for made in groups:
        lines = ",\n".join(
            "   " + json.dumps(decide, separators=(",", ":")) for decide in made["decides"]
        )
        parts.append(f'  {{"hello": {json.dumps(made["hello"])},\n   "decides": [\n{lines}\n  ]}}')
    return f'{{\n "about": {json.dumps(ABOUT)},\n "groups": [\n' + ",\n".join(parts) + "\n ]\n}\n"


def files() -> dict[Path, str]:
    """What this module makes."""
    return {FILE: text()}


if __name__ == "__main__":
    sys.exit(settle(files()))
