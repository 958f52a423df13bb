"""The places where a seat's hidden cards may lie, given all that it has seen. Every way
in which the cards can have been dealt and passed counts once.

The other seats sit in a row. Row 0 is the left neighbour, who gets this seat's passes;
the last row is the right neighbour, who passes to this seat. The cards that a row plays
are seen, the cards that it passes to the next row are not.

Back in time from now each row undoes a turn by handing one card, any of its hand, back
to the row before. So there are equally many ways for all cards except cards that were
seen at the beginning of their way. These are *traced*: the cards that this seat passed,
and the cards that a row kept at the redeal. ``_Deal.ways`` counts how many ways lead
the traced cards back to their beginning.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations, product
from math import factorial, gcd, perm
from typing import NamedTuple

from khiva_arena.games.khiva.tables import CODE, FIRST_HAND, KEPT, TURNS_PER_DEAL

Cards = tuple[int, ...]
Trace = tuple[int, int, int]
"""(row, turn of the deal, row then): the row that a traced card is in, and the row
where it was at the end of a turn; turn 0 is the deal.
"""
MOST, WEIGHT_BITS = 62, 40
"""Bits of a number that a stream can draw below, and of the weight of a way to keep
cards; of more the leading bits count.
"""
Placing = tuple[tuple[int, int], ...]
"""(card, row): the traced cards that have not been seen since."""


class Seen(NamedTuple):
    """The cards as one seat has seen them, turn by turn from the first turn of the
    match.

    deal: from 1.
    """

    seats: int
    seat: int
    deal: int
    hand: Cards
    """The cards that the seat holds now."""
    played: tuple[Cards, ...]
    """The cards played in each turn by all seats, seat by seat."""
    passed: tuple[Cards, ...]
    received: tuple[Cards, ...]


class _Deal:
    """A deal as a seat saw it, or as much of it as has been played."""

    def __init__(self, seen: Seen, ordinal: int, hand: Cards) -> None:
        """Gather the cards that the seat saw in one deal.

        ordinal: number of the deal.
        hand: the seat's cards at the end of the deal, or now.
        """
        first = (ordinal - 1) * TURNS_PER_DEAL[seen.seats]
        turns = slice(first, first + TURNS_PER_DEAL[seen.seats])
        self.passed, received = seen.passed[turns], seen.received[turns]
        self.turns = len(self.passed)
        self.rows, self.first_hand = seen.seats - 1, FIRST_HAND[seen.seats]
        self.each = each = KEPT[seen.seats]
        self.leaves: list[tuple[int, int, int]] = []
        """(turn, card, row) of each card that this seat saw leave a row."""
        self.played: set[int] = set()
        own = set(hand)
        for turn in range(self.turns, 0, -1):
            cards = seen.played[first + turn - 1]
            by_row = [cards[s * each : s * each + each] for s in self._seats(seen)]
            self.leaves += [
                (turn, card, row) for row, played in enumerate(by_row) for card in played
            ]
            self.leaves += [(turn, card, self.rows - 1) for card in received[turn - 1]]
            self.played.update(cards)
            own.difference_update(received[turn - 1])
            own.update(self.passed[turn - 1], cards[seen.seat * each : seen.seat * each + each])
        self.own = own
        """Cards that this seat held when the deal began."""
        self._leaving: dict[int, list[Trace]] = {}
        self._counted: dict[tuple[int, tuple[Trace, ...]], int] = {}

    @staticmethod
    def _seats(seen: Seen) -> list[int]:
        return [(seen.seat + 1 + row) % seen.seats for row in range(seen.seats - 1)]

    def size(self, turn: int) -> int:
        """Return the size of a hand at the end of a turn of the deal."""
        return self.first_hand - turn * self.each

    def trace(self, kept: Sequence[Cards] | None) -> list[tuple[int, int, int]]:
        """Return (card, turn, row) of all traced cards: the kept ones, then those
        passed since.

        kept: by row, the cards kept at the redeal; None in the first deal.
        """
        traces = [(card, 0, row) for row, cards in enumerate(kept or ()) for card in cards]
        return traces + [
            (card, turn, 0) for turn, cards in enumerate(self.passed, 1) for card in cards
        ]

    def follow(self, traces: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Return the traced cards that have not been seen since; later calls of
        ``ways`` are about these cards.
        """
        leaving: dict[int, list[Trace]] = {}
        unseen = []
        for card, since, home in traces:
            sighting = min(
                ((turn, row) for turn, leaf, row in self.leaves if leaf == card and turn > since),
                default=None,
            )
            if sighting is None:
                unseen.append((card, since, home))
            else:
                leaving.setdefault(sighting[0], []).append((sighting[1], since, home))
        if leaving != self._leaving:
            self._leaving, self._counted = leaving, {}
        return unseen

    def ways(self, turn: int, traces: Sequence[Trace]) -> int:
        """Return in how many ways the rows can have passed cards up to the end of a
        turn, if the traced cards are there then.
        """
        if not all(home <= row <= home + turn - since for row, since, home in traces):
            return 0
        if not turn:
            return 1
        key = turn, tuple(sorted(traces))
        total = self._counted.get(key)
        if total is None:
            total = self._counted[key] = sum(
                count * self.ways(turn - 1, before) for count, before in self._undone(*key)
            )
        return total

    def _undone(self, turn: int, traces: tuple[Trace, ...]) -> Iterator[tuple[int, list[Trace]]]:
        """Yield (how many ways, traced cards at the end of the turn before): each row
        but the first hands a card back.
        """
        stay = [
            trace for trace in traces if trace[1] != turn
        ]  # the others were passed by this seat in this turn
        rows: list[list[tuple[int, Trace | None]]] = []
        for row in range(1, self.rows):
            on_row = [trace for trace in stay if trace[0] == row]
            rows.append([(1, trace) for trace in on_row])
            others_on_row = self.size(turn) - len(on_row)
            if others_on_row:
                rows[-1].append((others_on_row, None))
        for picks in product(*rows):
            count, moved = 1, []
            for number, trace in picks:
                count *= number
                if trace:
                    moved.append(trace)
            before = [
                (row - ((row, since, home) in moved), since, home) for row, since, home in stay
            ]
            yield count, before + self._leaving.get(turn, [])


class Placings(NamedTuple):
    """The places where traced cards may be.

    totals: the numbers of ways, added up in order
    placings: one for each number
    """

    totals: list[int]
    placings: list[Placing]


def placings(seen: Seen) -> Placings:
    """Return the places where traced cards may be now.

    Only traced cards that have not been seen since are placed. The other hidden cards
    fill the places that are left, in every order. If the total exceeds ``MOST`` bits,
    the numbers keep only their leading bits.
    """
    deal = _Deal(seen, seen.deal, seen.hand)
    size = deal.size(deal.turns)
    hidden = len(CODE) - len(deal.played) - len(seen.hand)
    totals, out, total = [], [], 0
    for kept, weight in _kept(_before(seen)).items() if seen.deal > 1 else [(None, 1)]:
        if kept and any(card in deal.own for cards in kept for card in cards):
            continue
        unseen = deal.follow(deal.trace(kept))
        for rows in product(
            *(
                range(home, min(home + deal.turns - since, deal.rows - 1) + 1)
                for _, since, home in unseen
            )
        ):
            positions = [
                (row, since, home) for row, (_, since, home) in zip(rows, unseen, strict=True)
            ]
            ways = weight * deal.ways(deal.turns, positions) * factorial(hidden - len(unseen))
            for row in range(deal.rows):
                ways *= perm(size, rows.count(row))
            if ways:
                total += ways
                totals.append(total)
                out.append(
                    tuple((card, row) for row, (card, _, _) in zip(rows, unseen, strict=True))
                )
    beyond = max(0, total.bit_length() - MOST)
    return Placings([sofar >> beyond for sofar in totals], out)


def _before(seen: Seen) -> Seen:
    """Return the cards as the seat had seen them at the end of the deal before."""
    turns_before = (seen.deal - 1) * TURNS_PER_DEAL[seen.seats]
    turns = slice(turns_before)
    received = seen.received[turns]
    return Seen(
        seen.seats,
        seen.seat,
        seen.deal - 1,
        received[-1],
        seen.played[turns],
        seen.passed[turns],
        received,
    )


@lru_cache(maxsize=32)
def _kept(seen: Seen) -> dict[tuple[Cards, ...], int]:
    """Return the cards that the rows may keep at the end of a deal, by row, with the
    number of ways. The first row keeps the cards it got. With every deal the numbers
    grow: they are divided by what they have in common, then cut to ``WEIGHT_BITS``.
    """
    deal = _Deal(seen, seen.deal, seen.hand)
    (last,) = deal.passed[-1:]
    weights: dict[tuple[Cards, ...], int] = {}
    anywhere = [
        card
        for card in range(len(CODE))
        if card not in deal.played and card not in last and card not in seen.hand
    ]
    ends = [
        ((last, *((card,) for card in cards)), set(cards))
        for cards in permutations(anywhere, deal.rows - 1)
    ]
    for kept, weight in _kept(_before(seen)).items() if seen.deal > 1 else [(None, 1)]:
        if kept and any(card in deal.own for cards in kept for card in cards):
            continue
        unseen = deal.follow(deal.trace(kept))
        rest = {card for card, _, _ in unseen}.difference(last)
        for end, cards in ends:
            if rest <= cards:
                row_of = {card: row for row, row_cards in enumerate(end) for card in row_cards}
                ways = deal.ways(
                    deal.turns, [(row_of[card], since, home) for card, since, home in unseen]
                )
                if ways:
                    weights[end] = weights.get(end, 0) + weight * ways
    common = gcd(*weights.values())
    reduced = {end: ways // common for end, ways in weights.items()}
    beyond = max(0, max(reduced.values(), default=0).bit_length() - WEIGHT_BITS)
    return {end: ways >> beyond for end, ways in reduced.items()}
