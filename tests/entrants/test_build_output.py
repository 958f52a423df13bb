"""The line of a build's output that an author has to read: the first error of a
compiler, wherever it stands.
"""

import pytest
from cases import cases

from khiva_arena.entrants.build_output import SHOWN, BuildOutput, first_error


@cases(
    ("text", "line"),
    [
        (
            "main.c: In function 'f':\nmain.c:3:5: error: expected ';'\nmain.c:4:1: error: y\n",
            "main.c:3:5: error: expected ';'",
        ),
        (
            "a.c:1:10: fatal error: x.h: No such file\ncompilation terminated.\n",
            "a.c:1:10: fatal error: x.h: No such file",
        ),
        (
            "note\nerror[E0425]: cannot find value `x`\n --> src/main.rs:3:5\n",
            "error[E0425]: cannot find value `x`",
        ),
        ("# bot\n./main.go:3:2: undefined: x\n", "./main.go:3:2: undefined: x"),
        ("Main.java:3: error: ';' expected\n1 error\n", "Main.java:3: error: ';' expected"),
        ("main.cs(3,5): error CS1002: ; expected\n", "main.cs(3,5): error CS1002: ; expected"),
        (
            "main.ts(3,1): error TS2304: Cannot find name 'x'.\n",
            "main.ts(3,1): error TS2304: Cannot find name 'x'.",
        ),
        (
            "Main.hs:3:1: error:\n    Variable not in scope: x\n",
            "Main.hs:3:1: error: Variable not in scope: x",
        ),
        ('File "x.ml", line 3\nError: Unbound value x\n', "Error: Unbound value x"),
        (
            "/usr/bin/ld: a.o: undefined reference to `f'\ncollect2: error: ld returned 1\n",
            "/usr/bin/ld: a.o: undefined reference to `f'",
        ),
        ("make: *** [Makefile:2: bot] Error 1\n", ""),
        ("a.c:1:1: warning: unused\n", ""),
        ("Traceback (most recent call last):\nModuleNotFoundError: No module named 'torch'\n", ""),
    ],
)
def test_the_first_error(text: str, line: str) -> None:
    assert first_error(text) == line


@pytest.mark.parametrize("before", [0, 5_000])
def test_a_first_error_that_scrolled_away_is_kept(before: int) -> None:
    output = BuildOutput()
    for part in (
        b"x" * before,
        b"\nmain.c:3:5: err",
        b"or: expected ';'\n",
        b"at the end\n" * SHOWN,
    ):
        output.add(part)
    first, dots, *end = output.text().split("\n")
    assert (first, dots, {*end[1:]}) == ("main.c:3:5: error: expected ';'", "...", {"at the end"})
    assert len("\n".join(end)) <= SHOWN


def test_an_error_in_the_end_is_not_said_twice() -> None:
    output = BuildOutput()
    output.add(b"a.c:1:1: error: x\nmake: *** [bot] Error 1\n")
    assert output.text() == "a.c:1:1: error: x\nmake: *** [bot] Error 1"
