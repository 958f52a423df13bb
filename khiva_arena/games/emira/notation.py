"""Emira for people: one line for an event, and the whole position as text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from khiva_arena.games.base import Plain
from khiva_arena.games.emira.events import goal_face
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.tables import (
    CARAVANS,
    COLOURS,
    EVENTS,
    GOALS,
    KINDS,
    NAMES,
    SIDI,
    TRACK,
    XENIA,
)
from khiva_arena.games.emira.values import appearance, palace, room, status
from khiva_arena.games.wording import Data, Names, filled, lines_of, standing
from khiva_arena.words import count, spaced


def _list(items: Iterable[Plain]) -> str:
    return ", ".join(map(spaced, items)) or "none"


def _ways(ways: Sequence[Sequence[str]]) -> str:
    """Return a goal in words, such as "2 intelligence and romance, or intelligence and
    2 romance".
    """
    return ", or ".join(
        " and ".join(_times(way.count(talent), talent) for talent in dict.fromkeys(way))
        for way in ways
    )


def _times(number: int, talent: str) -> str:
    return talent if number == 1 else f"{number} {talent}"


def _halves(value: int) -> str:
    return f"{value / 2:g}"


def choice(kind: str, entry: Sequence[Plain], view: Mapping[str, Plain]) -> str:
    """Return an entry of ``legal`` in words, for a person who is asked."""
    if kind == "order":
        return _list(view["ask"]["cards"][place] for place in entry)
    first = entry[0]
    if kind == "bid":
        return f"bid {first}" if isinstance(first, int) else spaced(first)
    if kind == "buy":
        return f"look at {first} cards" if first else "none"
    if kind == "place":
        return f"the Emira at place {first + 1}"
    if kind == "caravan":
        return f"{spaced(first)}, {count(entry[1], 'income')} left"
    if kind == "vermin_move":
        return (
            f"those with {' and '.join(map(str, entry))} left"
            if len(entry) > 1
            else f"the one with {first} left"
        )
    return spaced(first)


def _setup(d: Data, names: Names) -> str:
    colours = ", ".join(
        f"{name} {colour}" for name, colour in zip(names, d["colours"], strict=True)
    )
    return f"The sheiks: {colours}; {names[d['start']]} starts"


def _round(d: Data, names: Names) -> str:
    losses = "".join(f"; {names[seat]} loses this round to Hind" for seat in d["lost"])
    return f"Round {d['round']}: {names[d['start']]} has the start marker{losses}"


def _income(d: Data, names: Names) -> str:
    shares = [
        f"{name} {gold}" + (f" ({count(ended, 'caravan')} used up)" if ended else "")
        for name, gold, ended in zip(names, d["gold"], d["ended"], strict=True)
    ]
    return "Income: " + ", ".join(shares)


def _emiras(d: Data, names: Names) -> str:
    coming = f"; {_list(d['coming'])} for the next round" if d["coming"] else ""
    return f"In play: {_list(d['active'])}{coming}"


def _board(d: Data, names: Names) -> str:
    return (
        "On the board: "
        f"{_list([*d['appearance'], *(f'status {card}' for card in d['status']), *d['open']])}"
    )


def _camels(d: Data, names: Names) -> str:
    verb = "gets" if d["change"] > 0 else "loses"
    return f"{names[d['seat']]} {verb} {count(abs(d['change']), 'camel')}"


def _disc(d: Data, names: Names) -> str:
    return (
        f"The palace track of {names[d['seat']]} moves {'up' if d['change'] > 0 else 'down'} "
        f"to {_halves(d['halves'])}"
    )


def _place(d: Data, names: Names) -> str:
    return f"{names[d['seat']]} looks at Emira {d['place'] + 1} of those who come"


def _mind(d: Data, names: Names) -> str:
    action = {
        "keep": "leaves her as she is",
        "swap": "swaps her preferences",
        "bottom": "puts her under the deck",
    }[d["choice"]]
    return f"{names[d['seat']]} looks at Emira {d['place'] + 1} from the top and {action}"


def _reorder(d: Data, names: Names) -> str:
    deck = {"emiras": "Emira", "status": "status"}[d["deck"]]
    return (
        f"{names[d['seat']]} looks at the top {count(d['count'], deck + ' card')} and puts "
        "them in an order"
    )


def _good_looking(d: Data, names: Names) -> str:
    return f"{names[d['seat']]} gets {count(d['count'], 'counter')} +1 for {d['kind']}"


def _caravan(d: Data, names: Names) -> str:
    state = f"now has {count(d['left'], 'income')} left" if d["left"] else "is gone"
    return f"A {spaced(d['caravan'])} caravan of {names[d['seat']]} {state}"


def _item(item: Plain) -> str:
    return item if isinstance(item, str) else f"status {item}"


def _buy(d: Data, names: Names) -> str:
    return f"{names[d['seat']]} pays {d['gold']} to look at {count(d['looks'], 'event card')}"


def _bought(d: Data, names: Names) -> str:
    below = f"; under the deck: {_list(d['under'])}" if d["under"] else ""
    return f"{names[d['seat']]} keeps {spaced(d['event'])}{below}"


def _serve(d: Data, names: Names) -> str:
    return f"{names[d['seat']]} acts" + (
        f" for {d['bid']}, paying {d['gold']}" if d["bid"] else " without a bid"
    )


def _act(d: Data, names: Names) -> str:
    if d["action"] == "none":
        return f"{names[d['seat']]} takes no action"
    item = {
        "appearance": d["item"],
        "status": "a status card",
        "palace": "a section",
        "camel": "a camel",
    }.get(d["action"], f"a {spaced(d['action'])} caravan")
    return f"{names[d['seat']]} buys {item} for {d['gold']}"


def _unsold(d: Data, names: Names) -> str:
    return f"Unsold: {_list([*d['appearance'], *(f'status {card}' for card in d['status'])])}"


def _show_gold(d: Data, names: Names) -> str:
    return "All show their gold: " + ", ".join(
        f"{name} {gold}" for name, gold in zip(names, d["gold"], strict=True)
    )


def _abduct(d: Data, names: Names) -> str:
    return f"{NAMES[SIDI]} leaves {names[d['seat']]} with {d['emira']}"


def _gift(d: Data, names: Names) -> str:
    giver, her = names[d["seat"]], NAMES[XENIA]
    return {
        "paid": f"{giver} gives {her} her gift of 250",
        "refused": f"{giver} refuses the gift; {her} moves on",
        "unable": f"{giver} cannot pay the gift; {her} moves on",
        "gone": f"{giver} cannot pay the gift; {her} leaves the game",
    }[d["outcome"]]


def _upkeep(d: Data, names: Names) -> str:
    return f"{names[d['seat']]} pays {d['gold']} for the princesses" + (
        f" of {d['due']} due" if d["due"] != d["gold"] else ""
    )


def _end(d: Data, names: Names) -> str:
    goals = "; ".join(
        f"{name}: {_ways(goal)}" for name, goal in zip(names, d["goals"], strict=True)
    )
    return f"{standing(d, names)}; goals: {goals}"


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "item": _item,
    "goal": _ways,
    "cards": _list,
    "event": spaced,
    "caravan": spaced,
    "emiras": _list,
}
"""Functions that put the fields of events in words."""
_TEMPLATES = {
    "turn_up": "On the board comes {item}",
    "pick": "{seat} puts {item} on the board",
    "drop": "{seat} loses {item}",
    "goal": "{seat} has the goal: {goal}",
    "dealt": "{seat} is dealt {cards}",
    "kept": "{seat} keeps {event}",
    "no_event": "{seat} plays no event card",
    "play": "{seat} plays {event}",
    "void": "The card {event} has no effect",
    "track": "A camel of {seat} now takes {discount} off a bid",
    "look": "{seat} looks at {cards}",
    "order": "{seat} has put on top, in this order: {cards}",
    "split": "{seat} chooses the {round} round for it",
    "vermin": "{seat} sends the vermin to the {caravan} caravans",
    "no_buy": "{seat} buys no event card",
    "take": "{seat} keeps one event card",
    "auction": "An auction opens with {seat}",
    "bid": "{seat} bids {bid}",
    "pass": "{seat} passes",
    "grant": "{seat} takes the grant of 150 instead of an action",
    "join": "{emira} joins {seat}",
    "wait": "{emira} is undecided",
    "riot": "A riot: {emiras} of {seat} under the deck",
}
"""Lines of events whose fields need no more than that."""
LINES = lines_of(globals()) | filled(_TEMPLATES, _WORDS)


def sketch(pos: Position, names: Names) -> str:
    """Return the whole position as text, hidden things included."""
    lines = [
        f"round {pos.round}, {pos.phase}, start {names[pos.start]}"
        + (f", over ({pos.ending})" if pos.ending else "")
    ]
    for seat, name in enumerate(names):
        lines += [
            f"  {name} ({COLOURS[pos.colours[seat]]}): {_wealth(pos, seat)}",
            f"    {_court(pos, seat)}",
        ]
    turned = [NAMES[card] for card in range(len(NAMES)) if pos.turned >> card & 1]
    lines.append(f"  Emiras: active {_emira_list(pos.active)}; coming {_emira_list(pos.coming)}")
    lines.append(
        f"    undecided {_emira_list(pos.undecided)}; gone {_emira_list(pos.gone)}; "
        f"swapped {_list(turned)}"
    )
    if pos.xenia_left >= 0:
        lines.append(f"    {NAMES[XENIA]} has left {names[pos.xenia_left]}")
    tokens = [KINDS[kind] for kind in pos.shown_tokens]
    lines.append(f"  board: {_list(tokens)}; status {_list(pos.shown_status)}; open {pos.open:04b}")
    lines.append(
        f"  supply: caravans, camels, sections {_list(pos.supply)}; bag {_list(pos.bag)}; "
        f"+1 left {pos.bonus_left}"
    )
    lines.append(f"  Emira deck {_emira_list(pos.emiras.cards)}")
    lines.append(f"  status deck {_list(pos.status.cards)}; removed {_list(pos.removed)}")
    lines.append(f"  event deck {_list(EVENTS[card] for card in pos.events.cards)}")
    if pos.auction:
        bidder = names[pos.bidder] if pos.bidder >= 0 else "nobody"
        lines.append(
            f"  auction: bid {pos.bid} of {bidder}, served {pos.served:05b}, bidding "
            f"{pos.bidding:05b}"
        )
    if pos.offer:
        lines.append(f"  asked: {names[pos.offer.seat]}, {spaced(pos.offer.kind)}")
    return "\n".join(lines)


def _emira_list(cards: Iterable[int]) -> str:
    return _list(NAMES[card] for card in cards)


def _wealth(pos: Position, seat: int) -> str:
    caravans = [
        f"{spaced(CARAVANS[kind])} {left}"
        for kind, own in enumerate(pos.caravans[seat])
        for left in own
    ]
    parts = [
        f"gold {pos.gold[seat]}",
        f"caravans {_list(caravans)}",
        f"camels {pos.camels[seat]} at {TRACK[pos.breed[seat]]}",
    ]
    parts += [
        f"appearance {appearance(pos, seat)} {pos.tokens[seat]}",
        f"status {status(pos, seat)} {pos.status_cards[seat]}",
    ]
    return "; ".join([*parts, f"palace {_halves(palace(pos, seat))}", f"room {room(pos, seat)}"])


def _court(pos: Position, seat: int) -> str:
    goal = _ways(goal_face(GOALS[pos.seats][pos.goals[seat]]))
    hand = _list(EVENTS[card] for card in pos.hands[seat])
    loss = f"; loses round {pos.lost[seat]}" if pos.lost[seat] >= max(1, pos.round) else ""
    xenia = f"; gift in round {pos.gift_round}" if XENIA in pos.princesses[seat] else ""
    return f"princesses {_emira_list(pos.princesses[seat])}; goal {goal}; hand {hand}{loss}{xenia}"
