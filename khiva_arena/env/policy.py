"""The adapter from a trained policy to a bot: the same numbers as in training, actions
as choices.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

from khiva_arena.env.coding import Coding, coding_of
from khiva_arena.errors import ConfigError
from khiva_arena.games import registry
from khiva_arena.games.base import Decision

if TYPE_CHECKING:
    import numpy as np

ActFunction = Callable[[dict[str, Any], "np.random.Generator"], int]
"""A function ``act(observation, chance)`` that returns an action. observation: as an
environment gives it, with its mask. chance: equal for equal seeds and views, so that a
match can be repeated.
"""


def player(
    act: ActFunction, *, coding: Coding | None = None, without: Sequence[str] = ()
) -> Callable[[Mapping[str, Any], Mapping[str, Any]], int]:
    """Return the ``choose(decide, match)`` of a policy. An illegal action plays the
    default, as in an environment.

    coding: the coding of the training, for a game that does not ship with the arena. It
        is good for one seat count and rules.
    without: the keys that were left out in the training.
    """
    left_out = tuple(without)
    # A fresh copy: a function as a bot is known by its pickle, which would hold the
    # values that a used coding has cached.
    handed = replace(coding).without(left_out) if coding else None

    def choose(decide: Mapping[str, Any], match: Mapping[str, Any]) -> int:
        import numpy as np

        coding = (
            handed.without(left_out)
            if handed
            else _coding(match["game"], match["seats"], json.dumps(match["rules"]), left_out)
        )
        legal = coding.actions_of(Decision(decide["kind"], decide["legal"]))
        mask = np.zeros(coding.actions, dtype=np.int8)
        mask[legal] = 1
        chance = np.random.default_rng([match["seed"], crc32(json.dumps(decide["view"]).encode())])
        action = int(
            act({"observation": coding.encode(decide["view"]), "action_mask": mask}, chance)
        )
        return legal.index(action) if action in legal else 0

    choose.__name__ = getattr(act, "__name__", "policy")
    return choose


@lru_cache(maxsize=4)
def _coding(game: str, seats: int, rules: str, without: tuple[str, ...]) -> Coding:
    if game not in registry.NAMES:
        raise ConfigError(
            f"{game} does not come with the arena: give its coding, as env.player(act, coding=...)"
        )
    return coding_of(registry.get(game), seats, json.loads(rules)).without(without)
