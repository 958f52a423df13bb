"""The library's own Monte Carlo tree search, for the games of OpenSpiel in which everybody sees everything and seats take turns.
At all others, any legal choice, each equally likely."""

import pyspiel
from khiva_kit import Lottery, play

SIMULATIONS = 200


def choose(decide: dict, match: dict) -> int:
    view, legal = decide["view"], decide["legal"]
    lottery = Lottery(match["seed"], view)
    game = pyspiel.load_game(view["game"])
    if "history" not in view or game.get_type().dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        return lottery.below(len(legal))
    state = game.new_initial_state()
    for action in view["history"]:
        state.apply_action(action)
    rollouts = pyspiel.RandomRolloutEvaluator(1, lottery.below(2**31))
    search = pyspiel.MCTSBot(game, rollouts, 2.0, SIMULATIONS, 100, True, lottery.below(2**31), False)
    return [action for action, _ in legal].index(search.step(state))


if __name__ == "__main__":
    play("mcts_openspiel", choose, version="1")
