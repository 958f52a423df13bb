"""Sanity numbers: 1,000 random games for each seat count, as rows of the table in
RULES.md.

``python tests/games/khiva/sanity.py`` prints them; a test compares them with what
RULES.md says.
"""

from collections import Counter
from hashlib import sha256
from statistics import mean

from khiva_arena.games.khiva import GAME
from khiva_arena.rng import Stream

GAMES = 1000


def row(seats: int, games: int = GAMES) -> str:
    """Turns and their 5th and 95th percentile, deals, what ended the match, scores,
    deliveries and moves a turn.
    """
    rules = GAME.rules({})
    turns, deals, scores, winners, deliveries, won, rejected = [], [], [], [], [], 0, 0
    causes: Counter[str] = Counter()
    for ordinal in range(games):
        secret = sha256(f"sanity {seats} {ordinal}".encode()).digest()
        stream = Stream(secret, "choices")
        state, _ = GAME.new(seats, rules, secret)
        while pending := state.pending():
            for event in state.apply(
                {seat: stream.below(len(d.legal)) for seat, d in pending.items()}
            ):
                if event.data["type"] == "win":
                    won += 1
                    rejected += len(event.data["rejected"])
        turns.append(state.turn)
        deals.append(state.deal)
        causes[state.ending or ""] += 1
        scores += state.scores
        winners.append(max(state.scores))
        deliveries.append(sum(map(len, state.teapots)))
    share = "/".join(
        f"{100 * causes[pile] / games:.0f}" for pile in ("teapots", "carpets", "salts")
    )
    cells = [
        f"{mean(turns):.1f} {_spread(turns)}",
        f"{mean(deals):.1f}",
        share,
        f"{mean(scores):.0f} {_spread(scores)}",
        f"{mean(winners):.0f}",
        f"{mean(deliveries):.1f}",
        f"{won / sum(turns):.1f}",
        f"{rejected / sum(turns):.1f}",
    ]
    return f"| {seats} | here | " + " | ".join(cells) + " |"


def _spread(values: list[int]) -> str:
    ordered = sorted(values)
    return f"[{ordered[len(ordered) // 20]}-{ordered[len(ordered) * 19 // 20]}]"


if __name__ == "__main__":
    for seats in (2, 3, 4, 5):
        print(row(seats))
