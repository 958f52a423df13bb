"""How the greedy Silk Road bot chooses: it tries each entry on paper and takes the one with the best outlook."""

from collections.abc import Callable
from typing import Any

from evaluate import CARD, COLOURLESS, GOOD_OF, Steps, Table, distances, jewel_gain

GOODS = ("ivory", "spice", "porcelain", "silk", "tea")
NEXT_CARD = 0.9
"""What one more draw is worth."""
EXCESS, SAND, THEFT = 0.25, 0.3, 1.0
"""What it is worth that the others lose a card at customs or in a sandstorm, and what a robbery is worth."""


def choose(decide: dict[str, Any], match: dict[str, Any]) -> int:
    view, kind, legal = decide["view"], decide["kind"], decide["legal"]
    steps = distances(match["rules"]["map"])
    if len(legal) < 2 or kind not in WORTH:
        return 0
    worth = WORTH[kind]
    # Rounded, so that the last bit of a sum never decides; of equals the first.
    points = [round(worth(view, steps, entry), 6) for entry in legal]
    return points.index(max(points))


def _move(view: dict[str, Any], steps: Steps, entry: list[Any]) -> float:
    """Play the cards, go there, and see what the place brings."""
    good, count, size, place = entry
    table = Table(view, steps)
    caravan = table.caravans[size - 1]
    table.hand[good] -= count
    table.displays[table.me][good] += count
    caravan[0] = place
    points = NEXT_CARD if any(GOOD_OF[camel] == good for camel in caravan[2]) else 0.0
    if sum(table.hand) == 0:
        points -= NEXT_CARD  # one card at most next turn, and soon none
    if place == caravan[1]:
        points += table.market(caravan[2], place, table.displays)
        table.caravans[size - 1] = None
    else:
        points += _village(view, table, view["tiles"][place], size)
    return points + table.outlook()


def _village(view: dict[str, Any], table: Table, tile: str, size: int) -> float:
    """What the action of a village is worth about."""
    others = [seat for seat in table.seats if seat != table.me]
    camels = table.caravans[size - 1][2]
    if tile.startswith("camels"):
        return NEXT_CARD if size <= int(tile[-1]) else 0.0
    if tile == "customs":
        return EXCESS * sum(max(0, view["hands"][seat] - 4) for seat in others)
    if tile == "sandstorm":
        return SAND * sum(any(table.displays[seat]) for seat in others) / len(others)
    if tile == "robber":
        return THEFT if any(any(table.displays[seat]) for seat in others) else CARD
    if tile == "bazaar":
        return max(0.0, _bazaar_gain(table)) if sum(map(bool, table.displays[table.me])) >= 3 else 0.0
    if tile == "black_market":
        return table.small_market(camels[0])
    if tile.endswith("_market"):
        sold = [camel for camel in camels if GOODS[GOOD_OF[camel]] == tile.removesuffix("_market")]
        return table.small_market(sold[0]) if sold else 0.0
    return 0.0  # baksheesh: a card for a card


def _bazaar_gain(table: Table) -> float:
    """The colourless jewel less what the three goods that can best be spared are worth in the display."""
    full = table.outlook()
    losses = sorted(
        full - _with(table, table.displays[table.me], good, -1) for good in range(5) if table.displays[table.me][good]
    )
    return COLOURLESS[min(2, table.colourless[table.me])] - sum(losses[:3])


def _with(table: Table, cards: list[int], good: int, more: int) -> float:
    """The outlook with so many more cards of a good in a hand or display of this table."""
    cards[good] += more
    points = table.outlook()
    cards[good] -= more
    return points


def _draw(view: dict[str, Any], steps: Steps, entry: list[Any]) -> float:
    """A card in hand; from the pile it is any that was not seen."""
    table = Table(view, steps)
    what = entry[0]
    if what == "nothing":
        return table.outlook() - CARD
    if what != "pile":
        return _with(table, table.hand, what, 1)
    unseen = view["unseen"]
    total = sum(unseen)
    return sum(n * _with(table, table.hand, good, 1) for good, n in enumerate(unseen)) / total if total else table.outlook()


def _discard_hand(view: dict[str, Any], steps: Steps, entry: list[Any]) -> float:
    table = Table(view, steps)
    return _with(table, table.hand, entry[0], -1)


def _discard_display(view: dict[str, Any], steps: Steps, entry: list[Any]) -> float:
    table = Table(view, steps)
    return _with(table, table.displays[table.me], entry[0], -1)


def _bazaar(view: dict[str, Any], steps: Steps, entry: list[Any]) -> float:
    """Leave it unless it pays; then the goods that can best be spared, one by one."""
    table = Table(view, steps)
    mine = table.displays[table.me]
    if entry[0] == "no":
        return 0.0
    least = max(_with(table, mine, good, -1) for good in range(5) if mine[good])
    # Of the goods the first one to go is worth the whole barter, the others less.
    return _bazaar_gain(table) + _with(table, mine, entry[0], -1) - least


def _rob(view: dict[str, Any], steps: Steps, entry: list[Any]) -> float:
    victim, good = entry
    table = Table(view, steps)
    table.displays[victim][good] -= 1
    return _with(table, table.displays[table.me], good, 1)


def _baksheesh(view: dict[str, Any], steps: Steps, entry: list[Any]) -> float:
    """The open card in the display, for the hand card that can best be spared."""
    table = Table(view, steps)
    if entry[0] == "nothing":
        return table.outlook()
    table.displays[table.me][entry[0]] += 1
    return max(_with(table, table.hand, good, -1) for good in range(5) if table.hand[good])


def _sell(view: dict[str, Any], steps: Steps, entry: list[Any]) -> float:
    """Sell, unless it is for little and costs a great lead."""
    ask, me = view["ask"], view["seat"]
    count = view["displays"][me][GOOD_OF[ask["camel"]]]
    gain = 3.0 if ask["market"] in ("large", "last") else COLOURLESS[min(2, view["colourless"][me])]
    return gain - CARD * ((count + 1) // 2) if entry[0] == "sell" else 0.0


def _jewel(view: dict[str, Any], steps: Steps, entry: list[Any]) -> float:
    """The colour that completes most; then the one that the others want."""
    held = view["jewels"]
    others = [jewel_gain(held[seat], entry[0]) for seat in range(view["seats"]) if seat != view["seat"]]
    return jewel_gain(held[view["seat"]], entry[0]) + 0.2 * sum(others) / len(others)


WORTH: dict[str, Callable[[dict[str, Any], Steps, list[Any]], float]] = {
    "move": _move,
    "draw": _draw,
    "customs": _discard_hand,
    "pay": _discard_hand,
    "sandstorm": _discard_display,
    "robber": _rob,
    "bazaar": _bazaar,
    "baksheesh": _baksheesh,
    "sell": _sell,
    "jewel": _jewel,
}
"""What an entry is worth, by kind. lay_out is not here: its first entry lays out everything."""
