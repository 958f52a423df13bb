"""Modules that misbehave by a script, and scripts that are taken from the rows of
bots/broken.

``tests/bots/modules/bots/scripted.c`` says what a script is. The module is compiled
once in a process, and each script is put into its bytes, so that every one is a bot of
its own.
"""

import io
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import Any

from levels import ROOT
from tools import need_module_tools

from khiva_arena.common import shipped

MARK = b"khiva-script:"
SOURCE = ROOT / "tests" / "bots" / "modules" / "bots" / "scripted.c"
PROBE = SOURCE.with_name("probe.c")
BROKEN = ROOT / "bots" / "broken"
REQ, CHOICES = 0x001F_2233_4455_8000, 0x001F_99AA_BBCC_8000
"""Numbers that stand in a script for the request's and for the count of choices. A
number near one is as far from what it stands for.
"""
ENDLESS = 50
"""Writes of one row, beyond which it is taken to write without end."""


@cache
def compiled(source: Path = SOURCE) -> bytes:
    """The bytes of a module in C, built as those of the kit are, but with as much
    memory as it likes.
    """
    need_module_tools("c")
    tools = shipped.languages()["c"].module
    assert tools
    words = re.sub(",--max-memory=[0-9]+", "", tools.build).replace("bot.c", str(source)).split()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [*words, "-I", str(ROOT / "bots" / "c" / "kit"), "-s"],
            cwd=folder,
            check=True,
            timeout=120,
        )
        return Path(folder, "bot.wasm").read_bytes()


def command(letter: str, number: int = 0, data: bytes = b"") -> bytes:
    """A command of a script."""
    return letter.encode() + number.to_bytes(4, "little") + len(data).to_bytes(4, "little") + data


def script(when: str, *commands: bytes, at: int = 2) -> bytes:
    """A script.

    when: "s" before the hello, "S" in place of it, "t" in place of the answer at
        decision ``at``, "e" at the end
    """
    return when.encode() + at.to_bytes(4, "little") + b"".join(commands)


def scripted(text: bytes) -> bytes:
    """The module that plays a script."""
    module = compiled()
    at = module.index(MARK) + len(MARK)
    assert not any(module[at : at + len(text) + 1]), "the script is too long"
    return module[:at] + text + module[at + len(text) :]


HANG, ANSWER, PAUSE = command("h"), command("a"), command("s", 50)
SCRIPTS = {
    "honest": b"",
    "slow": script("t", PAUSE, ANSWER),
    "start-slow": script("s", command("s", 10_000)),
    "no-flush": script("t", HANG),
    "print-buffered": script("e", command("w", 1, b"thinking hard\n")),
    "trickle": script(
        "t",
        *[
            part
            for byte in b"\0\0\0\x20\x83\x80\x80\x80"
            for part in (command("w", 1, bytes([byte])), PAUSE)
        ],
    ),
    "single-bytes": script("t", command("a", 1)),
    "exit-0": script("t", command("x", 0)),
    "exit-3": script("t", command("x", 3)),
    "exit-between": script("t", ANSWER, command("x", 0)),
    "start-exit": script("s", command("w", 2, b"cannot find my weights\n"), command("x", 1)),
    "segfault": script("t", command("b")),
    "aborts": script("t", command("u")),
    "exception": script(
        "t", command("w", 2, b"RuntimeError: no idea what to play\n"), command("x", 1)
    ),
    "spins": script("t", HANG),
    "closes-stdout": script("t", command("k", 1), HANG),
    "closes-stdin": script("t", command("k", 0), HANG),
    "closes-stderr": script("t", command("k", 2), ANSWER),
    "notes-flood": script("t", command("w", 2, b"x" * 65_536), command("l")),
    "notes-300k": script("t", *[command("w", 2, b"x" * 15_000)] * 5, ANSWER),
    "notes-escapes": script("t", command("w", 2, b"\x1b[2J\x1b]0;owned\x07\xff plain\n"), ANSWER),
    "notes-after-end": script("e", command("w", 2, b"x" * 40_000 + b"DONE")),
    "never-exits": script("e", HANG),
    "memory": script("t", command("g"), command("u")),
    "memory-caught": script("t", command("g"), ANSWER),
    "divides": script("t", command("d")),
    "calls-another-type": script("t", command("i")),
    "calls-nothing": script("t", command("n")),
    "recurses": script("t", command("r")),
    "start-recurses": script("s", command("r")),
    "start-traps": script("S", command("d")),
}
"""Scripts by the name of the row in bots/broken, of rows that a module shows in its own
way, and of what only a module does.
"""


def names() -> set[str]:
    """The rows of bots/broken that have a script, and the scripts that only a module
    can play.
    """
    modules = {module.__name__ for module in _row_modules()}
    from talk import ROWS  # type: ignore[import-not-found]  # in bots/broken

    return {*SCRIPTS, *(name for name, row in ROWS.items() if row.do.__module__ in modules)}


def of_row(name: str, turn_ms: int = 300) -> bytes:
    """Return the script of a row of bots/broken, b"" for honest. Raises KeyError if
    there is no such row.
    """
    if name in SCRIPTS:
        return SCRIPTS[name]
    if name == "late":  # it reads on until it hears of its fault, and answers then
        return script("t", command("f"), ANSWER)
    _row_modules()
    from talk import ROWS

    row, bot, greeted = ROWS[name], _Recorder(), False
    with _recorded(bot):
        taken = {
            "type": "decide",
            "req": REQ,
            "legal": _Legal(),
            "turn_ms": turn_ms,
            "bank_ms": 600,
        }
        greeted = bool(row.do(bot) if row.when == "start" else row.do(bot, taken))
    when = {"start": "S" if greeted else "s", "turn": "t", "end": "e"}[row.when]
    return script(when, *bot.commands)


@cache
def _row_modules() -> tuple[Any, ...]:
    """The modules of bots/broken that rows are taken from, which import each other by
    name.
    """
    sys.path.insert(0, str(BROKEN))
    try:
        import rows_frames  # type: ignore[import-not-found]
        import rows_talk  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(BROKEN))
    return rows_frames, rows_talk


class _Legal:
    """A list of legal choices of which there are ``CHOICES``."""

    def __len__(self) -> int:
        return CHOICES

    def __getitem__(self, place: int) -> list[int]:
        return [0]


class _Over(Exception):
    """Signal that a row writes without end, or hangs."""


class _Recorder:
    """A ``Bot`` of bots/broken that writes commands of a script."""

    def __init__(self) -> None:
        _row_modules()
        from talk import Bot

        self._bot = Bot.__new__(Bot)
        self.commands: list[bytes] = []
        self.printed = io.StringIO()

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Return a method of the bot, which then calls ``raw`` of this recorder."""
        return lambda *words, **fields: getattr(type(self._bot), name)(self, *words, **fields)

    def raw(self, data: bytes) -> None:
        self.print()
        self.commands.append(command("w", 1, data))
        if len(self.commands) > ENDLESS:
            self.commands = [self.commands[0], command("l")]
            raise _Over

    def print(self) -> None:
        """Write what the row has printed by now."""
        if text := self.printed.getvalue().encode():
            self.commands.append(command("w", 1, text))
            self.printed.seek(self.printed.truncate(0))

    def read(self) -> dict[str, str]:
        self.commands.append(command("f"))
        return {"type": "fault"}


@contextmanager
def _recorded(bot: _Recorder) -> Iterator[None]:
    """Let what a row prints, sleeps and hangs go into the commands of a recorder."""

    def hang() -> None:
        bot.commands.append(HANG)
        raise _Over

    modules, sleep = _row_modules(), time.sleep
    time.sleep = lambda seconds: bot.commands.append(command("s", round(seconds * 1000)))
    kept = [module.hang for module in modules]
    try:
        for module in modules:
            module.hang = hang
        with redirect_stdout(bot.printed), suppress(_Over):
            yield
    finally:
        time.sleep = sleep
        for module, function in zip(modules, kept, strict=True):
            module.hang = function
    bot.print()
