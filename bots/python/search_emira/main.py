"""Plays its best choices on to the end of the next round, in a few worlds that its view allows, and looks who is better off."""

import policy
import rollouts
from evaluate import GREEDY, Court, Weights
from khiva_kit import play
from quick import Player

from khiva_arena.games.emira import GAME

WORLDS, PROMISING, ROUNDS = 4, 3, 2
AT_ITS_WORD = ("bid", "first_event")
"""Kinds of decision that the policy alone makes: there are too many bids, and all choose their first card at once."""
AHEAD = 4000.0
"""What it is worth, in gold, to be ahead of everybody when the match is over."""
WEIGHTS = Weights(travels=1.6, princess=600.0, needed=90.0)
"""Found by matches against greedy bots, one weight after the other. Caravans are bought rather than saved for, since there is an
action a round; and gold that is spent to attract whoever is in sight is missing for those who come after her."""


def choose(decide: dict, match: dict) -> int:
    view, rules = decide["view"], match["rules"]
    if decide["kind"] in AT_ITS_WORD:
        return policy.choose(decide, match, WEIGHTS)
    worths = policy.worths(decide, rules, WEIGHTS)
    best = sorted(range(len(worths)), key=lambda choice: -worths[choice])[:PROMISING]
    weights = [WEIGHTS if seat == view["seat"] else GREEDY for seat in range(view["seats"])]
    end = view["round"] + ROUNDS

    def worth(state, me: int) -> float:
        """How much better off the seat is than the others on average, or where it has come in."""
        if state.is_over:
            ranks = state.ranks
            return AHEAD * sum((ranks[me] < rank) - (ranks[me] > rank) for rank in ranks) / (len(ranks) - 1)
        courts = [Court(state.view(seat), rules, WEIGHTS).worth() for seat in range(view["seats"])]
        return courts[me] - (sum(courts) - courts[me]) / (len(courts) - 1)

    return rollouts.choose(decide, match, GAME, Player(rules, weights), best, WORLDS, lambda state: state.round >= end, worth)


if __name__ == "__main__":
    play("search_emira", choose, version="1")
