"""Deals of Emira for protocol/vectors/deals/emira.json; ``tests/games/make_vectors.py``
writes it.
"""

from typing import Any

from khiva_arena.games.emira import dealing
from khiva_arena.games.emira.tables import BAG, BLUE

MATCH = (3, {"max_rounds": 3})
"""Seats and rules of the match in protocol/vectors/matches, which
``tests/bots/protocol/make_frames.py`` writes.
"""
ABOUT = (
    "Colours, event cards, Emiras, kinds and goals are numbered as in the tables, status cards are "
    "prices; all lists in the order dealt, decks top first. The seats keep the first card of their "
    "sorted hand. appearance: the kinds that the first five rounds would draw from the full bag. "
    "riot: who leaves, one by one, of the Emiras 0 to 5, and how these go under the deck. noble: "
    "the status deck shuffled for the first time without its top card."
)


def deal(secret: bytes, seats: int) -> dict[str, Any]:
    """All that is drawn before the first round, and the first draws of later ones."""
    colours = dealing.colours(secret, seats)
    status = dealing.status(secret, seats, colours)
    first = dealing.first_events(secret, seats, advanced=False)
    bag = [BAG[seats], BAG[seats], BAG[seats] + (BLUE not in colours)]
    riot, palace, left = dealing.Riot(secret, 1), [0, 1, 2, 3, 4, 5], []
    for _ in range(3):
        left.append(riot.draw(palace))
        palace.remove(left[-1])
    return {
        "secret": secret.hex(),
        "seats": seats,
        "colours": colours,
        "start": dealing.start(secret, seats),
        "status": status,
        "goals": dealing.goals(secret, seats),
        "emiras": dealing.emiras(secret),
        "dealt": first.dealt,
        "events": dealing.events(
            secret, first.rest + [card for hand in first.dealt for card in hand[1:]]
        ),
        "appearance": [dealing.appearance(secret, number, bag) for number in range(1, 6)],
        "riot": {"left": left, "under": riot.order(left)},
        "noble": dealing.reshuffled_status(secret, 1, status[1:]),
    }
