"""Matches of bots' choose functions in this process: no arbiter, no clock, no
faults.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from khiva_arena.games.base import Game, Plain
from khiva_arena.records.replay import seeds

Choose = Callable[[Mapping[str, Any], Mapping[str, Any]], int]


@contextmanager
def modules_of(
    folders: Sequence[Path], wanted: Sequence[str], private: Sequence[str]
) -> Iterator[dict[str, ModuleType]]:
    """Import modules of a bot from where they lie, and forget them behind the block.

    private: names of modules that other bots have, too, and that are these here inside
        the block
    """
    kept = {name: sys.modules.pop(name) for name in private if name in sys.modules}
    sys.path[:0] = map(str, folders)
    try:
        yield {name: import_module(name) for name in wanted}
    finally:
        for folder in folders:
            sys.path.remove(str(folder))
        for name in private:
            sys.modules.pop(name, None)
        sys.modules.update(kept)


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
            decide = {
                "kind": asked.kind,
                "view": state.view(seat),
                "legal": [list(entry) for entry in asked.legal],
                "events": [],
            }
            match = {
                "seat": seat,
                "seats": len(choosers),
                "rules": rules,
                "seed": seeds.seat_number(secret, f"m{deal}", seat),
            }
            choices[seat] = choosers[seat](decide, match)
            assert 0 <= choices[seat] < len(asked.legal)
        said.append(choices)
        state.apply(choices)
    return said, list(state.ranks)
