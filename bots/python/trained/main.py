"""Plays what a network prefers that has learnt Khiva by playing against itself: see train.py."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported; before it is, nothing may load it

import json
from functools import cache
from pathlib import Path

import numpy as np
from features import Features
from khiva_kit import note, play
from network import Actions, Network

from khiva_arena.env.coding import coding_of
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Decision
from khiva_arena.games.khiva import GAME

LEFT_OUT = ("history",)
ROUNDED = 4
"""Digits that count: the last bits of a sum differ from machine to machine."""


class Policy:
    """The policy of a seat count, under the rules of a match."""

    def __init__(self, seats: int, rules: dict) -> None:
        self.coding = coding_of(GAME, seats, rules).without(LEFT_OUT)
        self.features = Features(self.coding, seats, rules)
        self.actions = Actions(self.coding.words, self.features.options)
        with np.load(Path(__file__).with_name(f"weights-{seats}.npz")) as stored:
            self.network = Network({name: stored[name].astype(np.float32) for name in stored.files})

    def choose(self, decide: dict) -> int:
        """Return the choice of the highest score, the first of equal ones."""
        entries = self.coding.actions_of(Decision(decide["kind"], decide["legal"]))
        mask = np.zeros((1, self.coding.actions), np.int8)
        mask[0, entries] = 1
        position, options = self.features.read(self.coding.encode(decide["view"])[None])
        logits = self.actions.logits(self.network.scores(position, options), options, mask)[0, entries]
        if not np.isfinite(logits).all():
            raise ValueError("scores are no numbers")
        is_scored = self.actions.scores[:, entries].any(axis=0)
        return int(np.where(is_scored, np.round(logits, ROUNDED), -np.inf).argmax())


@cache
def policy(seats: int, rules: str) -> Policy:
    """Return the policy of a match, made once. rules: their JSON."""
    return Policy(seats, json.loads(rules))


def choose(decide: dict, match: dict) -> int:
    """Return the choice of the policy, or the default where it has no numbers for what it sees."""
    try:
        return policy(match["seats"], json.dumps(match["rules"])).choose(decide)
    except (ArithmeticError, AttributeError, ConfigError, LookupError, TypeError, ValueError) as error:
        note("the default is played, for a request that the policy cannot read:", repr(error))
        return 0


if __name__ == "__main__":
    play("trained", choose, version="1")
