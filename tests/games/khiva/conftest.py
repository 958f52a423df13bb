"""A Khiva table for tests: put cards, camels and tokens where a test wants them, then
play by name.

Cards and carpets are written W4, B2, G5, P1, K3 (K is black); seats are numbers; a
place is (path, shop), TENT is home.
"""

from collections.abc import Sequence

import pytest

from khiva_arena.games.base import Event
from khiva_arena.games.khiva import GAME, KhivaState
from khiva_arena.games.khiva.tables import CARD_OF, CODE, LEGAL, TENT

LETTERS = "WBGPK"


def code(text: str) -> int:
    return 10 * LETTERS.index(text[0]) + int(text[1])


def cards(text: str) -> list[int]:
    return [CARD_OF[code(word)] for word in text.split()]


def face(text: str) -> list[int]:
    return [LETTERS.index(text[0]), int(text[1])]


class Table:
    """A match that a test arranges. ``state`` is the real thing."""

    def __init__(self, seats: int = 3, secret: bytes = bytes(32), **rules: object) -> None:
        self.state: KhivaState
        self.rules = GAME.rules(rules)
        self.state, self.opening = GAME.new(seats, self.rules, secret)
        self.log: list[Event] = list(self.opening)

    def hold(self, *hands: str) -> "Table":
        """By seat: cards that its hand has to hold; each changes places with one that
        is not named.
        """
        wanted = [cards(text) for text in hands]
        for hand, want in zip(self.state.hands, wanted, strict=False):
            for card in want:
                if card not in hand:
                    spare = next(c for c in hand if c not in want)
                    for pile in (
                        *self.state.hands,
                        self.state.aside,
                        self.state.shown,
                        self.state.discard,
                    ):
                        if card in pile:
                            pile[pile.index(card)] = spare
                    hand[hand.index(spare)] = card
        for hand in self.state.hands:
            hand.sort()
        return self

    def put(self, **camels: tuple[int, int]) -> "Table":
        """Camels by letter at (path, shop)."""
        for letter, (path, shop) in camels.items():
            self.state.camels[LETTERS.index(letter)] = 6 * path + shop
        return self

    def gems(self, *counts: int) -> "Table":
        if self.state.supply is not None:
            self.state.supply -= sum(counts) - sum(self.state.gems)
        self.state.gems = list(counts)
        return self

    def load(self, letter: str, value: int) -> "Table":
        """A camel carries that teapot; it changes places with one from the pile."""
        camel, pile = LETTERS.index(letter), self.state.teapot_pile
        if self.state.loads[camel] != value:
            i = pile.index(value)
            pile[i], self.state.loads[camel] = self.state.loads[camel], pile[i]
        return self

    def own(self, seat: int, carpets: str) -> "Table":
        """Undelivered carpets, out of the pile."""
        for word in carpets.split():
            self.state.carpet_pile.remove(code(word))
            self.state.carpets[seat].append(code(word))
        return self

    def top_carpet(self, text: str) -> "Table":
        pile = self.state.carpet_pile
        i = pile.index(code(text))
        pile[i], pile[-1] = pile[-1], pile[i]
        return self

    def leave(
        self, *, teapots: int | None = None, carpets: int | None = None, salts: int | None = None
    ) -> "Table":
        """Shorten piles to so many; what is taken off goes to seat 0 (carpets as
        delivered).
        """
        state = self.state
        piles = (
            (teapots, state.teapot_pile, state.teapots),
            (carpets, state.carpet_pile, state.delivered),
        )
        for count, pile, owned in (*piles, (salts, state.salt_pile, state.salts)):
            while count is not None and len(pile) > count:
                owned[0].append(pile.pop())
        return self

    def play(self, *played: str, give: Sequence[str] = ()) -> list[Event]:
        """All seats choose: ``played`` by seat, ``give`` the passes (else the last
        cards of the hand).
        """
        choices = {}
        for seat, text in enumerate(played):
            hand = self.state.hands[seat]
            want = cards(text)
            rest = (
                cards(give[seat])
                if give and give[seat]
                else [c for c in hand if c not in want][-len(want) :]
            )
            entry = (*sorted(map(hand.index, want)), *sorted(map(hand.index, rest)))
            choices[seat] = LEGAL[self.state.seats, len(hand)].index(entry)
        return self.apply(choices)

    def answer(self, entry: int | str) -> list[Event]:
        """The open question of the activation phase gets that entry."""
        ((seat, decision),) = self.state.pending().items()
        return self.apply({seat: decision.legal.index([entry])})

    def apply(self, choices: dict[int, int]) -> list[Event]:
        before = self.state.components()
        events = self.state.apply(choices)
        assert self.state.components() == before, "a piece was lost or made"
        self.log += events
        return events

    def default_to_the_next_choice(self) -> None:
        while not self.state.is_over and self.asked != "play_pass":
            self.apply(dict.fromkeys(self.state.pending(), 0))

    @property
    def asked(self) -> str | None:
        return next((decision.kind for decision in self.state.pending().values()), None)

    @property
    def options(self) -> list[object]:
        """Entries of the one question asked."""
        ((_, decision),) = self.state.pending().items()
        return [entry[0] for entry in decision.legal]

    @property
    def lands(self) -> list[tuple[int, int]]:
        """Where the camel in question would stop, by boost."""
        return [tuple(place) for place in self.state.view(0)["ask"]["lands"]]

    def place(self, letter: str) -> tuple[int, int]:
        place = self.state.camels[LETTERS.index(letter)]
        return (-1, 0) if place == TENT else divmod(place, 6)

    def events(self, kind: str) -> list[dict[str, object]]:
        """Data of all events of a type so far."""
        return [event.data for event in self.log if event.data["type"] == kind]

    def hand(self, seat: int) -> str:
        return " ".join(
            LETTERS[CODE[card] // 10] + str(CODE[card] % 10) for card in self.state.hands[seat]
        )


@pytest.fixture
def table() -> type[Table]:
    return Table
