"""A copy of the package without one extension, for each: the core works, and each word
of the extension is refused by name.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import arena, bots
from once import made_once
from removed import Ended, copy_without
from sides import COMMANDS, EXTENSIONS
from stores import NAIVE, RANDOM, SHORT, TRUSTED
from wording import sentence

from khiva_arena.common.hooks import ExtensionRow
from khiva_arena.common.setting_row import Kind
from khiva_arena.extensions import ROWS
from khiva_arena.interface.cli import command_groups

BOTS = bots(RANDOM, NAIVE)
CORE = [name for name in command_groups.commands() if name not in COMMANDS]
WORKS: list[tuple[str, ...]] = [
    ("--version",),
    ("--help",),
    *((name, "-h") for name in CORE),
    ("match", *BOTS, *SHORT, *TRUSTED),
    ("standings", "out"),
    ("verify", "out"),
]
OTHERS: dict[str, list[tuple[str, ...]]] = {
    "league": [("standings", "out", "--season", "all"), ("verify", "out", "--since", "1")],
    "own_games": [
        ("run", *BOTS, "--game", "mine.py", "--out", "new"),
        ("run", "mine.toml", "--out", "new"),
        ("verify", "out", "--game", "mine.py"),
        ("check", "--game", "khiva"),
        ("new", "game", "mine"),
    ],
    "grading": [("new", "ladder", "mine")],
    "spending": [("match", *BOTS, "--bot", "mine.toml:small")],
    "seats": [("run", *BOTS, "--bot", "remote:ann", *TRUSTED, "--out", "new")],
}
"""Uses of an extension that need no word of its own."""
API = """
import json, os
from khiva_arena.errors import ConfigError
from khiva_arena.interface.cli import main
names, settings, flags = map(json.loads, sys.argv[2:])
assert not [name for name in names if hasattr(khiva_arena, name) or name in khiva_arena.__all__]

def run_with(name):
    os.environ[name] = "1"
    try:
        return main.cli.main(["run", "--out", "new"], standalone_mode=False)
    finally:
        del os.environ[name]

calls = [lambda name=name: getattr(khiva_arena, name) for name in names]
calls += [lambda name=name: khiva_arena.run(out="new", **{name: "x"}) for name in settings]
calls += [lambda name=name: run_with(f"KHIVA_ARENA_RUN_{name.upper()}")
    for name in (*settings, *flags)]
for call in calls:
    try:
        print("given:", call())
    except ConfigError as error:
        print(" ".join(error.problems))
"""


@made_once
def played(folder: Path) -> None:
    """A store of two matches in "out", "said.json" with two commands' lines on it, and
    settings files with each setting of an extension and with a game that does not come
    with the arena.
    """
    arena(
        "run", *BOTS, "--seats", "2", "--seeds", "1", *SHORT, *TRUSTED, "--out", "out", cwd=folder
    )
    (folder / "said.json").write_text(
        json.dumps([arena(*words, cwd=folder).stdout for words in WORKS[-2:]])
    )
    (folder / "mine.toml").write_text(
        f"bots = {json.dumps([RANDOM, NAIVE])}\ngame = 'mine.py'\nseats = 2\n"
    )
    for row in ROWS:
        for setting in row.settings:
            (folder / f"{setting.name}.toml").write_text(f"{setting.name} = 'x'\n")


def absent(extension: str) -> str:
    """Return the words by which an extension that is not installed is named."""
    return sentence("outside", "extension-not-installed", extension=extension)


def gone_with(name: str) -> list[ExtensionRow]:
    """Return the rows of an extension and of those that need it."""
    gone = {name}
    for _ in ROWS:
        gone |= {row.name for row in ROWS if gone & set(row.needs)}
    return [row for row in ROWS if row.name in gone]


def uses(row: ExtensionRow) -> Iterator[tuple[str, ...]]:
    """Yield a use of each command, flag and setting of an extension."""
    for command in row.commands:
        yield from ((command.name,), (command.name, "-h"))
    for flag in row.flags:
        words = (f"--{flag.parameter.replace('_', '-')}", *(["x"] if flag.metavar else []))
        yield from ((command, *words) for command in (*flag.commands, *flag.hidden_in))
    for setting in row.settings:
        words = (setting.option, *([] if setting.kind is Kind.SWITCH else ["x"]))
        yield from (
            (command, *words)
            for command in ("run", "sprt", *(["match"] if setting.of_a_match else []))
        )
        yield ("run", f"{setting.name}.toml", "--out", "new")
    yield from OTHERS.get(row.name, ())


@pytest.mark.slow
@pytest.mark.parametrize("name", EXTENSIONS)
def test_the_core_works_without_an_extension_and_refuses_it_by_name(
    name: str, played: Path, tmp_path: Path
) -> None:
    copy, gone = copy_without(tmp_path / "copy", name), gone_with(name)
    refused = [(row.name, words) for row in gone for words in uses(row)]
    before = {path.name for path in played.iterdir()}
    ended = copy.commands([*WORKS, *(words for _, words in refused)], played, copy.core_modules())
    works, others = ended[: len(WORKS)], ended[len(WORKS) :]
    assert [one for one in works if one.code] == []
    assert [one.out for one in works[-2:]] == json.loads((played / "said.json").read_text())
    assert [
        one
        for (extension, _), one in zip(refused, others, strict=True)
        if not is_refused(one, extension)
    ] == []
    listed = {
        word
        for line in works[1].out.splitlines()
        if line.startswith("  ")
        for word in line.split()[:2]
    }
    assert set(CORE) <= listed
    assert listed.isdisjoint(command.name for row in gone for command in row.commands)
    names, settings = (
        [word for row in gone for word in row.names],
        [one.name for row in gone for one in row.settings],
    )
    flags = [flag.parameter for row in gone for flag in row.flags if "run" in flag.commands]
    if names or settings or flags:
        said = copy.python(API, *map(json.dumps, (names, settings, flags)), cwd=played).splitlines()
        assert [line for line in said if not any(absent(row.name) in line for row in gone)] == []
        assert len(said) == len(names) + 2 * len(settings) + len(flags)
    assert {path.name for path in played.iterdir()} == before


def is_refused(ended: Ended, extension: str) -> bool:
    """Tell whether a command named an extension as the reason of its end, and printed
    nothing else.
    """
    return (ended.code, ended.out) == (2, "") and absent(extension) in ended.err


def test_a_league_without_one_that_it_needs_says_which(played: Path, tmp_path: Path) -> None:
    (ended,) = copy_without(tmp_path / "copy", "serve").commands(
        [("league", "status", "spring")], played
    )
    assert is_refused(ended, "league")
    assert "serve" in ended.err
