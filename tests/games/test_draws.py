"""A view that shows a draw which no event has told its seat of is found, wherever that
lies; what follows from events is not.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from wording import pattern, sentence

from khiva_arena.games import checked_match, conformance, draws, registry
from khiva_arena.games.base import NOBODY, Decision, Event, Game, Pending, State, check_choices
from khiva_arena.rng import Changed, Stream

HAND, CARDS = 4, 30


class Dealt(State):
    """Each has a hand of cards from a deck, plays one a step, face up, and draws one
    after every other step.
    """

    def __init__(self, seats: int, secret: bytes) -> None:
        self.secret, self.steps = secret, 0
        self.deck = list(range(CARDS))
        Stream(secret, "dealt", "deal").shuffle(self.deck)
        self.hands = [sorted(self.deck.pop() for _ in range(HAND)) for _ in range(seats)]
        self.played: list[list[int]] = []

    def dealt(self) -> list[Event]:
        return [
            Event({"type": "dealt", "hand": list(hand)}, (seat,))
            for seat, hand in enumerate(self.hands)
        ]

    def pending(self) -> Pending:
        if self.is_over:
            return NOBODY
        return {
            seat: Decision("play", [["card", card] for card in hand])
            for seat, hand in enumerate(self.hands)
        }

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        check_choices(self.pending(), choices)
        self.steps += 1
        cards = [self.hands[seat].pop(choice) for seat, choice in sorted(choices.items())]
        self.played.append(cards)
        events = [Event({"type": "played", "cards": list(cards)})]
        for seat, hand in enumerate(self.hands):
            if self.steps % 2:
                hand.append(self.deck.pop())
                events.append(Event({"type": "drew", "card": hand[-1]}, (seat,)))
        return events

    def view(self, seat: int) -> dict[str, Any]:
        return {"hand": list(self.hands[seat]), "played": [list(cards) for cards in self.played]}

    @property
    def is_over(self) -> bool:
        return self.steps == 5

    @property
    def scores(self) -> list[int]:
        return [sum(cards[seat] for cards in self.played) for seat in range(len(self.hands))]


class AllHands(Dealt):
    def view(self, seat: int) -> dict[str, Any]:
        return {**super().view(seat), "all_hands": [list(hand) for hand in self.hands]}


class TopOfTheDeck(Dealt):
    def view(self, seat: int) -> dict[str, Any]:
        return {**super().view(seat), "next": self.deck[-1]}


class DiceToCome(Dealt):
    """The die of a step is drawn when it comes, from a stream that the view looks into
    before.
    """

    def die(self, step: int) -> int:
        return Stream(self.secret, "dealt", "die", str(step)).below(1000)

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        return [*super().apply(choices), Event({"type": "die", "eyes": self.die(self.steps)})]

    def view(self, seat: int) -> dict[str, Any]:
        return {
            **super().view(seat),
            "now": self.die(self.steps) if self.steps else 0,
            "soon": self.die(self.steps + 1),
        }


class DiceThatHaveCome(DiceToCome):
    def view(self, seat: int) -> dict[str, Any]:
        return {key: value for key, value in super().view(seat).items() if key != "soon"}


class Untold(Dealt):
    """A seat learns its hand from its view alone."""

    def dealt(self) -> list[Event]:
        return []


class Helpful(Dealt):
    """What may be chosen hangs on what the next seat holds."""

    def pending(self) -> Pending:
        return {
            seat: Decision("play", [[*entry, max(self.hands[seat - 1])] for entry in asked.legal])
            for seat, asked in super().pending().items()
        }


class FirstOne(Dealt):
    """Only one is asked, whom the secret names: that is an observation of its own."""

    def pending(self) -> Pending:
        first = Stream(self.secret, "dealt", "first").below(len(self.hands))
        return {seat: asked for seat, asked in super().pending().items() if seat == first}

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        check_choices(self.pending(), choices)
        self.steps += 1
        return []

    @property
    def scores(self) -> list[int]:
        return [0] * len(self.hands)


class Restless(Dealt):
    """Not the same if it is played again."""

    made = 0

    def __init__(self, seats: int, secret: bytes) -> None:
        super().__init__(seats, secret)
        Restless.made += 1
        self.number = Restless.made

    def view(self, seat: int) -> dict[str, Any]:
        return {**super().view(seat), "number": self.number}


class DealtGame(Game):
    name = "dealt"
    title = "Dealt"
    rules_version = "1"
    seats = (2, 3)

    def __init__(self, made: type[Dealt]) -> None:
        self.made = made

    def new(self, seats: int, rules: Mapping[str, Any], secret: bytes) -> tuple[State, list[Event]]:
        self.check_seats(seats)
        state = self.made(seats, secret)
        return state, state.dealt()


def leak(game: Game, number: int = 0, seats: int | None = None, most: int = 60) -> str:
    secret = bytes([number]) * 32
    seats = seats or game.seats[0]
    return draws.leak(
        partial(game.new, seats, game.rules({}), secret), seats, Stream(secret, "test"), most
    )


@pytest.mark.parametrize("made", [Dealt, DiceThatHaveCome, FirstOne])
@pytest.mark.parametrize("number", range(8))
def test_what_events_tell_may_be_shown(made: type[Dealt], number: int) -> None:
    assert leak(DealtGame(made), number, 2 + number % 2) == ""


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            AllHands,
            pattern(
                "games",
                "view-seat-shows",
                when=r"equal views: (at the start|after step \d)",
                seat=r"\d",
                keys="all_hands, a draw that no event has",
            ),
        ),
        (
            TopOfTheDeck,
            pattern(
                "games",
                "view-seat-shows",
                when=r"equal views: (at the start|after step \d)",
                seat=r"\d",
                keys="next, a draw",
            ),
        ),
        (
            DiceToCome,
            pattern(
                "games",
                "view-seat-shows",
                when=r"equal views: (at the start|after step \d)",
                seat=r"\d",
                keys="soon, a draw",
            ),
        ),
        (
            Untold,
            pattern(
                "games",
                "view-seat-shows",
                when=r"equal views: (at the start|after step \d)",
                seat=r"\d",
                keys="hand, a draw",
            ),
        ),
        (
            Helpful,
            r"equal legal lists: (at the start|after step \d) what seat \d may choose shows a draw",
        ),
    ],
)
@pytest.mark.parametrize("number", range(8))
def test_what_no_event_has_told_is_found(made: type[Dealt], said: str, number: int) -> None:
    assert re.match(
        f"equal observations give {said}", leak(DealtGame(made), number, 2 + number % 2)
    )
    with pytest.raises(checked_match.NonConforming, match=said):
        conformance.check_game(DealtGame(made), matches=1, seed=str(number))


def test_a_game_that_is_not_the_same_again_is_not_said_to_leak() -> None:
    said = leak(DealtGame(Restless))
    assert said == sentence("games", "replay-shows-seats-same")


@pytest.mark.parametrize("game", registry.GAMES.values(), ids=lambda game: game.name)
def test_no_false_alarm(game: Game) -> None:
    for number, seats in enumerate((game.seats[0], game.seats[-1])):
        assert leak(game, number, seats) == ""


class Endless(Dealt):
    """Nobody ever plays a card, or learns what lies in the deck."""

    played_at_all = 0

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        check_choices(self.pending(), choices)
        self.steps += 1
        Endless.played_at_all += 1
        return []

    @property
    def is_over(self) -> bool:
        return self.steps == 500


def test_what_is_played_beside_a_long_match_is_bounded() -> None:
    assert leak(DealtGame(Endless), most=20_000) == ""
    assert 500 < Endless.played_at_all < 500 * (1 + 2 * (draws.TIMES + 2))


def test_no_draw_is_changed_outside() -> None:
    before = Stream(bytes(32), "dealt", "deal").u64()
    with pytest.raises(ZeroDivisionError), Changed(lambda *_: 1 // 0):
        Stream(bytes(32), "dealt", "deal").u64()
    assert Stream(bytes(32), "dealt", "deal").u64() == before
    stream, told = Stream(bytes(32), "x"), []
    with Changed(lambda key, place, number: told.append(place) or number + 1):
        assert stream.u64() == Stream(bytes(32), "x").u64()
        changed = [stream.u64() for _ in range(5)]
    assert told == [0, 0, 1, 2, 3, 4, 5]
    plain = Stream(bytes(32), "x")
    assert changed == [plain.u64() + 1 for _ in range(6)][1:]
