"""The states and observations of the arena's games in OpenSpiel."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from struct import pack
from typing import Any

import numpy as np

from khiva_arena.env.coded_game import CodedGame, by_places
from khiva_arena.env.spiel_library import pyspiel
from khiva_arena.env.spiel_position import DEALS, PAST_BYTES, Moment
from khiva_arena.games.base import State
from khiva_arena.rng import Stream


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state of either form of a game. The library copies and pickles its attributes,
    so it has one.
    """

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.moment = Moment()

    @property
    def table(self) -> CodedGame:
        """The game, seats, rules and coding of the match."""
        table: CodedGame = self.get_game().table
        return table

    def match(self) -> State:
        """Return the match as the engine has it, hidden hands included: for teachers
        and debugging, never for a policy. Raises RuntimeError before the deal.
        """
        if self.moment.state is None:
            raise RuntimeError("there is no match before the deal")
        return self.moment.state

    # --- the library's names ---

    def current_player(self) -> int:
        """Return the seat that chooses, or the id of chance, of simultaneous nodes or
        of the end.
        """
        moment = self.moment
        if moment.state is None:
            return pyspiel.PlayerId.CHANCE  # type: ignore[no-any-return]
        pending = moment.state.pending()
        if not pending:
            return pyspiel.PlayerId.TERMINAL  # type: ignore[no-any-return]
        if len(pending) > 1 and not self.get_game().turn_based:
            return pyspiel.PlayerId.SIMULTANEOUS  # type: ignore[no-any-return]
        return next(seat for seat in pending if seat not in moment.chosen)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the values of a digit of the deal's number, equally likely."""
        return [(digit, 1.0 / DEALS) for digit in range(DEALS)]

    def is_terminal(self) -> bool:
        """Tell whether the match is over."""
        return self.moment.state is not None and self.moment.state.is_over

    def returns(self) -> list[float]:
        """Return by seat 1 for each seat that finished behind, -1 for each that
        finished before; zeros until the match is over.
        """
        if not self.is_terminal():
            return [0.0] * self.num_players()
        return [float(reward) for reward in by_places(self.match().ranks)]

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.table.legal(self.match(), player))

    def _apply_action(self, action: int) -> None:
        moment, table = self.moment, self.table
        if moment.state is None:
            moment.draw(table, action)
            return
        player = self.current_player()
        moment.chosen[player] = self._index(player, action)
        if len(moment.chosen) == len(moment.state.pending()):
            moment.apply(moment.chosen)

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.moment.apply(
            {seat: self._index(seat, actions[seat]) for seat in self.match().pending()}
        )

    def _index(self, seat: int, action: int) -> int:
        index = self.table.index(self.match(), seat, action)
        if index is None:
            raise ValueError(f"player {seat}: action {action} is not legal now")
        return index

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal digit {action}"
        return self.table.coding.words[action]

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> "SpielState":
        """Return a state with the same information state of this player; its hidden
        part is drawn again. The new state has no history, so it can be searched from,
        and not be serialised.
        """
        secret = sha256(pack(">4d", *(probability_sampler() for _ in range(4)))).digest()
        new = SpielState(self.get_game())
        new.moment = self.moment.world(self.table, player_id, Stream(secret, "env", "world"))
        return new

    def __str__(self) -> str:
        """Return the whole state as text, hidden hands included."""
        moment = self.moment
        if moment.state is None:
            return f"deal {'.'.join(map(str, moment.digits)) or 'not begun'}"
        names = [f"player {seat}" for seat in range(self.num_players())]
        return f"{self.table.game.sketch(moment.state, names)}\nchosen: {moment.chosen}"


class ViewObserver:
    """The observer of a seat for the library: its view as text, and as numbers if
    nothing is left out of the view. With perfect recall the numbers of
    ``Moment.numbers`` follow, under "past".
    """

    def __init__(self, table: CodedGame, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers of these games take no parameters, not {params}")
        self._public, self._recall = kind.public_info, kind.perfect_recall
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._coding = table.coding
        self.dict: dict[str, Any] = {}
        self.tensor: Any = None
        if self._public and self._private:
            size = table.coding.size
            self.tensor = np.zeros(size + (2 + PAST_BYTES if self._recall else 0), np.float32)
            self.dict = {
                part.key: self.tensor[part.start : part.start + part.size]
                for part in table.coding.parts
                if part.size
            }
            if self._recall:
                self.dict["past"] = self.tensor[size:]

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill ``tensor`` and with it ``dict``; zeros before the deal."""
        match, size = state.moment.state, self._coding.size
        if self.tensor is None:
            return
        self.tensor[:] = 0
        if match is not None:
            self.tensor[:size] = self._coding.encode(match.view(player))
            self.tensor[size:] = state.moment.numbers(player) if self._recall else []

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the view as JSON, with the choices made and the past if they are asked
        for.
        """
        return state.moment.text(player, self._public, self._private, self._recall)
