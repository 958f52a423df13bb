"""Ladders: new ones, and folders that are not as they were sealed."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from arena import arena
from ladders import ladder
from loop_table import loop_of, told_codes
from wording import sentence

from khiva_arena.entrants import bots
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.grading import new_ladder, seal
from khiva_arena.extensions.grading.ladder import read_ladder
from khiva_arena.extensions.grading.marks import GradeOutput, RungMark


def refusal(place: Path) -> str:
    with pytest.raises(ConfigError) as error:
        read_ladder(place)
    return "\n".join(error.value.problems)


# --- a new ladder ---


def test_a_new_ladder_has_a_copy_of_each_bot_and_needs_no_installed_one(tmp_path: Path) -> None:
    done = arena("new", "ladder", "course", cwd=tmp_path)
    made = read_ladder(tmp_path / "course")
    assert [rung.name for rung in made.rungs] == ["random", "naive", "greedy", "search"]
    assert made.points == sum(new_ladder.POINTS)
    assert "khiva-arena grade course --bot my-bot" in done.stdout
    for rung in made.rungs:
        bot = bots.load(str(rung.folder))
        copied, shipped = dict(bot.sources), dict(bots.load(f"shipped:python/{rung.name}").sources)
        assert {name: path.read_bytes() for name, path in copied.items()} == {
            name: path.read_bytes() for name, path in shipped.items()
        }
        assert all(path.is_relative_to(rung.folder) for path in copied.values())


def test_new_ladder_in_json_lists_its_files(tmp_path: Path) -> None:
    printed = json.loads(arena("new", "LADDER", "course", "--json", cwd=tmp_path).stdout)
    there = [
        path.relative_to(tmp_path / "course")
        for path in (tmp_path / "course").rglob("*")
        if path.is_file()
    ]
    assert (printed["folder"], printed["files"]) == ("course", sorted(map(str, there)))


# --- AGENTS.md of a ladder ---


def test_agents_md_tells_the_commands_of_a_ladder_as_they_are(tmp_path: Path) -> None:
    text = new_ladder.agents_page("course 1")
    assert len(text.split()) <= 1200
    assert not re.search(r"@[A-Z]", text)
    rows = loop_of(text)
    assert [row.words for row in rows] == [
        ["grade", "'course", "1'", *more] for more in (["--seal"], _GRADES)
    ]
    assert [told_codes(row) for row in rows] == [(set(), set())] * 2
    marks: dict[str, list[str]] = {name: [] for name in GradeOutput.__struct_fields__} | {
        "rungs": list(RungMark.__struct_fields__)
    }
    assert [row.keys for row in rows] == [{}, marks]


_GRADES = ["--bot", "BOT", "--seed-file", "SEED", "--json"]


@pytest.mark.slow
def test_agents_md_of_a_new_ladder_is_sealed_and_leads_to_a_page(tmp_path: Path) -> None:
    arena("new", "ladder", "course", cwd=tmp_path)
    text = (tmp_path / "course" / "AGENTS.md").read_text()
    assert all(f"| `{rung.name}` | {points} | {rung.in_words} |" in text for rung, points in _RUNGS)
    (link,) = re.findall(r"^More: (.+)$", text, re.MULTILINE)
    assert Path(link).is_file()
    (tmp_path / "course" / "AGENTS.md").write_text("other")
    assert "AGENTS.md" in refusal(tmp_path / "course")
    sealing = loop_of(text)[0]
    arena(*sealing.words, cwd=tmp_path)
    read_ladder(tmp_path / "course")


_RUNGS = list(zip(new_ladder.rungs(), new_ladder.POINTS, strict=True))


def test_new_ladder_wants_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "a").touch()
    assert (
        sentence("grading", "name-a-folder") in arena("new", "ladder", cwd=tmp_path, code=2).stderr
    )
    arena("new", "ladder", "course", cwd=tmp_path, code=2)
    assert [path.name for path in (tmp_path / "course").iterdir()] == ["a"]


# --- the seal ---


def _append(place: Path, name: str) -> None:
    with (place / name).open("a") as file:
        file.write("\n")


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a setting": (lambda place: _append(place, "ladder.toml"), "ladder.toml was changed"),
    "a bot": (
        lambda place: _append(place, "rungs/first/bot.toml"),
        "rungs/first/bot.toml was changed",
    ),
    "a file more": (
        lambda place: (place / "rungs" / "lots" / "x").write_text(""),
        "rungs/lots/x is not in",
    ),
    "a file less": (
        lambda place: (place / "rungs" / "lots" / "bot.toml").unlink(),
        "rungs/lots/bot.toml is missing",
    ),
    "a link": (lambda place: (place / "rungs" / "lots" / "x").symlink_to("bot.toml"), "a link"),
    "a link to a folder": (lambda place: (place / "more").symlink_to("rungs"), "a link"),
    "no seal": (lambda place: (place / seal.SEAL).unlink(), seal.SEAL),
    "another seal": (lambda place: (place / seal.SEAL).write_text("nothing\n"), "no hash"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_ladder_that_was_changed_is_refused_and_the_file_named(
    change: str, tmp_path: Path
) -> None:
    place = ladder(tmp_path / "course")
    digest = read_ladder(place).digest
    spoil, words = CHANGES[change]
    spoil(place)
    assert words in refusal(place)
    done = arena("grade", "course", "--bot", "shipped:python/random", cwd=tmp_path, code=2)
    assert words in done.stderr
    if "link" not in change and change != "a file less":
        sealed = arena("grade", "course", "--seal", cwd=tmp_path)
        assert sealed.stdout == f"ladder {read_ladder(place).digest}\n"
        assert (read_ladder(place).digest == digest) == (change in ("no seal", "another seal"))


def test_bytecode_of_a_rung_that_was_run_by_hand_is_no_change(tmp_path: Path) -> None:
    made = ladder(tmp_path / "course")
    before = read_ladder(made).digest
    cache = next(path for path in made.rglob("bot.toml")).parent / "__pycache__"
    cache.mkdir(exist_ok=True)
    (cache / "main.cpython-311.pyc").touch()
    assert read_ladder(made).digest == before
    assert not any(
        path.parent == cache
        for rung in read_ladder(made).rungs
        for _, path in bots.load(str(rung.folder)).sources
    )


def test_the_seal_is_what_sha256sum_checks_and_its_hash_is_the_ladders(tmp_path: Path) -> None:
    place = ladder(tmp_path / "course")
    lines = (place / seal.SEAL).read_text().splitlines()
    assert all(re.fullmatch(r"[0-9a-f]{64}  [^ ]+", line) for line in lines)
    assert {line[66:] for line in lines} == {
        str(path.relative_to(place))
        for path in place.rglob("*")
        if path.is_file() and path.name != seal.SEAL
    }


# --- mistakes in ladder.toml ---

MISTAKES = {
    "a setting of no ladder": ("seed = 'x'\n", "seed"),
    "permissions": ("network = ['first']\n", "network"),
    "a game of one's own": ("game = 'mine.py'\n", "game"),
    "a wrong value": ("turn = 'soon'\n", "turn"),
    "a rung outside": ("rungs/first", "../first", "bot: "),
    "no points": ("points = 10", "points = 0", "points: "),
    "points that are no number": ("points = 10", "points = true", "points: "),
    "a threshold beyond": ("threshold = 0", "threshold = 2000", "threshold: "),
    "a threshold of no number": ("threshold = 0", "threshold = nan", "threshold: "),
    "two rungs of a name": ('name = "lots"', 'name = "first"', "first"),
    "a name that is a path": ('name = "lots"', 'name = "../lots"', "name: "),
    "a key more": ("points = 10", "points = 10\nweight = 1", "no other key"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_ladder_is_named_with_its_line_and_not_sealed(
    mistake: str, tmp_path: Path
) -> None:
    place = ladder(tmp_path / "course")
    *change, named = MISTAKES[mistake]
    text = (place / "ladder.toml").read_text()
    if len(change) == 2:
        text = text.replace(*change, 1)
    else:
        key = change[0].partition(" ")[0]
        text = change[0] + "".join(
            line for line in text.splitlines(keepends=True) if not line.startswith(f"{key} =")
        )
    (place / "ladder.toml").write_text(text)
    done = arena("grade", "course", "--seal", cwd=tmp_path, code=2)
    assert re.search(rf"ladder\.toml:\d+: .*{re.escape(named.strip())}", done.stderr), done.stderr


def test_seal_and_bot_do_not_go_together_and_one_is_needed(tmp_path: Path) -> None:
    ladder(tmp_path / "course")
    assert "--seal" in arena("grade", "course", "--seal", "--bot", "x", cwd=tmp_path, code=2).stderr
    assert "--bot" in arena("grade", "course", cwd=tmp_path, code=2).stderr
    assert (
        "khiva-arena new ladder"
        in arena("grade", "nowhere", "--bot", "x", cwd=tmp_path, code=2).stderr
    )
