"""The coding of Khiva as numbers. docs/trainers.md explains them."""

from collections.abc import Mapping, MutableSequence
from typing import Any

from khiva_arena.env.coding import Coding
from khiva_arena.env.fields import (
    Field,
    Numbers,
    always,
    counts,
    each,
    known,
    listed,
    maybe,
    number,
    one_of,
    ranked,
    record,
    row,
    some_of,
)
from khiva_arena.games.base import Plain
from khiva_arena.games.khiva.tables import (
    CAMELS,
    FACE,
    FIRST_HAND,
    KEPT,
    LEGAL,
    PLACE_FACE,
    SALT_BAGS,
    SHOWN,
    TEAPOT_VALUES,
)
from khiva_arena.games.khiva.variants import compile_rules

VERSION = 1
CODES = range(50)
MOST_GEMS_A_TURN = 20
"""A bound: more gems than anybody can gain in a turn."""
MOST_LANDS = 6
PILES = ("teapots", "carpets", "salts")
ASKED = ("move", "boost", "shop4")


def coding(seats: int, rules: Mapping[str, Any]) -> Coding:
    """Build the coding for a seat count under a complete rules map."""
    turns, cards = rules["max_turns"], KEPT[seats] * rules["max_turns"]
    ruleset = compile_rules(rules)
    carpets = [[code // 10, code % 10] for code in ruleset.carpets]
    kinds = [list(face) for face in dict.fromkeys(map(tuple, carpets))]
    seat, card = one_of(range(seats)), one_of(FACE)
    gems = number(MOST_GEMS_A_TURN * turns)
    places = [PLACE_FACE[0], *(face for face in PLACE_FACE[: 6 * seats] if face[1])]
    ask = {
        "kind": one_of(ASKED),
        "seat": seat,
        "camel": one_of(CAMELS),
        "card": card,
        "lands": listed(MOST_LANDS, places),
    }
    keys: dict[str, Field] = {
        "seat": seat,
        "seats": always(seats),
        "turn": number(turns),
        "deal": number(turns),
        "hand": some_of(FACE),
        "hands": each(seats, number(FIRST_HAND[seats])),
        "table": each(seats, some_of(FACE, order=_by_camel)),
        "discard": ranked(FACE),
        "shown": ranked(FACE) if SHOWN[seats] else always([]),
        "aside": number(len(FACE)),
        "camels": each(len(CAMELS), _camel(places)),
        "gems": each(seats, gems),
        "carpets": each(seats, ranked(carpets)),
        "delivered": each(seats, ranked(carpets)),
        "teapots": each(seats, ranked(ruleset.teapots)),
        "salts": each(seats, ranked(SALT_BAGS)),
        "teapots_left": counts(TEAPOT_VALUES, max(rules["teapot_counts"])),
        "carpets_left": counts(kinds, max(map(carpets.count, carpets))),
        "carpet_top": one_of(CAMELS),
        "salts_left": some_of(SALT_BAGS),
        "gems_left": maybe(gems),
        "ending": one_of((*PILES, "turns")),
        "ask": maybe(record(ask)),
        "passed": _passed(seats, turns),
        "history": record(
            {
                "played": listed(seats * cards, CODES),
                "passed": listed(cards, CODES),
                "received": listed(cards, CODES),
            }
        ),
    }
    entries: dict[str, Any] = {
        "play_pass": LEGAL[seats, FIRST_HAND[seats]],
        "move": [["move"], ["stay"]],
        "boost": [[gems] for gems in range(MOST_LANDS)],
        "shop4": [["carpet"], ["salt"], ["nothing"]],
    }
    return Coding(VERSION, keys, entries, longest=turns * (seats + 3 * len(CAMELS)))


def _by_camel(face: Plain) -> object:
    """Return the sort key of cards as they lie on the table: by order of activation,
    then by value downwards.
    """
    return face[0], -face[1]


@known
def _camel(places: list[list[Plain]]) -> Field:
    """Make a field for [path, shop, teapot]: the camel's place, as one of the places,
    and its load.
    """
    both = row(one_of(places), number(TEAPOT_VALUES[-1]))
    return Field(
        both.bounds,
        lambda camel, into, at: both.put((camel[:2], camel[2]), into, at),
        lambda numbers: _joined(*both.get(numbers)),
    )


def _joined(place: list[Plain], load: int) -> list[Plain]:
    return [*place, load]


@known
def _passed(seats: int, turns: int) -> Field:
    """Make a field for passed cards. For each card: its place in the list, from 1; the
    turn; the seats that may hold it, as a list.
    """
    holders = listed(seats - 1, range(seats))
    start = {tuple(face): card * (2 + seats - 1) for card, face in enumerate(FACE)}

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        for place, (turn, face, is_held) in enumerate(value, 1):
            first = at + start[tuple(face)]
            into[first], into[first + 1] = place, turn
            holders.put(is_held, into, first + 2)

    def get(numbers: Numbers) -> Plain:
        rows = [(next(numbers), next(numbers), list(face), holders.get(numbers)) for face in FACE]
        return [
            [turn, face, is_held]
            for place, turn, face, is_held in sorted(rows, key=lambda row: row[0])
            if place
        ]

    return Field(((0, len(FACE)), (0, turns), *holders.bounds) * len(FACE), put, get)
