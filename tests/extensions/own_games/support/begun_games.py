"""Games that are at fault, begun and played."""

from pathlib import Path

from khiva_arena.extensions.own_games.opening import open_game
from khiva_arena.games.base import Game

SECRET = bytes(range(32))


APPLY = "        check_choices(self.pending(), choices)\n"


PENDING = (
    '        return {seat: Decision("bid", [["card", card] for card in hand]) for seat, hand '
    "in enumerate(self.hands)}\n"
)


POINTS, OVER = "        return list(self.points)", "        return not self.hands[0]"


VIEW = '        return {"hand": list(self.hands[seat]),'


def begun(path: Path) -> Game:
    return open_game(str(path))


def played(path: Path, seats: int = 3) -> None:
    """A match of first choices."""
    game = begun(path)
    state, _ = game.played(seats, game.rules({}), SECRET)
    while not state.is_over:
        for seat in state.pending():
            state.view(seat)
        state.apply(dict.fromkeys(state.pending(), 0))
