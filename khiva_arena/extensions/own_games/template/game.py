"""A bidding game for 2 to 5 seats: change it into your own, and play it with `khiva-arena match --game game.py`.

In each round a prize is turned up, of as many points as its number. All bid one card of their hand, at the same time and in
secret. The highest bid takes the prize; if several are highest, nobody does. Bids are then shown, and are gone.
"""

from collections.abc import Mapping
from typing import Any

from khiva_arena import Game, State
from khiva_arena.errors import RulesError
from khiva_arena.games.base import NOBODY, Decision, Event, Pending, check_choices
from khiva_arena.rng import Stream


class BiddingState(State):
    """A match in progress. Whatever changes in it, ``view`` tells each seat all that it has seen so far, and no more."""

    def __init__(self, seats: int, cards: int, secret: bytes) -> None:
        self.hands = [list(range(1, cards + 1)) for _ in range(seats)]
        self.points = [0] * seats
        self.played: list[dict[str, Any]] = []
        self.prizes = list(range(1, cards + 1))
        # All chance comes from the secret: a stream for each purpose, so that a match can be played again from its record.
        Stream(secret, "bidding", "prizes").shuffle(self.prizes)

    @property
    def prize(self) -> int | None:
        """The prize that is bid for now; None once all prizes have been."""
        return self.prizes[len(self.played)] if len(self.played) < len(self.prizes) else None

    def pending(self) -> Pending:
        # A decision with one choice is never asked: in the last round each has one card left, which ``apply`` plays for it.
        if len(self.hands[0]) < 2:
            return NOBODY
        # The first choice is played for a bot that fails: let it favour nobody. Here it is the lowest card.
        return {seat: Decision("bid", [["card", card] for card in hand]) for seat, hand in enumerate(self.hands)}

    def apply(self, choices: Mapping[int, int]) -> list[Event]:
        check_choices(self.pending(), choices)
        events = self.bid([self.hands[seat].pop(choice) for seat, choice in sorted(choices.items())])
        if len(self.hands[0]) == 1:
            events += [self.turned_up(), *self.bid([hand.pop() for hand in self.hands])]
        return events if self.is_over else [*events, self.turned_up()]

    def bid(self, bids: list[int]) -> list[Event]:
        prize, best = self.prize, max(bids)
        winner = bids.index(best) if bids.count(best) == 1 else None
        if winner is not None and prize is not None:
            self.points[winner] += prize
        self.played.append({"prize": prize, "bids": bids, "winner": winner})
        return [Event({"type": "bids", "prize": prize, "bids": bids, "winner": winner})]

    def turned_up(self) -> Event:
        return Event({"type": "prize", "points": self.prize})  # Event(..., to=(2,)) would tell seat 2 alone

    def view(self, seat: int) -> dict[str, Any]:
        played = [{**each, "bids": list(each["bids"])} for each in self.played]
        return {"hand": list(self.hands[seat]), "prize": self.prize, "played": played, "points": list(self.points)}

    @property
    def is_over(self) -> bool:
        return not self.hands[0]

    @property
    def scores(self) -> list[int]:
        return list(self.points)  # ``ranks``, ``points_by_source`` and more come from State, as long as they fit

    def components(self) -> dict[str, int]:
        """Return the number of pieces, wherever they lie: `khiva-arena check --game` sees that none is lost."""
        bids = sum(len(each["bids"]) for each in self.played)
        return {"bidding cards": sum(map(len, self.hands)) + bids, "prizes": len(self.prizes)}


class Bidding(Game):
    """The game's constants. ``rules_version`` is yours to raise; the hash of this file is added to it."""

    name = "bidding"
    title = "Bidding"
    rules_version = "1"
    seats = (2, 3, 4, 5)
    variants = {"cards": "how many each seat has: 3 to 20"}

    def rules(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rules that a user chose with --rule, laid over the defaults."""
        rules = {"cards": 13, **given}
        wrong = [f"{key}: there is no such rule" for key in given if key != "cards"]
        if type(rules["cards"]) is not int or not 3 <= rules["cards"] <= 20:
            wrong.append(f"cards: {rules['cards']!r} is not a whole number of 3 to 20")
        if wrong:
            raise RulesError(wrong)
        return rules

    def new(self, seats: int, rules: Mapping[str, Any], secret: bytes) -> tuple[BiddingState, list[Event]]:
        self.check_seats(seats)
        state = BiddingState(seats, rules["cards"], secret)
        return state, [state.turned_up()]


GAME = Bidding()
