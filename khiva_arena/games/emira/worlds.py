"""Positions that a seat's view allows, for bots that search (RULES.md, "The view")."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from types import MappingProxyType
from typing import TypeVar

from khiva_arena.errors import InternalError
from khiva_arena.games.base import Plain
from khiva_arena.games.emira import auction, cards, courtship, market, questions, rules, upkeep
from khiva_arena.games.emira.events import goal_face
from khiva_arena.games.emira.knowledge import BOUND, FREE, Layouts
from khiva_arena.games.emira.state import Deck, Entry, Position
from khiva_arena.games.emira.tables import (
    BID_GRANT,
    CARAVANS,
    COLOURS,
    COPIES,
    EMIRA_OF,
    EVENT_OF,
    EVENTS,
    EVENTS_DEALT,
    GOALS,
    KINDS,
    LEAST_PRINCESSES,
    NAMES,
    POINTS,
    RED,
    RED_CARD,
    RESTORATION,
    SIDI,
    START_GOLD,
    STATUS_CARDS,
    STATUS_ON_TOP,
    STATUS_OUT_3,
    TRACK,
    XENIA,
)
from khiva_arena.games.emira.values import has_talents
from khiva_arena.games.emira.variants import Ruleset
from khiva_arena.rng import Stream

P = TypeVar("P", bound=Position)
TRIES = 400
"""How often a world is drawn again because in it nobody would be asked what is asked."""
Line = tuple[Plain, ...]
PUBLIC = {"deal": 1, "mind": 5, "order": 5, "buy": 4}
"""How much of a line of history all know; of others all of it."""


def determinise(view: Mapping[str, Plain], ruleset: Ruleset, stream: Stream, make: Callable[[int, Ruleset, bytes], P]) -> P:
    """A position in which the seat of ``view`` would have exactly this view; what it cannot know is drawn from ``stream``.

    Goals that somebody would have won with are left out, all others equally likely; for decks and event cards see
    ``knowledge.py``. What other seats have looked at is unknown. O3 hidden: gold that is not shown is taken to be what was last
    shown, or more if the open question says so. ``view`` must come from a match with these rules that is not over. Raises
    InternalError when it fits no position.
    """
    for attempt in range(TRIES):
        pos = make(view["seats"], ruleset, b"".join(stream.u64().to_bytes(8, "big") for _ in range(4)))
        _lay_out(pos, view)
        _stand(pos, view)
        _guess_gold(pos, view, attempt)
        pos.goals = _goals(view, stream)
        if view["phase"] == "setup":
            _first_events(pos, view, stream)
        else:
            _decks(pos, view, stream)
            _reopen(pos, view)
        if pos.asked and (view["ask"] is None or [*pos.asked] == [view["ask"]["seat"]]):
            return pos
    raise InternalError("this view fits no position in which its question is asked")


def _mask(bits: Sequence[int]) -> int:
    return sum(1 << bit for bit in bits)


def _emiras(names: Sequence[str]) -> list[int]:
    return [EMIRA_OF[name] for name in names]


def _lay_out(pos: Position, view: Mapping[str, Plain]) -> None:
    """What lies before the sheiks."""
    for name in ("camels", "sections", "guests", "arrivals", "lost", "removed", "supply", "bag", "bonus_left"):
        value = view[name]
        setattr(pos, name, value[:] if isinstance(value, list) else value)
    pos.colours = [COLOURS.index(colour) for colour in view["colours"]]
    pos.gold_shown = [(shown[0], shown[1]) if shown else None for shown in view["gold_shown"]]
    pos.caravans = [[left[:] for left in own] for own in view["caravans"]]
    pos.breed = [TRACK.index(off) for off in view["discount"]]
    pos.tokens = [own[:] for own in view["counters"]]
    pos.bonus = [0] * pos.seats if pos.bonus_left is None else view["sets"][:]
    pos.looks = [counts[:] for counts in view["good_looking"]]
    pos.status_cards = [own[:] for own in view["status_cards"]]
    pos.disc = [palace - 2 * sections for palace, sections in zip(view["palace"], view["sections"], strict=True)]
    pos.princesses = [_emiras(own) for own in view["princesses"]]
    pos.met = [_mask(_emiras(own)) for own in view["met"]]
    if view["xenia"]:
        pos.gift_round, pos.gift_first = view["xenia"]["due"], view["xenia"]["first"]
    pos.xenia_left = -1 if view["xenia_left"] is None else view["xenia_left"]


def _stand(pos: Position, view: Mapping[str, Plain]) -> None:
    """Round, board, effects and auction."""
    pos.round, pos.start, pos.phase, pos.ending = view["round"], view["start"], view["phase"], view["ending"]
    pos.active, pos.coming, pos.undecided = (_emiras(view[name]) for name in ("active", "coming", "undecided"))
    pos.fresh, pos.gone = _mask(_emiras(view["fresh"])), _emiras(view["gone"])
    board, effects = view["board"], view["effects"]
    pos.shown_tokens, pos.shown_status = [KINDS.index(kind) for kind in board["appearance"]], board["status"][:]
    pos.open = sum(1 << item for item, name in enumerate(rules.ON_BOARD) if name in board["open"])
    pos.golden, pos.doubles = effects["golden"], effects["doubles"]
    pos.interrupted, pos.sick, pos.quiet = effects["interrupted"], effects["sick"], effects["quiet"]
    pos.early = effects["larger"] == "odd"
    pos.bazaar = -1 if effects["bazaar"] is None else effects["bazaar"]
    pos.noble = -1 if effects["noble"] is None else effects["noble"]
    pos.blocked = _mask([EVENT_OF[name] for name in effects["blocked"]])
    pos.settled, pos.paid = _mask(view["settled"]), _mask(view["paid"])
    pos.bids = [(number, *bids) for number, auctions in enumerate(view["bids"], 1) for bids in auctions]
    bidding = view["auction"]
    if bidding:
        pos.auction = True
        pos.served, pos.bidding, pos.bid = _mask(bidding["served"]), _mask(bidding["bidding"]), bidding["bid"]
        pos.bidder = -1 if bidding["bidder"] is None else bidding["bidder"]
        pos.first_passer = -1 if bidding["free"] is None else bidding["free"]
        pos.last_server = bidding["last"]
    history = view["history"]
    pos.riots = sum(line[1] == "under" for line in history)
    pos.status_shuffles = sum(line[1] == "noble" for line in history)
    pos.played = [EVENT_OF[line[3]] for line in history if line[1] == "play"]
    for line in history:
        public = PUBLIC.get(line[1], len(line))
        hidden = tuple(line[public:])
        pos.history.append(Entry(line[:public], view["seat"], hidden) if hidden else Entry(line[:]))


def _guess_gold(pos: Position, view: Mapping[str, Plain], more: int) -> None:
    """O3 hidden."""
    ask = view["ask"]
    for seat, gold in enumerate(view["gold"]):
        shown = pos.gold_shown[seat]
        guess = shown[1] if shown else START_GOLD
        if pos.bidder == seat:
            guess = max(guess, pos.bid - view["off_bid"][seat])
        if ask and ask["seat"] == seat:
            guess += 50 * more
        pos.gold[seat] = guess if gold is None else gold


# --- goals ---


def _goals(view: Mapping[str, Plain], stream: Stream) -> list[int]:
    """A goal for each seat, its own for that of the view."""
    ways = possible_goals(view)
    return list(ways[stream.below(len(ways))])


def possible_goals(view: Mapping[str, Plain]) -> list[tuple[int, ...]]:
    """By seat: the goals that the seats may have."""
    seats, me = view["seats"], view["seat"]
    faces = [goal_face(goal) for goal in GOALS[seats]]
    own = faces.index(view["goal"])
    without = _would_have_won(seats, view["round"], _lines(view))
    return [
        goals
        for goals in permutations(range(len(faces)), seats)
        if goals[me] == own and not any(goal in without[seat] for seat, goal in enumerate(goals) if seat != me)
    ]


def _lines(view: Mapping[str, Plain]) -> tuple[Line, ...]:
    return tuple(map(tuple, view["history"]))


@lru_cache(maxsize=16)
def _would_have_won(seats: int, now: int, history: tuple[Line, ...]) -> list[set[int]]:
    """By seat: the goals with which it would have won at the end of a round; it has not, since the match goes on (E32)."""
    palaces: list[list[int]] = [[] for _ in range(seats)]
    without: list[set[int]] = [set() for _ in range(seats)]
    rest = list(reversed(history))
    for number in range(1, now):
        unpaid = set()
        while rest and rest[-1][0] <= number:
            _, word, *what = rest.pop()
            if word == "join" and what[1] != NAMES[SIDI]:
                palaces[what[0]].append(EMIRA_OF[what[1]])
            elif word == "abduct":
                palaces[what[0]].remove(EMIRA_OF[what[1]])
            elif word == "gift" and what[1] != "paid":
                palaces[what[0]].remove(XENIA)
            elif word == "under":
                unpaid.add(what[0])
                for name in what[1:]:
                    palaces[what[0]].remove(EMIRA_OF[name])
        for seat in set(range(seats)) - unpaid:
            if len(palaces[seat]) >= LEAST_PRINCESSES[seats]:
                without[seat].update(goal for goal, face in enumerate(GOALS[seats]) if has_talents(palaces[seat], face))
    return without


# --- decks and hands ---


def _first_events(pos: Position, view: Mapping[str, Plain], stream: Stream) -> None:
    """E17: three cards for each seat, of which it will keep one."""
    own = [EVENT_OF[name] for name in view["hand"]]
    deck = list((Counter(_all_events(pos.ruleset.advanced)) - Counter(own)).elements())
    stream.shuffle(deck)
    for seat in range(pos.seats):
        pos.hands[seat] = own if seat == view["seat"] else sorted(deck.pop() for _ in range(EVENTS_DEALT))
    pos.events = Deck(sorted(deck))
    pos.status = Deck(_status(pos, view, stream))
    pos.emiras = Deck(_pick(_emira_layouts(_lines(view), pos.seats, view["seat"]), view["emira_deck"], EMIRA_OF, stream)[0])
    options = {seat: tuple(sorted(set(dealt))) for seat, dealt in enumerate(pos.hands)}
    pos.asked = MappingProxyType({seat: questions.first_event(names) for seat, names in options.items() if len(names) > 1})


def _all_events(advanced: bool) -> list[int]:
    return [card for card in range(len(EVENTS)) for _ in range(COPIES) if advanced or card != RESTORATION]


def _decks(pos: Position, view: Mapping[str, Plain], stream: Stream) -> None:
    me, lines = view["seat"], _lines(view)
    emiras = _emira_layouts(lines, pos.seats, me)
    pos.emiras = _known(_pick(emiras, view["emira_deck"], EMIRA_OF, stream, view["emira_turned"])[0], view["emira_deck"], me)
    pos.turned = _mask(_emiras(view["swapped"]) + [pos.emiras.cards[place] for place in view["emira_turned"]])
    pos.status = _known(_status(pos, view, stream), view["status_deck"], me)
    events = _event_layouts(lines, pos.seats, me, pos.ruleset.advanced)
    deck, pos.hands = _pick(events, view["event_deck"], EVENT_OF, stream)
    pos.hands[me] = [EVENT_OF[name] for name in view["hand"]]
    pos.events = _known(deck, view["event_deck"], me)


def _known(deck: list[int], shown: Sequence[Plain], me: int) -> Deck:
    return Deck(deck, [0 if card is None else 1 << me for card in shown])


def _status(pos: Position, view: Mapping[str, Plain], stream: Stream) -> list[int]:
    layouts = _status_layouts(_lines(view), pos.seats, view["seat"], RED in pos.colours)
    return _pick(layouts, view["status_deck"], None, stream)[0]


def _pick(
    layouts: Layouts, shown: Sequence[Plain], number: Mapping[str, int] | None, stream: Stream, turned: Sequence[int] = ()
) -> tuple[list[int], list[list[int]]]:
    """Deck and hands in which places hold what the view shows there; ``turned``: these are not Sidi Suleiman (E34)."""
    layouts = layouts.copy()
    for place, card in enumerate(shown):
        if card is not None:
            layouts.see(place, number[card] if number else card)
    for place in turned:
        layouts.is_of_sort(place)
    return layouts.pick(stream)


_remembered: dict[tuple[Plain, ...], tuple[tuple[Line, ...], Layouts]] = {}
"""By deck, seats and seat: a history, and the layouts that it leaves. A view of the same match has a longer one."""


def _after(key: tuple[Plain, ...], begin: Layouts, lines: tuple[Line, ...], see: Callable[[Layouts, Line], None]) -> Layouts:
    """What a history leaves of the layouts at the beginning."""
    known, layouts = _remembered.get(key, ((), begin))
    if lines[: len(known)] != known:
        known, layouts = (), begin
    if len(known) < len(lines):
        layouts = layouts.copy()
        for line in lines[len(known) :]:
            see(layouts, line)
        _remembered[key] = lines, layouts
    return layouts


def _emira_layouts(lines: tuple[Line, ...], seats: int, me: int) -> Layouts:
    every = dict.fromkeys(range(len(NAMES)), 1)
    begin = Layouts((FREE,) * len(NAMES), ((),) * seats, every, lambda card: card != SIDI)
    return _after(("emiras", seats, me), begin, lines, _see_emiras)


def _see_emiras(layouts: Layouts, line: Line) -> None:
    _, word, *what = line
    if word == "emiras":
        for name in what:
            layouts.draw(EMIRA_OF[name])
    elif word == "under":
        layouts.put_under(_emiras(what[1:]))
    elif word == "mind":
        _, place, choice, *seen = what
        if seen:
            layouts.see(place, EMIRA_OF[seen[0]])
        elif choice == "swap":
            layouts.is_of_sort(place)
        if choice == "bottom":
            layouts.move_under(place)
    elif word == "order" and what[1] == "emiras":
        layouts.order(what[2], _emiras(what[3:]))


def _status_layouts(lines: tuple[Line, ...], seats: int, me: int, red: bool) -> Layouts:
    """The first cards are below 3 points (E15)."""
    every = Counter(STATUS_CARDS)
    every.subtract([RED_CARD] if red else [])
    every.subtract(STATUS_OUT_3 if seats == 3 else [])
    top = STATUS_ON_TOP[seats]
    deck = (BOUND,) * top + (FREE,) * (every.total() - top)
    begin = Layouts(deck, ((),) * seats, every, lambda card: POINTS[card] < 3)
    return _after(("status", seats, me, red), begin, lines, _see_status)


def _see_status(layouts: Layouts, line: Line) -> None:
    _, word, *what = line
    if word == "status":
        layouts.draw(what[0])
    elif word == "noble":
        layouts.take_any(what[1])
    elif word in ("unsold", "under_status"):
        layouts.put_under([what[0]])
    elif word == "order" and what[1] == "status":
        layouts.order(what[2], what[3:])


def _event_layouts(lines: tuple[Line, ...], seats: int, me: int, advanced: bool) -> Layouts:
    every = Counter(_all_events(advanced))
    own = next(EVENT_OF[line[2]] for line in lines if line[1] == "deal")
    every[own] -= 1
    hands = tuple(() if seat == me else (FREE,) for seat in range(seats))
    begin = Layouts((FREE,) * (every.total() - seats + 1), hands, every, lambda card: True)

    def see(layouts: Layouts, line: Line) -> None:
        _, word, *what = line
        if word == "play" and what[0] != me:
            layouts.play(what[0], EVENT_OF[what[1]])
        elif word == "buy":
            seat, looks, *seen = what
            if seen:
                layouts.keep_own(EVENT_OF[seen[0]], [EVENT_OF[name] for name in seen[1:]])
            else:
                layouts.keep(seat, looks)

    return _after(("events", seats, me, advanced, own), begin, lines, see)


# --- the open question ---


def _reopen(pos: Position, view: Mapping[str, Plain]) -> None:
    """The open question, and what is to be done after it."""
    ask = view["ask"]
    kind, seat = ask["kind"], ask["seat"]
    offset = (seat - pos.start) % pos.seats
    pos.todo = rules.to_come(pos)
    if kind == "play":
        cards.play_turn(pos, [], offset)
    elif kind == "buy":
        market.buy_turn(pos, [], offset)
    elif kind == "gift":
        pos.todo.append((courtship.recheck,))
        upkeep.upkeep_turn(pos, [], offset)
    else:
        _UNDER[pos.phase](pos, view, kind)
        if kind == "vermin_move":
            player = _last(view, "play")[2]
            later = range(pos.seats - 1, (seat - player) % pos.seats, -1)
            type_of = CARAVANS.index(ask["about"])
            pos.todo += [(cards.infest, (player + i) % pos.seats, type_of) for i in later]
        looks = len(ask["cards"] or pos.events.cards[:3])
        _AGAIN[kind](pos, [], seat, looks if kind == "keep" else ask["about"])


def _last(view: Mapping[str, Plain], word: str) -> list[Plain]:
    return next(line for line in reversed(view["history"]) if line[1] == word)


def _under_events(pos: Position, view: Mapping[str, Plain], kind: str) -> None:
    player = _last(view, "play")[2]
    pos.todo += [(cards.play_turn, (player - pos.start) % pos.seats + 1), (courtship.recheck,)]


def _under_income(pos: Position, view: Mapping[str, Plain], kind: str) -> None:
    pos.todo.append((courtship.recheck,))


def _under_prepare(pos: Position, view: Mapping[str, Plain], kind: str) -> None:
    pos.todo.append((rules.open_board,))
    if kind == "noble":
        pos.todo.append((market.show_appearance,))


def _under_auction(pos: Position, view: Mapping[str, Plain], kind: str) -> None:
    pos.todo += [(auction.close_phase,), (auction.open_auction,)]
    if kind in auction.ASK_AGAIN:
        return
    # An Emira has joined: before the first auction, after a grant, between a payment and the action, or after the action.
    if pos.bids and pos.bids[-1][0] == pos.round and pos.bidding:
        if pos.bidder >= 0 and pos.bidder == pos.last_server:
            if not pos.served >> pos.bidder & 1:
                pos.todo.append((auction.ask_action, pos.bidder))
        elif pos.bids[-1][-1] == BID_GRANT:
            pos.todo.append((auction.go_on, _last_to_answer(pos)))
    pos.todo.append((courtship.recheck,))


def _last_to_answer(pos: Position) -> int:
    """Of the last auction."""
    _, opener, bidding, *answers = pos.bids[-1]
    seats = [seat for seat in range(pos.seats) if bidding >> seat & 1]
    at = seats.index(opener)
    asked = opener
    for answer in answers:
        for _ in range(max(1, -answer)):
            asked = seats[at % len(seats)]
            at += 1
        if answer in (0, BID_GRANT):
            at = seats.index(asked)
            seats.remove(asked)
            at = at % len(seats) if seats else 0
        else:
            at = (seats.index(asked) + 1) % len(seats)
    return asked


def _under_buy(pos: Position, view: Mapping[str, Plain], kind: str) -> None:
    buyer = view["ask"]["seat"] if kind == "keep" else _last(view, "buy")[2]
    pos.todo += [(market.buy_turn, (buyer - pos.start) % pos.seats + 1), (courtship.recheck,)]


def _under_choice(pos: Position, view: Mapping[str, Plain], kind: str) -> None:
    pos.todo += [(courtship.choose_next,), (courtship.recheck,)]


_UNDER = {
    "events": _under_events,
    "income": _under_income,
    "prepare": _under_prepare,
    "auction": _under_auction,
    "buy": _under_buy,
    "choice": _under_choice,
    "upkeep": _under_income,
}
"""By phase: what is to be done in it once the open question is answered."""
_AGAIN = {**cards.ASK_AGAIN, **market.ASK_AGAIN, **auction.ASK_AGAIN, **courtship.ASK_AGAIN}
