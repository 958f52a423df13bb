"""Khiva's table on a terminal, drawn from one seat's view."""

from collections.abc import Mapping, Sequence

from khiva_arena.games.asked import second_person
from khiva_arena.games.base import Plain
from khiva_arena.games.khiva.notation import LETTERS, card, stop
from khiva_arena.games.khiva.scoring import points
from khiva_arena.games.khiva.tables import COLOURS, OUTPOST
from khiva_arena.games.sheet import NOTHING, Block, Cell, Flow, Names, PaintedText, View, some
from khiva_arena.words import count

SHOPS = ("1: gem", "2: carpet", "3: 2 gems", "4: salt", "outpost")


def draw(view: View, names: Names, rules: Mapping[str, Plain]) -> list[Block | Flow]:
    """Return the blocks of the table, in the form that ``games/sheet.py`` asks for."""
    return [
        _paths(view, names),
        _seats(view, names),
        Block(_rest(view, names)),
        Block(_own(view, names)),
    ]


def _pieces(faces: Sequence[Sequence[int]]) -> list[str | PaintedText]:
    return [PaintedText(card(face), COLOURS[face[0]]) for face in faces]


def _faces(faces: Sequence[Sequence[int]]) -> Cell:
    return some(_pieces(faces))


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values)) or NOTHING


def _paths(view: View, names: Names) -> Block:
    """Return the camels where they stand, with their teapots."""

    rows = [
        [name, *(_camels(view, seat, shop) for shop in range(1, OUTPOST + 1))]
        for seat, name in enumerate(names)
    ]
    return Block(rows, ("path of", *SHOPS), view["seat"])


def _camels(view: View, path: int, shop: int) -> Cell:
    """Return the camels that stand at a place."""
    here = [
        (colour, load)
        for colour, (*place, load) in enumerate(view["camels"])
        if place == [path, shop]
    ]
    return some(
        [
            part
            for colour, load in here
            for part in (PaintedText(LETTERS[colour], COLOURS[colour]), f"{load or 'bare'} ")
        ]
    )


def _seats(view: View, names: Names) -> Block:
    stand = points(view)
    rows = [
        [
            name,
            str(stand[seat]),
            str(view["gems"][seat]),
            _numbers(view["teapots"][seat]),
            _faces(view["delivered"][seat]),
            _faces(view["carpets"][seat]),
            _numbers(view["salts"][seat]),
            str(view["hands"][seat]),
            _faces(view["table"][seat]),
        ]
        for seat, name in enumerate(names)
    ]
    return Block(
        rows,
        ("", "points", "gems", "teapots", "delivered", "carpets", "salt", "hand", "played"),
        view["seat"],
    )


def _rest(view: View, names: Names) -> list[list[Cell]]:
    ending = f", the last turn: no more {view['ending']}" if view["ending"] else ""
    rows: list[list[Cell]] = [
        ["in tents", _camels(view, -1, 0)],
        ["turn", f"{view['turn']}, deal {view['deal']}{ending}"],
        [
            "left",
            f"{count(len(view['teapots_left']), 'teapot')}, "
            f"{count(len(view['carpets_left']), 'carpet')}, salt {_numbers(view['salts_left'])}",
        ],
    ]
    if view["gems_left"] is not None:
        rows.append(["gems left", str(view["gems_left"])])
    if view["carpet_top"] is not None:
        rows.append(["on top", f"a {COLOURS[view['carpet_top']]} carpet"])
    rows.append(["discarded", _faces(view["discard"])])
    rows.append(["aside", [f"{count(view['aside'], 'card')} face down", *_pieces(view["shown"])]])
    if view["passed"]:
        passes = [
            (face, " or ".join(names[seat] for seat in seats)) for _, face, seats in view["passed"]
        ]
        rows.append(
            [
                "you passed",
                [
                    part
                    for face, holders in passes
                    for part in (*_pieces([face]), f"(now with {holders})")
                ],
            ]
        )
    return rows


def _own(view: View, names: Names) -> list[list[Cell]]:
    rows = [["your hand", _faces(view["hand"])]]
    ask = view["ask"]
    if ask and ask["seat"] == view["seat"]:
        camel = [*_pieces([ask["card"]]), f"moves the {COLOURS[ask['camel']]} camel"]
        lands = [stop(land, names) for land in ask["lands"]]
        ways = [
            f"to {lands[0]}",
            *(
                f"or, with {count(gems, 'gem')}, to {place}"
                for gems, place in enumerate(lands)
                if gems
            ),
        ]
        rows.append(["you won", [*camel, second_person(", ".join(ways), names)]])
    return rows
