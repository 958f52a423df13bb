"""Trains the policy of this folder by playing against itself, and writes its weights: proximal policy optimisation over numpy.

    python train.py --seats 3 --updates 200 --seed 1 --out weights-3.npz

Equal seeds give equal weights on one machine. A run takes one core: the matrices are too small for more. The weights beside this
file are of seed 1, and of 90, 200, 40 and 80 updates for 2, 3, 4 and 5 seats.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from features import OPTION, Features
from network import Actions, Adam, Network

import khiva_arena
from khiva_arena.games.khiva import GAME

LEFT_OUT = ("history",)
POINTS = 0.02
"""What a point more than the others have on average counts, beside 1 for being ahead of all others and -1 for being behind."""
TRACE, CLIP, EPOCHS, BATCH = 0.9, 0.2, 2, 2048
RATE, ENTROPY, WIDE = 3e-3, 0.01, 64


class Played(NamedTuple):
    """Decisions of T steps of G matches, a row each.

    position, options, mask: what the seat saw and might do. action: what it did. chance: how likely it was to.
    gain: how much better that went than expected. value: what was expected. counts: False where that is not known.
    """

    position: Any
    options: Any
    mask: Any
    action: Any
    chance: Any
    gain: Any
    value: Any
    counts: Any


class Trainer:
    """A policy that plays against itself.

    games, steps: how many matches at once, and how many steps of each before it learns from them.
    matches: how many have ended. entropy: of the last decisions learnt from.
    """

    def __init__(self, seats: int, games: int, steps: int, seed: int) -> None:
        self.rng = np.random.default_rng([seed, seats])
        self.env = khiva_arena.env.vector("khiva", seats, games, rewards="points", without=LEFT_OUT)
        self.features = Features(self.env.coding, seats, GAME.rules({}))
        self.actions = Actions(self.env.coding.words, self.features.options)
        self.obs, self.infos = self.env.reset(seed=seed * 1_000_000)
        self.network = Network.new(self.features.read(self.obs["observation"])[0].shape[1], OPTION, WIDE, self.rng)
        self.adam = Adam(self.network.weights)
        self.scores = np.zeros((games, seats), np.float32)
        self.steps, self.matches, self.entropy = steps, 0, 0.0

    def update(self, rate: float) -> None:
        """Play some steps and learn from them."""
        played = self._play()
        gain = played.gain
        gain = (gain - gain.mean()) / (gain.std() + 1e-6)
        for _ in range(EPOCHS):
            order = self.rng.permutation(np.flatnonzero(played.counts))
            for start in range(0, len(order) - BATCH + 1, BATCH):
                self._learn(played, gain, order[start : start + BATCH], rate)

    def _play(self) -> Played:
        """Play some steps in each match, and judge what was done."""
        rows, rewards, overs, seats = [], [], [], []
        for _ in range(self.steps):
            position, options = self.features.read(self.obs["observation"])
            mask, seat = self.obs["action_mask"], self.infos["seat"]
            logits = self.actions.logits(self.network.scores(position, options), options, mask)
            chances = softmax(logits)
            action = draw(chances, self.rng)
            value = self.network.values(position)
            rows.append((position, options, mask, action, chances[np.arange(len(action)), action], value))
            self.obs, points, over, _, self.infos = self.env.step(action)
            rewards.append(self._rewards(points, over))
            overs.append(over)
            seats.append(seat)
            self.matches += int(over.sum())
        position, options, mask, action, chance, value = (np.stack(column) for column in zip(*rows, strict=True))
        gain, counts = advantages(value, np.stack(rewards), np.stack(overs), np.stack(seats))

        def flat(array: Any) -> Any:
            return array.reshape(-1, *array.shape[2:])

        return Played(*map(flat, (position, options, mask, action, chance, gain, value, counts)))

    def _rewards(self, points: Any, over: Any) -> Any:
        """Return (G, S): points above those of the others on average, and at the end the places."""
        seats = points.shape[1]
        self.scores += points
        rewards = POINTS * seats / (seats - 1) * (points - points.mean(axis=1, keepdims=True))
        ended = self.scores[over]
        rewards[over] += np.sign(ended[:, :, None] - ended[:, None]).sum(axis=2) / (seats - 1)
        self.scores[over] = 0.0
        return rewards

    def _learn(self, played: Played, gain: Any, rows: Any, rate: float) -> None:
        """Make decisions that went better than expected more likely, but none by more than CLIP at once."""
        position, options, action = played.position[rows], played.options[rows], played.action[rows]
        chances = softmax(self.actions.logits(self.network.scores(position, options), options, played.mask[rows]))
        logs = np.log(chances + 1e-12)
        entropy = -(chances * logs).sum(axis=1, keepdims=True)
        every = np.arange(len(rows))
        ratio = chances[every, action] / played.chance[rows]
        better = gain[rows]
        counts = np.where(better > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        pull = counts * ratio * better
        slope = chances * pull[:, None] + ENTROPY * chances * (logs + entropy)
        slope[every, action] -= pull
        values = self.network.values(position)
        target = played.value[rows] + played.gain[rows]
        scores = self.actions.back(slope / len(rows), options)
        self.adam.step(self.network.back(position, options, scores, (values - target) / len(rows)), rate)
        self.entropy = float(entropy.mean())


def softmax(logits: Any) -> Any:
    """Return chances of (N, A) logits."""
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


def draw(chances: Any, rng: np.random.Generator) -> Any:
    """Return an action of each row of chances."""
    lots = rng.random(len(chances), dtype=np.float32)[:, None] * 0.999999
    return (chances.cumsum(axis=1) > lots).argmax(axis=1)


def advantages(value: Any, rewards: Any, overs: Any, seats: Any) -> tuple[Any, Any]:
    """Return how much better each decision went than expected, and which ones count, both (T, G): the last one of a seat
    whose match goes on does not.

    value: (T, G), expected by the seat that acted. rewards: (T, G, S). overs, seats: (T, G).
    """
    gain, counts = np.zeros_like(value), np.zeros(value.shape, bool)
    games = np.arange(value.shape[1])
    gained, then, trace = (np.zeros(rewards.shape[1:], np.float32) for _ in range(3))
    known = np.zeros(rewards.shape[1:], bool)
    for step in range(len(value) - 1, -1, -1):
        over = overs[step]
        gained[over] = then[over] = trace[over] = 0.0
        known[over] = True
        gained += rewards[step]
        at = games, seats[step]
        counts[step] = known[at]
        trace[at] = known[at] * (gained[at] + then[at] - value[step] + TRACE * trace[at])
        gain[step] = trace[at]
        then[at], gained[at], known[at] = value[step], 0.0, True
    return gain, counts


def train(seats: int, updates: int, seed: int, games: int = 512, steps: int = 128) -> Iterator[Trainer]:
    """Yield the trainer after each of so many updates, whose rate falls to 0."""
    trainer = Trainer(seats, games, steps, seed)
    for update in range(updates):
        trainer.update(RATE * (1.0 - update / updates))
        yield trainer


def save(trainer: Trainer, path: Path) -> None:
    """Write the weights in half precision, which plays as well."""
    np.savez(path, **{name: array.astype(np.float16) for name, array in trainer.network.weights.items()})


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seats", type=int, default=3, choices=(2, 3, 4, 5))
    parser.add_argument("--updates", type=int, default=100, help="of 65,536 decisions each; 100 by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="the file of weights, weights-SEATS.npz by default")
    asked = parser.parse_args()
    began = time.process_time()
    for number, trainer in enumerate(train(asked.seats, asked.updates, asked.seed), 1):
        if number % 10 == 0 or number == asked.updates:
            spent = time.process_time() - began
            print(f"{number} updates, {trainer.matches} matches, entropy {trainer.entropy:.2f}, {spent:.0f} s", flush=True)
            save(trainer, asked.out or Path(f"weights-{asked.seats}.npz"))


if __name__ == "__main__":
    main()
