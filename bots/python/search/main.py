"""A small Monte-Carlo search with the arena's own engine as its model.

It imagines worlds: positions that its view allows, with the hidden cards dealt again. In each world the others choose as the
greedy bot would, or now and then anything, and each of our promising choices is played to the end of the turn and judged.
The number of worlds is fixed, so equal seeds, views and legal lists give equal choices on any machine.
"""

import policy
from evaluate import DISTANCE, Board
from khiva_kit import Lottery, play

from khiva_arena.games.khiva import GAME
from khiva_arena.games.khiva.tables import CODE
from khiva_arena.rng import Stream

WORLDS = 40
PROMISING = 8
# One choice in so many of the others' is drawn by lot: nobody is as predictable as our model of them.
ODD = 8
# What things are worth beyond the points they have made, in points; fitted to the final margins of games between greedy
# bots. NEAR: a point of load, by its distance from the outpost. HAND: a point that a card in hand could bring now.
# CARPETS: a point of a carpet that is not delivered yet.
NEAR = (0.0, 0.18, 0.18, 0.14, 0.12, 0.02, 0.0, 0.0, 0.0, 0.0)
GEM, CARPETS, HAND = 0.3, 0.3, 0.3
VICTORY = 10.0
# The best of the others counts this much more than their average alone.
LEADER = 0.5


def choose(decide: dict, match: dict) -> int:
    view = decide["view"]
    me, rules = view["seat"], match["rules"]
    candidates = _promising(decide, match)
    lottery = Lottery("search", match["seed"], view)
    stream = Stream(lottery.secret, "worlds")
    totals = dict.fromkeys(candidates, 0.0)
    for _ in range(WORLDS):
        world = GAME.determinise(view, rules, stream)
        choices = {
            seat: stream.below(len(asked.legal)) if stream.below(ODD) == 0 else _as_greedy(world, seat, asked, match)
            for seat, asked in world.pending().items()
            if seat != me
        }
        for choice in candidates:
            after = world.clone()
            after.apply({**choices, me: choice})
            while after.offer is not None:
                after.apply({after.offer.seat: _answer(after, rules)})
            totals[choice] += _worth(after, me, rules)
    # Rounded, so that the last bit of a sum never decides.
    return max(candidates, key=lambda choice: round(totals[choice], 6))


def _promising(decide: dict, match: dict) -> list[int]:
    """The choices worth a closer look, best first by the greedy bot's reckoning."""
    legal = decide["legal"]
    if decide["kind"] != "play_pass":
        return list(range(len(legal)))
    totals = policy.totals(decide["view"], match["rules"], legal)
    return sorted(range(len(legal)), key=lambda choice: -totals[choice])[:PROMISING]


def _as_greedy(world, seat: int, asked, match: dict) -> int:
    return policy.choose({"kind": asked.kind, "view": world.view(seat), "legal": asked.legal}, match)


def _board(world, rules: dict) -> Board:
    salt = world.salt_pile[-1] if world.salt_pile else 0
    return Board(rules, world.camels, world.loads, world.gems, world.carpets, salt)


def _answer(world, rules: dict) -> int:
    """The greedy answer to the question open in the middle of a turn."""
    offer = world.offer
    legal = world.pending()[offer.seat].legal
    if offer.kind == "boost":
        return policy.boost(_board(world, rules), offer.seat, world.camel, offer.lands)
    return policy.other(legal)


def _worth(world, me: int, rules: dict) -> float:
    """How far we are ahead of the others, in points made and to be expected."""
    points = [float(score) for score in world.scores]
    if world.is_over:
        points[me] += VICTORY * (world.ranks[me] == 1)
    else:
        board = _board(world, rules)
        for seat in board.seats:
            cargo, steps = board.cargo[seat], DISTANCE[seat]
            points[seat] += sum(NEAR[steps[place]] * cargo[camel] for camel, place in enumerate(world.camels))
            points[seat] += GEM * world.gems[seat] + CARPETS * sum(code % 10 for code in world.carpets[seat])
            points[seat] += HAND * sum(board.card(seat, CODE[card]) for card in world.hands[seat])
    others = points[:me] + points[me + 1 :]
    return points[me] - LEADER * max(others) - (1.0 - LEADER) * sum(others) / len(others)


if __name__ == "__main__":
    play("search", choose, version="1")
