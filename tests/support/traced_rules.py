"""Rules maps and views as the programs in C of tests/crules read them, and what
traced.c prints of them.
"""

import random
import struct
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgpack
from drawn_rules import drawn_rules
from rules_in_c import changed, drawn_choices

from khiva_arena.games.base import Game
from khiva_arena.native import build

CRULES = Path(__file__).parents[1] / "crules"
FOLDERS = (f"-I{build.RULES}", f"-I{build.HERE}")
"""Where rules.c and the headers lie, as a compiler takes it."""
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
HERE = ("cc",)
"""The compiler of this machine."""


def records(game: Game, lots: random.Random, matches: int) -> Iterator[bytes]:
    """Yield rules maps and views of random matches, most of them changed, as hostile.c
    reads them.
    """
    for _ in range(matches):
        seats, rules = lots.choice(game.seats), drawn_rules(game, lots)
        state, _ = game.new(seats, rules, lots.randbytes(32))
        while not state.is_over:
            if lots.random() < 0.1:
                whole, view = game.every_rule(rules), state.view(lots.randrange(seats))
                for _ in range(lots.randrange(3)):
                    view = changed(view, lots)
                yield from map(
                    framed, (changed(whole, lots) if lots.random() < 0.1 else whole, view)
                )
            state.apply(drawn_choices(state, lots))


def framed(value: Any) -> bytes:
    packed = msgpack.packb(value)
    return struct.pack(">I", len(packed)) + packed


def traced(
    game: Game, tried: bytes, folder: Path, compiler: Sequence[str], emulator: str = ""
) -> list[str]:
    """Return what traced.c prints of some records, built by a compiler with its options
    and run by an emulator.
    """
    program = str(folder / f"{game.name}-{Path(compiler[0]).name}")
    of_game = (
        f"-DTRIED={game.name}",
        f"-DLEAST_SEATS={game.seats[0]}",
        f"-DMOST_SEATS={game.seats[-1]}",
    )
    learns = ("-DTRIED_LEARNS",) if game.name == "khiva" else ()
    source = str(CRULES / "traced.c")
    words = [
        compiler[0],
        *build.STRICT,
        "-ffp-contract=off",
        *compiler[1:],
        *of_game,
        *learns,
        *FOLDERS,
        "-o",
        program,
        source,
    ]
    subprocess.run(words, check=True)
    run = subprocess.run(
        [*filter(None, [emulator]), program], input=tried, stdout=subprocess.PIPE, check=True
    )
    return run.stdout.decode().splitlines()
