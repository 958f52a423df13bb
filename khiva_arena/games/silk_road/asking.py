"""Silk Road's questions to a person, called as ``games/asked.py`` says."""

from collections.abc import Sequence
from typing import Any

from khiva_arena.games.asked import YOU, Names, PersonsQuestion, View
from khiva_arena.games.silk_road.notation import camel, choice, place
from khiva_arena.games.silk_road.tables import COLOURS, GOODS
from khiva_arena.words import count, spaced

AIM = (
    (
        "Cards of one good, laid down before you, move any caravan as many steps. Where it "
        "stops decides what you may do then."
    ),
    (
        "In a city each camel asks for a good. Who has most cards of it lying there sells half "
        "of them, for a jewel."
    ),
    (
        "Points: 1, 3, 6, 10 or 15 for a set of 1 to 5 different colours, 2 for a colourless "
        "jewel, 8 for a marker."
    ),
)
LEGEND = (
    ("a caravan", "1, 2 or 3 camels on their way to the city that is named; any seat may move it"),
    (
        "silk 10",
        "a camel that carries silk; at a market it asks for cards of silk, higher numbers first",
    ),
    (
        "a jewel at a city",
        "for who sells there; sets of different colours are worth 1, 3, 6, 10, 15 points",
    ),
    (
        "a tile at a village",
        "what the caravan's mover does there when it stops: a small market, customs, a robber ...",
    ),
    ("display", "the cards in front of a seat: played to move, and sold at markets"),
    (
        "driver",
        "breaks ties between seats with equally many cards; the two change drivers after a sale",
    ),
    (
        "colourless jewels",
        "2 points each for up to two; the third changes them into a marker, which is worth 8",
    ),
)
_TILES = {
    "black_market": "sell the highest camel",
    "camels_1": "another card, if it has 1 camel",
    "camels_2": "another card, if it has 2 camels at most",
    "camels_3": "another card",
    "customs": "the others discard hands down to 4",
    "sandstorm": "the others lose a card of the display",
    "robber": "take a card of another display",
    "bazaar": "three different goods for a colourless jewel",
    "baksheesh": "an open card for one of your hand",
}
_ABOUT = {
    "move": (
        "Which cards do you play, and which caravan moves?",
        (
            "Play cards of one good into your display; one caravan goes as many steps. "
            "Where it stops decides what you do then."
        ),
        ("S2", "S3", "S4"),
    ),
    "draw": (
        "Which card do you draw?",
        "An open one, or the top of the pile unseen.",
        ("S5", "S10", "S16"),
    ),
    "customs": (
        "Customs: which card do you discard?",
        "You may keep 4 cards in your hand.",
        ("S11",),
    ),
    "sandstorm": (
        "Sandstorm: which card of your display do you lose?",
        "It goes to the discard pile.",
        ("S11",),
    ),
    "robber": (
        "Whom do you rob, and of what?",
        "The card goes into your display; who was robbed robs another one.",
        ("S12",),
    ),
    "bazaar": (
        "Bazaar: do you give three goods for a colourless jewel?",
        "Three different ones.",
        ("S13", "S14"),
    ),
    "baksheesh": (
        "Baksheesh: which open card do you take into your display?",
        "Then you discard a card of your hand.",
        ("S13",),
    ),
}


def question(kind: str, view: View, names: Names) -> PersonsQuestion:
    """Return the open decision in words for the person who is asked."""
    if kind in _ABOUT:
        return PersonsQuestion(*_ABOUT[kind])
    ask = view["ask"]
    if kind == "sell":
        what = {"large": "a jewel of the city"}.get(ask["market"], "a colourless jewel")
        about = (
            f"It costs half of those cards of your display, rounded up, and brings {what}. "
            "Declined, the next seat may."
        )
        return PersonsQuestion(
            f"Do you sell for {camel(ask['camel'])}?", about, ("S7", "S9", "S15")
        )
    if kind == "pay":
        title = f"Baksheesh: which card of your hand do you discard for the {GOODS[ask['taken']]}?"
        return PersonsQuestion(title, "It goes to the discard pile.", ("S13",))
    if kind == "jewel":
        return PersonsQuestion(
            "Which jewel do you take?", "Sets of different colours count most.", ("S7", "S18")
        )
    if kind == "lay_out":
        return PersonsQuestion(
            f"How many cards of {GOODS[ask['good']]} do you lay out?",
            "They count in the last markets.",
            ("S17",),
        )
    return PersonsQuestion(f"Your turn: {spaced(kind)}")


def answer(kind: str, entry: Sequence[Any], view: View, names: Names) -> str:
    """Return an entry of ``legal`` in words, with its effect."""
    first = entry[0]
    if kind == "move":
        good, many, caravan, to = entry
        tile = view["tiles"].get(to)
        return (
            f"{count(many, f'card of {GOODS[good]}', f'cards of {GOODS[good]}')}, caravan "
            f"{caravan} to {place(to)}"
            + (
                f" ({spaced(tile)}: {_TILES[tile]})"
                if tile in _TILES
                else f" ({spaced(tile)})"
                if tile
                else ""
            )
        )
    if kind == "robber":
        return f"{GOODS[entry[1]]} of {names[first]}"
    if kind == "draw":
        return {"pile": "pile: the top card, unseen", "nothing": "nothing: draw no card"}.get(
            first
        ) or f"{GOODS[first]}, open"
    if kind == "bazaar":
        return "no: keep your cards" if first == "no" else f"give {GOODS[first]}"
    if kind == "baksheesh":
        return "nothing: leave it" if first == "nothing" else f"take {GOODS[first]}"
    if kind == "sell":
        return "sell: for the jewel" if first == "sell" else "decline: keep your cards"
    if kind == "lay_out":
        return f"{first}"
    if kind == "jewel":
        has = view["jewels"][view["seat"]][first] if first < len(COLOURS) else 0
        return f"{COLOURS[first]} ({'you have none' if not has else f'{YOU} have {has}'})"
    return choice(kind, entry, view)
