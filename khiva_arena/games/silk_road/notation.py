"""Silk Road for people: one line for an event, and the whole position as text.

The text of a position has one letter for a card or jewel.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from khiva_arena.games.base import Plain
from khiva_arena.games.silk_road.state import GONE, Position
from khiva_arena.games.silk_road.tables import COLOURS, GOOD_OF, GOODS, SIZES, TILES
from khiva_arena.games.wording import Data, Names, filled, lines_of, standing
from khiva_arena.words import count, spaced

LETTERS = "ISPKT"
"""The letter of each good, for the position: ivory, spice, porcelain, silK, tea."""
JEWEL_LETTERS = "BYGRV"


TOWNS = {
    "Byz": "Byzantium",
    "Sam": "Samarkand",
    "Tas": "Tashkent",
    "Cha": "Chang'an",
    "Amr": "Amritsar",
    "Isf": "Isfahan",
}
_ON_THE_WAY = re.compile(r"(in|out)_([A-Z][a-z]{2})")
_ON_THE_RING = re.compile(r"r(\d)")


PLACES = (
    "Byzanz",
    *(f"r{number}" for number in range(10)),
    *(f"{way}_{town}" for town in TOWNS for way in ("in", "out")),
)
"""Places of the map r1 that people call otherwise."""


def place(name: str) -> str:
    """Return a place of the map r1 as people call it, such as "Byzantium gate" for
    in_Byz; one of another map as it stands.
    """
    if name == "Byzanz":
        return "Byzantium"
    if ring := _ON_THE_RING.fullmatch(name):
        return f"ring {ring[1]}"
    way = _ON_THE_WAY.fullmatch(name)
    if way is None or way[2] not in TOWNS:
        return name
    return f"{TOWNS[way[2]]} {'gate' if way[1] == 'in' else 'road'}"


def camel(number: int) -> str:
    """Return a camel in words, such as silk 10."""
    return f"{GOODS[GOOD_OF[number]]} {number}"


def _camels(numbers: Iterable[int]) -> str:
    return ", ".join(map(camel, numbers)) or "none"


def _goods(goods: Iterable[int]) -> str:
    return ", ".join(GOODS[good] for good in goods) or "nothing"


def _letters(goods: Iterable[int]) -> str:
    return "".join(LETTERS[good] for good in goods) or "-"


def _counts_in_words(counts: Sequence[int]) -> str:
    return ", ".join(f"{n} {good}" for n, good in zip(counts, GOODS, strict=True) if n) or "nothing"


def _counts(counts: Sequence[int], letters: str = LETTERS) -> str:
    return " ".join(f"{n}{letter}" for n, letter in zip(counts, letters, strict=True) if n) or "-"


def _jewels(colours: Iterable[int]) -> str:
    return ", ".join(COLOURS[colour] for colour in colours) or "none"


def choice(kind: str, entry: Sequence[Any], view: Mapping[str, Plain]) -> str:
    """Return an entry of ``legal`` in words, for a person who is asked."""
    if kind == "move":
        good, number, caravan, to = entry
        tile = view["tiles"].get(to)
        return f"{number} {GOODS[good]}, caravan {caravan} to {place(to)}" + (
            f" ({spaced(tile)})" if tile else ""
        )
    if kind == "lay_out":
        return str(entry[0])
    if kind == "jewel":
        return COLOURS[entry[0]]
    if kind == "robber":
        return f"{GOODS[entry[1]]} of seat {entry[0]}"
    return GOODS[entry[0]] if isinstance(entry[0], int) else str(entry[0])


def _setup(d: Data, names: Names) -> str:
    caravans = "; ".join(
        f"{_camels(camels)} at {place(at)} for {place(target)}"
        for at, target, camels in d["caravans"]
    )
    tiles = ", ".join(f"{place(village)} {spaced(tile)}" for village, tile in d["tiles"].items())
    jewels = ", ".join(f"{place(city)} {_jewels(colours)}" for city, colours in d["jewels"].items())
    drivers = ", ".join(
        f"{name} {driver}" for name, driver in zip(names, d["drivers"], strict=True)
    )
    return (
        f"Caravans {caravans}; queue {_camels(d['queue'])}; jewels {jewels}; drivers "
        f"{drivers}; tiles {tiles}"
    )


def _hand(d: Data, names: Names) -> str:
    return f"{names[d['seat']]} is dealt {_goods(sorted(d['goods']))}"


def _move(d: Data, names: Names) -> str:
    cards = f"{d['count']} {GOODS[d['good']]}"
    return (
        f"{names[d['seat']]} plays {cards}: caravan {d['size']} goes from {place(d['from'])} "
        f"to {place(d['place'])}"
    )


def _salvage(d: Data, names: Names) -> str:
    source = "discard pile" if d["from"] == "discard" else "pile"
    return f"{names[d['seat']]} gets {GOODS[d['good']]} from the {source}"


def _market(d: Data, names: Names) -> str:
    return f"{d['kind'].capitalize()} market of caravan {d['size']} in {place(d['place'])}"


def _sale(d: Data, names: Names) -> str:
    return f"{names[d['seat']]} sells for {camel(d['camel'])}: {count(d['count'], 'card')}"


def _swap(d: Data, names: Names) -> str:
    one, other = d["seats"]
    return f"{names[one]} and {names[other]} change drivers"


def _caravan(d: Data, names: Names) -> str:
    way = f"from {place(d['place'])} to {place(d['target'])} ({_jewels(d['colours'])})"
    return f"New caravan {d['size']}: {_camels(d['camels'])} {way}"


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "from": place,
    "colours": _jewels,
    "good": GOODS.__getitem__,
    "goods": _goods,
    "counts": _counts_in_words,
    "place": place,
    "tile": spaced,
    "camel": camel,
    "colour": COLOURS.__getitem__,
}
"""Functions that put the fields of events in words."""
_TEMPLATES = {
    "turn": "Turn {turn}: {seat}",
    "take": "{seat} takes {good}",
    "draw": "{seat} draws from the pile",
    "drawn": "{seat} drew {good}",
    "no_card": "No card is left for {seat}",
    "skip": "{seat} takes nothing",
    "refill": "Open cards: {goods} added",
    "reshuffle": "Reshuffle {shuffle}: the new pile has {counts}",
    "action": "At {place}: {tile}",
    "nothing": "No effect: {tile}",
    "discard": "{seat} discards {good} from the {from} ({why})",
    "rob": "{seat} robs {victim} of {good}",
    "name": "{seat} will give {good}",
    "buy": "{seat} takes {good} to the display",
    "decline": "{seat} does not sell for {camel}",
    "unsold": "Nobody sells for {camel}",
    "jewel": "{seat} takes a {colour} jewel",
    "colourless": "{seat} gets a colourless jewel",
    "marker": "{seat} changes three colourless jewels for a marker",
    "stable": "{camel} goes to the caravanserai",
    "join": "{camel} joins caravan {size}",
    "removed": "Removed from {from}: {colours}",
    "retire": "No caravan {size} sets out any more",
    "lay_out": "{seat} lays out {count} {good}",
}
"""Lines of events whose fields need no more than that."""
LINES = lines_of(globals()) | filled(_TEMPLATES, _WORDS) | {"end": standing}


def sketch(pos: Position, names: Names) -> str:
    """Return the whole position as text, hidden things included."""
    board = pos.ruleset.board
    lines = [
        f"turn {pos.turn}, {names[pos.active]}" + (f", ending ({pos.ending})" if pos.ending else "")
    ]
    for size in SIZES:
        at, target = pos.places[size - 1], pos.targets[size - 1]
        if at != GONE:
            way = (
                f"{place(board.names[at])} for {place(board.names[target])} "
                f"({_jewels(pos.cities[target])})"
            )
            lines.append(f"  caravan {size}  {_camels(pos.camels[size - 1])} at {way}")
    for seat, name in enumerate(names):
        parts = [
            f"hand {_counts(pos.hands[seat])} (known {_counts(pos.known[seat])})",
            f"display {_counts(pos.displays[seat])}",
        ]
        parts += [
            f"jewels {_counts(pos.jewels[seat], JEWEL_LETTERS)}",
            f"colourless {pos.colourless[seat]}",
        ]
        lines.append(
            f"  {name}: driver {pos.drivers[seat]}, "
            + ", ".join([*parts, f"markers {pos.markers[seat]}"])
        )
    lines.append(f"  open {_counts(pos.open)}, pile {_letters(pos.pile[::-1])}")
    lines.append(
        f"  discard {_letters(pos.discard)}, drawn since the last shuffle "
        f"{'; '.join(map(_counts, pos.fresh))}"
    )
    lines.append(
        f"  queue {_camels(pos.queue)}, bag {_jewels(pos.bag[::-1])}, removed "
        f"{_counts(pos.removed, JEWEL_LETTERS)}"
    )
    lines.append(
        "  tiles "
        + ", ".join(
            f"{place(board.names[board.cities + i])} {TILES[t]}" for i, t in enumerate(pos.tiles)
        )
    )
    lines.append(
        f"  to do: {', '.join(' '.join(map(str, task)) for task in pos.tasks[::-1]) or 'nothing'}"
    )
    if pos.asked:
        ((seat, decision),) = pos.asked.items()
        lines.append(
            f"  asked: {names[seat]}, {' '.join(map(str, (decision.kind, *pos.doing[1:])))}"
        )
    return "\n".join(lines)
