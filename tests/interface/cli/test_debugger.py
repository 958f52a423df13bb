"""``replay --wait`` with a debugger: the process that it names is the bot's own, and
gdb finds the sources of what was built.
"""

import os
import pty
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from arena import arena, bots, until_gone
from forked_command import Forked
from levels import EVERY_LEVEL
from tools import need, need_language
from wording import sentence

from khiva_arena.bots.sandbox.level import Level

pytestmark = pytest.mark.slow


@contextmanager
def waiting(*words: str, cwd: Path) -> Iterator[int]:
    """``replay --wait`` on a terminal that waits for Enter: the process that it
    names.
    """
    ours, theirs = pty.openpty()
    pipe = subprocess.PIPE
    process = Forked(
        ["replay", *words, "--wait"], cwd=cwd, stdin=theirs, stdout=pipe, stderr=pipe, text=True
    )
    os.close(theirs)
    assert process.stderr
    pid = 0
    try:
        said = ""
        while "attach to it" not in said:
            said = process.stderr.readline()
            assert said, process.communicate()
        pid = int(said.split("process ")[1].split(";")[0])
        yield pid
        os.write(ours, b"\n")
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert sentence("replay", "choices-same") in out
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert until_gone({pid})


@pytest.mark.language
@EVERY_LEVEL
def test_it_names_the_bot_s_own_process(level: Level, tmp_path: Path) -> None:
    need_language("c")  # which root's bots can start at level basic, too
    words = [
        "--seats",
        "2",
        "--seeds",
        "1",
        "--seed",
        "demo",
        "--out",
        "out",
        "--isolation",
        str(level),
    ]
    more = ["--trust-bots"] if level is Level.TRUSTED else []
    arena("run", *bots("shipped:c/random"), "--copies", "2", *words, *more, cwd=tmp_path)
    with waiting("out", "1/0", "--seat", "0", cwd=tmp_path) as pid:
        assert Path(f"/proc/{pid}/cmdline").read_text().rstrip("\0").endswith("/bot")


@pytest.mark.language
@pytest.mark.parametrize("level", [Level.STANDARD, Level.TRUSTED], indirect=True)
def test_gdb_shows_the_line_and_its_source(level: Level, tmp_path: Path) -> None:
    need("gdb")
    need_language("c")
    arena("new", "c", "mine", cwd=tmp_path)
    settings = tmp_path / "mine" / "bot.toml"
    text = settings.read_text()
    assert "-O2" in text
    settings.write_text(text.replace("-O2", "-O0 -g"))
    words = [
        "--seats",
        "2",
        "--seeds",
        "1",
        "--seed",
        "demo",
        "--out",
        "out",
        "--isolation",
        str(level),
        "--trust-bots",
    ]
    arena("run", *bots("mine"), "--copies", "2", *words, cwd=tmp_path)
    with waiting("out", "1/0", "--seat", "0", cwd=tmp_path) as pid:
        commands = ["list main", "info source"]
        gdb = [
            "gdb",
            "-batch",
            "-nx",
            "-p",
            str(pid),
            *(word for one in commands for word in ("-ex", one)),
        ]
        done = subprocess.run(
            gdb, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
        )
    assert "int main(" in done.stdout, done
    found = next(
        line.removeprefix("Located in ")
        for line in done.stdout.splitlines()
        if line.startswith("Located in ")
    )
    assert Path(found).read_text() == (tmp_path / "mine" / "bot.c").read_text()
