"""Silk Road's table on a terminal, drawn from one seat's view."""

from collections.abc import Iterable, Mapping, Sequence

from khiva_arena.games.base import Plain
from khiva_arena.games.sheet import Block, Cell, Flow, Names, PaintedText, View, some
from khiva_arena.games.silk_road.notation import JEWEL_LETTERS, LETTERS, camel, place
from khiva_arena.games.silk_road.scoring import points
from khiva_arena.games.silk_road.tables import COLOURS, GOOD_OF, GOODS
from khiva_arena.words import count, spaced

GOOD_COLOURS = ("white", "brown", "blue", "pink", "green")
"""Colours of cards and camels; the letter says which good it is."""


def draw(view: View, names: Names, rules: Mapping[str, Plain]) -> list[Block | Flow]:
    """Return the blocks of the table, in the form that ``games/sheet.py`` asks for."""
    return [
        _villages(view, rules["map"]),
        _caravans(view),
        _seats(view, names),
        Block(_rest(view)),
        Block(_own(view, names)),
    ]


def _villages(view: View, road_map: Mapping[str, Plain]) -> Flow:
    """Return the villages with the tile of each, and the next places on the way."""
    ways: dict[str, list[str]] = {}
    for one, other in road_map["one_way"]:
        ways.setdefault(one, []).append(other)
    for one, other in road_map["two_way"]:
        ways.setdefault(one, []).append(other)
        ways.setdefault(other, []).append(one)
    tiles = {**dict.fromkeys(road_map["cities"], "city"), **view["tiles"]}
    cells = [
        f"{place(name)}: {spaced(tile)} > {', '.join(map(place, ways.get(name, ()))) or 'nowhere'}"
        for name, tile in tiles.items()
    ]
    return Flow(cells, "places, what is there, and where the ways go")


def _caravans(view: View) -> Block:
    rows: list[list[Cell]] = []
    for size, caravan in enumerate(view["caravans"], 1):
        if caravan:
            at, target, camels = caravan
            tile = f" ({spaced(view['tiles'][at])})" if at in view["tiles"] else ""
            jewels = _jewels(view["cities"].get(target, ()))
            rows.append([str(size), _camels(camels), f"{place(at)}{tile}", place(target), jewels])
    return Block(rows, ("caravan", "camels", "at", "goes to", "jewels there"))


def _seats(view: View, names: Names) -> Block:
    stand = points(view["jewels"], view["colourless"], view["markers"])
    rows: list[list[Cell]] = [
        [
            name,
            str(stand[seat]),
            str(view["hands"][seat]),
            _goods(view["known"][seat]) if seat != view["seat"] else "below",
            _goods(view["displays"][seat]),
            _jewels(
                colour for colour, many in enumerate(view["jewels"][seat]) for _ in range(many)
            ),
            str(view["colourless"][seat]),
            str(view["markers"][seat]),
            str(view["drivers"][seat]),
        ]
        for seat, name in enumerate(names)
    ]
    head = ("", "points", "hand", "known", "display", "jewels", "plain", "marks", "driver")
    return Block(rows, head, view["seat"])


def _rest(view: View) -> list[list[Cell]]:
    ending = {None: "", "bag": ", the end is near: no new caravan sets out"}.get(
        view["ending"], f", {view['ending']}"
    )
    return [
        ["turn", f"{view['turn']}{ending}"],
        ["caravanserai", _camels(view["queue"])],
        [
            "in the bag",
            _jewels(colour for colour, many in enumerate(view["bag"]) for _ in range(many)),
        ],
        ["pile", f"{count(view['pile'], 'card')}, {count(len(view['discard']), 'card')} discarded"],
        ["open cards", _goods(view["open"])],
    ]


def _own(view: View, names: Names) -> list[list[Cell]]:
    rows: list[list[Cell]] = [["your hand", _goods(view["hand"])]]
    ask = view["ask"] or {}
    if ask.get("kind") == "sell":
        rows.append(["the market", f"of caravan {ask['size']}: sell for {camel(ask['camel'])}?"])
    elif ask.get("kind") == "lay_out":
        rows.append(["lay out", f"how many {GOODS[ask['good']]} of your hand?"])
    elif ask.get("kind") == "robber":
        rows.append(
            [
                "rob one of",
                ", ".join(
                    f"{name} (seat {seat})"
                    for seat, name in enumerate(names)
                    if seat != view["seat"]
                ),
            ]
        )
    elif ask.get("kind") == "pay":
        rows.append(["pay", f"a card for {GOODS[ask['taken']]}"])
    return rows


def _goods(counts: Sequence[int]) -> Cell:
    return some(
        [
            PaintedText(f"{many}{letter}", colour)
            for many, letter, colour in zip(counts, LETTERS, GOOD_COLOURS, strict=True)
            if many
        ]
    )


def _camels(numbers: Iterable[int]) -> Cell:
    return some(
        [
            PaintedText(f"{LETTERS[GOOD_OF[number]]}{number}", GOOD_COLOURS[GOOD_OF[number]])
            for number in numbers
        ]
    )


def _jewels(colours: Iterable[int]) -> Cell:
    return some([PaintedText(JEWEL_LETTERS[colour], COLOURS[colour]) for colour in colours])
