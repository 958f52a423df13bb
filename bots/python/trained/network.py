"""The network of the trained policy, with its gradient and an optimiser, over numpy arrays.

Each option of a decision is scored by itself: as a card to play, as a card to play beside a lower one of its colour, as a card to
pass, as an answer. An action adds up the scores that it is made of. Shapes are those of features.py, with A actions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

PLAY, BEATEN, PASS, ANSWER = range(4)
COLOUR = slice(5, 10)
"""Where an option's colour is, one of five."""
IMPOSSIBLE = 1e9
multiplies = np.errstate(invalid="ignore")
"""Marks what multiplies matrices. On some processors OpenBLAS raises the flag of invalid numbers for products of finite ones, so
the flag says nothing: ``Adam.step`` and the bot look at what comes out."""
ANSWERS = {"boost": {str(gems): gems for gems in range(6)}, "shop4": {"carpet": 0, "salt": 1}}


class Actions:
    """What each action is made of: (K * 4, A) for scores, (pairs, A) for pairs of cards played. words: of the coding."""

    def __init__(self, words: Sequence[str], options: int) -> None:
        scores = np.zeros((options, 4, len(words)), np.float32)
        pairs = {}
        for action, (kind, *rest) in enumerate(map(str.split, words)):
            if kind == "play_pass":
                cards = list(map(int, rest))
                played = cards[: len(cards) // 2]
                scores[played, PLAY, action] = 1.0
                scores[cards[len(played) :], PASS, action] = 1.0
                if len(played) == 2:
                    pairs.setdefault(tuple(played), []).append(action)
            elif rest and rest[0] in ANSWERS.get(kind, ()):
                scores[ANSWERS[kind][rest[0]], ANSWER, action] = 1.0
        self.scores = scores.reshape(-1, len(words))
        self.first, self.second = np.array(list(pairs), int).reshape(-1, 2).T
        self.pairs = np.zeros((len(pairs), len(words)), np.float32)
        for pair, actions in enumerate(pairs.values()):
            self.pairs[pair, actions] = 1.0

    def alike(self, options: Any) -> Any:
        """Return (N, pairs): 1 for two cards of one colour."""
        colours = options[:, :, COLOUR]
        return (colours[:, self.first] * colours[:, self.second]).sum(axis=2)

    @multiplies
    def logits(self, scores: Any, options: Any, mask: Any) -> Any:
        """Return (N, A) of the scores (N, K, 4): a card beside a lower one of its colour is beaten."""
        beaten = self.alike(options) * (scores[:, self.first, BEATEN] - scores[:, self.first, PLAY])
        logits = scores.reshape(len(scores), -1) @ self.scores + beaten @ self.pairs
        return logits - np.where(mask > 0, np.float32(0.0), np.float32(IMPOSSIBLE))

    @multiplies
    def back(self, slope: Any, options: Any) -> Any:
        """Return the gradient (N, K, 4) of scores, of that of logits."""
        scores = (slope @ self.scores.T).reshape(len(slope), -1, 4)
        beaten = self.alike(options) * (slope @ self.pairs.T)
        for pair, first in enumerate(self.first):
            scores[:, first, BEATEN] += beaten[:, pair]
            scores[:, first, PLAY] -= beaten[:, pair]
        return scores


class Network:
    """Scores options and judges positions. weights: arrays by name; new ones if there are none."""

    def __init__(self, weights: dict[str, Any]) -> None:
        self.weights = weights

    @classmethod
    def new(cls, position: int, option: int, wide: int, rng: np.random.Generator) -> "Network":
        """Return a network whose inputs have so many numbers, with random weights."""

        def layer(inputs: int, outputs: int, scale: float = 1.0) -> Any:
            return (scale * rng.standard_normal((inputs, outputs)) / np.sqrt(inputs)).astype(np.float32)

        weights = {
            "position": layer(position, wide),
            "option": layer(option, wide),
            "first": np.zeros(wide, np.float32),
            "middle": layer(wide, wide // 2),
            "second": np.zeros(wide // 2, np.float32),
            "last": layer(wide // 2, 4, 0.1),
            "direct": np.zeros((option, 4), np.float32),
            "judge": layer(position, wide),
            "third": np.zeros(wide, np.float32),
            "value": layer(wide, 1, 0.1),
            "even": np.zeros(1, np.float32),
        }
        return cls(weights)

    @multiplies
    def scores(self, position: Any, options: Any) -> Any:
        """Return (N, K, 4), and keep what ``back`` needs."""
        w = self.weights
        flat = options.reshape(-1, options.shape[2])
        deep = flat @ w["option"]
        deep = deep.reshape(*options.shape[:2], -1)
        deep += (position @ w["position"] + w["first"])[:, None]
        self.one = np.maximum(deep, 0.0, out=deep).reshape(len(flat), -1)
        self.two = self.one @ w["middle"] + w["second"]
        np.maximum(self.two, 0.0, out=self.two)
        return (self.two @ w["last"] + flat @ w["direct"]).reshape(*options.shape[:2], 4)

    @multiplies
    def values(self, position: Any) -> Any:
        """Return (N,): what the seat can expect to gain from here."""
        w = self.weights
        self.three = np.maximum(position @ w["judge"] + w["third"], 0.0)
        return (self.three @ w["value"] + w["even"])[:, 0]

    @multiplies
    def back(self, position: Any, options: Any, scores: Any, values: Any) -> dict[str, Any]:
        """Return the gradients of weights, of those of the last ``scores`` and ``values``."""
        w, flat, last = self.weights, options.reshape(-1, options.shape[2]), scores.reshape(-1, 4)
        two = (last @ w["last"].T) * (self.two > 0)
        one = (two @ w["middle"].T) * (self.one > 0)
        both = one.reshape(*options.shape[:2], -1).sum(axis=1)
        three = (values[:, None] * w["value"][:, 0]) * (self.three > 0)
        return {
            "position": position.T @ both,
            "option": flat.T @ one,
            "first": both.sum(axis=0),
            "middle": self.one.T @ two,
            "second": two.sum(axis=0),
            "last": self.two.T @ last,
            "direct": flat.T @ last,
            "judge": position.T @ three,
            "third": three.sum(axis=0),
            "value": self.three.T @ values[:, None],
            "even": values.sum(keepdims=True),
        }


class Adam:
    """The optimiser: a step along the mean gradient, divided by its usual size."""

    def __init__(self, weights: dict[str, Any]) -> None:
        self.weights, self.steps = weights, 0
        self.mean = {name: np.zeros_like(array) for name, array in weights.items()}
        self.square = {name: np.zeros_like(array) for name, array in weights.items()}

    def step(self, slopes: dict[str, Any], rate: float, most: float = 0.5) -> None:
        """Change the weights against the gradient, which is cut to the length ``most``.

        Raises FloatingPointError for a gradient that is no number.
        """
        self.steps += 1
        length = np.sqrt(sum(float((slope**2).sum()) for slope in slopes.values()))
        if not np.isfinite(length):
            raise FloatingPointError("the gradient is no number any more: train again, at a smaller rate")
        cut = min(1.0, most / (length + 1e-8))
        for name, slope in slopes.items():
            mean, square = self.mean[name], self.square[name]
            mean += 0.1 * (cut * slope - mean)
            square += 0.001 * ((cut * slope) ** 2 - square)
            size = np.sqrt(square / (1.0 - 0.999**self.steps)) + 1e-5
            self.weights[name] -= (rate / (1.0 - 0.9**self.steps)) * mean / size
