"""A search by playing on: each promising choice is played in a few worlds that the view allows, everybody choosing as the greedy
bot does from then on, and judged some rounds later.

The numbers of worlds and choices are fixed, so equal seeds, views and legal lists give equal choices on any machine.
"""

from collections.abc import Callable, Mapping, Sequence

from khiva_kit import Lottery

from khiva_arena.games.base import Game, State
from khiva_arena.rng import Stream


def choose(
    decide: Mapping,
    match: Mapping,
    game: Game,
    greedy: Callable[[Mapping, Mapping], int],
    candidates: Sequence[int],
    worlds: int,
    until: Callable[[State], bool],
    worth: Callable[[State, int], float],
) -> int:
    """``candidates``: the choices that are looked at. ``until``: whether a world has been played on far enough. ``worth``: what a
    world is worth to a seat."""
    if len(candidates) < 2:
        return candidates[0]
    view, rules = decide["view"], match["rules"]
    me = view["seat"]
    stream = Stream(Lottery("rollouts", match["seed"], view).secret, "worlds")
    totals = dict.fromkeys(candidates, 0.0)
    for _ in range(worlds):
        world = game.determinise(view, rules, stream)
        for choice in candidates:
            state = world.clone()
            state.apply({me: choice})
            while not state.is_over and not until(state):
                state.apply({seat: ask(greedy, match, state, seat, asked) for seat, asked in state.pending().items()})
            totals[choice] += worth(state, me)
    # Rounded, so that the last bit of a sum never decides.
    return max(candidates, key=lambda choice: round(totals[choice], 6))


def ask(greedy: Callable[[Mapping, Mapping], int], match: Mapping, state: State, seat: int, asked) -> int:
    """What the greedy bot would choose in this seat."""
    return greedy({"kind": asked.kind, "view": state.view(seat), "legal": asked.legal}, match)
