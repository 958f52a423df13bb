"""Worlds that a seat holds possible: the one place where the environments ask a game for them."""

from collections.abc import Mapping

from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game, Plain, State
from khiva_arena.rng import Stream


def world(game: Game, view: Mapping[str, Plain], rules: Mapping[str, Plain], stream: Stream) -> State:
    """A state in which the seat of ``view`` would have exactly this view; the rest is drawn from ``stream``.

    Raises ConfigError for a game that cannot make one.
    """
    determinise = getattr(game, "determinise", None)
    if determinise is None:
        raise ConfigError(f"{game.title} makes no worlds of views")
    found: State = determinise(view, rules, stream)
    return found
