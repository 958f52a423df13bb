"""Decks and hands of a position that a seat's view allows: the view's history told to
``knowledge``, deck by deck.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from khiva_arena.games.base import Plain
from khiva_arena.games.emira import questions
from khiva_arena.games.emira.deck import Deck
from khiva_arena.games.emira.knowledge import BOUND, FREE, Layouts
from khiva_arena.games.emira.reading_views import Line, emiras_of, lines_of, mask_of
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.tables import (
    COPIES,
    EMIRA_OF,
    EVENT_OF,
    EVENTS,
    EVENTS_DEALT,
    NAMES,
    POINTS,
    RED,
    RED_CARD,
    RESTORATION,
    SIDI,
    STATUS_CARDS,
    STATUS_ON_TOP,
    STATUS_OUT_3,
)
from khiva_arena.rng import Stream


def draw_first_events(pos: Position, view: Mapping[str, Plain], stream: Stream) -> None:
    """Draw three event cards for each seat, of which it will keep one (E17)."""
    own_cards = [EVENT_OF[name] for name in view["hand"]]
    deck = list((Counter(_all_events(pos.ruleset.advanced)) - Counter(own_cards)).elements())
    stream.shuffle(deck)
    for seat in range(pos.seats):
        pos.hands[seat] = (
            own_cards if seat == view["seat"] else sorted(deck.pop() for _ in range(EVENTS_DEALT))
        )
    pos.events = Deck(sorted(deck))
    pos.status = Deck(_status(pos, view, stream))
    pos.emiras = Deck(
        _pick(
            _emira_layouts(lines_of(view), pos.seats, view["seat"]),
            view["emira_deck"],
            EMIRA_OF,
            stream,
        )[0]
    )
    options = {seat: tuple(sorted(set(dealt))) for seat, dealt in enumerate(pos.hands)}
    pos.asked = MappingProxyType(
        {seat: questions.first_event(names) for seat, names in options.items() if len(names) > 1}
    )


def _all_events(advanced: bool) -> list[int]:
    return [
        card
        for card in range(len(EVENTS))
        for _ in range(COPIES)
        if advanced or card != RESTORATION
    ]


def draw_decks(pos: Position, view: Mapping[str, Plain], stream: Stream) -> None:
    """Draw the decks and hands as they lie after the first event cards are chosen."""
    me, lines = view["seat"], lines_of(view)
    emiras = _emira_layouts(lines, pos.seats, me)
    pos.emiras = _known(
        _pick(emiras, view["emira_deck"], EMIRA_OF, stream, view["emira_turned"])[0],
        view["emira_deck"],
        me,
    )
    pos.turned = mask_of(
        emiras_of(view["swapped"]) + [pos.emiras.cards[place] for place in view["emira_turned"]]
    )
    pos.status = _known(_status(pos, view, stream), view["status_deck"], me)
    events = _event_layouts(lines, pos.seats, me, pos.ruleset.advanced)
    deck, pos.hands = _pick(events, view["event_deck"], EVENT_OF, stream)
    pos.hands[me] = [EVENT_OF[name] for name in view["hand"]]
    pos.events = _known(deck, view["event_deck"], me)


def _known(deck: list[int], shown: Sequence[Plain], me: int) -> Deck:
    return Deck(deck, [0 if card is None else 1 << me for card in shown])


def _status(pos: Position, view: Mapping[str, Plain], stream: Stream) -> list[int]:
    layouts = _status_layouts(lines_of(view), pos.seats, view["seat"], RED in pos.colours)
    return _pick(layouts, view["status_deck"], None, stream)[0]


def _pick(
    layouts: Layouts,
    shown: Sequence[Plain],
    number: Mapping[str, int] | None,
    stream: Stream,
    turned: Sequence[int] = (),
) -> tuple[list[int], list[list[int]]]:
    """Return deck and hands that have at each place the card which the view shows
    there.

    turned: the places where cards lie turned (E34).
    """
    return _shown(layouts, shown, number, turned).pick(stream)


def _shown(
    layouts: Layouts,
    shown: Sequence[Plain],
    number: Mapping[str, int] | None,
    turned: Sequence[int] = (),
) -> Layouts:
    """Return the layouts that fit the cards which the view shows of a deck."""
    layouts = layouts.copy()
    for place, card in enumerate(shown):
        if card is not None:
            layouts.see(place, number[card] if number else card)
    layouts.lie_turned(turned)
    return layouts


_layouts_by_key: dict[tuple[Plain, ...], tuple[tuple[Line, ...], Layouts]] = {}
"""Histories with the layouts that they leave, by deck, seats and seat. A later view of
a match has a longer history.
"""


def _after(
    key: tuple[Plain, ...],
    begin: Layouts,
    lines: tuple[Line, ...],
    see: Callable[[Layouts, Line], None],
) -> Layouts:
    """Return the layouts at the beginning narrowed by a history."""
    lines_known, layouts = _layouts_by_key.get(key, ((), begin))
    if lines[: len(lines_known)] != lines_known:
        lines_known, layouts = (), begin
    if len(lines_known) < len(lines):
        layouts = layouts.copy()
        for line in lines[len(lines_known) :]:
            see(layouts, line)
        _layouts_by_key[key] = lines, layouts
    return layouts


def _emira_layouts(lines: tuple[Line, ...], seats: int, me: int) -> Layouts:
    stock = dict.fromkeys(range(len(NAMES)), 1)
    begin = Layouts((FREE,) * len(NAMES), ((),) * seats, stock, lambda card: card != SIDI)
    return _after(("emiras", seats, me), begin, lines, _see_emiras)


def _see_emiras(layouts: Layouts, line: Line) -> None:
    _, word, *details = line
    if word == "emiras":
        for name in details:
            layouts.draw(EMIRA_OF[name])
    elif word == "under":
        layouts.put_under(emiras_of(details[1:]))
    elif word == "mind":
        _, place, choice, *faces = details
        if faces:
            layouts.see(place, EMIRA_OF[faces[0]])
        if choice == "swap":
            layouts.turn(place)
        elif choice == "bottom":
            layouts.move_under(place)
    elif word == "order" and details[1] == "emiras":
        layouts.order(details[2], emiras_of(details[3:]))


def _status_layouts(lines: tuple[Line, ...], seats: int, me: int, red: bool) -> Layouts:
    """Return the layouts of the status deck. The first cards are below 3 points
    (E15).
    """
    stock = Counter(STATUS_CARDS)
    stock.subtract([RED_CARD] if red else [])
    stock.subtract(STATUS_OUT_3 if seats == 3 else [])
    top = STATUS_ON_TOP[seats]
    deck = (BOUND,) * top + (FREE,) * (stock.total() - top)
    begin = Layouts(deck, ((),) * seats, stock, lambda card: POINTS[card] < 3)
    return _after(("status", seats, me, red), begin, lines, _see_status)


def _see_status(layouts: Layouts, line: Line) -> None:
    _, word, *details = line
    if word == "status":
        layouts.draw(details[0])
    elif word == "noble":
        layouts.take_any(details[1])
    elif word in ("unsold", "under_status"):
        layouts.put_under([details[0]])
    elif word == "order" and details[1] == "status":
        layouts.order(details[2], details[3:])


def _event_layouts(lines: tuple[Line, ...], seats: int, me: int, advanced: bool) -> Layouts:
    """Return the layouts of the event deck. The first cards of the others are none that
    this seat put back (E17).
    """
    stock = Counter(_all_events(advanced))
    own_cards, *back = next(
        [EVENT_OF[name] for name in line[2:]] for line in lines if line[1] == "deal"
    )
    stock[own_cards] -= 1
    hands = tuple(() if seat == me else (BOUND,) for seat in range(seats))
    begin = Layouts((FREE,) * (stock.total() - seats + 1), hands, stock, lambda card: True, back)

    def see(layouts: Layouts, line: Line) -> None:
        _, word, *details = line
        if word == "play" and details[0] != me:
            layouts.play(details[0], EVENT_OF[details[1]])
        elif word == "buy":
            seat, looks, *faces = details
            if faces:
                layouts.keep_own(EVENT_OF[faces[0]], [EVENT_OF[name] for name in faces[1:]])
            else:
                layouts.keep(seat, looks)

    return _after(("events", seats, me, advanced, own_cards, *back), begin, lines, see)
