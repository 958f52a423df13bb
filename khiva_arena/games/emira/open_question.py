"""The question that a view shows open, asked again in a position made of that view.

The tasks that follow the answer are put back, too, so that the world goes on as the
match would.
"""

from collections.abc import Mapping

from khiva_arena.games.base import Plain
from khiva_arena.games.emira import auction, cards, courtship, market, rules, upkeep
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.tables import BID_GRANT, CARAVANS


def reopen(pos: Position, view: Mapping[str, Plain]) -> None:
    """Open the question of a view again, and put the tasks that follow it on the
    position.
    """
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
    # An Emira has joined: before the first auction, after a grant, between a payment
    # and the action, or after the action.
    if pos.bids and pos.bids[-1][0] == pos.round and pos.bidding:
        if pos.bidder >= 0 and pos.bidder == pos.last_server:
            if not pos.served >> pos.bidder & 1:
                pos.todo.append((auction.ask_action, pos.bidder))
        elif pos.bids[-1][-1] == BID_GRANT:
            pos.todo.append((auction.go_on, _last_to_answer(pos)))
    pos.todo.append((courtship.recheck,))


def _last_to_answer(pos: Position) -> int:
    """Return the last seat to answer in the last auction."""
    _, opener, bidding, *answers = pos.bids[-1]
    seats = [seat for seat in range(pos.seats) if bidding >> seat & 1]
    at = seats.index(opener)
    last = opener
    for answer in answers:
        for _ in range(max(1, -answer)):
            last = seats[at % len(seats)]
            at += 1
        if answer in (0, BID_GRANT):
            at = seats.index(last)
            seats.remove(last)
            at = at % len(seats) if seats else 0
        else:
            at = (seats.index(last) + 1) % len(seats)
    return last


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
"""Functions that put the tasks after the open question on the position, by phase."""
_AGAIN = {**cards.ASK_AGAIN, **market.ASK_AGAIN, **auction.ASK_AGAIN, **courtship.ASK_AGAIN}
