"""The events of Emira, with a maker for each type, which also decides the seats that
see it.

"Event card" is a card of the game; an event here is a line of the match. Events that
recur are made once and shared: an event is to be read and never changed. RULES.md has
the table of events.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from khiva_arena.games.base import Event, Plain
from khiva_arena.games.emira.tables import (
    ACTIONS,
    CARAVANS,
    COLOURS,
    EVENTS,
    KINDS,
    NAMES,
    TALENTS,
    Demand,
)


def _names(cards: Iterable[int]) -> list[Plain]:
    return [NAMES[card] for card in cards]


def _event_names(cards: Iterable[int]) -> list[Plain]:
    return [EVENTS[card] for card in cards]


def goal_face(goal: Sequence[Demand]) -> list[Plain]:
    """Return a goal as a bot sees it: the talents of each way to fulfil it, a talent
    once for each princess.
    """
    return [
        [TALENTS[talent] for talent, count in enumerate(way) for _ in range(count)] for way in goal
    ]


# --- setup and rounds ---


def setup(colours: Sequence[int], start: int) -> Event:
    """Make the event of the setup: colours by seat, and the seat with the start
    marker.
    """
    return Event({"type": "setup", "colours": [COLOURS[c] for c in colours], "start": start})


def goal(seat: int, ways: Sequence[Demand]) -> Event:
    """Make the event of a seat's goal, which that seat alone sees."""
    return Event({"type": "goal", "seat": seat, "goal": goal_face(ways)}, (seat,))


def dealt(seat: int, cards: Sequence[int]) -> Event:
    """Make the event of the three event cards of which a seat keeps one; that seat
    alone sees it.
    """
    return Event({"type": "dealt", "seat": seat, "cards": _event_names(cards)}, (seat,))


def kept(seat: int, card: int) -> Event:
    """Make the event of the event card kept at setup, which its owner alone sees."""
    return Event({"type": "kept", "seat": seat, "event": EVENTS[card]}, (seat,))


def new_round(number: int, start: int, lost: Sequence[int]) -> Event:
    """Make the event that begins a round; ``lost`` are the seats that Hind keeps from
    acting (E27).
    """
    return Event({"type": "round", "round": number, "start": start, "lost": list(lost)})


def income(amounts: Sequence[int], ended: Sequence[int]) -> Event:
    """Make the event of the income: gold by seat, and how many caravans each seat has
    used up (E1).
    """
    return Event({"type": "income", "gold": list(amounts), "ended": list(ended)})


def emiras(active: Sequence[int], coming: Sequence[int]) -> Event:
    """Make the event of the Emiras of this round, and with 3 players those of the next
    one (E20, E38).
    """
    return Event({"type": "emiras", "active": _names(active), "coming": _names(coming)})


def board(tokens: Sequence[int], status: Sequence[int], rest: Sequence[str]) -> Event:
    """Make the event of all that can be bought this round (E20)."""
    return Event(
        {
            "type": "board",
            "appearance": [KINDS[k] for k in tokens],
            "status": list(status),
            "open": list(rest),
        }
    )


# --- event cards ---


@cache
def no_event(seat: int) -> Event:
    """Make the event of a seat with event cards that plays none."""
    return Event({"type": "no_event", "seat": seat})


@cache
def play(seat: int, card: int) -> Event:
    """Make the event of an event card being played."""
    return Event({"type": "play", "seat": seat, "event": EVENTS[card]})


@cache
def void(card: int) -> Event:
    """Make the event of an event card that has no effect."""
    return Event({"type": "void", "event": EVENTS[card]})


@cache
def camels(seat: int, change: int) -> Event:
    """Make the event of camels gained or lost by an event card (E12)."""
    return Event({"type": "camels", "seat": seat, "change": change})


@cache
def track(seat: int, discount: int) -> Event:
    """Make the event of a new discount: the gold that a camel of this seat takes off a
    bid from now on.
    """
    return Event({"type": "track", "seat": seat, "discount": discount})


@cache
def disc(seat: int, change: int, halves: int) -> Event:
    """Make the event of the palace track moving by a half (advanced, E13); ``halves``
    is its new place.
    """
    return Event({"type": "disc", "seat": seat, "change": change, "halves": halves})


def look(seat: int, deck: str, cards: Sequence[Plain]) -> Event:
    """Make the event of a seat looking at cards of a deck, top first; that seat alone
    sees it.
    """
    return Event({"type": "look", "seat": seat, "deck": deck, "cards": list(cards)}, (seat,))


@cache
def place(seat: int, where: int) -> Event:
    """Make the event of the place of the coming Emira that is looked at: Changing Her
    Mind with 3 players (E39).
    """
    return Event({"type": "place", "seat": seat, "place": where})


@cache
def mind(seat: int, place: int, choice: str) -> Event:
    """Make the event of Changing Her Mind: keep, swap or bottom, for the Emira at that
    place (E34).
    """
    return Event({"type": "mind", "seat": seat, "place": place, "choice": choice})


def reorder(seat: int, deck: str, count: int, turned: Sequence[int]) -> Event:
    """Make the event of a seat that has laid the top cards of a deck in an order of its
    own.

    turned: the places of turned cards (E34).
    """
    return Event(
        {"type": "reorder", "seat": seat, "deck": deck, "count": count, "turned": list(turned)}
    )


def order(seat: int, deck: str, cards: Sequence[Plain]) -> Event:
    """Make the event of the order in which a seat laid cards, top first; that seat
    alone sees it.
    """
    return Event({"type": "order", "seat": seat, "deck": deck, "cards": list(cards)}, (seat,))


@cache
def split(seat: int, which: str) -> Event:
    """Make the event of the round that gets more Emiras, or the only one: 3 players
    (E39).
    """
    return Event({"type": "split", "seat": seat, "round": which})


@cache
def good_looking(seat: int, kind: int, count: int) -> Event:
    """Make the event of counters "+1" for a kind of appearance (E37)."""
    return Event({"type": "good_looking", "seat": seat, "kind": KINDS[kind], "count": count})


@cache
def caravan(seat: int, kind: int, left: int) -> Event:
    """Make the event of a caravan that moves; ``left`` incomes remain, 0 when it is
    gone (E36).
    """
    return Event({"type": "caravan", "seat": seat, "caravan": CARAVANS[kind], "left": left})


@cache
def vermin(seat: int, kind: int) -> Event:
    """Make the event of the type of caravan that Vermin strikes (E36)."""
    return Event({"type": "vermin", "seat": seat, "caravan": CARAVANS[kind]})


@cache
def turn_up(what: Plain) -> Event:
    """Make the event of a status card or an appearance counter that comes on the board
    by chance (E20).
    """
    return Event({"type": "turn_up", "item": what})


@cache
def pick(seat: int, what: Plain) -> Event:
    """Make the event of the thing that Bazaar or Noble Merchandise puts on the board
    (E35).
    """
    return Event({"type": "pick", "seat": seat, "item": what})


def buy(seat: int, looks: int, gold: int) -> Event:
    """Make the event of a seat looking at so many event cards for so much gold
    (E24).
    """
    return Event({"type": "buy", "seat": seat, "looks": looks, "gold": gold})


@cache
def no_buy(seat: int) -> Event:
    """Make the event of a seat that buys no event card."""
    return Event({"type": "no_buy", "seat": seat})


@cache
def take(seat: int) -> Event:
    """Make the event of a seat that has kept one of the event cards it looked at; the
    others are under the deck.
    """
    return Event({"type": "take", "seat": seat})


def bought(seat: int, card: int, under: Sequence[int]) -> Event:
    """Make the event of the event card kept, and those put under the deck, in that
    order; the buyer alone sees it.
    """
    return Event(
        {"type": "bought", "seat": seat, "event": EVENTS[card], "under": _event_names(under)},
        (seat,),
    )


# --- auctions ---


@cache
def auction(seat: int) -> Event:
    """Make the event of an auction that opens with this seat (E4)."""
    return Event({"type": "auction", "seat": seat})


@lru_cache(maxsize=16384)
def bid(seat: int, amount: int) -> Event:
    """Make the event of a bid."""
    return Event({"type": "bid", "seat": seat, "bid": amount})


@cache
def passed(seat: int) -> Event:
    """Make the event of a seat that is out of this auction."""
    return Event({"type": "pass", "seat": seat})


@lru_cache(maxsize=16384)
def serve(seat: int, amount: int, gold: int) -> Event:
    """Make the event of the next seat to act: its bid, 0 if there was none, and the
    gold it pays for the bid.
    """
    return Event({"type": "serve", "seat": seat, "bid": amount, "gold": gold})


@cache
def act(seat: int, action: int, gold: int, item: Plain = None) -> Event:
    """Make the event of the action taken, its price, and the thing bought.

    item: the incomes of a caravan, a kind of appearance, or a status card.
    """
    return Event(
        {"type": "act", "seat": seat, "action": ACTIONS[action], "gold": gold, "item": item}
    )


@cache
def grant(seat: int) -> Event:
    """Make the event of a seat that takes the grant instead of an action (E5)."""
    return Event({"type": "grant", "seat": seat})


def unsold(tokens: Sequence[int], status: Sequence[int]) -> Event:
    """Make the event of unsold things: appearance counters go back to the bag, status
    cards under their deck (E23).
    """
    return Event(
        {"type": "unsold", "appearance": [KINDS[k] for k in tokens], "status": list(status)}
    )


# --- princesses ---


def show_gold(gold: Sequence[int]) -> Event:
    """Make the event of all seats showing their gold (O3 hidden)."""
    return Event({"type": "show_gold", "gold": list(gold)})


@cache
def join(seat: int, card: int) -> Event:
    """Make the event of an Emira who joins a palace."""
    return Event({"type": "join", "seat": seat, "emira": NAMES[card]})


@cache
def wait(card: int) -> Event:
    """Make the event of an Emira who is undecided (E6)."""
    return Event({"type": "wait", "emira": NAMES[card]})


@cache
def drop(seat: int, item: Plain) -> Event:
    """Make the event of an appearance counter or status card lost to Samira or Zahrah
    (E26).
    """
    return Event({"type": "drop", "seat": seat, "item": item})


@cache
def abduct(seat: int, card: int) -> Event:
    """Make the event of Sidi Suleiman taking a princess with him; both are out of the
    game (E29).
    """
    return Event({"type": "abduct", "seat": seat, "emira": NAMES[card]})


@cache
def gift(seat: int, outcome: str) -> Event:
    """Make the event of Xenia's gift: paid, refused, unable (she moves on) or gone (she
    leaves the game) (E10, E30).
    """
    return Event({"type": "gift", "seat": seat, "outcome": outcome})


@cache
def upkeep(seat: int, due: int, gold: int) -> Event:
    """Make the event of the upkeep: the gold due and the gold paid (E8)."""
    return Event({"type": "upkeep", "seat": seat, "due": due, "gold": gold})


def riot(seat: int, cards: Sequence[int]) -> Event:
    """Make the event of princesses who leave for want of upkeep; they go under the deck
    (E9).
    """
    return Event({"type": "riot", "seat": seat, "emiras": _names(cards)})


def end(
    cause: str, scores: Sequence[int], ranks: Sequence[int], goals: Sequence[Sequence[Demand]]
) -> Event:
    """Make the event of the end of the match; all goals are shown."""
    faces = [goal_face(ways) for ways in goals]
    return Event(
        {
            "type": "end",
            "cause": cause,
            "scores": list(scores),
            "ranks": list(ranks),
            "goals": faces,
        }
    )
