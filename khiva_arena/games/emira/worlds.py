"""Positions that a seat's view allows, for bots that search (RULES.md, "The view").

Open things are laid out here as the view shows them. Hidden things are drawn: goals
here, any but those with which another seat would have won already; decks and hands in
``hidden_cards`` by the theory of ``knowledge``. ``open_question`` asks the open
question again.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import permutations
from typing import TypeVar

from khiva_arena.errors import InternalError, OtherSeat
from khiva_arena.games.base import Plain
from khiva_arena.games.emira import hidden_cards, rules
from khiva_arena.games.emira.events import goal_face
from khiva_arena.games.emira.open_question import reopen
from khiva_arena.games.emira.position_parts import Entry
from khiva_arena.games.emira.reading_views import Line, emiras_of, lines_of, mask_of
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.tables import (
    COLOURS,
    EMIRA_OF,
    EVENT_OF,
    GOALS,
    KINDS,
    LEAST_PRINCESSES,
    NAMES,
    SIDI,
    START_GOLD,
    TRACK,
    XENIA,
)
from khiva_arena.games.emira.values import has_talents
from khiva_arena.games.emira.variants import Ruleset
from khiva_arena.rng import Stream

P = TypeVar("P", bound=Position)
TRIES = 400
"""Number of times that a world is drawn again if nobody in it would be asked the open
question.
"""
PUBLIC = {"deal": 1, "mind": 5, "order": 5, "buy": 4}
"""Length of the part of a history line that all know, by type of line; all of the line
for other types.
"""


def determinise(
    view: Mapping[str, Plain],
    ruleset: Ruleset,
    stream: Stream,
    make: Callable[[int, Ruleset, bytes], P],
) -> P:
    """Return a position in which the seat of ``view`` has exactly this view; unknown
    facts are drawn from ``stream``.

    view: from a match with these rules that is not over.
    make: makes an empty position.

    Goals that somebody would have won with are left out, all others equally likely; for
    decks and event cards see ``knowledge``. The cards that other seats have looked at
    are unknown. With O3 hidden, gold that is not shown is taken to be the amount last
    shown, or more if the open question says so. Raises OtherSeat for the view of
    another seat in a world, which lacks what that seat was dealt; InternalError if the
    view fits no position.
    """
    if view["phase"] != "setup" and all(line[1] != "deal" for line in view["history"]):
        raise OtherSeat
    for attempt in range(TRIES):
        pos = make(
            view["seats"], ruleset, b"".join(stream.u64().to_bytes(8, "big") for _ in range(4))
        )
        _lay_out(pos, view)
        _stand(pos, view)
        _guess_gold(pos, view, attempt)
        pos.goals = draw_goals(view, stream)
        if view["phase"] == "setup":
            hidden_cards.draw_first_events(pos, view, stream)
        else:
            hidden_cards.draw_decks(pos, view, stream)
            reopen(pos, view)
        if pos.asked and (view["ask"] is None or [*pos.asked] == [view["ask"]["seat"]]):
            return pos
    raise InternalError("this view fits no position in which its question is asked")


def _lay_out(pos: Position, view: Mapping[str, Plain]) -> None:
    """Lay out the things that lie before the sheiks."""
    for name in (
        "camels",
        "sections",
        "guests",
        "arrivals",
        "lost",
        "removed",
        "supply",
        "bag",
        "bonus_left",
    ):
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
    pos.disc = [
        palace - 2 * sections
        for palace, sections in zip(view["palace"], view["sections"], strict=True)
    ]
    pos.princesses = [emiras_of(own) for own in view["princesses"]]
    pos.met = [mask_of(emiras_of(own)) for own in view["met"]]
    if view["xenia"]:
        pos.gift_round, pos.gift_first = view["xenia"]["due"], view["xenia"]["first"]
    pos.xenia_left = -1 if view["xenia_left"] is None else view["xenia_left"]


def _stand(pos: Position, view: Mapping[str, Plain]) -> None:
    """Restore round, board, effects and auction."""
    pos.round, pos.start, pos.phase, pos.ending = (
        view["round"],
        view["start"],
        view["phase"],
        view["ending"],
    )
    pos.active, pos.coming, pos.undecided = (
        emiras_of(view[name]) for name in ("active", "coming", "undecided")
    )
    pos.fresh, pos.gone = mask_of(emiras_of(view["fresh"])), emiras_of(view["gone"])
    board, effects = view["board"], view["effects"]
    pos.shown_tokens, pos.shown_status = (
        [KINDS.index(kind) for kind in board["appearance"]],
        board["status"][:],
    )
    pos.open = sum(1 << item for item, name in enumerate(rules.ON_BOARD) if name in board["open"])
    pos.golden, pos.doubles = effects["golden"], effects["doubles"]
    pos.interrupted, pos.sick, pos.quiet = effects["interrupted"], effects["sick"], effects["quiet"]
    pos.early = effects["larger"] == "odd"
    pos.bazaar = -1 if effects["bazaar"] is None else effects["bazaar"]
    pos.noble = -1 if effects["noble"] is None else effects["noble"]
    pos.blocked = mask_of([EVENT_OF[name] for name in effects["blocked"]])
    pos.settled, pos.paid = mask_of(view["settled"]), mask_of(view["paid"])
    pos.bids = [
        (number, *bids) for number, auctions in enumerate(view["bids"], 1) for bids in auctions
    ]
    bidding = view["auction"]
    if bidding:
        pos.auction = True
        pos.served, pos.bidding, pos.bid = (
            mask_of(bidding["served"]),
            mask_of(bidding["bidding"]),
            bidding["bid"],
        )
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
    """Guess the gold that O3 hides from the seat.

    more: number of worlds drawn before; each lets the asked seat have 50 gold more.
    """
    ask = view["ask"]
    for seat, gold in enumerate(view["gold"]):
        bounds = pos.gold_shown[seat]
        guess = bounds[1] if bounds else START_GOLD
        if pos.bidder == seat:
            guess = max(guess, pos.bid - view["off_bid"][seat])
        if ask and ask["seat"] == seat:
            guess += 50 * more
        pos.gold[seat] = guess if gold is None else gold


def draw_goals(view: Mapping[str, Plain], stream: Stream) -> list[int]:
    """Return a goal for each seat; the seat's own is that of the view."""
    ways = possible_goals(view)
    return list(ways[stream.below(len(ways))])


def possible_goals(view: Mapping[str, Plain]) -> list[tuple[int, ...]]:
    """Return every combination of goals, by seat, that the seats may have."""
    seats, me = view["seats"], view["seat"]
    faces = [goal_face(goal) for goal in GOALS[seats]]
    own_goal = faces.index(view["goal"])
    without = _would_have_won(seats, view["round"], lines_of(view))
    return [
        goals
        for goals in permutations(range(len(faces)), seats)
        if goals[me] == own_goal
        and not any(goal in without[seat] for seat, goal in enumerate(goals) if seat != me)
    ]


@lru_cache(maxsize=16)
def _would_have_won(seats: int, now: int, history: tuple[Line, ...]) -> list[set[int]]:
    """Return, by seat, the goals with which it would have won at the end of a round. It
    has not, since the match goes on (E32).
    """
    palaces: list[list[int]] = [[] for _ in range(seats)]
    without: list[set[int]] = [set() for _ in range(seats)]
    rest = list(reversed(history))
    for number in range(1, now):
        unpaid = set()
        while rest and rest[-1][0] <= number:
            _, word, *details = rest.pop()
            if word == "join" and details[1] != NAMES[SIDI]:
                palaces[details[0]].append(EMIRA_OF[details[1]])
            elif word == "abduct":
                palaces[details[0]].remove(EMIRA_OF[details[1]])
            elif word == "gift" and details[1] != "paid":
                palaces[details[0]].remove(XENIA)
            elif word == "under":
                unpaid.add(details[0])
                for name in details[1:]:
                    palaces[details[0]].remove(EMIRA_OF[name])
        for seat in set(range(seats)) - unpaid:
            if len(palaces[seat]) >= LEAST_PRINCESSES[seats]:
                without[seat].update(
                    goal
                    for goal, face in enumerate(GOALS[seats])
                    if has_talents(palaces[seat], face)
                )
    return without
