"""The steps of a page, in its order: the files that the reader writes, the commands,
and their output.

A ``sh`` block holds commands, a ``text`` block after it shows their output, and a line
``...`` in it stands for left-out lines.
Comments of HTML directly above a block say the rest::

    <!-- file: my-bot/main.py -->   the block below is written to this file
    <!-- exits: 1 -->               the last command of the block below exits with it
    <!-- hidden: COMMAND -->        a command that a test needs and no reader sees

A paragraph directly above a block that ends with "for example:" says that no test
compares the block. A ``text`` block after a ``python`` block that is no file shows the
output of Python.
"""

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ELSEWHERE = frozenset(
    (
        *(
            "sudo",
            "apt",
            "apt-get",
            "dnf",
            "pacman",
            "zypper",
            "brew",
            "wsl",
            "winget",
            "snap",
        ),  # installs
        *("pip", "pip3", "pipx", "uv", "uvx", "npm", "npx", "cargo", "go", "make", "gh"),
        *(
            "ssh",
            "scp",
            "rsync",
            "curl",
            "wget",
            "docker",
            "podman",
            "kubectl",
            "sbatch",
            "srun",
            "dask",
        ),  # other machines
        *(
            "systemctl",
            "journalctl",
            "crontab",
            "loginctl",
            "sysctl",
            "minisign",
            "gpg",
            "xdg-open",
            "firefox",
        ),  # the system
    )
)
"""The first words of commands that no test types: they change the machine, or need
another one.
"""
EXAMPLE = re.compile(r"\bfor example:\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Typed:
    """A command as the reader types it, with the exit code that it should have."""

    line: int
    command: str
    code: int = 0


@dataclass(frozen=True)
class Written:
    """A file that the reader writes."""

    line: int
    file: str
    text: str


@dataclass(frozen=True)
class Shown:
    """A text block: its lines, the number of the first one, the spaces before each, and
    the commands that print them, or whether Python does.
    """

    line: int
    lines: tuple[str, ...]
    indent: str
    after: tuple[Typed, ...]
    of_python: bool = False


Step = Typed | Written | Shown
_FENCE = re.compile(r"^( *)(`{3,})\s*([\w{}+-]*)\s*$")


def steps_of(text: str) -> list[Step]:
    """Return the steps of a page."""
    return list(_steps(text.splitlines()))


def _steps(lines: list[str]) -> Iterator[Step]:
    before: tuple[Typed, ...] = ()
    of_python = False
    above: list[str] = []  # the paragraph and the comments since the last block
    at = 0
    while at < len(lines):
        if hidden := _hidden(lines, at):
            command, at = hidden
            yield Typed(at, command)
            continue
        fence = _FENCE.match(lines[at])
        if not fence:
            above = [*above, lines[at]]
            at += 1
            continue
        indent, ticks, language = fence.groups()
        end = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == ticks), len(lines))
        body = tuple(line.removeprefix(indent) for line in lines[at + 1 : end])
        said, given = _comments(above)
        if file := given.get("file"):
            yield Written(at + 2, file, "".join(f"{line}\n" for line in body))
        elif language == "python":
            of_python = True
        elif language == "sh":
            of_python = False
            before = (
                ()
                if EXAMPLE.search(said)
                else tuple(_typed(body, at + 2, int(given.get("exits", "0"))))
            )
            yield from before
        elif language == "text" and not EXAMPLE.search(said):
            yield Shown(at + 2, body, indent, () if of_python else before, of_python)
        above = []
        at = end + 1


def unread(text: str) -> list[int]:
    """Return the lines of the blocks that look like a session, are in no language that
    a test reads, and are no example.
    """
    found = []
    lines = text.splitlines()
    at = 0
    above: list[str] = []
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if not fence:
            above = [*above, lines[at]]
            at += 1
            continue
        end = next(
            (n for n in range(at + 1, len(lines)) if lines[n].strip() == fence[2]), len(lines)
        )
        session = any(
            line.lstrip().startswith(("$ ", "khiva-arena")) for line in lines[at + 1 : end]
        )
        if fence[3] in ("", "console") and session and not EXAMPLE.search(_comments(above)[0]):
            found.append(at + 1)
        above = []
        at = end + 1
    return found


def _hidden(lines: list[str], at: int) -> tuple[str, int] | None:
    """Return the hidden command that begins in this line, of one line or several, and
    the line after it.
    """
    if not lines[at].lstrip().startswith("<!-- hidden:"):
        return None
    end = next(n for n in range(at, len(lines)) if lines[n].rstrip().endswith("-->"))
    whole = "\n".join(lines[at : end + 1])
    return whole.partition("<!-- hidden:")[2].rpartition("-->")[0].strip(), end + 1


def _comments(above: list[str]) -> tuple[str, dict[str, str]]:
    """Return the last paragraph above a block, and what comments after it say."""
    paragraph: list[str] = []
    given = {}
    for line in reversed(above):
        if comment := re.fullmatch(r"\s*<!-- (file|exits): (.*?) -->\s*", line):
            given[comment[1]] = comment[2].strip()
        elif line.strip():
            paragraph.insert(0, line.strip())
        elif paragraph:
            break
    return " ".join(paragraph), given


def _typed(body: tuple[str, ...], first: int, code: int) -> Iterator[Typed]:
    """Return the commands of a block that a test types; the last one has this exit
    code.
    """
    commands = [
        Typed(line, command)
        for line, command in whole_commands(body, first)
        if not is_elsewhere(command)
    ]
    yield from commands[:-1]
    if commands:
        yield Typed(commands[-1].line, commands[-1].command, code)


def whole_commands(body: tuple[str, ...], first: int = 1) -> Iterator[tuple[int, str]]:
    """Split a block where one command ends and the next begins: one may have several
    lines, by a backslash, a loop or a here document.
    """
    begun: list[str] = []
    for number, line in enumerate(body, first):
        begun.append(line)
        whole = "\n".join(begun)
        if not whole.strip() or all(part.lstrip().startswith("#") for part in begun):
            begun = []
        elif not line.endswith("\\") and _is_whole(whole):
            yield number - len(begun) + 1, whole
            begun = []
    if begun:
        yield first + len(body) - len(begun), "\n".join(begun)


def _is_whole(command: str) -> bool:
    if (
        re.fullmatch(r"[\w./:=,+@~-]+( [\w./:=,+@~-]+)*( *#.*)?", command)
        and command.split()[0] not in _OPENING
    ):
        return True  # nothing in it can go on in the next line
    asked = subprocess.run(
        ["bash", "-n"], input=command + "\n", capture_output=True, text=True, check=False
    )
    return (
        not asked.returncode and not asked.stderr
    )  # bash warns of a here document that does not end


_OPENING = {"for", "while", "until", "if", "case"}


def is_elsewhere(command: str) -> bool:
    """Tell whether a part of the command, between ``&&``, ``|`` or ``;``, is not for a
    test.
    """
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars="&|;()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        words = command.split()  # a here document with an odd quote
    starts = [
        word for at, word in enumerate(words) if at == 0 or set(words[at - 1]) <= set("&|;()")
    ]
    return any(Path(word).name in ELSEWHERE for word in starts) or words[:2] in (
        ["git", "clone"],
        ["git", "push"],
    )
