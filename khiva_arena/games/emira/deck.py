"""The decks of Emira."""

from collections.abc import Sequence


class Deck:
    """A face-down deck, top first, with a bit mask for each card of the seats that know
    where it lies.
    """

    __slots__ = ("cards", "seen")

    def __init__(self, cards: Sequence[int] = (), seen: Sequence[int] | None = None) -> None:
        self.cards = list(cards)
        self.seen = list(seen) if seen is not None else [0] * len(self.cards)

    def draw(self) -> int:
        """Draw and return the top card."""
        self.seen.pop(0)
        return self.cards.pop(0)

    def put_under(self, card: int, seen: int) -> None:
        """Put a card to the bottom, known there to the seats of the bit mask
        ``seen``.
        """
        self.cards.append(card)
        self.seen.append(seen)

    def look(self, place: int, seat: int) -> int:
        """Return the card at a place, which the seat knows from now on."""
        self.seen[place] |= 1 << seat
        return self.cards[place]

    def reorder(self, places: Sequence[int], seat: int) -> None:
        """Lay the top cards in a new order, which the seat alone knows. A single card
        stays known to the seats that knew it.
        """
        count = len(places)
        if count == 1:
            return
        self.cards[:count] = [self.cards[place] for place in places]
        self.seen[:count] = [1 << seat] * count

    def copy(self) -> "Deck":
        """Return an independent copy."""
        return Deck(self.cards, self.seen)
