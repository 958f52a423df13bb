"""Khiva for people: one line for an event, and the whole position as text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from khiva_arena.games.base import Plain
from khiva_arena.games.khiva.state import Position
from khiva_arena.games.khiva.tables import CAMELS, CODE, COLOURS, OUTPOST
from khiva_arena.games.wording import Data, Names, filled, lines_of, standing
from khiva_arena.words import count

LETTERS = "WBGPK"
"""The letter of each colour: white, blue, green, pink, blacK."""


def card(face: Sequence[int]) -> str:
    """Return a card or carpet in words, such as B5."""
    return f"{LETTERS[face[0]]}{face[1]}"


def _cards(faces: Sequence[Sequence[int]]) -> str:
    return " ".join(card(face) for face in faces) or "none"


def choice(kind: str, entry: Sequence[Any], view: Mapping[str, Plain]) -> str:
    """Return an entry of ``legal`` in words. Cards are places in the hand: the first
    half is played, the second half passed.
    """
    if kind == "play_pass":
        faces = [view["hand"][place] for place in entry]
        half = len(faces) // 2
        return f"play {_cards(faces[:half])}, pass {_cards(faces[half:])}"
    if kind == "boost":
        return count(entry[0], "gem") if entry[0] else "no gem"
    return str(entry[0])


def _code(code: int) -> str:
    return f"{LETTERS[code // 10]}{code % 10}"


def stop(face: Sequence[int], names: Names) -> str:
    """Return a place of a camel in words, such as "shop 3 of Ann"."""
    path, shop = face
    if shop == 0:
        return "the tent"
    return f"the outpost of {names[path]}" if shop == OUTPOST else f"shop {shop} of {names[path]}"


def _setup(d: Data, names: Names) -> str:
    loads = ", ".join(f"{COLOURS[c]} {v}" for c, v in zip(CAMELS, d["teapots"], strict=True))
    return f"The camels carry {loads}; salt bags {', '.join(map(str, d['salts']))}"


def _deal(d: Data, names: Names) -> str:
    return f"Deal {d['deal']}: {count(d['each'], 'card')} each, {d['aside']} aside face down"


def _reveal(d: Data, names: Names) -> str:
    return f"Turn {d['turn']}: " + ", ".join(
        f"{name} {_cards(c)}" for name, c in zip(names, d["cards"], strict=True)
    )


def _stay(d: Data, names: Names) -> str:
    why = {
        "no_card": "no card for it",
        "overshoot": "the card is too high",
        "declined": "the winner declines",
    }[d["why"]]
    return f"The {COLOURS[d['camel']]} camel stays: {why}"


def _win(d: Data, names: Names) -> str:
    losers = ", ".join(f"{names[seat]} {card(face)}" for seat, face in d["rejected"])
    return f"{names[d['seat']]} wins the {COLOURS[d['camel']]} camel with {card(d['card'])}" + (
        f"; rejected: {losers}" if losers else ""
    )


def _gems(d: Data, names: Names) -> str:
    why = " for a rejected card" if d["why"] == "rejected" else ""
    return f"{names[d['seat']]} gets {count(d['count'], 'gem')}{why}"


def _move(d: Data, names: Names) -> str:
    boost = f", paying {count(d['boost'], 'gem')}" if d["boost"] else ""
    way = f"from {stop(d['from'], names)} to {stop(d['to'], names)}"
    return f"{names[d['seat']]} moves the {COLOURS[d['camel']]} camel {way}{boost}"


def _deliver(d: Data, names: Names) -> str:
    carpets = f" and the carpets {_cards(d['carpets'])}" if d["carpets"] else ""
    load = f"loaded with {d['load']}" if d["load"] else "bare"
    return (
        f"{names[d['seat']]} takes the teapot {d['teapot']}{carpets}; the "
        f"{COLOURS[d['camel']]} camel is back, {load}"
    )


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "cards": _cards,
    "carpet": card,
    "colour": COLOURS.__getitem__,
}
"""Functions that put the fields of events in words."""
_TEMPLATES = {
    "hand": "{seat} is dealt {cards}",
    "shown": "Aside face up: {cards}",
    "pass": "{seat} passes {cards} to {to}",
    "carpet": "{seat} draws the carpet {carpet}",
    "top": "The carpet on top is {colour}",
    "salt": "{seat} pays 3 gems for the salt bag {salt}",
    "nothing": "{seat} takes nothing",
    "last_turn": "Last turn: the pile of {cause} is used up",
}
"""Lines of events whose fields need no more than that."""
LINES = lines_of(globals()) | filled(_TEMPLATES, _WORDS) | {"end": standing}


def sketch(pos: Position, names: Names) -> str:
    """Return the whole position as text, hidden things included."""
    lines = [
        f"turn {pos.turn}, deal {pos.deal}" + (f", last turn ({pos.ending})" if pos.ending else "")
    ]
    for camel in CAMELS:
        place = pos.camels[camel]
        place_name = "tent" if place == 0 else f"{names[place // 6]} {place % 6}"
        lines.append(f"  camel {LETTERS[camel]}  {place_name}, teapot {pos.loads[camel] or 'none'}")
    for seat, name in enumerate(names):
        hand = " ".join(_code(CODE[c]) for c in pos.hands[seat])
        parts = [
            f"hand {hand or '-'}",
            f"gems {pos.gems[seat]}",
            f"teapots {_numbers(pos.teapots[seat])}",
        ]
        parts += [f"carpets {_list(pos.carpets[seat])}", f"delivered {_list(pos.delivered[seat])}"]
        lines.append(f"  {name}: " + ", ".join([*parts, f"salt {_numbers(pos.salts[seat])}"]))
    lines.append(f"  teapot pile {_numbers(pos.teapot_pile[::-1])}")
    lines.append(f"  carpet pile {_list(pos.carpet_pile[::-1])}")
    lines.append(
        f"  salt pile {_numbers(pos.salt_pile[::-1])}"
        + (f", gems left {pos.supply}" if pos.supply is not None else "")
    )
    lines.append(
        f"  aside {_list(CODE[c] for c in pos.aside)}, shown {_list(CODE[c] for c in pos.shown)}"
    )
    lines.append(f"  discard {_list(CODE[c] for c in pos.discard)}")
    table = [f"{_code(CODE[c])} of {names[seat]}" for bids in pos.bids for c, seat in bids]
    if table:
        lines.append(f"  table {', '.join(table)}")
    if pos.offer:
        lines.append(
            f"  asked: {names[pos.offer.seat]}, {pos.offer.kind} with {_code(CODE[pos.offer.card])}"
        )
    return "\n".join(lines)


def _list(codes: Iterable[int]) -> str:
    return " ".join(map(_code, codes)) or "-"


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values)) or "-"
