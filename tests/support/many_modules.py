"""Matches of many modules, and of bots in JavaScript and Python, honest and not, in
every game: the same ones always.
"""

import random
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import python
from javascript import interpreter, stage_shipped
from module_matches import job, staged
from msgspec.structs import replace
from scripted_modules import PROBE, command, compiled, of_row, script, scripted

from khiva_arena.arbiter.match import Job
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Clock
from khiva_arena.games.registry import get
from khiva_arena.records.replay.record import RecordedSeat

GAMES = ("khiva", "emira", "silk_road")
SHORT = {"startup_ms": 50, "turn_ms": 20, "bank_ms": 30}
ROWS = (
    *(
        "honest",
        "slow",
        "late",
        "spins",
        "no-flush",
        "divides",
        "segfault",
        "aborts",
        "calls-another-type",
        "calls-nothing",
    ),
    *(
        "recurses",
        "start-recurses",
        "start-traps",
        "start-exit",
        "start-deaf",
        "memory",
        "memory-caught",
        "notes-flood",
    ),
    *(
        "notes-300k",
        "print-8k",
        "flood-frame",
        "choice-beyond",
        "exit-3",
        "exit-between",
        "answers-twice",
        "answers-early",
    ),
    *("single-bytes", "closes-stdin", "never-exits"),
)
"""Rows of the zoo that take part, in half of all seats, one after the other. A sixth
has the probe, which plays to the end and asks for all that there is.
"""
JAVASCRIPT = ("greedy", "random")
"""Shipped bots that have another sixth of the seats. They run in the interpreter;
greedy is at fault in all games but Khiva.
"""
PYTHON = ("random", "naive", "greedy", "greedy_emira", "greedy_silk_road")
"""Shipped bots that have the last sixth, named ``python-greedy`` and so on."""


def modules() -> dict[str, bytes]:
    """The modules, by name."""
    grows = {
        f"late-{at}": scripted(script("t", command("g"), command("h"), at=at)) for at in (5, 9)
    }
    return {"probe": compiled(PROBE), **grows, **{name: scripted(of_row(name)) for name in ROWS}}


def identified() -> dict[str, bytes]:
    """The modules of all bots, by name: those of JavaScript and of Python have the
    interpreter.
    """
    in_python = dict.fromkeys((f"python-{name}" for name in PYTHON), interpreter("python"))
    return {**modules(), **dict.fromkeys(JAVASCRIPT, interpreter()), **in_python}


def stage_modules(folder: Path) -> dict[str, Command]:
    """The commands of the modules, by name, compiled by the VM that is installed."""
    in_python = {f"python-{name}": python.stage_shipped(name) for name in PYTHON}
    return {
        **{name: staged(folder, name, module) for name, module in modules().items()},
        **stage_shipped(folder),
        **in_python,
    }


def matches(count: int, commands: dict[str, Command]) -> Iterator[Job]:
    """The first matches, in ticks, of 2 to 5 seats where the game has so few and so
    many: each game at each number of seats, one after the other. A bot is identified by
    its name.
    """
    in_python = sorted(name for name in commands if name.startswith("python-"))
    others = sorted(set(commands) - {"probe", *JAVASCRIPT, *in_python})
    random.Random("others").shuffle(others)
    dealt = [cycle(names) for names in (["probe"], JAVASCRIPT, in_python, others)]
    tables = [
        (game, number) for number in range(2, 6) for game in GAMES if number in get(game).seats
    ]
    for ordinal in range(count):
        lots = random.Random(f"match {ordinal}")
        game, seats = tables[ordinal % len(tables)]
        names = [next(lots.choices(dealt, (1, 1, 1, 3))[0]) for _ in range(seats)]
        policy = lots.choice(("strict", "lenient"))
        made = job(
            [commands[name] for name in names],
            Clock.TICKS,
            ordinal=ordinal,
            game=game,
            policy=policy,
            **SHORT,
        )
        seated = tuple(
            RecordedSeat(f"bot{n}", name, made.header.seats[n].number)
            for n, name in enumerate(names)
        )
        yield replace(made, header=replace(made.header, seats=seated))
