"""The line that says how far a long command has come."""

import io

import pytest

from khiva_arena.commands.merge import EVERY_SECONDS, PassingLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_is_shown_now_and_then_and_is_gone_before_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    now, out = [0.0], Terminal()
    line = PassingLine(out, lambda: now[0])
    line.say("1 of 9")
    line.clear()
    assert out.getvalue() == ""
    for text in ("2 of 9", "3 of 9"):  # the second comes too soon
        now[0] = EVERY_SECONDS
        line.say(text)
    line.clear()
    line.clear()
    assert out.getvalue() == "\r\x1b[K2 of 9\r\x1b[K"


def test_nothing_is_written_where_nobody_watches() -> None:
    now, out = [0.0], io.StringIO()
    line = PassingLine(out, lambda: now[0])
    now[0] = 99.0
    line.say("5 of 9")
    line.clear()
    assert out.getvalue() == ""
