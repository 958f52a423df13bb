"""Matches of bots' choose functions in this process: no arbiter, no clock, no faults."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from khiva_arena.games.base import Game, Plain
from khiva_arena.replay import seeds

Choose = Callable[[Mapping[str, Any], Mapping[str, Any]], int]


def play_here(
    game: Game, choosers: Sequence[Choose], rules: Mapping[str, Plain], run: bytes, deal: int
) -> tuple[list[dict[int, int]], list[int]]:
    """The choices of each step by seat, and the ranks. ``run``: the run's secret."""
    secret = seeds.seed_secret(run, deal)
    state, _ = game.new(len(choosers), rules, secret)
    said = []
    while not state.is_over:
        choices = {}
        for seat, asked in state.pending().items():
            decide = {"kind": asked.kind, "view": state.view(seat), "legal": [list(entry) for entry in asked.legal], "events": []}
            match = {"seat": seat, "seats": len(choosers), "rules": rules, "seed": seeds.seat_number(secret, f"m{deal}", seat)}
            choices[seat] = choosers[seat](decide, match)
            assert 0 <= choices[seat] < len(asked.legal)
        said.append(choices)
        state.apply(choices)
    return said, list(state.ranks)
