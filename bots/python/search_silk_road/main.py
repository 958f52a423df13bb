"""Plays its best moves on in a few worlds that its view allows, and looks where that leads."""

import policy
import rollouts
from evaluate import Table, distances
from khiva_kit import play

from khiva_arena.games.silk_road import GAME

WORLDS, PROMISING = 3, 4
SEARCHED = ("move", "sell", "robber")
"""Where the greedy bot's reckoning falls short most; elsewhere its choice is taken."""


def choose(decide: dict, match: dict) -> int:
    view, kind, legal = decide["view"], decide["kind"], decide["legal"]
    if kind not in SEARCHED:
        return policy.choose(decide, match)
    steps = distances(match["rules"]["map"])
    points = [round(policy.WORTH[kind](view, steps, entry), 6) for entry in legal]
    best = sorted(range(len(legal)), key=lambda choice: -points[choice])[:PROMISING]
    turn = view["turn"] + view["seats"]

    def worth(state, me: int) -> float:
        """Points ahead of the others on average, and what the markets ahead promise."""
        scores = state.scores
        ahead = scores[me] - (sum(scores) - scores[me]) / (len(scores) - 1)
        return ahead if state.is_over else ahead + Table(state.view(me), steps).outlook()

    simple = rollouts.seeing(policy.choose, match)
    return rollouts.choose(decide, match, GAME, simple, best, WORLDS, lambda state: state.turn >= turn, worth)


if __name__ == "__main__":
    play("search_silk_road", choose, version="1")
