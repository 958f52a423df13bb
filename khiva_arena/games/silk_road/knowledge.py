"""Cards that other seats may have drawn unseen, given all that a seat has seen. Every order of the piles in which each card that
somebody gave had been in its hand is equally likely.

A card that another seat draws unseen is a *slot*, to be filled from the pile of its time. A pile that has run out went where all
saw it, to this seat, and into the slots of its time: so the contents of these together are known. The rest of the last pile is
still there.

A walk from one possible world to others exchanges cards of a pile, any number of them at a time, as likely as back: so in the
long run it is in each equally often.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from khiva_arena.errors import InternalError
from khiva_arena.games.base import Plain
from khiva_arena.games.silk_road.tables import DECK, FIRST_HAND, GOODS
from khiva_arena.rng import Stream

SEAT_CODES, GIVEN, BLIND, TURNED_UP, RESHUFFLE = 20, 5, 10, 100, 105
"""Codes of ``history.cards`` (see ``cards.py``)."""
STEPS_A_SLOT, STEPS = 6, 60
"""Length of a walk: steps for each slot, and further steps."""
HUNT, COOLING = 400_000, 4_000
"""Steps in which the first possible world is looked for, and the number of steps after which the search begins again more
boldly."""
_GOODS = len(GOODS)


class Trail(NamedTuple):
    """The cards of a match as a seat saw them go.

    seats: how many there are.
    piles: for each pile, the cards that this seat did not see leave it.
    """

    seats: int
    piles: tuple[tuple[int, ...], ...]
    slots: tuple[tuple[int, int], ...]
    """(seat, pile) of each slot, in order."""
    hands: tuple[tuple[int, ...], ...]
    """The changes of each seat's hand: the number of a slot; -1 - good: a card given; LARGE + good: a card taken."""
    asked: tuple[int, int, int]
    """(seat, least number of different goods, good) that the open question says of a hand: -1 for nothing."""


LARGE = 1000


def trail(view: Mapping[str, Plain]) -> Trail:
    """Return the trail of the cards from the history of a view."""
    seats, me, history = view["seats"], view["seat"], view["history"]
    own_draws = iter(history["drawn"])
    piles = [[DECK.count(good) for good in range(_GOODS)], *([*counts] for counts in history["shuffles"])]
    now = 0
    slots: list[tuple[int, int]] = []
    hands: list[list[int]] = [[] for _ in range(seats)]

    def blind(seat: int) -> None:
        if seat == me:
            piles[now][next(own_draws)] -= 1
        else:
            hands[seat].append(len(slots))
            slots.append((seat, now))

    for seat in range(seats):
        for _ in range(FIRST_HAND):
            blind(seat)
    for code in history["cards"]:
        if code == RESHUFFLE:
            now += 1
        elif code >= TURNED_UP:
            piles[now][code - TURNED_UP] -= 1
        else:
            seat, kind_code = divmod(code, SEAT_CODES)
            if kind_code == BLIND:
                blind(seat)
            elif seat != me:
                hands[seat].append(-1 - (kind_code - GIVEN) if kind_code >= GIVEN else LARGE + kind_code)
    piles_left = tuple(tuple(good for good in range(_GOODS) for _ in range(counts[good])) for counts in piles[: now + 1])
    return Trail(seats, piles_left, tuple(slots), tuple(map(tuple, hands)), _asked_seat(view))


def _asked_seat(view: Mapping[str, Plain]) -> tuple[int, int, int]:
    """Return the facts that all know of a hand because its seat has a choice."""
    ask = view["ask"]
    if ask["seat"] == view["seat"]:
        return -1, 0, -1
    return ask["seat"], 2 if ask["kind"] in ("customs", "pay") else 0, ask["good"] if ask["kind"] == "lay_out" else -1


class _Needs(NamedTuple):
    """The cards that a seat's slots must have held.

    first, end: the place of the seat's first slot, and the place after the last.
    least: by good, (end, number): the slots before the place ``end`` held so many cards of the good, or more.
    kinds: least number of different goods in the hand.
    held: counts by good of the hand without the cards of the slots.
    """

    first: int
    end: int
    least: list[list[tuple[int, int]]]
    kinds: int
    held: list[int]

    def met(self, cards: Sequence[int], good: int) -> bool:
        """Tell whether there is enough of a good, and of kinds of goods."""
        for end, number in self.least[good]:
            if cards[self.first : end].count(good) < number:
                return False
        own = cards[self.first : self.end]
        return not self.kinds or sum(own.count(one) + held > 0 for one, held in enumerate(self.held)) >= self.kinds


def _needs(seen: Trail, seat: int, first: int) -> _Needs:
    """Return the needs of a seat whose first slot is at a place."""
    end, held = first, [0] * _GOODS
    least: list[list[tuple[int, int]]] = [[(first, 0)] for _ in held]
    for step in seen.hands[seat]:
        good = step - LARGE if step >= LARGE else -1 - step
        if 0 <= step < LARGE:
            end += 1
        else:
            held[good] += 1 if step >= 0 else -1
            if -held[good] > least[good][-1][1]:
                least[good].append((end, -held[good]))
    asked, kinds, wanted = seen.asked
    if seat == asked and wanted >= 0:
        least[wanted].append((end, 1 - held[wanted]))
    return _Needs(first, end, [pairs[1:] for pairs in least], kinds if seat == asked else 0, held)


class _Walk:
    """A filling of the slots, and how many cards are not where they must have been."""

    def __init__(self, seen: Trail, cards: Sequence[Sequence[int]]) -> None:
        """Fill the slots.

        cards: by pile, those of its slots in order, then the rest.
        """
        self.seen = seen
        self.cards = [list(pile) for pile in cards]
        self.places: list[tuple[int, int]] = []
        """Pile of each slot, and the slot's place among the cards of the pile."""
        used = [0] * len(self.cards)
        for _, pile in seen.slots:
            self.places.append((pile, used[pile]))
            used[pile] += 1
        self.owners = [[seat for seat, of in seen.slots if of == pile] for pile in range(len(self.cards))]
        self.amiss = [self._count(seat) for seat in range(seen.seats)]

    def hand(self, seat: int) -> tuple[list[int], int]:
        """Return a hand by goods, and how many cards the seat gave without having them."""
        counts, amiss = [0] * _GOODS, 0
        cards, places = self.cards, self.places
        for step in self.seen.hands[seat]:
            if step >= LARGE:
                counts[step - LARGE] += 1
            elif step >= 0:
                pile, place = places[step]
                counts[cards[pile][place]] += 1
            elif counts[-1 - step]:
                counts[-1 - step] -= 1
            else:
                amiss += 1
        return counts, amiss

    def _count(self, seat: int) -> int:
        counts, amiss = self.hand(seat)
        asked, kinds, good = self.seen.asked
        if seat == asked:
            amiss += max(0, kinds - sum(map(bool, counts))) + (good >= 0 and not counts[good])
        return amiss

    def step(self, below: Callable[[int], int], slots: Sequence[int], rough: int) -> None:
        """Exchange cards of one of these slots and of another place of its pile, and perhaps further ones with them.

        rough: the exchange is undone if more cards are amiss by it, except one time in ``rough`` for each.
        """
        changes: list[tuple[list[int], int, int]] = []
        seats_touched: set[int] = set()
        while not changes or not below(2):
            pile, one = self.places[slots[below(len(slots))]]
            cards, owners = self.cards[pile], self.owners[pile]
            two = below(len(cards))
            cards[one], cards[two] = cards[two], cards[one]
            changes.append((cards, one, two))
            seats_touched.update(owners[place] for place in (one, two) if place < len(owners))
        before = {seat: self.amiss[seat] for seat in seats_touched}
        worse = 0
        for seat, amiss in before.items():
            self.amiss[seat] = self._count(seat)
            worse += self.amiss[seat] - amiss
        if worse > 0 and any(below(rough) for _ in range(worse)):
            for cards, one, two in reversed(changes):
                cards[one], cards[two] = cards[two], cards[one]
            self.amiss = [before.get(seat, amiss) for seat, amiss in enumerate(self.amiss)]

    def walk(self, stream: Stream) -> None:
        """Walk from a possible world to others: exchanges as ``step`` makes them, undone if a card is amiss by them."""
        seen, count, below, u64 = self.seen, len(self.places), stream.below, stream.u64
        # All cards are in one list: those of the slots, seat by seat, then the rest of each pile.
        slots = sorted(range(count), key=lambda slot: seen.slots[slot][0])
        owners = [seen.slots[slot][0] for slot in slots]
        order = [self.places[slot] for slot in slots]
        order += [(i, place) for i, pile in enumerate(self.cards) for place in range(len(self.owners[i]), len(pile))]
        cards = [self.cards[pile][place] for pile, place in order]
        index = {where: i for i, where in enumerate(order)}
        piles = [[index[i, place] for place in range(len(pile))] for i, pile in enumerate(self.cards)]
        ends = [(index[where], piles[where[0]]) for where in self.places]
        needs = {seat: _needs(seen, seat, owners.index(seat)) for seat in {*owners}}
        for _ in range(STEPS_A_SLOT * count + STEPS if count else 0):
            exchanges: list[tuple[int, int]] = []
            lost: list[tuple[int, int]] = []
            while not exchanges or not u64() % 2:
                one, pile = ends[below(count)]
                two = pile[below(len(pile))]
                good, other = cards[one], cards[two]
                exchanges.append((one, two))
                if good != other:
                    cards[one], cards[two] = other, good
                    lost.append((owners[one], good))
                    if two < count:
                        lost.append((owners[two], other))
            if lost and not all(needs[seat].met(cards, good) for seat, good in lost):
                for one, two in reversed(exchanges):
                    cards[one], cards[two] = cards[two], cards[one]
        for (i, place), card in zip(order, cards, strict=True):
            self.cards[i][place] = card

    def hunt(self, below: Callable[[int], int]) -> None:
        """Walk from anywhere to a possible world: steps of seats that gave cards they lacked, fewer and fewer for the worse."""
        slots_by_seat = [[slot for slot, (of, _) in enumerate(self.seen.slots) if of == seat] for seat in range(self.seen.seats)]
        for at in range(HUNT):
            wrong = [seat for seat, amiss in enumerate(self.amiss) if amiss and slots_by_seat[seat]]
            if not any(self.amiss):
                return
            if not wrong:
                break
            self.step(below, slots_by_seat[wrong[below(len(wrong))]], 4 << at % COOLING * 5 // COOLING)
        raise InternalError("this view leaves no way in which its cards can have been drawn")


@lru_cache(maxsize=16)
def _somehow(seen: Trail) -> tuple[tuple[int, ...], ...]:
    """Return a possible world to begin walks at, the same for equal views."""
    stream = Stream(bytes(32), "somehow")
    piles = [list(pile) for pile in seen.piles]
    for pile in piles:
        stream.shuffle(pile)
    start = _Walk(seen, piles)
    start.hunt(stream.below)
    return tuple(map(tuple, start.cards))


class World(NamedTuple):
    """The hidden things of a position.

    pile: its cards, the top last.
    """

    hands: list[list[int]]
    """Counts of each hand, by seat and good; the hand of the seat that looks is left empty."""
    drawn: list[list[int]]
    """Cards that each seat drew unseen, in order."""
    fresh: list[list[int]]
    """Counts by good of the cards that each seat drew from the last pile."""
    pile: list[int]


def imagine(seen: Trail, stream: Stream) -> World:
    """Return a possible world."""
    walk = _Walk(seen, _somehow(seen))
    walk.walk(stream)
    drawn: list[list[int]] = [[] for _ in range(seen.seats)]
    fresh = [[0] * _GOODS for _ in range(seen.seats)]
    last = len(seen.piles) - 1
    for (seat, of), (pile, place) in zip(seen.slots, walk.places, strict=True):
        good = walk.cards[pile][place]
        drawn[seat].append(good)
        fresh[seat][good] += of == last
    rest = walk.cards[last][len(walk.owners[last]) :]
    stream.shuffle(rest)
    return World([walk.hand(seat)[0] for seat in range(seen.seats)], drawn, fresh, rest)
