"""Very many bots: whether one can read another's folder is not asked of each pair."""

from dataclasses import replace
from pathlib import Path

import pytest
from wording import sentence

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import DEFAULT
from khiva_arena.competition.settings import isolation
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.errors import ConfigError

STANDARD = Sandbox(Level.STANDARD, DEFAULT)


def entry(home: Path, number: int, readable: tuple[str, ...] = ()) -> tuple[Bot, Command]:
    folder = home / f"entry-{number}"
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text(f'name = "bot-{number}"\nrun = "./program"\n')
    (folder / "program").write_text(f"#!/bin/sh\n# {number}\n")
    (folder / "program").chmod(0o755)
    bot = load(str(folder))
    return bot, Command((str(folder / "program"),), str(folder), {}, readable)


def test_who_is_far_apart_is_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [entry(tmp_path, number) for number in range(40)]
    asked: list[str] = []
    monkeypatch.setattr(isolation, "path_holding", lambda folder, *_: asked.append(folder) or "")
    monkeypatch.setattr(isolation, "path_inside", lambda folder, *_: asked.append(folder) or "")
    isolation.keep_apart([bot for bot, _ in entries], [command for _, command in entries], STANDARD)
    assert asked == []


@pytest.mark.parametrize("what", ["all of them", "one of them", "a part of one"])
def test_who_can_read_another_is_found_among_many(tmp_path: Path, what: str) -> None:
    entries = [entry(tmp_path, number) for number in range(20)]
    other = tmp_path / "entry-7"
    (other / "data").mkdir()
    shown = {
        "all of them": str(tmp_path),
        "one of them": str(other),
        "a part of one": str(other / "data"),
    }[what]
    bot, command = entries[3]
    # by a name that its own command did not type: a link
    (tmp_path / "link").symlink_to(shown)
    entries[3] = (
        bot,
        replace(command, readable=(str(tmp_path / "link"),), staged=what == "a part of one"),
    )
    with pytest.raises(ConfigError) as error:
        isolation.keep_apart(
            [bot for bot, _ in entries], [command for _, command in entries], STANDARD
        )
    found = [
        problem.partition(", " + sentence("settings", "folder-bot") + " ")[2].partition(";")[0]
        for problem in error.value.problems
    ]
    assert found == (
        [f"bot-{n}" for n in range(20) if n != 3] if what == "all of them" else ["bot-7"]
    )
    assert all(problem.startswith("bot bot-3 may read ") for problem in error.value.problems)
