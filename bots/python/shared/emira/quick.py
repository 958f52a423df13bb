"""The greedy policy for a state at hand: what an auction is about is worked out once, not for each bid. It chooses as ``policy``
does, and several times as fast: most questions of Emira are bids."""

from typing import Any

import policy
from evaluate import Weights

from khiva_arena.games.emira.game import EmiraState
from khiva_arena.games.emira.values import discount


class Player:
    """Answers for any seat.

    weights: by seat.
    """

    def __init__(self, rules: dict[str, Any], weights: list[Weights]) -> None:
        self.match = {"rules": rules}
        self.weights = weights
        self.state: EmiraState | None = None
        self.gains: dict[tuple[int, int, int], list[float]] = {}
        """Of the state: by auction, seats served and seat."""

    def __call__(self, state: EmiraState, seat: int, asked: Any) -> int:
        if asked.kind == "bid":
            return self._bid(state, seat, asked.legal)
        return policy.choose({"kind": asked.kind, "view": state.view(seat), "legal": asked.legal}, self.match, self.weights[seat])

    def _bid(self, state: EmiraState, seat: int, legal: Any) -> int:
        if state is not self.state:
            self.state, self.gains = state, {}

        def gains() -> list[float]:
            # During an auction gold and courts change only when somebody takes the grant, and is then served.
            key = len(state.bids), state.served, seat
            if key not in self.gains:
                self.gains[key] = policy.gains(state.view(seat), self.match["rules"], self.weights[seat])
            return self.gains[key]

        rivals, off = state.bidding.bit_count() - 1, discount(state, seat)
        return policy.bid(legal, rivals, off, self.weights[seat], gains)
