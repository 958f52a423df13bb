"""At most so many lines on stdout, and stderr in its place among them."""

import io
import sys

import pytest

from khiva_arena.display.terminal.capped import FULL, LAST, MOST, lines_capped


def printed(lines: int, monkeypatch: pytest.MonkeyPatch, *, is_full: bool = False) -> list[str]:
    """Return what a terminal shows of so many lines, with one on stderr after each."""
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    with lines_capped(is_full=is_full):
        for number in range(lines):
            print(number)
        print("said", file=sys.stderr)
    return terminal.getvalue().splitlines()


@pytest.mark.parametrize("lines", [1, MOST - LAST, MOST])
def test_lines_that_fit_are_printed_with_stderr_at_its_place(
    lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert printed(lines, monkeypatch) == [*map(str, range(lines)), "said"]


def test_of_more_lines_the_first_and_the_last_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = printed(1000, monkeypatch)
    assert len(shown) == MOST + 1
    assert shown[-LAST - 1 :] == [*map(str, range(1000 - LAST, 1000)), "said"]
    assert shown[: MOST - LAST - 1] == [*map(str, range(MOST - LAST - 1))]
    assert shown[MOST - LAST - 1].startswith(f"... {1000 - MOST + 1} lines ")


def test_all_lines_are_printed_if_they_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert printed(1000, monkeypatch, is_full=True) == [*map(str, range(1000)), "said"]
    assert FULL == "--full"
