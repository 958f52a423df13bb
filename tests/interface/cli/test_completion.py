"""What a TAB does in bash, zsh and fish: the real shells, on a terminal, with the
script that the README names.
"""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from arena import ROOT, arena
from terminal import take_terminal
from tools import need

from khiva_arena.interface.cli import command_groups
from khiva_arena.interface.cli.completion import SHELLS, VARIABLE

pytestmark = pytest.mark.slow

SECONDS = 60.0
READY = "ready> "
START = {
    "bash": (
        ["bash", "--noprofile", "--norc", "-i"],
        f"PS1='{READY}'; bind 'set enable-bracketed-paste off'",
    ),
    "zsh": (["zsh", "-f", "-i"], f"PS1='{READY}'; autoload -Uz compinit; compinit -u -D"),
}
# What is typed, TAB by TAB, and what stands in the line then.
TYPED = [
    ("khiva-arena stand", "khiva-arena standings "),
    ("khiva-arena run --isol", "khiva-arena run --isolation "),
    ("khiva-arena match --isolation sta", "khiva-arena match --isolation standard "),
    ("khiva-arena match --game silk", "khiva-arena match --game silk_road "),
    ("khiva-arena run --format gau", "khiva-arena run --format gauntlet "),
    ("khiva-arena standings --section cross", "khiva-arena standings --section crosstable "),
    ("khiva-arena new hask", "khiva-arena new haskell "),
    ("khiva-arena match --bot shipped:python/nai", "khiva-arena match --bot shipped:python/naive "),
    ("khiva-arena check some-b", "khiva-arena check some-bot/"),
    ("khiva-arena no-such-command some", "khiva-arena no-such-command some"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a bot's folder, and a folder bin with the command."""
    (tmp_path / "some-bot").mkdir()
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "khiva-arena"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m khiva_arena "$@"\n')
    command.chmod(0o755)
    return tmp_path


def environment(place: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{place}/bin:{os.environ['PATH']}",
        "TERM": "dumb",
        "HOME": str(place),
        "LC_ALL": "C.UTF-8",
    }


class Shell:
    """A shell on a terminal, and all that it has shown."""

    def __init__(self, words: list[str], place: Path) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            words,
            cwd=place,
            env=environment(place),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=take_terminal,
        )
        os.close(theirs)
        self.shown = ""

    def type(self, keys: str) -> None:
        self.shown = ""
        os.write(self._ours, keys.encode())

    def until(self, what: str, seconds: float = SECONDS) -> bool:
        deadline = time.monotonic() + seconds
        while not re.search(what, self.shown):
            if not select.select([self._ours], [], [], max(0.0, deadline - time.monotonic()))[0]:
                return False
            self.shown += os.read(self._ours, 65_536).decode(errors="replace")
        return True

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


@pytest.mark.soak
@pytest.mark.parametrize("name", START)
def test_a_tab_completes_on_a_terminal(name: str, place: Path) -> None:
    need(name)
    words, prepare = START[name]
    shell = Shell(words, place)
    try:
        shell.type(f'{prepare}; eval "$({VARIABLE}={name}_source khiva-arena)"; echo "lo""aded"\n')
        assert shell.until("loaded\r?\n"), shell.shown
        for typed, wanted in TYPED:
            shell.type(f"{typed}\t")
            # The rest of the line is typed behind what the TAB made of it, and shown by
            # the command that it becomes.
            shell.type("\x01echo 'line:[\x05]'\n")
            assert shell.until(r"line:\[.*\]\r?\n"), shell.shown
            became = re.findall(r"^line:\[(.*)\]", shell.shown, re.MULTILINE)[-1]
            assert became.rstrip(" /") == wanted.rstrip(" /")  # zsh drops a / again
            assert "Traceback" not in shell.shown
            assert "error" not in shell.shown
    finally:
        shell.end()


def test_fish_completes(place: Path) -> None:
    need("fish")
    script = (
        f"{VARIABLE}=fish_source khiva-arena | source; for typed in $argv; complete -C $typed; "
        "echo end; end"
    )
    words = ["fish", "--no-config", "-c", script, *(typed for typed, _ in TYPED)]
    done = subprocess.run(
        words, cwd=place, env=environment(place), capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    *parts, rest = done.stdout.split("end\n")
    assert rest == ""
    for (typed, wanted), part in zip(TYPED, parts, strict=True):
        said = [line.split("\t")[0] for line in part.splitlines()]
        last = wanted.split()[-1]
        assert said == ([last] if wanted != typed else []), typed


@pytest.mark.parametrize("shell", SHELLS)
def test_what_can_be_listed_is_listed(shell: str, tmp_path: Path) -> None:
    def said(line: str) -> str:
        words = line.replace(" ", "\n" if shell == "bash" else " ")
        env = {
            VARIABLE: f"{shell}_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(line.count(" ")),
        }
        if shell == "fish":
            env["COMP_CWORD"] = line.split(" ")[-1]
        done = arena(cwd=tmp_path, env=env)
        assert done.stderr == ""
        return done.stdout

    commands = said("khiva-arena ")
    assert all(command in commands for command in command_groups.commands())
    assert "--help" in said("khiva-arena standings --h")
    for line, words in (
        ("match --policy ", ("lenient", "strict")),
        ("sprt --game ", ("khiva", "emira")),
    ):
        assert all(word in said(f"khiva-arena {line}") for word in words)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("tcsh_source", "there is bash_source, zsh_source, fish_source"),
        ("bash", "there is bash_source, zsh_source, fish_source"),
        ("zsh_complete", "zsh_source prints what it needs for that"),
    ],
)
def test_what_no_shell_asks_is_told_in_a_line(asked: str, wanted: str, tmp_path: Path) -> None:
    said = arena("run", cwd=tmp_path, env={VARIABLE: asked}, code=2).stderr
    assert said.startswith(f"khiva-arena: error: {VARIABLE}={asked}")
    assert said.rstrip().endswith(wanted)


def test_a_page_says_what_to_write_where() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text()
    for shell in SHELLS:
        assert f"{VARIABLE}={shell}_source khiva-arena" in text
