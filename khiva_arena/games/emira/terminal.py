"""Emira's table on a terminal, drawn from one seat's view."""

from collections.abc import Callable, Mapping, Sequence

from khiva_arena.games.asked import YOU, of, second_person
from khiva_arena.games.base import Plain
from khiva_arena.games.emira.auction import prices
from khiva_arena.games.emira.tables import (
    APPEARANCE_PRICE,
    CARAVAN_INCOME,
    CARAVANS,
    KINDS,
    NAMES,
    SCENERY,
)
from khiva_arena.games.sheet import NOTHING, Block, Cell, Flow, Names, PaintedText, View, some
from khiva_arena.words import count, spaced

FOR_ALL = ("golden", "interrupted", "sick", "quiet", "doubles")
"""Effects of this round for all, each a number or whether it holds."""


def draw(view: View, names: Names, rules: Mapping[str, Plain]) -> list[Block | Flow]:
    """Return the blocks of the table, in the form that ``games/sheet.py`` asks for."""
    return [_emiras(view), _courts(view, names), Block(_board(view, names)), Block(_own(view))]


def _list(items: Sequence[Plain]) -> str:
    return ", ".join(map(spaced, items)) or NOTHING


def _emiras(view: View) -> Block:
    """Return the Emiras who look for a home, with their wishes and talents."""
    groups = (
        ("now", view["active"]),
        ("next round", view["coming"]),
        ("undecided", view["undecided"]),
    )
    return Block(
        [[name, when, *_wishes(name, view["swapped"])] for when, names in groups for name in names],
        ("princess", "chooses", "wants most", "if equal", "talents"),
    )


def _wishes(name: str, swapped: Sequence[str]) -> tuple[str, str, str]:
    first, second, talents = SCENERY["emiras"][name]
    if not first:
        return "princesses", NOTHING, NOTHING
    return (*((second, first) if name in swapped else (first, second)), " or ".join(talents))


def _courts(view: View, names: Names) -> Block:
    """Return the seats beside each other: a row has room for few words."""
    rows: dict[str, Callable[[int], str]] = {
        "gold": lambda seat: _gold(view, seat),
        "appearance": lambda seat: (
            f"{view['appearance'][seat]} {_counters(view['counters'][seat])}".strip()
        ),
        "status": lambda seat: str(view["status"][seat]),
        "palace": lambda seat: f"{view['palace'][seat] / 2:g}, room for {view['room'][seat]}",
        "camels": lambda seat: f"{view['camels'][seat]}, each takes off {view['discount'][seat]}",
        "caravans": lambda seat: _caravans(view["caravans"][seat]),
        "princesses": lambda seat: _list(
            [f"{name} {_talents(name)}" for name in view["princesses"][seat]]
        ),
        "upkeep": lambda seat: str(view["upkeep"][seat]),
        "event cards": lambda seat: str(view["hands"][seat]),
    }
    seats = range(len(names))
    sheiks: list[Cell] = [
        [
            PaintedText(colour, colour),
            *([YOU] if seat == view["seat"] and names[seat] != YOU else []),
        ]
        for seat, colour in enumerate(view["colours"])
    ]
    table: list[list[Cell]] = [["", *sheiks]]
    table += [[name, *(show(seat) for seat in seats)] for name, show in rows.items()]
    return Block(table, ("", *names))


def _gold(view: View, seat: int) -> str:
    if view["gold"][seat] is not None:
        return str(view["gold"][seat])
    shown = view["gold_shown"][seat]
    return f"{shown[1]} in round {shown[0]}" if shown else "hidden"


def _counters(counts: Sequence[int]) -> str:
    text = ", ".join(
        f"{number} {kind}" for number, kind in zip(counts, KINDS, strict=True) if number
    )
    return f"({text})" if text else ""


def _caravans(by_kind: Sequence[Sequence[int]]) -> str:
    kinds = zip(CARAVANS, CARAVAN_INCOME, by_kind, strict=True)
    return (
        ", ".join(
            f"{spaced(name)} {left} x {income}" for name, income, own in kinds for left in own
        )
        or NOTHING
    )


def _talents(name: str) -> str:
    talents = SCENERY["emiras"][name][2]
    return f"({' or '.join(talents)})" if talents else ""


def _board(view: View, names: Names) -> list[list[Cell]]:
    small, large, camels, sections = view["supply"]
    sale = [
        *view["board"]["appearance"],
        *(f"status {price}" for price in view["board"]["status"]),
        *view["board"]["open"],
    ]
    effects = view["effects"]
    happens = [name for name in FOR_ALL if effects[name]]
    happens += [
        of(names[effects[name]], name) for name in ("bazaar", "noble") if effects[name] is not None
    ]
    happens += ["more Emiras in the even round"] * (effects["larger"] == "even")
    rows: list[list[Cell]] = [
        [
            "round",
            second_person(
                f"{view['round']}, {view['phase']}; {names[view['start']]} has the start marker",
                names,
            ),
        ],
        ["for sale", _list(sale)],
        ["your prices", _prices(view["princesses"][view["seat"]])],
        [
            "supply",
            (
                f"{small} small and {large} large caravans, {count(camels, 'camel')}, "
                f"{count(sections, 'section')}"
            ),
        ],
    ]
    if happens:
        rows.append(["this round", ", ".join(happens)])
    auction = view["auction"]
    if auction:
        highest = (
            "no bid yet"
            if auction["bidder"] is None
            else f"{names[auction['bidder']]} bids {auction['bid']}"
        )
        still = ", ".join(names[seat] for seat in auction["bidding"])
        rows.append(["auction", second_person(f"{highest}; in it: {still}", names)])
    return rows


def _prices(palace: Sequence[str]) -> str:
    """Return the prices of a seat with whom these princesses live."""
    *caravans, section, camel = prices([NAMES.index(name) for name in palace])
    text = ", ".join(
        f"{spaced(kind)} {price}" for kind, price in zip(CARAVANS, caravans, strict=True)
    )
    return f"{text}, counter {APPEARANCE_PRICE}, palace {section}, camel {camel}"


def _own(view: View) -> list[list[Cell]]:
    goal = " or ".join(
        ", ".join(f"{way.count(one)} {one}" for one in dict.fromkeys(way)) for way in view["goal"]
    )
    rows: list[list[Cell]] = [["your goal", goal], ["your events", some(_list(view["hand"]))]]
    if off := view["off_bid"][view["seat"]]:
        rows.append(["your camels", f"take {off} off what you bid"])
    ask = view["ask"]
    if ask and ask["seat"] == view["seat"]:
        if ask["cards"]:
            rows.append(["you see", _list(ask["cards"])])
        if isinstance(ask["about"], str):
            rows.append(["about", spaced(ask["about"])])
    return rows
