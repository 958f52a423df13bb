"""The flow of Khiva: set up, choose, activate the camels, end a turn, a deal and the
match.

The functions are small; they change a ``Position`` and append events to ``log``. A
function that may have to ask returns True when it does. Then ``pos.asked`` and
``pos.offer`` hold the question, and ``apply`` continues from the answer.

K and O numbers are those of RULES.md; its event table lists the contents of each event.
Events share their inner lists with the tables: they are to be read, not changed.
"""

from bisect import insort
from collections.abc import Mapping, Sequence

from khiva_arena.games.base import NOBODY, Event, Pending, check_choices
from khiva_arena.games.khiva import dealing, events
from khiva_arena.games.khiva.scoring import ranks, scores
from khiva_arena.games.khiva.state import Bid, Offer, Position
from khiva_arena.games.khiva.tables import (
    ASK_BOOST,
    ASK_MOVE,
    ASK_PLAY_PASS,
    ASK_SHOP4,
    CAMELS,
    CODE,
    COLOUR,
    KEPT,
    OUTPOST,
    PICK,
    SALT_BAGS,
    SALT_PRICE,
    SHOP,
    TENT,
    VALUE,
)


def set_up(pos: Position) -> list[Event]:
    """Take an empty table to the first question, and return the events (K1, K13)."""
    teapots = dealing.teapots(pos.secret, pos.ruleset.teapots)
    pos.loads = teapots[: len(CAMELS)]
    pos.teapot_pile = teapots[: len(CAMELS) - 1 : -1]
    pos.carpet_pile = dealing.carpets(pos.secret, pos.ruleset.carpets)[::-1]
    pos.salt_pile = list(reversed(SALT_BAGS))
    log = [events.setup(pos.loads)]
    _show_top(pos, log)
    _hand_out(pos, dealing.first_deal(pos.secret, pos.seats), log)
    _ask_all(pos)
    return log


def apply(pos: Position, choices: Mapping[int, int]) -> list[Event]:
    """Play the choices of all asked seats, and return the events. Raises IllegalChoice
    with nothing changed.
    """
    check_choices(pos.asked, choices)
    log: list[Event] = []
    offer = pos.offer
    if offer is None:
        _choose(pos, choices, log)
        waiting = False
    else:
        pos.offer = None
        waiting = _answer(pos, offer, choices[offer.seat], log)
    if not waiting:
        _activate(pos, log)
    return log


# --- choosing ---


def _ask_all(pos: Position) -> None:
    """Ask all seats the next simultaneous choice, each the same question (K1, K20)."""
    pos.asked = ASK_PLAY_PASS[pos.seats, len(pos.hands[0])]


def _choose(pos: Position, choices: Mapping[int, int], log: list[Event]) -> None:
    """Take the chosen cards from the hands held at the start of the turn; then the
    passes arrive; then all is revealed (K1).
    """
    seats, hands, away, turn, k = pos.seats, pos.hands, pos.away, pos.turn, KEPT[pos.seats]
    pick = PICK[seats, len(hands[0])]
    revealed: list[tuple[int, ...]] = []
    passed_cards: list[tuple[int, ...]] = []
    for seat in range(seats):
        hand = hands[seat]
        cards = pick[choices[seat]](hand)
        for card in cards:
            hand.remove(card)
        revealed.append(cards[:k])
        passed_cards.append(cards[k:])
    for seat, cards in enumerate(passed_cards):
        left_seat = (seat + 1) % seats
        for card in cards:
            insort(hands[left_seat], card)
            pos.passes[seat].append(CODE[card])
            away[seat][card] = turn
            away[left_seat].pop(card, None)
        log.append(events.passed(seat, left_seat, cards))
    for seat, cards in enumerate(revealed):
        for card in cards:
            pos.played.append(CODE[card])
            pos.bids[COLOUR[card]].append((card, seat))
            for memory in away:
                memory.pop(card, None)
    log.append(events.reveal(turn, revealed))
    pos.camel = pos.winners = 0


# --- activation ---


def _activate(pos: Position, log: list[Event]) -> None:
    """Activate the camels from ``pos.camel`` on, in their order, until one needs an
    answer; after the last the turn ends (K2).
    """
    while pos.camel < len(CAMELS):
        bids = pos.bids[pos.camel]
        if not bids:
            log.append(events.stay(pos.camel, "no_card"))
            pos.camel += 1
        elif _award(pos, bids, log):
            return
    _end_turn(pos, log)


def _award(pos: Position, bids: list[Bid], log: list[Event]) -> bool:
    """Give the camel to the lowest card, compensate the others, and move the winner
    (K2, K3).
    """
    card, seat = max(bids)  # a higher card number is a lower value
    pos.winners |= 1 << seat
    if len(bids) == 1:
        log.append(events.win_alone(pos.camel, seat, card))
    else:
        losers = [bid for bid in bids if bid[0] != card]
        log.append(events.win(pos.camel, seat, card, losers))
        if not pos.ruleset.pay_after:
            _compensate(pos, losers, log)
    lands = reach(pos, seat, card)
    if not lands:  # O4 no_move
        log.append(events.stay(pos.camel, "overshoot"))
        return _finish_camel(pos, card, log)
    if pos.ruleset.may_decline:  # O11
        return _ask(pos, Offer("move", seat, card, lands))
    return _boost(pos, seat, card, lands, log)


def _ask(pos: Position, offer: Offer) -> bool:
    pos.offer = offer
    pos.asked = question(pos, offer)
    return True


def question(pos: Position, offer: Offer) -> Pending:
    """Return the question that an offer of this position asks."""
    if offer.kind == "boost":
        return ASK_BOOST[len(offer.lands) - 1][offer.seat]
    if offer.kind == "shop4":
        return ASK_SHOP4[_wares(pos, offer.seat)][offer.seat]
    return ASK_MOVE[offer.seat]


def _compensate(pos: Position, rejected: Sequence[Bid], log: list[Event]) -> None:
    """Pay one gem for each rejected card, in seat order (O5), so two for two of one
    seat (K3); or one for each rejected seat (O6).
    """
    if pos.ruleset.pay_rejected:
        seats = [seat for _, seat in rejected]  # in seat order, as they were revealed
        for seat in seats if pos.ruleset.pay_each_card else dict.fromkeys(seats):
            _gain(pos, seat, 1, "rejected", log)


def reach(pos: Position, seat: int, card: int) -> tuple[int, ...]:
    """Return the places where a winner's camel stops for boost 0, 1, and so on.

    seat: moves the camel.
    card: the winning card.

    Only boosts that can be paid and change the landing place count (K4, K8). Empty if
    the camel may not move at all (O4 no_move).
    """
    rules = pos.ruleset
    here = pos.camels[COLOUR[card]]
    occupied = pos.camels
    # K5: places with another camel are not counted. The tent (O3 own_tent) is the
    # camel's own, so always empty.
    free = [place for place in rules.walks[seat][here] if place not in occupied or not place]
    value = VALUE[card]
    farthest = value + min(rules.slots[card], pos.gems[seat])
    if rules.overshoot != "stop_at_outpost":  # O4
        if rules.overshoot == "no_move":
            return tuple(free[value - 1 : farthest])
        back = range(
            6 * seat + OUTPOST - 1, 6 * seat, -1
        )  # bounce: the place it left is free by then
        free += [place for place in back if place not in occupied or place == here]
    return tuple(free[value - 1 : farthest]) or (
        free[-1],
    )  # K8: a boost beyond the last place is lost


def _boost(pos: Position, seat: int, card: int, lands: tuple[int, ...], log: list[Event]) -> bool:
    """Ask the winner for the boost, if there is a choice (K4)."""
    if len(lands) > 1:
        return _ask(pos, Offer("boost", seat, card, lands))
    return _move(pos, seat, card, 0, lands[0], log)


def _move(pos: Position, seat: int, card: int, boost: int, place: int, log: list[Event]) -> bool:
    """Pay, move, and let the landing place work for the mover (K4, K9)."""
    camel = pos.camel
    if boost:
        pos.gems[seat] -= boost
        _restock(pos, boost)
    log.append(events.move(camel, seat, boost, pos.camels[camel], place))
    pos.camels[camel] = place
    shop = SHOP[place]
    if shop == 1:
        _gain(pos, seat, 1, "shop", log)
    elif shop == 2:
        _draw_carpet(pos, seat, log)
    elif shop == 3:
        _gain(pos, seat, 2, "shop", log)
    elif shop == 4:
        return _shop4(pos, seat, card, log)
    elif shop == OUTPOST:
        _deliver(pos, seat, log)
    return _finish_camel(pos, card, log)


def _shop4(pos: Position, seat: int, card: int, log: list[Event]) -> bool:
    """Ask the mover to choose at shop 4, if there is a choice (K10)."""
    wares = _wares(pos, seat)
    if len(wares) > 1:
        return _ask(pos, Offer("shop4", seat, card, (pos.camels[pos.camel],)))
    return _trade(pos, seat, card, wares[0], log)


def _wares(pos: Position, seat: int) -> tuple[str, ...]:
    """Return the goods that shop 4 has for this seat, default first (K10, K17, K23).
    O11 lets a mover take nothing.
    """
    salt = pos.salt_pile and pos.gems[seat] >= SALT_PRICE
    if not pos.carpet_pile:
        return ("nothing", "salt") if salt else ("nothing",)  # nobody is forced to pay
    if pos.ruleset.may_decline:
        return ("carpet", "salt", "nothing") if salt else ("carpet", "nothing")
    return ("carpet", "salt") if salt else ("carpet",)


def _trade(pos: Position, seat: int, card: int, answer: str, log: list[Event]) -> bool:
    """Give the mover the top salt bag for 3 gems, or the top carpet (K10)."""
    if answer == "salt":
        pos.gems[seat] -= SALT_PRICE
        _restock(pos, SALT_PRICE)
        bag = pos.salt_pile.pop()
        pos.salts[seat].append(bag)
        log.append(events.salt(seat, bag))
        if not pos.salt_pile and pos.ruleset.end_on_empty:
            _trigger(pos, "salts", log)
    elif answer == "nothing" and pos.ruleset.may_decline:
        log.append(events.nothing(seat))
    else:
        _draw_carpet(pos, seat, log)  # or the carpet that is owed and not there (K17, O10)
    return _finish_camel(pos, card, log)


def _draw_carpet(pos: Position, seat: int, log: list[Event]) -> None:
    """Give a seat the top carpet, face up, undelivered (K10, K16)."""
    if not pos.carpet_pile:
        log.append(events.nothing(seat))  # K17
        _trigger(
            pos, "carpets", log
        )  # O10 failed_draw; otherwise the end has been triggered already
        return
    code = pos.carpet_pile.pop()
    pos.carpets[seat].append(code)
    log.append(events.carpet(seat, code))
    _show_top(pos, log)
    if not pos.carpet_pile and pos.ruleset.end_on_empty:
        _trigger(pos, "carpets", log)


def _show_top(pos: Position, log: list[Event]) -> None:
    """Tell the next carpet's colour, if it can be seen (O7)."""
    if pos.ruleset.top_visible and pos.carpet_pile:
        log.append(events.top(pos.carpet_pile[-1] // 10))


def _deliver(pos: Position, seat: int, log: list[Event]) -> None:
    """Deliver the teapot and the carpets of the camel's colour; the camel goes back to
    its tent and is loaded again (K11-K13).
    """
    camel, pile = pos.camel, pos.teapot_pile
    teapot = pos.loads[camel]
    pos.teapots[seat].append(teapot)
    home = [code for code in pos.carpets[seat] if code // 10 == camel]
    if home:
        pos.delivered[seat] += home
        pos.carpets[seat] = [code for code in pos.carpets[seat] if code // 10 != camel]
    pos.camels[camel] = TENT
    pos.loads[camel] = load = pile.pop() if pile else 0  # K17: bare when the pile is empty
    log.append(events.deliver(camel, seat, teapot, home, load))
    if not load or (not pile and pos.ruleset.end_on_empty):
        _trigger(pos, "teapots", log)


def _finish_camel(pos: Position, won: int, log: list[Event]) -> bool:
    """Discard all cards of the colour, lowest value first (K14). Return False: nothing
    is left to ask.
    """
    bids = pos.bids[pos.camel]
    if pos.ruleset.pay_after:  # O12
        _compensate(pos, [bid for bid in bids if bid[0] != won], log)
    if len(bids) > 1:
        bids.sort(reverse=True)
    for card, _ in bids:
        pos.discard.append(card)
    bids.clear()
    pos.camel += 1
    return False


def _answer(pos: Position, offer: Offer, choice: int, log: list[Event]) -> bool:
    """Go on from the answer to the open question."""
    seat, card, lands = offer.seat, offer.card, offer.lands
    if offer.kind == "boost":
        return _move(pos, seat, card, choice, lands[choice], log)
    if offer.kind == "shop4":
        return _trade(pos, seat, card, _wares(pos, seat)[choice], log)
    if choice == 0:
        return _boost(pos, seat, card, lands, log)
    log.append(events.stay(pos.camel, "declined"))  # O11
    return _finish_camel(pos, card, log)


# --- gems ---


def _gain(pos: Position, seat: int, count: int, why: str, log: list[Event]) -> None:
    """Give a seat gems from the supply, as many as it has (O5)."""
    if pos.supply is not None:
        count = min(count, pos.supply)
        pos.supply -= count
    if count:
        pos.gems[seat] += count
        log.append(events.gems(seat, count, why))


def _restock(pos: Position, count: int) -> None:
    """Return spent gems to the supply (O5)."""
    if pos.supply is not None:
        pos.supply += count


# --- ends ---


def _trigger(pos: Position, pile: str, log: list[Event]) -> None:
    """Make this the last turn; the first cause stands (K16)."""
    if pos.ending is None:
        pos.ending = pile
        log.append(events.last_turn(pile))


def _end_turn(pos: Position, log: list[Event]) -> None:
    """End the match or the deal, or begin the next turn (K15, K16)."""
    if not pos.ruleset.pay_rejected:  # O6
        for seat in range(pos.seats):
            if not pos.winners >> seat & 1:
                _gain(pos, seat, 1, "rejected", log)
    if pos.ending is not None or pos.turn >= pos.ruleset.max_turns:
        pos.ending = pos.ending or "turns"
        pos.over = True
        pos.asked = NOBODY
        log.append(events.end(pos.ending, scores(pos), ranks(pos)))
        return
    pos.turn += 1
    if len(pos.hands[0]) == KEPT[pos.seats]:
        pos.deal += 1
        pool = [*pos.discard, *pos.aside, *pos.shown]
        pos.discard = []
        _hand_out(pos, dealing.redeal(pos.secret, pos.seats, pos.deal, pool), log)
    _ask_all(pos)


def _hand_out(pos: Position, deal: dealing.Deal, log: list[Event]) -> None:
    """Add new cards to the kept ones, and put the rest aside, for two players four of
    them face up (K15, K21).
    """
    log.append(events.deal(pos.deal, len(deal.hands[0]), len(deal.aside)))
    for seat, cards in enumerate(deal.hands):
        pos.hands[seat] = sorted(pos.hands[seat] + cards)
        log.append(events.hand(seat, sorted(cards)))
    pos.shown, pos.aside = deal.shown, deal.aside
    if deal.shown:
        log.append(events.shown(deal.shown))
