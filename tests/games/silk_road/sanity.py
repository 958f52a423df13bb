"""Sanity numbers: 1,000 random games for each seat count, as rows of the table in
RULES.md.

``python tests/games/silk_road/sanity.py`` prints them; a test compares them with what
RULES.md says.
"""

from hashlib import sha256
from statistics import mean

from khiva_arena.games.silk_road import GAME
from khiva_arena.rng import Stream

GAMES = 1000


def row(seats: int, games: int = GAMES) -> str:
    """Turns and their range, decisions, large markets and their range, reshuffles,
    games not ended by the bag in percent, scores, winner's score; the fewest empty
    cities, and the most markers and colourless jewels in hands at once.
    """
    rules = GAME.rules({})
    turns, decisions, markets, shuffles, scores, winners, stalled = [], 0, [], 0, [], [], 0
    empty, markers, colourless, dry = 6, 0, 0, 0
    for ordinal in range(games):
        secret = sha256(f"sanity {seats} {ordinal}".encode()).digest()
        below = Stream(secret, "choices").below
        state, _ = GAME.new(seats, rules, secret)
        arrivals = 0
        while pending := state.pending():
            ((seat, decision),) = pending.items()
            decisions += 1
            for event in state.apply({seat: below(len(decision.legal))}):
                kind = event.data["type"]
                if kind == "market":
                    arrivals += 1
                elif kind == "caravan":
                    taken = {*state.places, *(city for city in range(6) if state.cities[city])}
                    empty = min(empty, 7 - sum(city in taken for city in range(6)))
                elif kind == "colourless":
                    colourless = max(colourless, sum(state.colourless))
                elif kind == "no_card":
                    dry += 1
        turns.append(state.turn)
        markets.append(arrivals)
        shuffles += len(state.shuffles)
        stalled += state.ending != "bag"
        scores += state.scores
        winners.append(max(state.scores))
        markers = max(markers, sum(state.markers))
    cells = [
        f"{mean(turns):.1f} [{min(turns)}-{max(turns)}]",
        f"{decisions / games:.0f}",
        f"{mean(markets):.1f} [{min(markets)}-{max(markets)}]",
        f"{shuffles / games:.1f}",
        f"{100 * stalled / games:.0f}",
        f"{mean(scores):.1f} {_spread(scores)}",
        f"{mean(winners):.1f}",
        f"{empty}",
        f"{markers}",
        f"{colourless}",
        f"{dry / games:.2f}",
    ]
    return f"| {seats} | " + " | ".join(cells) + " |"


def _spread(values: list[int]) -> str:
    ordered = sorted(values)
    return f"[{ordered[len(ordered) // 20]}-{ordered[len(ordered) * 19 // 20]}]"


if __name__ == "__main__":
    for seats in (2, 3, 4, 5):
        print(row(seats))
