"""Khiva's questions to a person, called as ``games/asked.py`` says."""

from collections.abc import Sequence
from typing import Any

from khiva_arena.games.asked import Names, PersonsQuestion, View, of
from khiva_arena.games.khiva.notation import card, choice
from khiva_arena.games.khiva.tables import COLOURS, OUTPOST, SALT_PRICE
from khiva_arena.words import count

AIM = (
    "Five camels carry teapots. All play a card in secret; the lowest card of a colour moves that "
    "camel along its player's path, and rejected cards bring gems.",
    "The shop where a camel stops gives its mover gems, a carpet or salt; the outpost gives its "
    "teapot, and takes the mover's carpets of its colour.",
    "Points: teapots 2 to 7, salt bags 6 to 10, carpets that were delivered 3 to 5, and 1 for "
    "each gem. The match ends when a pile runs out.",
)
LEGEND = (
    (
        "W B G P K",
        "the camels and cards: white, blue, green, pink, black, in the order in which they move",
    ),
    (
        "W3",
        (
            "the white card 3: it moves the white camel 3 places; of several played for one "
            "camel the lowest wins"
        ),
    ),
    ("a number on a camel", "the points of the teapot that it carries"),
    ("shop 1", "1 gem for who stops there"),
    ("shop 2", "the top carpet"),
    ("shop 3", "2 gems"),
    ("shop 4", "the top salt bag for 3 gems, or the top carpet"),
    (
        "outpost",
        (
            "the camel's teapot, and your carpets of its colour are delivered; then it starts "
            "again from its tent"
        ),
    ),
    ("points", "teapots, salt bags, delivered carpets, and 1 for each gem"),
)


def question(kind: str, view: View, names: Names) -> PersonsQuestion:
    """Return the open decision in words for the person who is asked."""
    if kind == "play_pass":
        return _play_pass(view, names)
    ask = view["ask"]
    camel, face = f"{COLOURS[ask['camel']]} camel", card(ask["card"])
    if kind == "boost":
        about = (
            "Each gem that you pay moves it one place further. The place where it stops works "
            "for you."
        )
        return PersonsQuestion(
            f"You won the {camel} with {face}: where does it go?",
            about,
            ("K4", "K5", "K6", "K8", "K9", "K10", "K11"),
        )
    if kind == "move":
        about = "The place where it stops works for you."
        return PersonsQuestion(f"You won the {camel} with {face}: move it?", about, ("K4", "K9"))
    about = (
        f"You have {count(view['gems'][view['seat']], 'gem')}. Carpets count once they are "
        "delivered, salt counts at once."
    )
    return PersonsQuestion(
        f"The {camel} has stopped at shop 4: what do you take?", about, ("K10", "K16", "K17", "K23")
    )


def _play_pass(view: View, names: Names) -> PersonsQuestion:
    number = 2 if view["seats"] == 2 else 1
    cards = (
        "two cards to play and two to pass" if number == 2 else "a card to play and a card to pass"
    )
    to = names[(view["seat"] + 1) % view["seats"]]
    about = (
        "All choose at once and in secret. The lowest card of a colour wins its camel, rejected "
        f"cards bring gems. What you pass goes to {to}, who can play it from the next turn on."
    )
    return PersonsQuestion(
        f"Choose {cards}", about, ("K1", "K2", "K3", *(("K21",) if number == 2 else ()))
    )


def answer(kind: str, entry: Sequence[Any], view: View, names: Names) -> str:
    """Return an entry of ``legal`` in words, with its effect."""
    if kind == "boost":
        paid = count(entry[0], "gem") if entry[0] else "no gem"
        return f"{paid}: {_stop(view['ask']['lands'][entry[0]], view, names)}"
    if kind == "move":
        if entry[0] == "stay":
            return "stay: leave it where it is"
        return f"move: to {_stop(view['ask']['lands'][0], view, names)}"
    if kind == "shop4":
        salt = view["salts_left"][0] if view["salts_left"] else 0
        return {
            "carpet": "carpet: the top one of the pile, free",
            "salt": f"salt: the bag of {salt} points for {SALT_PRICE} gems",
            "nothing": "nothing: take none",
        }[entry[0]]
    return choice(kind, entry, view)


def _stop(place: Sequence[int], view: View, names: Names) -> str:
    """Return a place in words, with the goods that it brings."""
    path, shop = place
    if shop == 0:
        return "its tent"
    if shop == OUTPOST:
        colour = view["ask"]["camel"]
        load = view["camels"][colour][2]
        carpets = sum(face[0] == colour for face in view["carpets"][view["seat"]])
        brings = [f"teapot {load}"] * bool(load) + [f"{count(carpets, 'carpet')} delivered"] * bool(
            carpets
        )
        return f"{of(names[path], 'outpost')} ({', '.join(brings) or 'it carries nothing'})"
    brings_here = {1: "1 gem", 2: "a carpet", 3: "2 gems", 4: "salt or a carpet"}[shop]
    return f"{of(names[path], f'shop {shop}')} ({brings_here})"
