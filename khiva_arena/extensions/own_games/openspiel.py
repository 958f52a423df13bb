"""The games of OpenSpiel's library, as one game whose rule ``game`` names the
library's.

Only the process that runs a game's code imports this file. The declarations of a game
of the library are tried, not believed.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from textwrap import shorten
from typing import Any

import pyspiel

from khiva_arena.common.manual import where
from khiva_arena.errors import ConfigError, RulesError
from khiva_arena.extensions.own_games.openspiel_state import (
    MOST_SCALE,
    Chance,
    Dynamics,
    LibraryState,
    gives,
    scale_of,
    text_of,
    whole_tensor,
)
from khiva_arena.games.base import Event, Game, State
from khiva_arena.games.rules_map import file_in_rules
from khiva_arena.words import meant

DEFAULT = "kuhn_poker"
MOST_SEATS, FEWEST_SEATS = 10, 2
IN_PYTHON = "python_"
"""The beginning of the names that the library registers once
``open_spiel.python.games`` is imported.
"""
SHOWS = ("information_state", "observation")
"""Kinds of text that a seat is shown: the first that the game gives to every seat."""


def shown_of(game: Any) -> str:
    """Return the kind of text that seats are shown, of ``SHOWS``; "" if there is
    none.
    """
    return next((kind for kind in SHOWS if gives(game, partial(text_of, shows=kind))), "")


def load_game(text: object) -> Any:
    """Return the library's game of a string such as ``goofspiel(players=3)``. Raises
    RulesError with the reason why it cannot be played.
    """
    if type(text) is int:  # as --rule game=2048 is read
        text = str(text)
    if not isinstance(text, str):
        raise RulesError(f"game: {text!r} is not a text")
    name, names = text.partition("(")[0], pyspiel.registered_names()
    if name not in names:
        page = f"{where('openspiel', 'Games that play')} lists its games"
        if name.startswith(IN_PYTHON):
            raise RulesError(
                f"game: {name[:80]} is one of the library's games in Python, which are not "
                f"imported; {page}"
            )
        raise RulesError(f"game: OpenSpiel has no game {name[:80]!r}{meant(name, names)}; {page}")
    if parameter := file_in_rules(OpenSpiel.name, {"game": text}):
        raise RulesError(
            f"game: {name} reads a file ({parameter}), which would be no part of the event: two "
            "games could have one name, and nobody could check a match; `khiva-arena new game DIR` "
            "begins a game of your own, whose file is hashed"
        )
    try:
        game = pyspiel.load_game(text)
    except (
        Exception
    ) as error:  # the library raises errors of any kind, such as a missing index of a map
        raise RulesError(
            f"game: OpenSpiel does not load {text!r}: "
            f"{shorten(str(error), 200, placeholder=' ...')}"
        ) from None
    kind = game.get_type()
    reasons = {
        "its chance is sampled, so that no match could be replayed": kind.chance_mode
        == Chance.SAMPLED_STOCHASTIC,
        "it is a mean-field game, of a population and not of seats": kind.dynamics
        == Dynamics.MEAN_FIELD,
        "its actions are structures, not numbers": getattr(kind, "action_structs_only", False),
        "it has one player": game.num_players() == 1,
        (
            f"it has {game.num_players()} players, and a table has {MOST_SEATS} seats at the most"
        ): game.num_players() > MOST_SEATS,
    }
    for reason, holds in reasons.items():
        if holds:
            raise RulesError(f"game: {kind.short_name} cannot be played: {reason}")
    return game


class OpenSpiel(Game):
    """The one game that stands for all of OpenSpiel's. ``rules_version`` is that of
    this file; the version of the library is added.
    """

    name = "openspiel"
    title = "OpenSpiel"
    rules_version = "1"
    seats = tuple(range(FEWEST_SEATS, MOST_SEATS + 1))
    variants = {  # noqa: RUF012  a constant
        "game": "which game of the library, as goofspiel(players=3,num_cards=13)",
        "shows": (
            "what a seat is shown: information_state, or observation; without it, the first "
            "that the game gives"
        ),
        "tensor": "no, yes: seats are shown it as numbers, too, if they are whole",
        "scale": (
            "by what returns are multiplied to be whole points; without it, by what that takes "
            "in matches at random"
        ),
    }

    def rules(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if unknown := [key for key in given if key not in self.variants]:
            raise RulesError([f"{key}: there is no such rule" for key in unknown])
        game = load_game(given.get("game", DEFAULT))
        scale = given["scale"] if "scale" in given else scale_of(game)
        if scale is None:
            raise RulesError(
                f"game: {game.get_type().short_name} cannot be played: its returns are "
                f"whole at no scale up to {MOST_SCALE:,}"
            )
        if type(scale) is not int or not 1 <= scale <= MOST_SCALE:
            raise RulesError(f"scale: {scale!r} is not a whole number of 1 to {MOST_SCALE:,}")
        shows, tensor, name = (
            given["shows"] if "shows" in given else shown_of(game),
            given.get("tensor", "no"),
            game.get_type().short_name,
        )
        if not shows and "shows" not in given:
            raise RulesError(
                f"game: {name} cannot be played: it tells seats neither an information "
                "state nor observations"
            )
        if shows not in SHOWS or not gives(game, partial(text_of, shows=shows)):
            given_kinds = [kind for kind in SHOWS if gives(game, partial(text_of, shows=kind))]
            raise RulesError(
                f"shows: {name} gives seats no {shows!r}; what it gives: "
                f"{', '.join(given_kinds) or 'nothing'}"
            )
        if tensor not in ("no", "yes") or (
            tensor == "yes" and not gives(game, partial(whole_tensor, shows=shows))
        ):
            raise RulesError(
                f"tensor: {tensor!r} is neither no nor yes, or {name} gives none of whole numbers"
            )
        return {"game": str(game), "scale": scale, "shows": shows, "tensor": tensor}

    def seats_of(self, rules: Mapping[str, Any]) -> Sequence[int]:
        return (load_game(rules["game"]).num_players(),)

    def new(
        self, seats: int, rules: Mapping[str, Any], secret: bytes
    ) -> tuple[LibraryState, list[Event]]:
        game = load_game(rules["game"])
        if seats != game.num_players():
            raise ConfigError(f"{rules['game']} is for {game.num_players()} seats, not {seats}")
        state = LibraryState(game, rules, secret)
        return state, state.begin()

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        if event.data["type"] == "acted":
            return f"{names[event.data['seat']]}: {event.data['text']}"
        return ""  # the next view shows the change

    def choice(self, kind: str, entry: Sequence[Any], view: Mapping[str, Any]) -> str:
        return str(entry[1])

    def sketch(self, state: State, names: Sequence[str]) -> str:
        assert isinstance(state, LibraryState)
        return str(state._state)


GAME = OpenSpiel()
