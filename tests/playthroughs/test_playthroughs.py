"""Whole matches, line by line. A difference is a change of the rules: read it, then run
make.py here with ``--write``.
"""

import runpy
from pathlib import Path

import pytest

from khiva_arena.games import registry

HERE = Path(__file__).parent
MAKER = runpy.run_path(str(HERE / "make.py"))
CASES = [(game, match) for game, matches in MAKER["MATCHES"].items() for match in matches]


@pytest.mark.parametrize(
    ("game", "match"), CASES, ids=[f"{game}-{match.name}" for game, match in CASES]
)
def test_playthrough(game, match):
    check_lines(f"{game}/{match.name}.txt", MAKER["playthrough"](game, match))


@pytest.mark.parametrize("game", MAKER["MATCHES"])
def test_words_and_tables_of_a_person(game):
    check_lines(f"{game}/person.txt", MAKER["person"](game))


def check_lines(name, text):
    old, new = (HERE / name).read_text("utf-8").splitlines(), text.splitlines()
    for number, (was, now) in enumerate(zip(old, new, strict=False), 1):
        assert now == was, f"{name} line {number}"
    assert len(new) == len(old)


@pytest.mark.parametrize("game", registry.GAMES)
def test_every_game_has_playthroughs_for_all_its_seat_counts(game):
    seats = {match.seats for match in MAKER["MATCHES"].get(game, ())}
    assert seats == set(registry.get(game).seats)


def test_no_playthrough_is_left_over():
    files = {path.relative_to(HERE).as_posix() for path in HERE.glob("*/*.txt")}
    assert files == {f"{game}/{match.name}.txt" for game, match in CASES} | {
        f"{game}/person.txt" for game in MAKER["MATCHES"]
    }
