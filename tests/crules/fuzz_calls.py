"""Call everything public of ``khiva_arena.crules`` and of the environments with
arguments that fit and that do not.

    python tests/crules/fuzz_calls.py [--library FILE] [--calls N | --minutes M]
                                      [--seed S]

A call returns or raises one of REFUSALS, and a refused one leaves its position as it
was. Prints a JSON object: by name how often a call returned and how often it was
refused. A library that was built with sanitizers ends the process at the first access
beyond a piece of memory; ``test_calls_fuzzed.py`` builds it.
"""

import argparse
import faulthandler
import inspect
import json
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from rules_in_c import GAMES, changed

from khiva_arena import crules, env
from khiva_arena.crules import game as game_in_c
from khiva_arena.crules import khiva, tables
from khiva_arena.errors import ConfigError, IllegalChoice
from khiva_arena.native import build

REFUSALS = (ConfigError, IllegalChoice, ValueError, TypeError)
SLOWEST = 120
"""Seconds after which a call is said never to return."""
KEPT = 12
"""How many objects of a class wait for their next call."""
SEATS_OF = {game.name: game.seats for game in GAMES}
NUMBERS = (
    *range(-1, 7),
    19,
    255,
    10**40,
    *(2**bits + more for bits in (31, 32, 63, 64) for more in (-1, 0, 3)),
    -(2**31),
    -(2**63),
)
CLASSES = (
    *(one for name in crules.__all__ if isinstance(one := getattr(crules, name), type)),
    *(khiva.KhivaRules, khiva.KhivaPosition, khiva.KhivaView, khiva.KhivaHabits),
)
"""What is made and called."""
OTHERS = (
    None,
    True,
    1.5,
    float("nan"),
    "",
    "khiva",
    b"",
    b"a" * 32,
    bytes(31),
    [],
    [0],
    {},
    {0: 0},
    {"a": 1},
    object(),
    len,
)


class Fuzzer:
    """Objects of each class, and the calls that are made of them."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.held: dict[type, list[Any]] = {}
        self.returned, self.refused = Counter[str](), Counter[str]()
        for game in GAMES:
            self.keep(crules.RulesInC(game.name, game.every_rule(game.rules({}))))
        self.keep(khiva.KhivaRules(GAMES[0].every_rule(GAMES[0].rules({}))))

    def keep(self, value: Any) -> Any:
        """Keep an object for later calls, in place of an older one."""
        known = self.held.setdefault(type(value), [])
        if len(known) >= KEPT:
            known[self.chance.randrange(len(known))] = value
        else:
            known.append(value)
        return value

    def one(self, kind: type) -> Any:
        """Return an object of a class; None if there is none yet."""
        return self.chance.choice(self.held.get(kind) or [None])

    def call(self, name: str, function: Callable[..., Any], *fitting: Any, **named: Any) -> Any:
        """Call a function with arguments that fit, or with others in place of some;
        return what came of it.
        """
        given, whole = list(fitting), dict(named)
        if self.chance.random() < 0.5:
            places: list[Any] = [*range(len(given)), *whole]
            for place in self.chance.sample(
                places, min(len(places), self.chance.choice([1, 1, 2]))
            ):
                (given if isinstance(place, int) else whole)[place] = self.other()  # type: ignore[index,call-overload]
        faulthandler.dump_traceback_later(SLOWEST, exit=True)
        try:
            value = function(*given, **whole)
        except REFUSALS:
            self.refused[name] += 1
            return None
        except Exception as error:
            raise AssertionError(
                f"{name}{tuple(given)!r:.500} {whole!r:.500} raised {type(error).__name__}"
            ) from error
        finally:
            faulthandler.cancel_dump_traceback_later()
        self.returned[name] += 1
        return value

    def other(self) -> Any:
        """Return a value that fits few arguments."""
        kind = self.chance.random()
        if kind < 0.5:
            return self.chance.choice(NUMBERS)
        return (
            self.one(self.chance.choice([*self.held]))
            if kind < 0.65
            else self.chance.choice(OTHERS)
        )

    # --- arguments by the names that the calls have ---

    def argument(self, name: str, owner: Any) -> Any:
        """Return a value that fits an argument of a call."""
        rules = (
            owner
            if isinstance(owner, crules.RulesInC)
            else getattr(owner, "rules", None) or self.one(crules.RulesInC)
        )
        seats = getattr(owner, "seats", 0) or self.chance.choice(SEATS_OF[rules.game])
        match name:
            case "seat":
                return self.chance.randrange(seats)
            case "seats":
                return seats
            case "rules":
                return rules
            case "secret":
                return self.chance.randbytes(32)
            case "stream":
                return self.one(crules.StreamInC) or self.one(crules.QuickStreamInC)
            case "habits":
                return self.one(crules.HabitsInC)
            case "label":
                return self.chance.choice(["", "worlds", "\u00e9" * 99])
            case "view":
                return self.view()
            case "choices":
                return {
                    seat: self.chance.randrange(one.choices)
                    for seat, one in owner.questions().items()
                }
            case "deed":
                return self.chance.choice(
                    [
                        ("play", 4, 5),
                        ("pass", 0, 1),
                        ("bring", 4, 4, 5),
                        ("bring", 0, -1, 0),
                        ("nothing",),
                    ]
                )
            case "judgement":
                return khiva.Judgement(*(self.chance.uniform(-9, 9) for _ in khiva.USUAL))
            case _:
                return {
                    "without": 1 << self.chance.randrange(40),
                    "quick": True,
                    "n": 7,
                    "choice": 3,
                    "turns": 4,
                }[name]

    def view(self) -> Any:
        """Return a view of a match, as a map or as bytes, perhaps with something in it
        changed.
        """
        state = self.one(crules.StateInC)
        if state is not None and self.chance.random() < 0.5:
            seen = bytearray(state.see(self.chance.randrange(state.seats)))
            for _ in range(self.chance.choice([0, 0, 1, 3])):
                seen[self.chance.randrange(len(seen))] = self.chance.choice([0, 1, 127, 128, 255])
            return bytes(seen)
        game = self.chance.choice(GAMES)
        state, _ = game.new(
            self.chance.choice(game.seats), game.rules({}), self.chance.randbytes(32)
        )
        for _ in range(self.chance.randrange(30)):
            if not state.is_over:
                state.apply(
                    {
                        seat: self.chance.randrange(len(one.legal))
                        for seat, one in state.pending().items()
                    }
                )
        view = state.view(0)
        return changed(view, self.chance) if self.chance.random() < 0.3 else view

    # --- the calls ---

    def of_class(self, kind: type) -> None:
        """Make an object of a class of ``crules``."""
        if issubclass(kind, crules.RulesInC):
            game = self.chance.choice(GAMES) if kind is crules.RulesInC else GAMES[0]
            whole = game.every_rule(game.rules({}))
            given = changed(whole, self.chance) if self.chance.random() < 0.5 else whole
            fitting = [game.name, given] if kind is crules.RulesInC else [given]
        else:
            fitting = [self.argument(name, None) for name in inspect.signature(kind).parameters]
        value = self.call(kind.__name__, kind, *fitting)
        if value is not None:
            self.keep(value)

    def of_object(self, owner: Any) -> None:
        """Call one of the public functions of an object, or read one of its
        properties.
        """
        kind = type(owner)
        public = [
            name
            for name in dir(kind)
            if not name.startswith("_") and name not in kind.__annotations__
        ]
        public += ["__bytes__"] if kind is crules.ViewInC else []
        if not public:
            return
        name = self.chance.choice(public)
        if isinstance(owner, crules.StateInC) and self.chance.random() < 0.3:
            for _ in range(self.chance.choice([1, 3, 10, 100])):
                if not owner.is_over:
                    owner.apply(self.argument("choices", owner))
        before = bytes(owner._memory) if isinstance(owner, crules.StateInC) else b""
        refused = self.refused.total()
        if not callable(getattr(kind, name)):
            self.call(f"{kind.__name__}.{name}", lambda: getattr(owner, name))
            return
        signature = inspect.signature(getattr(owner, name)).parameters
        fitting = {one: self.argument(one, owner) for one in signature}
        value = self.call(f"{kind.__name__}.{name}", getattr(owner, name), **fitting)
        if isinstance(value, crules.StateInC | crules.ViewInC):
            self.keep(value)
        if before and self.refused.total() > refused:
            assert bytes(owner._memory) == before, f"{name} was refused, and changed the position"

    def of_benchmarks(self) -> None:
        """Call what benchmarks call, a few times, and tables of matches with arrays
        that fit and that do not.
        """
        chance, seed = self.chance, self.chance.getrandbits(64)
        self.call(
            "random_games",
            partial(game_in_c.random_games, games=1),
            self.one(crules.RulesInC),
            3,
            seed,
        )
        self.call("copy_states", partial(game_in_c.copy_states, times=3), self.one(crules.StateInC))
        self.call(
            "draw_worlds",
            partial(game_in_c.draw_worlds, times=2),
            self.one(crules.ViewInC),
            quick=True,
        )
        rules = self.one(crules.RulesInC)
        game = next(game for game in GAMES if game.name == rules.game)
        whole, seats = game.every_rule(game.rules({})), chance.choice(game.seats)
        sizes = (crules.RulesInC(game.name, whole).observation_size(seats), rules.actions(seats))
        arrays = tables.Arrays.of(chance.choice([1, 2, 3]), seats, *sizes)
        if chance.random() < 0.3:
            name = chance.choice(arrays._fields)
            arrays = arrays._replace(
                **{
                    name: chance.choice(
                        [getattr(arrays, name)[:0], np.zeros(3), np.zeros((2, 2), np.int8)]
                    )
                }
            )
        table = self.call("TablesInC", tables.TablesInC, game.name, whole, arrays, False, 0)
        if table is not None:
            steps = [
                np.zeros(len(arrays.over), np.int64),
                np.full(len(arrays.over), 3, np.int64),
                np.zeros(1),
                np.zeros(9, int),
            ]
            self.call("TablesInC.step", table.step, chance.choice(steps))

    def of_environments(self) -> None:
        """Make an environment and play in it, with actions of all kinds."""
        chance, game = self.chance, self.chance.choice(GAMES)
        make, seats = chance.choice([env.aec, env.parallel, env.vector]), chance.choice(game.seats)
        words = {
            "rewards": chance.choice(["places", "points"]),
            "without": chance.choice([(), ("hand",)]),
        }
        # As many matches as somebody asks for are made, until memory ends; so no wild
        # number is tried.
        made = (
            partial(make, games=chance.choice([1, 2, 3, 0, -1, "a", 2.5]))
            if make is env.vector
            else make
        )
        place = self.call(make.__name__, made, chance.choice([game.name, game]), seats, **words)
        if place is None:
            return
        name = type(place).__name__
        if (
            self.call(f"{name}.reset", place.reset, seed=chance.randrange(5)) is None
            and name == "VectorEnv"
        ):
            return  # there is no match to play before the first reset
        for _ in range(chance.randrange(40) if getattr(place, "agents", True) else 0):
            if name == "VectorEnv":
                masks = place._arrays.masks
                legal = [chance.choice(np.flatnonzero(mask).tolist()) for mask in masks]
                odd = [
                    [2**40] * len(masks),
                    [-(2**63)] * len(masks),
                    np.full(len(masks), 2**64 - 1, np.uint64),
                    [0],
                    [[0]],
                    0,
                ]
                self.call(
                    f"{name}.step",
                    place.step,
                    legal if chance.random() < 0.8 else chance.choice(odd),
                )
            elif name == "ArenaAEC":
                agent = place.agent_selection
                if place.terminations[agent]:
                    return
                mask = place.observe(agent)["action_mask"]
                self.call(f"{name}.step", place.step, int(chance.choice(np.flatnonzero(mask))))
            elif place.agents:
                self.call(
                    f"{name}.step",
                    place.step,
                    {agent: chance.choice([0, 1, 2, 5, 2**40, -1]) for agent in place.agents},
                )


def fuzz(seed: int, calls: int, seconds: float = float("inf")) -> Fuzzer:
    """Make so many calls, or as many as there is time for."""
    fuzzer, until = Fuzzer(seed), time.monotonic() + seconds
    chance = fuzzer.chance
    while (fuzzer.returned + fuzzer.refused).total() < calls and time.monotonic() < until:
        way = chance.random()
        if way < 0.2:
            fuzzer.of_class(chance.choice(CLASSES))
        elif way < 0.96:
            owner = fuzzer.one(chance.choice([kind for kind in CLASSES if fuzzer.held.get(kind)]))
            fuzzer.of_object(owner)
        elif way < 0.98:
            fuzzer.of_benchmarks()
        else:
            fuzzer.of_environments()
    return fuzzer


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", help="call this one, built with sanitizers")
    parser.add_argument("--calls", type=int, default=sys.maxsize)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**40))
    options = parser.parse_args()
    if options.library:
        build.program = lambda _: options.library
    print(f"seed {options.seed}", file=sys.stderr, flush=True)
    done = fuzz(options.seed, options.calls, 60 * options.minutes)
    print(json.dumps({"returned": done.returned, "refused": done.refused}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
