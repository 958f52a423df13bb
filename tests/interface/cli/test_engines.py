"""Bots from cutechess's engines.json, and the ``author`` of a bot.toml."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT
from stores import RANDOM
from wording import pattern, sentence

from khiva_arena.entrants.bots import load
from khiva_arena.entrants.bots_of_an_event import with_distinct_names
from khiva_arena.entrants.engines import load_engines, split
from khiva_arena.errors import ConfigError

BOT = ROOT / "bots" / "python" / "random"


def engines(folder: Path, *entries: Any) -> Path:
    path = folder / "engines.json"
    path.write_text(json.dumps(entries))
    return path


def problems(path: Path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_engines(path)
    return list(caught.value.problems)


def test_as_cutechess_writes_it(tmp_path: Path) -> None:
    (tmp_path / "eng").mkdir()
    program = tmp_path / "eng" / "my bot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "eng" / "net.bin").write_text("weights")
    told: list[str] = []
    path = engines(
        tmp_path,
        {
            "name": "One",
            "command": "{python} -m random",
            "protocol": "uci",
            "options": [{"name": "Hash", "value": 1}],
        },
        {
            "name": "Two",
            "command": '"./my bot" net.bin --fast',
            "workingDirectory": "eng",
            "protocol": "uci",
            "stderrFile": "",
        },
        {"name": "Three", "command": f'"{BOT}"', "workingDirectory": ""},
    )
    one, two, three = load_engines(path, told.append)
    assert told == [
        (
            f"{path}: not used: 'options', 'protocol', 'stderrFile'; of an engine only "
            "name, command, workingDirectory are"
        )
    ]
    assert (one.name, one.run, one.folder, one.complete) == (
        "One",
        (sys.executable, "-m", "random"),
        str(tmp_path),
        False,
    )
    assert (two.name, two.run) == ("Two", (str(program), "net.bin", "--fast"))
    assert two.folder == str(tmp_path / "eng")
    assert (three.name, three.identity) == ("Three", load(str(BOT)).identity)
    before = two.identity
    (tmp_path / "eng" / "net.bin").write_text("other weights")
    assert load_engines(path)[1].identity != before


def test_nothing_is_told_where_all_is_used(tmp_path: Path) -> None:
    told: list[str] = []
    load_engines(engines(tmp_path, {"name": "One", "command": "sh"}), told.append)
    assert told == []


def test_relative_to_the_file_wherever_we_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    shutil.copytree(BOT.parent / "kit", tmp_path / "kit")
    shutil.copytree(BOT, tmp_path / "here" / "bot")
    (tmp_path / "here" / "bot" / "bot.toml").write_text('name = "x"\nrun = "{python} main.py"\n')
    engines(
        tmp_path / "here",
        {"name": "A", "command": "bot"},
        {"name": "B", "command": "sh bot/main.py"},
    )
    monkeypatch.chdir(tmp_path)
    a, b = load_engines(Path("here", "engines.json"))
    monkeypatch.chdir("/")
    assert load(a.asked_as).identity == a.identity
    assert b.folder == str(tmp_path / "here")
    assert load(b.asked_as, b.folder).identity == b.identity


# As QProcess::splitCommand has it.
COMMANDS = [
    ("a b  c", ["a", "b", "c"]),
    ('"a b" c', ["a b", "c"]),
    ('a"b c"d', ["ab cd"]),
    ('say """hi"""', ["say", '"hi"']),
    ('dir "Epic 12""" Singles"', ["dir", 'Epic 12" Singles']),
    ("a\\b 'c d'", ["a\\b", "'c", "d'"]),
    ('""', []),
    ("  ", []),
]


@pytest.mark.parametrize(("command", "words"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_commands_are_split_as_cutechess_does(command: str, words: list[str]) -> None:
    assert split(command) == words


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    path = engines(
        tmp_path,
        {"name": "good", "command": "sh"},
        {"name": "nowhere", "command": "./no/such thing"},
        {"name": "good", "command": "sh -c"},
        {"command": 3},
        "text",
        {"name": "", "command": "sh"},
        {"name": "quote", "command": 'a "b'},
        {"name": "empty", "command": " "},
        {"name": "lost", "command": "sh", "workingDirectory": "gone"},
        {"name": "nul", "command": "a\0b"},
    )
    found = problems(path)
    expected = [
        ("engine 2 (nowhere)", sentence("entrants", "no-such-folder-command")),
        ("engine 3 (good)", sentence("entrants", "engine-name-already", first="1")),
        ("engine 4", "name is missing"),
        ("engine 4", "command is a text"),
        ("engine 5", sentence("entrants", "object-name-command-expected")),
        ("engine 6 ()", "name has 1 to 64 printable characters"),
        ("engine 7 (quote)", sentence("entrants", "quote-not-closed")),
        ("engine 8 (empty)", "an empty command"),
        ("engine 9 (lost)", sentence("entrants", "workingdirectory-not-folder", entry="'gone'")),
        ("engine 10 (nul)", sentence("api", "nul")),
    ]
    assert len(found) == len(expected)
    for line, (who, what) in zip(found, expected, strict=True):
        assert line.startswith(f"{path}: {who}: ")
        assert what in line
        assert "--bot" not in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", sentence("entrants", "list-engines-expected-name")),
        ("[]", sentence("entrants", "list-engines-expected-name")),
        ("3", sentence("entrants", "list-engines-expected-name")),
        ("\udcff", "not JSON"),
        (" " * 1_000_001, "longer than"),
    ],
    ids=["open", "deep", "object", "empty", "number", "bytes", "long"],
)
def test_a_file_that_is_none(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "engines.json").write_text(text, errors="surrogateescape")
    [problem] = problems(tmp_path / "engines.json")
    assert said in problem


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert problems(tmp_path / "engines.json") == [
        f"{tmp_path}/engines.json: cannot be read: No such file or directory"
    ]
    assert "cannot be read: Is a directory" in problems(tmp_path)[0]


def test_one_bot_by_two_ways_is_refused(tmp_path: Path) -> None:
    [engine] = load_engines(engines(tmp_path, {"name": "again", "command": RANDOM}))
    with pytest.raises(ConfigError, match=pattern("entrants", "same-bot")):
        with_distinct_names([load(RANDOM), engine])


# --- authors ---


def a_bot(folder: Path, line: str) -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(f'name = "x"\nrun = "sh"\n{line}\n')
    return folder


def test_the_author_of_a_bot(tmp_path: Path) -> None:
    bot = load(str(a_bot(tmp_path / "a", 'author = "Ada Lovelace"')))
    assert bot.author == "Ada Lovelace"
    assert load(str(a_bot(tmp_path / "b", ""))).author == ""
    assert load("sh").author == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('author = ""', "author has 1 to 64 printable characters"),
        (f'author = "{"x" * 65}"', "author has 1 to 64 printable characters"),
        ('author = "a\\u0007b"', "author has 1 to 64 printable characters"),
        ("author = 3", pattern("entrants", "must-string", value="author")),
        ('autor = "x"', "unknown key 'autor' .did you mean author..; known are author, build"),
    ],
)
def test_an_author_that_is_none(line: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=said):
        load(str(a_bot(tmp_path / "a", line)))


def test_it_is_hashed_with_the_bot_toml(tmp_path: Path) -> None:
    one, other = (load(str(a_bot(tmp_path / name, f'author = "{name}"'))) for name in "ab")
    assert one.identity != other.identity
    assert os.path.basename(one.sources[0][0]) == "bot.toml"
