"""What is no view, no rules map and no choice is an error of the rules in C, and breaks nothing: hostile.c says what is tried."""

import random
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from drawn_rules import drawn_rules
from rules_in_c import GAMES, changed, drawn_choices
from tools import need

from khiva_arena.games.base import Game
from khiva_arena.native import build

pytestmark = pytest.mark.language
SEATS_OF = {"emira": "(view)->table.seats"}
"""Where a view says how many seats there are, if not by itself."""
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
MATCHES = 300


def records(game: Game, lots: random.Random, matches: int) -> Iterator[bytes]:
    """Yield rules maps and views of random matches, most of them changed, as hostile.c reads them."""
    for _ in range(matches):
        seats, rules = lots.choice(game.seats), drawn_rules(game, lots)
        state, _ = game.new(seats, rules, lots.randbytes(32))
        while not state.is_over:
            if lots.random() < 0.1:
                whole, view = game.every_rule(rules), state.view(lots.randrange(seats))
                for _ in range(lots.randrange(3)):
                    view = changed(view, lots)
                yield from map(framed, (changed(whole, lots) if lots.random() < 0.1 else whole, view))
            state.apply(drawn_choices(state, lots))


def framed(value: Any) -> bytes:
    packed = msgpack.packb(value)
    return struct.pack(">I", len(packed)) + packed


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_hostile_views_rules_and_choices(game: Game, tmp_path: Path) -> None:
    need("cc")
    program = tmp_path / "hostile"
    folders = (f"-I{build.RULES}", f"-I{build.HERE}")
    seats = f"-DSEATS_OF(view)={SEATS_OF.get(game.name, '(view)->seats')}"
    options = ("-g", seats, f"-DTRIED={game.name}", f"-DTRIED_SEATS={game.seats[-1]}", *SANITIZERS, *folders)
    source = Path(__file__).with_name("hostile.c")
    subprocess.run(["cc", *build.STRICT, *options, "-o", str(program), str(source)], check=True)
    tried = b"".join(records(game, random.Random(game.name), MATCHES))
    done = subprocess.run([str(program)], input=tried, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    sound, views = map(int, done.stdout.split())
    assert 0 < sound < views  # some of both, or nothing was tried
    assert views > 10 * MATCHES
