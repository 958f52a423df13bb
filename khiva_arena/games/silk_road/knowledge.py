"""Cards that other seats may have drawn unseen, given all that a seat has seen. Every
order of the piles in which each card that somebody gave had been in its hand is equally
likely.

A card that another seat draws unseen is a *slot*, to be filled from the pile of its
time. A pile that has run out went where all saw it, to this seat, and into the slots of
its time: so the contents of these together are known. The rest of the last pile is
still there.

A walk from one possible world to others exchanges cards of a pile, two at a time. A
step of it may lead through worlds in which one need of a seat is not met, and is undone
if that lasts too long. Each way is as likely as back, so in the long run the walk is in
each possible world equally often. Where most cards are needed where they are, ways
through possible worlds alone are rare.

An exchange is 32 bits of the stream: 16 for the slot, 8 for the card of its pile, 8 for
whether a need may be left unmet. That some cards are likelier than others does no harm,
since each exchange is as likely as back.

The world that walks begin at is looked for by counts: how many cards of each good a
seat drew from each pile. Counts will do if the cards that a seat gave had come from
earlier piles, or were of the pile of that time, and of it no more than it had drawn.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from khiva_arena.errors import InternalError
from khiva_arena.games.silk_road.trails import LARGE, NUMBER_OF_GOODS, Trail
from khiva_arena.rng import Stream

STEPS_A_SLOT, STEPS, EXCHANGES, EXCHANGES_MOST, LEAVES = 8, 60, 100, 1000, 96
"""Length of a walk: steps for each slot, and further steps; the most exchanges that a
step tries (see ``most_exchanges``); of 256 exchanges that leave a need unmet, so many
are made.
"""
HUNTS, WORK, HUNT, ROUGH = 400, 36_000_000, 500, 64
"""Searches for a first possible world, fewer if that many times the squared number of
slots is above ``WORK``; steps of each. A step that adds to the cards lacking is taken
one time in ``ROUGH``.
"""


class _Filling:
    """Cards in the slots: one list of all piles, each with the cards of its slots in
    order, then the rest.
    """

    def __init__(self, seen: Trail, cards: Sequence[int]) -> None:
        self.seen, self.cards = seen, list(cards)
        starts = [0, *accumulate(map(len, seen.piles))]
        self.piles = [range(start, end) for start, end in pairwise(starts)]
        self.owners = [-1] * len(cards)
        """The seat of the slot at each place."""
        self.places: list[int] = []
        """The place of each slot."""
        for seat, pile in seen.slots:
            self.places.append(starts[pile])
            self.owners[starts[pile]] = seat
            starts[pile] += 1
        self._steps = [seen.steps_of(seat) for seat in range(seen.seats)]
        self._own: list[list[list[int]]] = [[] for _ in self._steps]
        """By seat: the places of its slots in each pile in which it has any."""
        for (seat, pile), place in zip(seen.slots, self.places, strict=True):
            if not self._own[seat] or self._own[seat][-1][0] not in self.piles[pile]:
                self._own[seat].append([])
            self._own[seat][-1].append(place)

    def lacks(self, seat: int) -> list[tuple[int, int]]:
        """Return the cards that a seat gave, or must hold, and had not, in whatever
        order it drew its cards of each pile.

        A card is (good, in how many of the piles that the seat has slots in it may have
        been).
        """
        hand, left, lacking = list[int](), list[int](), []
        begun, unused = 0, 0
        for step in self._steps[seat]:
            if step >= LARGE:
                hand.append(step - LARGE)
            elif step >= 0:
                if begun < len(self._own[seat]) and self.places[step] == self._own[seat][begun][0]:
                    hand += left
                    left = [self.cards[place] for place in self._own[seat][begun]]
                    begun, unused = begun + 1, 0
                unused += 1
            elif -1 - step in hand:
                hand.remove(-1 - step)
            elif unused and -1 - step in left:
                left.remove(-1 - step)
                unused -= 1
            else:
                lacking.append((-1 - step, begun))
        asked, kinds, wanted = self.seen.asked
        if seat == asked:
            missing = [good for good in range(NUMBER_OF_GOODS) if good not in hand + left]
            lacking += [(good, begun) for good in missing if good == wanted]
            lacking += [
                (good, begun) for good in missing[:1] if NUMBER_OF_GOODS - len(missing) < kinds
            ]
        return lacking

    def hunt(self, below: Callable[[int], int]) -> bool:
        """Exchange cards that seats lack for cards of theirs until none is lacking.
        Return whether that is so.
        """
        cards, owners = self.cards, self.owners
        by_seat = [self.lacks(seat) for seat in range(self.seen.seats)]
        for _ in range(HUNT):
            lacking = [(seat, *lack) for seat, lacks in enumerate(by_seat) for lack in lacks]
            if not lacking:
                return True
            seat, good, piles = lacking[below(len(lacking))]
            if not piles:
                return False
            own = self._own[seat][below(piles)]
            one = own[below(len(own))]
            pile = next(places for places in self.piles if one in places)
            others = [place for place in pile if cards[place] == good and owners[place] != seat]
            if cards[one] == good or not others:
                continue
            two = others[below(len(others))]
            cards[one], cards[two] = cards[two], cards[one]
            after = {owner: self.lacks(owner) for owner in (seat, owners[two]) if owner >= 0}
            worse = sum(len(lacks) - len(by_seat[owner]) for owner, lacks in after.items())
            if worse > 0 and any(below(ROUGH) for _ in range(worse)):
                cards[one], cards[two] = cards[two], cards[one]
            else:
                by_seat = [after.get(owner, lacks) for owner, lacks in enumerate(by_seat)]
        return not any(by_seat)

    def place(self, below: Callable[[int], int], *, only_own: bool) -> None:
        """Put each card that was given into a slot that its seat had filled by then.

        only_own: exchange cards of one seat and pile with each other.
        """
        cards, owners, placed = self.cards, self.owners, set[int]()
        hands, drawn = ([list[int]() for _ in self._steps] for _ in range(2))
        for seat, step in self.seen.steps:
            if step >= LARGE:
                hands[seat].append(-1 - (step - LARGE))
            elif step >= 0:
                drawn[seat].append(step)
            elif step in hands[seat]:
                hands[seat].remove(step)
            else:
                pairs = []
                for slot in drawn[seat]:
                    pile = (
                        self.piles[self.seen.slots[slot][1]]
                        if self.places[slot] not in placed
                        else ()
                    )
                    others = (
                        place for place in pile if cards[place] == -1 - step and place not in placed
                    )
                    two = next(
                        (place for place in others if owners[place] == seat or not only_own), -1
                    )
                    pairs += [(self.places[slot], two)] if two >= 0 else []
                if pairs:
                    one, two = pairs[0 if only_own else below(len(pairs))]
                    cards[one], cards[two] = cards[two], cards[one]
                    placed.add(one)

    def walk(self, stream: Stream) -> None:
        """Walk to other worlds from the one that walks begin at."""
        cards, count, numbers = self.cards, len(self.places), _halves(stream)
        piles = [(self.piles[pile].start, len(self.piles[pile])) for _, pile in self.seen.slots]
        met, slack, turns = _needs(self.seen)
        most = most_exchanges(count, len(cards))
        for _ in range(STEPS_A_SLOT * count + STEPS if count else 0):
            before, exchanges, unmet = slack, list[tuple[int, int]](), 0
            for number in islice(numbers, most):
                one = (number & 0xFFFF) * count >> 16
                start, size = piles[one]
                two = start + ((number >> 16 & 0xFF) * size >> 8)
                good, other = cards[one], cards[two]
                if good != other:
                    turn = NUMBER_OF_GOODS * good + other
                    after = slack + turns[one][turn] - turns[two][turn]
                    lacking = after & met ^ met
                    if not lacking or (
                        (unmet or number >> 24 < LEAVES) and not lacking & (lacking - 1)
                    ):
                        slack, unmet = after, lacking
                        cards[one], cards[two] = other, good
                        exchanges.append((one, two))
                if not unmet:
                    break
            if unmet or (exchanges and not self.can_be_asked()):
                slack = before
                for one, two in reversed(exchanges):
                    cards[one], cards[two] = cards[two], cards[one]

    def can_be_asked(self) -> bool:
        """Tell whether the asked seat has so many kinds of goods, and the good that is
        wanted.
        """
        seat, kinds, wanted = self.seen.asked
        if kinds == 0 and wanted < 0:
            return True
        hand = [0] * NUMBER_OF_GOODS
        for step in self._steps[seat]:
            if 0 <= step < LARGE:
                hand[self.cards[self.places[step]]] += 1
            else:
                hand[step - LARGE if step >= LARGE else -1 - step] += 1 if step >= LARGE else -1
        return sum(map(bool, hand)) >= kinds and (wanted < 0 or hand[wanted] > 0)


def most_exchanges(slots: int, cards: int) -> int:
    """Return the most exchanges that a step tries: more of them where it takes longer
    to come upon the right one.
    """
    return min(EXCHANGES_MOST, EXCHANGES + slots * cards // 5)


def _halves(stream: Stream) -> Iterator[int]:
    """Yield the halves of a stream's numbers, the lower one first."""
    while True:
        number = stream.u64()
        yield number & 0xFFFFFFFF
        yield number >> 32


class _Needs(NamedTuple):
    """What slots must have held, since it was given later: of the first slots of a seat
    so many cards of a good, or more.

    A need has a byte of each number here. Its slack is what the slots hold beyond it, a
    part of a hand, and 128 is added. The place of a slot is its number, since a pile
    that has run out has slots alone.

    met: the highest bit of each byte, which is set where a need is met.
    slack: of all needs, in the world that walks begin at.
    turns: by place and ``NUMBER_OF_GOODS * good + other``, what it adds to the slacks
        if the one good there becomes the other.
    """

    met: int
    slack: int
    turns: list[list[int]]


@lru_cache(maxsize=16)
def _needs(seen: Trail) -> _Needs:
    """Return the needs of a view."""
    worth = [[0] * NUMBER_OF_GOODS for _ in range(sum(map(len, seen.piles)))]
    met, slack, bit = 0, 0, 1
    for seat in range(seen.seats):
        slots, given, needs = list[int](), [0] * NUMBER_OF_GOODS, dict[tuple[int, int], int]()
        most = given[:]
        for step in seen.steps_of(seat):
            if 0 <= step < LARGE:
                slots.append(step)
                continue
            good = step - LARGE if step >= LARGE else -1 - step
            given[good] += -1 if step >= LARGE else 1
            if given[good] > most[good]:
                most[good] = needs[good, len(slots)] = given[good]
        for (good, end), number in needs.items():
            for slot in slots[:end]:
                worth[slot][good] += bit
            met += 128 * bit
            slack += (128 - number) * bit
            bit <<= 8
    slack += sum(goods[card] for goods, card in zip(worth, _somehow(seen), strict=True))
    rows = {
        goods: [after - before for before in goods for after in goods]
        for goods in {*map(tuple, worth)}
    }
    return _Needs(met, slack, [rows[tuple(goods)] for goods in worth])


@lru_cache(maxsize=16)
def _somehow(seen: Trail) -> tuple[int, ...]:
    """Return the cards of a possible world to begin walks at, the same for equal
    views.
    """
    stream = Stream(bytes(32), "somehow")
    piles = [list(pile) for pile in seen.piles]
    for hunts in range(min(HUNTS, 2 + WORK // (1 + len(seen.slots) ** 2))):
        for pile in piles:
            stream.shuffle(pile)
        start = _Filling(seen, [card for pile in piles for card in pile])
        if hunts:
            start.place(stream.below, only_own=False)
        if start.hunt(stream.below):
            start.place(stream.below, only_own=True)
            return tuple(start.cards)
    raise InternalError("this view leaves no way in which its cards can have been drawn")


class World(NamedTuple):
    """The hidden things of a position.

    pile: its cards, the top last.
    """

    hands: list[list[int]]
    """Counts of each hand, by seat and good; the hand of the seat that looks is left
    empty.
    """
    drawn: list[list[int]]
    """Cards that each seat drew unseen, in order."""
    fresh: list[list[int]]
    """Counts by good of the cards that each seat drew from the last pile."""
    pile: list[int]


def imagine(seen: Trail, stream: Stream) -> World:
    """Return a possible world."""
    filling = _Filling(seen, _somehow(seen))
    filling.walk(stream)
    hands, fresh = ([[0] * NUMBER_OF_GOODS for _ in range(seen.seats)] for _ in range(2))
    drawn: list[list[int]] = [[] for _ in hands]
    last = len(seen.piles) - 1
    for seat, step in seen.steps:
        if 0 <= step < LARGE:
            good = filling.cards[filling.places[step]]
            drawn[seat].append(good)
            fresh[seat][good] += seen.slots[step][1] == last
        else:
            good = step - LARGE if step >= LARGE else -1 - step
        hands[seat][good] += 1 if step >= 0 else -1
    rest = [filling.cards[place] for place in filling.piles[last] if filling.owners[place] < 0]
    stream.shuffle(rest)
    return World(hands, drawn, fresh, rest)
