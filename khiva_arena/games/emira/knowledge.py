"""Cards in decks and hands that a seat cannot see, given the history of its view.

A card in a deck or in another's hand is a *token*: a card that the seat knows, ``FREE``
for any other, or ``BOUND`` for one that is known to be of a certain sort. A token from
``GROUP`` down stands for one of several cards that were put under the deck in an order
nobody knows.

The observations allow some *layouts* of tokens. The weight of a layout is how likely
the observations are with it. Where others chose unseen, in which order to lay cards or
which to keep, a layout becomes several. So every way in which the cards can have been
shuffled, laid and kept counts once; beyond ``MOST`` layouts the least likely ones are
left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from khiva_arena.errors import InternalError
from khiva_arena.rng import Stream

FREE, BOUND, GROUP = -1, -2, -3
"""Tokens. GROUP - i is a card of group i."""
TURNED = 1 << 20
"""Mark added to the token of a card that lies turned, for all to see; ``_face`` takes
it off.
"""
MOST = 1000
Cards = tuple[int, ...]
Hands = tuple[Cards, ...]


class Layout(NamedTuple):
    """Tokens of a deck, top first, and of the hands by seat."""

    deck: Cards
    hands: Hands
    returned: Cards
    """Cards, rising, that the seat put back into the deck and has not seen since: no
    BOUND token is one of them.
    """
    groups: Hands = ()
    """Cards of each group that no token names yet, rising."""


Ways = list[tuple[Layout, float]]


def _face(token: int) -> int:
    return token - TURNED if token > TURNED // 2 else token


def _put(deck: Cards, place: int, token: int) -> Cards:
    """Return the deck with another token at a place, turned if the one there was."""
    return (*deck[:place], deck[place] - _face(deck[place]) + token, *deck[place + 1 :])


def _less(cards: Cards, card: int) -> Cards:
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


class DeckAndHands(NamedTuple):
    """The cards of a deck in its order, and of each seat's hand."""

    deck: list[int]
    hands: list[list[int]]


class Layouts:
    """Layouts of a deck, and of the hands that are filled from it, by seat; the seat's
    own hand is empty.

    stock: the cards that deck and hands hold together.
    bound: the cards that a BOUND token may be, as far as they are not ``returned``.
    """

    def __init__(
        self,
        deck: Cards,
        hands: Hands,
        stock: Mapping[int, int],
        bound: Callable[[int], bool],
        returned: Sequence[int] = (),
    ) -> None:
        self.stock = Counter(stock)
        self.bound = bound
        self.weights: dict[Layout, float] = {Layout(deck, hands, tuple(sorted(returned))): 1.0}

    def each(self, change: Callable[[Layout], Iterable[tuple[Layout, float]]]) -> None:
        """Replace every layout by the layouts that ``change`` makes of it.

        If the true layout has been left out, so that none remains, all knowledge is
        forgotten.
        """
        weights = self._weights_after(self.weights, change)
        if not weights:
            deck, hands, _, groups = next(iter(self.weights))
            forgotten = Layout(
                (FREE,) * len(deck),
                tuple((FREE,) * len(hand) for hand in hands),
                (),
                ((),) * len(groups),
            )
            weights = self._weights_after({forgotten: 1.0}, change)
        if not weights:
            raise InternalError("this view fits nothing that decks and hands can hold")
        if len(weights) > MOST:
            weights = dict(sorted(weights.items(), key=lambda item: -item[1])[:MOST])
        total = sum(weights.values())
        self.weights = {layout: weight / total for layout, weight in weights.items()}

    @staticmethod
    def _weights_after(
        weights: Mapping[Layout, float], change: Callable[[Layout], Iterable[tuple[Layout, float]]]
    ) -> dict[Layout, float]:
        changed: dict[Layout, float] = {}
        for before, weight in weights.items():
            for layout, factor in change(before):
                if factor:
                    changed[layout] = changed.get(layout, 0.0) + weight * factor
        return changed

    def named(self, layout: Layout, token: int, card: int) -> Ways:
        """Return the layouts that remain when one of a layout's tokens proves to be a
        card, each with its likelihood.

        The token itself is left to the caller. A card that the seat once put back may
        be that copy or another.
        """
        deck, hands, returned, groups = layout
        if token >= 0:
            return [(layout, 1.0)] if token == card else []
        if token <= GROUP:
            at = GROUP - token
            group = groups[at]
            if card not in group:
                return []
            rest = (*groups[:at], _less(group, card), *groups[at + 1 :])
            return [(Layout(deck, hands, returned, rest), group.count(card) / len(group))]
        tokens = [_face(t) for t in deck]
        tokens += [t for hand in hands for t in hand]
        placed = [*(t for t in tokens if t >= 0), *(t for group in groups for t in group)]
        bound, free = tokens.count(BOUND), tokens.count(FREE)
        count, back = self.stock[card] - placed.count(card), returned.count(card)
        of_sort = count - back if self.bound(card) else 0
        total = sum(held for t, held in self.stock.items() if self.bound(t))
        total -= sum(map(self.bound, placed)) + len(returned)
        ways: Ways = []
        if of_sort > 0:
            ways.append(
                (
                    layout,
                    of_sort / total
                    if token == BOUND
                    else of_sort * (total - bound) / (total * free),
                )
            )
        if token == FREE and count > of_sort:
            from_back = Layout(deck, hands, _less(returned, card), groups) if back else layout
            ways.append((from_back, (count - of_sort) / free))
        return ways

    def seen(self, layout: Layout, cards: Sequence[int], place: int = 0) -> Ways:
        """Return the layouts that remain when these cards are seen in the deck, from a
        place on, each with its likelihood.
        """
        ways: Ways = [(layout, 1.0)]
        for at, card in enumerate(cards, place):
            ways = [
                (after._replace(deck=_put(after.deck, at, card)), before * factor)
                for layout_before, before in ways
                for after, factor in self.named(layout_before, _face(layout_before.deck[at]), card)
            ]
        return ways

    def copy(self) -> "Layouts":
        """Return an independent copy."""
        new = Layouts((), (), self.stock, self.bound)
        new.weights = dict(self.weights)
        return new

    def _moves(self, move: Callable[[Cards], Cards]) -> None:
        """Move the tokens of the deck alike in each layout."""
        self.each(lambda layout: [(layout._replace(deck=move(layout.deck)), 1.0)])

    # --- what is seen ---

    def see(self, place: int, card: int) -> None:
        """Note that the card lies at this place of the deck."""
        self.each(lambda layout: self.seen(layout, [card], place))

    def draw(self, card: int) -> None:
        """Draw the card, which was the top one, from the deck."""
        self.see(0, card)
        self.stock[card] -= 1
        self._moves(lambda deck: deck[1:])

    def is_of_sort(self, place: int) -> None:
        """Note that the card at a place, seen by nobody, is one that a BOUND token may
        be, as all cards of a group are.
        """

        def change(layout: Layout) -> Iterator[tuple[Layout, float]]:
            deck = layout.deck
            token = _face(deck[place])
            if token == FREE:
                sort = sum(
                    factor
                    for card in self.stock
                    if self.bound(card)
                    for _, factor in self.named(layout, token, card)
                )
                yield layout._replace(deck=_put(deck, place, BOUND)), sort
            else:
                yield layout, float(token < 0 or self.bound(token))

        self.each(change)

    def turn(self, place: int) -> None:
        """Turn the card at a place, or turn it back; it is one that a BOUND token may
        be.
        """
        self.is_of_sort(place)

        def turned(deck: Cards) -> Cards:
            face = _face(deck[place])
            return (
                *deck[:place],
                face if deck[place] != face else face + TURNED,
                *deck[place + 1 :],
            )

        self._moves(turned)

    def lie_turned(self, places: Sequence[int]) -> None:
        """Note that the cards at these places of the deck lie turned, and no others."""

        def change(layout: Layout) -> Iterator[tuple[Layout, float]]:
            turned = [place for place, token in enumerate(layout.deck) if token != _face(token)]
            yield layout, float(turned == [*places])

        try:
            self.each(change)
        except InternalError:  # all has been forgotten, even that cards were turned
            for place in places:
                self.is_of_sort(place)

    def put_under(self, cards: Sequence[int]) -> None:
        """Put these cards under the deck: several, all such as a BOUND token may be, in
        an order that nobody knows.
        """
        self.stock.update(cards)
        if len(cards) == 1:
            self._moves(lambda deck: (*deck, cards[0]))
            return
        group = tuple(sorted(cards))

        def change(layout: Layout) -> Iterator[tuple[Layout, float]]:
            deck, hands, returned, groups = layout
            yield (
                Layout(
                    deck + (GROUP - len(groups),) * len(group), hands, returned, (*groups, group)
                ),
                1.0,
            )

        self.each(change)

    def move_under(self, place: int) -> None:
        """Put the card at a place under the deck, where it is not turned."""
        self._moves(lambda deck: (*deck[:place], *deck[place + 1 :], _face(deck[place])))

    def order(self, count: int, cards: Sequence[int] | None) -> None:
        """Lay the top cards in a new order.

        cards: the new order if this seat laid them, so that it knows them; None if
            another seat did.
        """

        def change(layout: Layout) -> Iterator[tuple[Layout, float]]:
            deck = layout.deck
            for order in permutations(range(count)):
                yield from self.seen(
                    layout._replace(deck=(*(deck[i] for i in order), *deck[count:])), cards or ()
                )

        self.each(change)

    def take_any(self, card: int) -> None:
        """Take a card out of the deck for all to see, and shuffle the others."""
        self.stock[card] -= 1
        self._moves(lambda deck: (FREE,) * (len(deck) - 1))

    def keep(self, seat: int, looks: int) -> None:
        """Let another seat keep one of the top cards, any of them; the others go under
        the deck as they lie.
        """

        def change(layout: Layout) -> Iterator[tuple[Layout, float]]:
            deck, hands, returned, groups = layout
            for place in range(looks):
                hand = tuple(sorted((*hands[seat], deck[place])))
                rest = (*deck[looks:], *deck[:place], *deck[place + 1 : looks])
                yield Layout(rest, (*hands[:seat], hand, *hands[seat + 1 :]), returned, groups), 1.0

        self.each(change)

    def keep_own(self, card: int, other_cards: Sequence[int]) -> None:
        """Let this seat keep one of the top cards, of several equal ones the first."""
        last = other_cards.index(card) if card in other_cards else len(other_cards)

        def change(layout: Layout) -> Iterator[tuple[Layout, float]]:
            for place in range(last + 1):
                for after, factor in self.seen(
                    layout, [*other_cards[:place], card, *other_cards[place:]]
                ):
                    yield (
                        after._replace(deck=(*after.deck[len(other_cards) + 1 :], *other_cards)),
                        factor,
                    )

        self.each(change)
        self.stock[card] -= 1

    def play(self, seat: int, card: int) -> None:
        """Let another seat play a card of its hand."""

        def change(layout: Layout) -> Iterator[tuple[Layout, float]]:
            hands = layout.hands
            for i, token in enumerate(hands[seat]):
                hand = hands[seat][:i] + hands[seat][i + 1 :]
                for after, factor in self.named(layout, token, card):
                    yield after._replace(hands=(*hands[:seat], hand, *hands[seat + 1 :])), factor

        self.each(change)
        self.stock[card] -= 1

    def pick(self, stream: Stream) -> DeckAndHands:
        """Draw a deck and hands by the weights of the layouts."""
        at, sofar = stream.below(2**53) / 2**53, 0.0
        *rest, last = self.weights.items()
        for layout, weight in rest:
            sofar += weight
            if at < sofar:
                return self._fill(layout, stream)
        return self._fill(last[0], stream)

    def _fill(self, layout: Layout, stream: Stream) -> DeckAndHands:
        deck, hands = tuple(map(_face, layout.deck)), layout.hands
        unseen = Counter(self.stock)
        unseen.subtract(token for tokens in (deck, *hands) for token in tokens if token >= 0)
        unseen.subtract([*layout.returned, *(card for group in layout.groups for card in group)])
        cards = sorted(unseen.elements())
        stream.shuffle(cards)
        bound = sum(tokens.count(BOUND) for tokens in (deck, *hands))
        of_sort = [card for card in cards if self.bound(card)][:bound]
        for card in of_sort:
            cards.remove(card)
        cards += layout.returned
        heaps = {
            FREE: cards,
            BOUND: of_sort,
            **{GROUP - i: [*group] for i, group in enumerate(layout.groups)},
        }
        for token, heap in heaps.items():
            if token != BOUND:
                stream.shuffle(heap)

        def card_of(token: int) -> int:
            return token if token >= 0 else heaps[token].pop()

        return DeckAndHands(
            [card_of(token) for token in deck], [sorted(map(card_of, hand)) for hand in hands]
        )
