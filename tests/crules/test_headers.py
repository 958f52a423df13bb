"""The headers of the rules in C: joined from short parts, without warnings in C and
C++, without globals, in one program.
"""

import re
import subprocess
from pathlib import Path

import pytest
from cases import cases
from rules_in_c import GAMES
from tools import need

from khiva_arena.games.base import Game
from khiva_arena.native import build

named = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
LONGEST, WIDEST = 500, 130
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wsign-conversion")
COMPILERS = (
    ("gcc", "-x", "c", "-std=c99", "-O2"),
    ("clang", "-x", "c", "-std=c99", "-O2", "-Wno-unused-function"),
    ("g++", "-x", "c++", "-std=c++17", "-O0"),
    ("g++", "-x", "c++", "-std=c++20", "-O0"),
    ("clang++", "-x", "c++", "-std=c++20", "-O0", "-Wno-unused-function"),
)
MORE_COMPILERS = (("gcc", "-x", "c", "-std=c99", "-O3"), ("g++", "-x", "c++", "-std=c++17", "-O2"))
"""What these find, another compiler that optimizes the same lines finds, or one of the
same language: for make test-long.
"""
PARTS = sorted(build.RULES.glob("*/*.h"))


@named
def test_the_joined_header_is_that_of_the_parts(game: Game) -> None:
    assert build.header(game.name).read_text("utf-8") == build.join(game.name), (
        "python khiva_arena/native/build.py"
    )


@named
def test_each_part_of_a_game_is_in_its_header(game: Game) -> None:
    text = build.join(game.name)
    for part in PARTS:
        if part.parent.name in (game.name, "arena"):
            assert text.count(f"#ifndef {guard(part)}\n") == 1, part
    assert f"{game.name.upper()}_RULES_VERSION" in text
    assert not re.search(r'#include "', text)


@cases("part", PARTS)
def test_a_part_is_short_and_says_what_it_is(part: Path) -> None:
    lines = part.read_text("utf-8").splitlines()
    assert len(lines) < LONGEST
    assert max(map(len, lines)) <= WIDEST
    assert lines[0].startswith("/* ")
    assert guard(part) in "\n".join(lines)
    names = re.findall(r"^static inline [\w ]+?\*?(\w+)\(", "\n".join(lines), re.MULTILINE)
    assert [name for name in names if not name.startswith(f"{part.parent.name}_")] == []


def guard(part: Path) -> str:
    """Return the macro by which a part is included once."""
    room, name = part.parent.name.upper(), part.stem.upper()
    return f"{room}_H" if room == name else f"{room}_{name}_H"


@named
def test_the_version_is_that_of_the_engine(game: Game) -> None:
    (version,) = re.findall(
        rf'#define {game.name.upper()}_RULES_VERSION "(.*)"', build.join(game.name)
    )
    assert version == game.rules_version


@pytest.mark.language
@pytest.mark.parametrize(
    "words",
    [*COMPILERS, *(pytest.param(words, marks=pytest.mark.long) for words in MORE_COMPILERS)],
    ids=lambda words: f"{words[0]}{words[3][4:]}{words[4]}",
)
def test_all_headers_together_compile_without_a_warning(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    need(words[0])
    twice = "".join(f'#include "{build.header(name)}"\n' for name in (*build.GAMES, *build.GAMES))
    source = tmp_path / "all.c"
    twice += (
        "#define EXPORTED\n#define GAME khiva\n#define MOST 5\n#define LEARNS\n#include "
        f'"{build.RULES}/calls/calls.h"\n'
    )
    source.write_text(f"{twice}int main(void)\n{{\n    return 0;\n}}\n")
    subprocess.run([*words, *WARNINGS, "-o", str(tmp_path / "all"), str(source)], check=True)


@pytest.mark.language
@named
def test_nothing_is_allocated_or_kept_between_calls(game: Game, tmp_path: Path) -> None:
    """An object of the whole header has functions and constants alone, and calls
    nothing that could allocate.
    """
    need("cc")
    need("nm")
    need("size")
    text = build.join(game.name).replace("static inline ", "")
    source, made = tmp_path / "all.c", tmp_path / "all.o"
    source.write_text(text)
    subprocess.run(
        [
            "cc",
            "-std=c99",
            "-O1",
            "-U_FORTIFY_SOURCE",
            "-fno-stack-protector",
            "-c",
            "-o",
            str(made),
            str(source),
        ],
        check=True,
    )
    sections = {
        line.split()[0]: int(line.split()[1])
        for line in _printed("size", "-A", made)
        if line.startswith(".")
    }
    assert (sections[".data"], sections[".bss"]) == (0, 0)
    wanted = {line.split()[-1] for line in _printed("nm", "--undefined-only", made)}
    assert wanted <= {
        "memchr",
        "memcmp",
        "memcpy",
        "memset",
        "memmove",
        "strlen",
        "__stack_chk_fail",
    }


def _printed(*words: str | Path) -> list[str]:
    return subprocess.check_output(list(map(str, words)), text=True).splitlines()
