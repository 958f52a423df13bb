"""What lies in decks and hands that a seat cannot see, given all that it has seen (the history of its view).

A card in a deck or in another's hand is a *token*: a card that the seat knows, ``FREE`` for any other, or ``BOUND`` for one
that is known to be of a certain sort. What the seat has seen allows some *layouts* of tokens; each has as a weight how likely
what was seen is with it. Where others chose unseen, in which order to lay cards or which to keep, a layout becomes several. So
every way in which the cards can have been shuffled, laid and kept counts once; beyond ``MOST`` layouts the least likely ones are
left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, permutations

from khiva_arena.errors import InternalError
from khiva_arena.rng import Stream

FREE, BOUND = -1, -2
MOST = 1000
ORDERS = 24
"""Of so many cards laid in an unknown order at most this many orders are looked at."""
Deck = tuple[int, ...]
Hands = tuple[tuple[int, ...], ...]
Layout = tuple[Deck, Hands]
Weights = dict[Layout, float]


class Layouts:
    """Of a deck, and of the hands that are filled from it, by seat; the own hand is empty.

    stock: what deck and hands hold together.
    bound: the cards that a BOUND token may be.
    """

    def __init__(self, deck: Deck, hands: Hands, stock: Mapping[int, int], bound: Callable[[int], bool]) -> None:
        self.stock = Counter(stock)
        self.bound = bound
        self.weights: Weights = {(deck, hands): 1.0}

    def each(self, change: Callable[[Deck, Hands], Iterable[tuple[Layout, float]]]) -> None:
        """Every layout becomes others. If what really is has been left out, so that none remains, all is forgotten."""
        found = self._changed(self.weights, change)
        if not found:
            deck, hands = next(iter(self.weights))
            forgotten = (FREE,) * len(deck), tuple((FREE,) * len(hand) for hand in hands)
            found = self._changed({forgotten: 1.0}, change)
        if not found:
            raise InternalError("this view fits nothing that decks and hands can hold")
        if len(found) > MOST:
            found = dict(sorted(found.items(), key=lambda item: -item[1])[:MOST])
        total = sum(found.values())
        self.weights = {layout: weight / total for layout, weight in found.items()}

    @staticmethod
    def _changed(weights: Weights, change: Callable[[Deck, Hands], Iterable[tuple[Layout, float]]]) -> Weights:
        found: Weights = {}
        for (deck, hands), weight in weights.items():
            for layout, factor in change(deck, hands):
                if factor:
                    found[layout] = found.get(layout, 0.0) + weight * factor
        return found

    def likely(self, layout: Layout, token: int, card: int) -> float:
        """How likely a token of a layout is this card."""
        if token >= 0:
            return float(token == card)
        tokens = [*layout[0], *(other for hand in layout[1] for other in hand)]
        count = self.stock[card] - tokens.count(card)
        bound, free = tokens.count(BOUND), tokens.count(FREE)
        if count <= 0 or (token == BOUND and not self.bound(card)):
            return 0.0
        if not bound or not self.bound(card):
            return count / free
        of_sort = sum(held for other, held in self.stock.items() if self.bound(other))
        of_sort -= sum(other >= 0 and self.bound(other) for other in tokens)
        return count / of_sort if token == BOUND else count * (of_sort - bound) / (of_sort * free)

    def name(self, deck: Deck, hands: Hands, place: int, card: int) -> tuple[Layout, float]:
        """The card at a place of the deck is seen."""
        layout = (*deck[:place], card, *deck[place + 1 :]), hands
        return layout, self.likely((deck, hands), deck[place], card)

    def copy(self) -> "Layouts":
        """An independent copy."""
        new = Layouts((), (), self.stock, self.bound)
        new.weights = dict(self.weights)
        return new

    # --- what is seen ---

    def see(self, place: int, card: int) -> None:
        """This card, at this place of the deck."""
        self.each(lambda deck, hands: [self.name(deck, hands, place, card)])

    def draw(self, card: int) -> None:
        """The top card, which leaves the deck."""
        self.see(0, card)
        self.stock[card] -= 1
        self.each(lambda deck, hands: [((deck[1:], hands), 1.0)])

    def is_of_sort(self, place: int) -> None:
        """Nobody saw the card at a place, but it is one that a BOUND token may be."""

        def change(deck: Deck, hands: Hands) -> Iterator[tuple[Layout, float]]:
            token = deck[place]
            if token == FREE:
                sort = sum((self.likely((deck, hands), token, card) for card in self.stock if self.bound(card)), 0.0)
                yield ((*deck[:place], BOUND, *deck[place + 1 :]), hands), sort
            else:
                yield (deck, hands), float(token == BOUND or self.bound(token))

        self.each(change)

    def put_under(self, cards: Sequence[int]) -> None:
        """These cards go under the deck; several in an order that nobody knows."""
        self.stock.update(cards)
        orders = list(islice(permutations(cards), ORDERS))
        self.each(lambda deck, hands: [(((*deck, *order), hands), 1.0) for order in orders])

    def move_under(self, place: int) -> None:
        """The card at a place goes under the deck."""
        self.each(lambda deck, hands: [(((*deck[:place], *deck[place + 1 :], deck[place]), hands), 1.0)])

    def order(self, count: int, cards: Sequence[int] | None) -> None:
        """The top cards are laid in a new order: by another seat, or by this one, which knows them."""

        def change(deck: Deck, hands: Hands) -> Iterator[tuple[Layout, float]]:
            for order in permutations(range(count)):
                layout, factor = ((*(deck[i] for i in order), *deck[count:]), hands), 1.0
                for place, card in enumerate(cards or ()):
                    layout, seen = self.name(*layout, place, card)
                    factor *= seen
                yield layout, factor

        self.each(change)

    def shuffle(self) -> None:
        """The deck, of which all know the cards."""
        self.each(lambda deck, hands: [(((FREE,) * len(deck), hands), 1.0)])

    def take_any(self, card: int) -> None:
        """A card is taken out of the deck for all to see, and the others are shuffled."""
        self.stock[card] -= 1
        self.each(lambda deck, hands: [(((FREE,) * (len(deck) - 1), hands), 1.0)])

    def keep(self, seat: int, looks: int) -> None:
        """Another seat keeps one of the top cards; the others go under the deck as they lie."""

        def change(deck: Deck, hands: Hands) -> Iterator[tuple[Layout, float]]:
            for place in range(looks):
                hand = tuple(sorted((*hands[seat], deck[place])))
                rest = (*deck[looks:], *deck[:place], *deck[place + 1 : looks])
                yield (rest, (*hands[:seat], hand, *hands[seat + 1 :])), 1.0

        self.each(change)

    def keep_own(self, kept: int, others: Sequence[int]) -> None:
        """This seat keeps one of the top cards."""

        def change(deck: Deck, hands: Hands) -> Iterator[tuple[Layout, float]]:
            for place in range(len(others) + 1):
                layout, factor = (deck, hands), 1.0
                for i, card in enumerate([*others[:place], kept, *others[place:]]):
                    layout, seen = self.name(*layout, i, card)
                    factor *= seen
                yield ((*layout[0][len(others) + 1 :], *others), hands), factor

        self.each(change)
        self.stock[kept] -= 1

    def play(self, seat: int, card: int) -> None:
        """Another seat plays a card of its hand."""

        def change(deck: Deck, hands: Hands) -> Iterator[tuple[Layout, float]]:
            for i, token in enumerate(hands[seat]):
                hand = hands[seat][:i] + hands[seat][i + 1 :]
                yield (deck, (*hands[:seat], hand, *hands[seat + 1 :])), self.likely((deck, hands), token, card)

        self.each(change)
        self.stock[card] -= 1

    def pick(self, stream: Stream) -> tuple[list[int], list[list[int]]]:
        """Deck and hands, each as likely as it is."""
        at, sofar = stream.below(2**53) / 2**53, 0.0
        *others, last = self.weights.items()
        for layout, weight in others:
            sofar += weight
            if at < sofar:
                return self._fill(layout, stream)
        return self._fill(last[0], stream)

    def _fill(self, layout: Layout, stream: Stream) -> tuple[list[int], list[list[int]]]:
        deck, hands = layout
        unseen = Counter(self.stock)
        unseen.subtract(token for tokens in (deck, *hands) for token in tokens if token >= 0)
        cards = sorted(unseen.elements())
        stream.shuffle(cards)
        bound = sum(tokens.count(BOUND) for tokens in (deck, *hands))
        of_sort = [card for card in cards if self.bound(card)][:bound]
        for card in of_sort:
            cards.remove(card)
        stream.shuffle(cards)

        def card_of(token: int) -> int:
            return token if token >= 0 else of_sort.pop() if token == BOUND else cards.pop()

        return [card_of(token) for token in deck], [sorted(map(card_of, hand)) for hand in hands]
