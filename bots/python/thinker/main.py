"""A bot of Khiva that searches. It draws positions that its view allows and tries its choices in each of them: it plays on some
turns to see what they were good for. The rules in C (khiva_arena.crules) draw and play, this file has the search and the time.

All choices are tried in the same positions, so that none is luckier than another. From time to time the worse half of them is
given up, until one is left. So most of the time goes to choices that are hard to tell apart. In the playouts everybody chooses
by habit: a seat does again what served it well in playouts before (``attempt``).
"""

import sys
import time

from khiva_kit import Lottery, note, play

from khiva_arena.crules import HabitsInC, QuickStreamInC, RulesInC, is_built
from khiva_arena.errors import ConfigError

# A decision takes a twentieth of the turn and a five-hundredth of what is left in the bank. So the answer comes in time
# even where the machine is twenty times too busy, and the bank never runs out.
TURN_SHARE, BANK_SHARE = 20, 500

# Set it to 3000, say, to think for so many playouts instead, and not to look at the clock: such a match can be replayed.
PLAYOUTS = 0

# What a choice is good for shows within so many turns.
TURNS = 4
# Playouts between two looks at the clock.
LOOK = 8


class Thinking:
    """A decision that is being thought about."""

    def __init__(self, decide: dict, match: dict) -> None:
        self.began = time.monotonic()
        self.most = decide.get("turn_ms", 0) / TURN_SHARE + decide.get("bank_ms", 0) / BANK_SHARE
        self.playouts = 0
        rules = RulesInC("khiva", match["rules"])
        self.view = rules.view(decide["view"])
        self.seat = decide["view"]["seat"]
        self.habits = HabitsInC(rules)
        self.chance = QuickStreamInC(Lottery(match["seed"], decide["view"]["turn"]).secret, "thinker")

    def milliseconds(self) -> float:
        """Return how long it has been thought about."""
        return 1e3 * (time.monotonic() - self.began)

    def done(self) -> float:
        """Return what part of the thinking is done, 1 or more at its end and where there is no time at all."""
        spent, most = (self.playouts, PLAYOUTS) if PLAYOUTS else (self.milliseconds(), self.most)
        return spent / most if spent < most else 1.0

    def try_all(self, choices: list, world) -> list:
        """Try choices in one position, and return how far ahead each leads; of the first ones alone if the time is up before."""
        leads = []
        for choice in choices:
            if leads and len(leads) % LOOK == 0 and self.done() >= 1:
                break
            leads.append(world.attempt(self.habits, self.seat, choice, TURNS, self.chance))
            self.playouts += 1
        return leads


def halvings(count: int) -> int:
    """Return how often the worse half of so many choices is given up until one is left."""
    return (count - 1).bit_length()


def search(thinking: Thinking, count: int) -> int:
    """Return the best choice of so many; 0 for one alone, and where the view has another number of choices."""
    if count < 2:
        return 0
    choices, sums = list(range(count)), [0.0] * count
    halved, worlds = 0, 0
    while len(choices) > 1:
        world = thinking.view.world(thinking.chance)
        asked = world.questions().get(thinking.seat)
        if asked is None or asked.choices != count:
            return 0
        leads = thinking.try_all(choices, world)
        # Else the time is up amid a position, which counts for some and not for others.
        if len(leads) == len(choices) or worlds == 0:
            choices, worlds = choices[: len(leads)], worlds + 1
            for choice, lead in zip(choices, leads, strict=True):
                sums[choice] += lead
        while len(choices) > 1 and thinking.done() * halvings(count) >= halved + 1:
            choices = sorted(choices, key=lambda choice: (-sums[choice], choice))[: (len(choices) + 1) // 2]
            halved += 1
    return choices[0]


def choose(decide: dict, match: dict) -> int:
    """Return the answer to a request: an index into its legal entries."""
    try:
        thinking = Thinking(decide, match)
        choice = search(thinking, len(decide["legal"]))
    except ConfigError:  # a view that fits no position
        return 0
    note(f"{thinking.playouts} playouts in {thinking.milliseconds():.1f} ms")
    return choice


if __name__ == "__main__":
    if not is_built():
        sys.exit("the rules in C are not built here, or were damaged since: install a C compiler, then the arena again")
    play("thinker-python", choose, version="1")
