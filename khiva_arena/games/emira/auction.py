"""Phase 4: auctions for the right to act, the grant, the actions (E3-E5b, E21-E23)."""

from bisect import insort
from collections.abc import Callable, Collection

from khiva_arena.games.base import Plain
from khiva_arena.games.emira import events, questions
from khiva_arena.games.emira.courtship import recheck
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.steps import Log, ask, note
from khiva_arena.games.emira.tables import (
    ACTIONS,
    ADARA,
    ADARA_PRICE,
    APPEARANCE,
    APPEARANCE_PRICE,
    BADRA,
    BADRA_PRICE,
    BID_GRANT,
    BID_PASS,
    CAMEL,
    CAMEL_PRICE,
    CAMELS,
    CARAVAN_LENGTH,
    CARAVAN_PRICE,
    FARAH,
    FARAH_PRICE,
    GRANT,
    GRANT_GOLD,
    HIGHEST_BID,
    KINDS,
    LEAST_BID,
    NONE,
    PALACE,
    PALACE_PRICE,
    SECTIONS,
    STATUS,
    STEP,
)
from khiva_arena.games.emira.values import discount, may_have_grant

_INDEX = {name: i for i, name in enumerate(ACTIONS)}


def open_phase(pos: Position, log: Log) -> None:
    """Open the auction phase. Every seat may act, except seats that lose the round to
    Hind (E27).
    """
    pos.phase = "auction"
    pos.auction = True
    pos.served = sum(1 << seat for seat in range(pos.seats) if pos.lost[seat] == pos.round)
    pos.last_server = (pos.start - 1) % pos.seats
    pos.todo += [(close_phase,), (open_auction,), (recheck,)]


def open_auction(pos: Position, log: Log) -> None:
    """Open the next auction with the first seat that has not acted, to the left of the
    last one that has (E4).
    """
    everybody = (1 << pos.seats) - 1
    pos.bidding = everybody & ~pos.served
    if not pos.bidding:
        return
    pos.todo.append((open_auction,))
    pos.bid = 0
    pos.bidder = pos.first_passer = -1
    opener = _next(pos, pos.last_server)
    log.append(events.auction(opener))
    pos.bids.append((pos.round, opener, pos.bidding))
    _ask_bid(pos, log, opener)


def _next(pos: Position, seat: int) -> int:
    """Return the next seat to the left that can still bid."""
    while True:
        seat = (seat + 1) % pos.seats
        if pos.bidding >> seat & 1:
            return seat


def _ask_bid(pos: Position, log: Log, seat: int) -> None:
    """Ask a seat for a bid of at least 10, in tens, above the last one, that it can
    pay; or the grant (E5, O5); or a pass (E4).
    """
    lowest = pos.bid + STEP if pos.bid else LEAST_BID
    highest = min(pos.gold[seat] + discount(pos, seat), HIGHEST_BID) // STEP * STEP
    grant = pos.ruleset.grant_at_bid and may_have_grant(pos, seat)
    if highest < lowest and not grant:
        _answer_bid(pos, log, seat, ["pass"])
    else:
        ask(pos, questions.bid(lowest, highest, grant), seat, _answer_bid)


def _answer_bid(pos: Position, log: Log, seat: int, entry: list[Plain]) -> None:
    (bid,) = entry
    if bid == "pass":
        pos.bidding &= ~(1 << seat)
        if pos.first_passer < 0:
            pos.first_passer = seat
        _note_answer(pos, BID_PASS)
        log.append(events.passed(seat))
    elif bid == "grant":
        pos.bidding &= ~(1 << seat)
        _note_answer(pos, BID_GRANT)
        _take_grant(pos, log, seat)
        pos.todo += [(go_on, seat), (recheck,)]
        return
    else:
        _note_bid(pos, bid)
        pos.bid = bid
        pos.bidder = seat
        log.append(events.bid(seat, bid))
    go_on(pos, log, seat)


def _note_answer(pos: Position, answer: int) -> None:
    pos.bids[-1] = (*pos.bids[-1], answer)


def _note_bid(pos: Position, amount: int) -> None:
    """Note a bid. Raises by STEP, one after the other, are one negative number; so the
    bids of cautious sheiks stay short (E40).
    """
    *before, last = pos.bids[-1]
    if amount != pos.bid + STEP:
        _note_answer(pos, amount)
    elif last < 0:
        pos.bids[-1] = (*before, last - 1)
    else:
        _note_answer(pos, -1)


def go_on(pos: Position, log: Log, seat: int) -> None:
    """Ask the next seat, or decide the auction (E4)."""
    if pos.bidder >= 0 and pos.bidding == 1 << pos.bidder:
        _serve(pos, log, pos.bidder)
    elif pos.bidding:
        _ask_bid(pos, log, _next(pos, seat))
    elif pos.first_passer >= 0:
        pos.bidder = pos.first_passer  # all passed: who passed first acts for no bid
        _serve(pos, log, pos.first_passer)


def _serve(pos: Position, log: Log, seat: int) -> None:
    """Take the bid from a seat, less the discount; then the seat acts (E3)."""
    paid = max(0, pos.bid - discount(pos, seat))
    pos.gold[seat] -= paid
    pos.last_server = seat
    log.append(events.serve(seat, pos.bid, paid))
    pos.todo.append((ask_action, seat))
    if paid and pos.undecided:
        pos.todo.append((recheck,))


# --- actions ---


def prices(palace: Collection[int]) -> tuple[int, ...]:
    """Return the price of each caravan, of a section and of a camel for a seat with
    whom these princesses live (E31).
    """
    caravans = ADARA_PRICE if ADARA in palace else CARAVAN_PRICE
    return (
        *caravans,
        BADRA_PRICE if BADRA in palace else PALACE_PRICE,
        FARAH_PRICE if FARAH in palace else CAMEL_PRICE,
    )


def ask_action(pos: Position, log: Log, seat: int) -> None:
    """Ask a seat for an action that is still to be had and that it can pay, or none; or
    the grant instead (E21, E5).
    """
    gold, on_board = pos.gold[seat], pos.open
    *caravans, section, camel = prices(pos.princesses[seat])
    mask = 0
    for kind, price in enumerate(caravans):
        if on_board >> kind // 2 & 1 and price <= gold:
            mask |= 1 << kind
    if pos.shown_tokens and gold >= APPEARANCE_PRICE:
        mask |= 1 << APPEARANCE - 1
    if pos.shown_status and gold >= min(pos.shown_status):
        mask |= 1 << STATUS - 1
    if on_board >> SECTIONS & 1 and gold >= section:
        mask |= 1 << PALACE - 1
    if on_board >> CAMELS & 1 and gold >= camel:
        mask |= 1 << CAMEL - 1
    if may_have_grant(pos, seat):
        mask |= 1 << GRANT - 1
    if mask:
        ask(pos, questions.action(mask), seat, _answer_action)
    else:
        _done(pos, log, seat, NONE, 0)


def _answer_action(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    action = _INDEX[entry[0]]
    if action == NONE:
        _done(pos, log, seat, NONE, 0)
    elif action == GRANT:
        _take_grant(pos, log, seat)
        pos.todo.append((recheck,))
    elif action == APPEARANCE:
        kinds = tuple(sorted(set(pos.shown_tokens)))
        if len(kinds) > 1:  # O8 extra
            ask(pos, questions.kinds("take_appearance", kinds), seat, _answer_token)
        else:
            _take_token(pos, log, seat, kinds[0])
    elif action == STATUS:
        cards = tuple(sorted({card for card in pos.shown_status if card <= pos.gold[seat]}))
        if len(cards) > 1:  # O8 extra
            ask(pos, questions.numbers("take_status", cards), seat, _answer_status)
        else:
            _take_status(pos, log, seat, cards[0])
    else:
        _take_item(pos, log, seat, action)


def _answer_token(pos: Position, log: Log, seat: int, entry: list[str]) -> None:
    _take_token(pos, log, seat, KINDS.index(entry[0]))


def _answer_status(pos: Position, log: Log, seat: int, entry: list[int]) -> None:
    _take_status(pos, log, seat, entry[0])


def _take_token(pos: Position, log: Log, seat: int, kind: int) -> None:
    pos.shown_tokens.remove(kind)
    pos.tokens[seat][kind] += 1
    _done(pos, log, seat, APPEARANCE, APPEARANCE_PRICE, KINDS[kind])


def _take_status(pos: Position, log: Log, seat: int, card: int) -> None:
    pos.shown_status.remove(card)
    insort(pos.status_cards[seat], card)
    _done(pos, log, seat, STATUS, card, card)


def _take_item(pos: Position, log: Log, seat: int, action: int) -> None:
    """Give a seat a caravan, a section or a camel out of the supply (E2, E22)."""
    *caravans, section, camel = prices(pos.princesses[seat])
    item: Plain = None
    if action == PALACE:
        size, price = SECTIONS, section
        pos.sections[seat] += 1
    elif action == CAMEL:
        size, price = CAMELS, camel
        pos.camels[seat] += 1
    else:
        kind = action - 1
        size, price, item = kind // 2, caravans[kind], CARAVAN_LENGTH[kind]
        pos.caravans[seat][kind].append(
            CARAVAN_LENGTH[kind]
        )  # the longest, so the list still rises
    pos.supply[size] -= 1
    pos.open &= ~(1 << size)
    _done(pos, log, seat, action, price, item)


def _done(pos: Position, log: Log, seat: int, action: int, price: int, item: Plain = None) -> None:
    """Take the price from a seat, which is then out of this round's auctions."""
    pos.gold[seat] -= price
    pos.served |= 1 << seat
    log.append(events.act(seat, action, price, item))
    if pos.undecided:
        pos.todo.append((recheck,))


def _take_grant(pos: Position, log: Log, seat: int) -> None:
    """Give a seat the grant instead of an action; any number of seats may take it in a
    round (E5).
    """
    pos.gold[seat] += GRANT_GOLD
    pos.served |= 1 << seat
    log.append(events.grant(seat))


def close_phase(pos: Position, log: Log) -> None:
    """Put unsold things back; with 3 players at the end of the odd or the even round
    (E23, E38, O7).
    """
    pos.auction = False
    odd, three = pos.round % 2 == 1, pos.seats == 3
    tokens = pos.shown_tokens if not three or odd == pos.ruleset.return_odd else []
    status = pos.shown_status if not three or not odd else []
    if tokens or status:
        log.append(events.unsold(tokens, status))
    for kind in tokens:
        pos.bag[kind] += 1
    for card in status:
        pos.status.put_under(card, (1 << pos.seats) - 1)
        note(pos, "unsold", card)
    if tokens:
        pos.shown_tokens = []
    if status:
        pos.shown_status = []
    pos.open = pos.open if three and odd else 0
    pos.bid, pos.bidder, pos.bidding, pos.first_passer = 0, -1, 0, -1


ASK_AGAIN: dict[str, Callable[[Position, Log, int, Plain], None]] = {
    "bid": lambda pos, log, seat, about: _ask_bid(pos, log, seat),
    "action": lambda pos, log, seat, about: ask_action(pos, log, seat),
    "take_appearance": lambda pos, log, seat, about: _answer_action(pos, log, seat, ["appearance"]),
    "take_status": lambda pos, log, seat, about: _answer_action(pos, log, seat, ["status"]),
}
"""Functions that open a question again in a position made of a view, by kind of
decision.
"""
