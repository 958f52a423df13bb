"""Sanity numbers: 1,000 random games for each seat count and mode, as rows of the table
in RULES.md.

``python tests/games/emira/sanity.py`` prints them, with a shorter row that a test
compares with what RULES.md says.
"""

from collections import Counter
from hashlib import sha256
from statistics import mean

from khiva_arena.games.emira import GAME
from khiva_arena.rng import Stream

GAMES = 1000
FEW = 10


def row(seats: int, mode: str, games: int) -> str:
    """Rounds, decisions, what ended the match, scores, princesses, riots, gifts, event
    cards, Emiras undecided at the end.
    """
    rules = GAME.rules({"mode": mode})
    rounds, decisions, scores, winners, waiting = [], 0, [], [], []
    causes: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for ordinal in range(games):
        secret = sha256(f"sanity {seats} {ordinal}".encode()).digest()
        stream = Stream(secret, "choices")
        state, _ = GAME.new(seats, rules, secret)
        while pending := state.pending():
            decisions += len(pending)
            choices = {seat: stream.below(len(d.legal)) for seat, d in pending.items()}
            told.update(event.data["type"] for event in state.apply(choices))
        rounds.append(state.round)
        causes[state.ending or ""] += 1
        scores += state.scores
        winners.append(max(state.scores))
        waiting.append(len(state.undecided))
    cells = [
        f"{games}",
        f"{mean(rounds):.1f}",
        f"{decisions / games:.0f}",
        f"{100 * causes['goal'] / games:.0f}/{100 * causes['rounds'] / games:.0f}",
        f"{mean(scores):.1f} {_spread(scores)}",
        f"{mean(winners):.1f}",
        *(f"{told[kind] / games:.1f}" for kind in ("join", "riot", "gift", "play", "abduct")),
        f"{mean(waiting):.1f}",
    ]
    return f"| {seats} {mode} | " + " | ".join(cells) + " |"


def _spread(values: list[int]) -> str:
    ordered = sorted(values)
    return f"[{ordered[len(ordered) // 20]}-{ordered[len(ordered) * 19 // 20]}]"


if __name__ == "__main__":
    for mode in ("basic", "advanced"):
        for seats in (3, 4, 5):
            print(row(seats, mode, GAMES))
            print(row(seats, mode, FEW))
