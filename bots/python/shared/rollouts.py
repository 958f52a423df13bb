"""A search by playing on: each promising choice is played in a few worlds that the view allows, everybody choosing as a simple
bot does from then on, and judged some rounds later.

The numbers of worlds and choices are fixed, so equal seeds, views and legal lists give equal choices on any machine.
"""

from collections.abc import Callable, Mapping, Sequence

from khiva_kit import Lottery

from khiva_arena.games.base import Decision, Game, State
from khiva_arena.rng import Stream

Answer = Callable[[State, int, Decision], int]
"""What a bot would choose in a seat that is asked."""


def choose(
    decide: Mapping,
    match: Mapping,
    game: Game,
    simple: Answer,
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
                state.apply({seat: simple(state, seat, asked) for seat, asked in state.pending().items()})
            totals[choice] += worth(state, me)
    # Rounded, so that the last bit of a sum never decides.
    return max(candidates, key=lambda choice: round(totals[choice], 6))


def seeing(choose: Callable[[Mapping, Mapping], int], match: Mapping) -> Answer:
    """A bot that chooses by what it sees."""
    return lambda state, seat, asked: choose({"kind": asked.kind, "view": state.view(seat), "legal": asked.legal}, match)
