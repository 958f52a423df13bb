"""Bots as folders and commands: what is read, what identifies them, what is staged and built, and every mistake named."""

import os
import stat
from pathlib import Path

import pytest

from khiva_arena.arbiter.bots import load, load_all, missing_tool, stage
from khiva_arena.errors import BotError, ConfigError

TOML = 'name = "a"\nrun = "{python} main.py"\n'


def folder(path: Path, toml: str = TOML, **files: str) -> str:
    path.mkdir(parents=True, exist_ok=True)
    (path / "bot.toml").write_text(toml)
    for name, text in ({"main": "print()"} | files).items():
        (path / f"{name}.py").write_text(text)
    return str(path)


def problems(word: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(word)
    return "\n".join(caught.value.problems)


def test_identity_is_sources_run_and_build(tmp_path: Path) -> None:
    base = load(folder(tmp_path / "a"))
    assert load(folder(tmp_path / "same place does not matter")).identity == base.identity
    assert load(folder(tmp_path / "b", main="print(1)")).identity != base.identity
    assert load(folder(tmp_path / "c", TOML.replace("main.py", "main.py -v"))).identity != base.identity
    assert load(folder(tmp_path / "d", TOML + 'build = "true"\n')).identity != base.identity
    assert load(folder(tmp_path / "e", more="x = 1")).identity != base.identity
    renamed = load(folder(tmp_path / "f", TOML.replace('"a"', '"z"')))
    assert (renamed.identity, renamed.name) != (base.identity, base.name)


def test_caches_and_hidden_files_are_no_part_of_it(tmp_path: Path) -> None:
    word = folder(tmp_path / "a")
    before = load(word)
    (tmp_path / "a" / "__pycache__").mkdir()
    (tmp_path / "a" / "__pycache__" / "main.pyc").write_bytes(b"x")
    (tmp_path / "a" / ".swp").write_bytes(b"x")
    assert load(word).identity == before.identity


def test_include_is_copied_to_the_root(tmp_path: Path) -> None:
    (tmp_path / "kit.py").write_text("shared = 1")
    bot = load(folder(tmp_path / "a", TOML + 'include = ["../kit.py"]\nfiles = ["main.py"]\n'))
    assert [name for name, _ in bot.sources] == ["kit.py", "main.py"]
    staged = Path(stage(bot).folder)
    assert sorted(path.name for path in staged.iterdir()) == ["kit.py", "main.py"]


def test_staged_tree_is_read_only_and_made_once(tmp_path: Path) -> None:
    bot = load(folder(tmp_path / "a", TOML + 'build = "cp main.py built.py"\n', main="once = 1"))
    first = stage(bot)
    built = Path(first.folder, "built.py")
    assert stat.S_IMODE(built.stat().st_mode) & 0o222 == 0
    assert stat.S_IMODE(Path(first.folder).stat().st_mode) & 0o222 == 0
    when = built.stat().st_mtime_ns
    assert stage(bot) == first
    assert built.stat().st_mtime_ns == when


def test_a_build_that_fails_says_what_it_printed_and_leaves_nothing(tmp_path: Path) -> None:
    bot = load(folder(tmp_path / "a", TOML + "build = \"sh -c 'echo bad flag >&2; exit 4'\"\n", main="fails"))
    with pytest.raises(BotError, match=r"exited with code 4:\nbad flag"):
        stage(bot)
    home = Path(os.environ["KHIVA_ARENA_CACHE"]) / "staged"
    assert not [path for path in home.iterdir() if path.name.startswith("draft-") or path.name == bot.identity]


def test_missing_tools_are_named(tmp_path: Path) -> None:
    bot = load(folder(tmp_path / "a", TOML + 'build = "no-such-compiler x"\n'))
    assert missing_tool(bot) == "no-such-compiler"
    with pytest.raises(BotError, match="no-such-compiler"):
        stage(bot)
    assert missing_tool(load(folder(tmp_path / "b"))) == ""


def test_every_mistake_in_a_bot_toml_is_named_at_once(tmp_path: Path) -> None:
    said = problems(folder(tmp_path / "a", 'name = 3\nfiles = "x"\nlanguage = "C"\n'))
    assert said.count("\n") == 3
    for part in ("name is a string", "files is a list of strings", "unknown key 'language'", "run is missing"):
        assert part in said


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("name = ", "not TOML"),
        ('name = "a\\n"\nrun = "x"', "printable"),
        ('name = ""\nrun = "x"', "1 to 64"),
        ('name = "a"\nrun = ""', "run is empty"),
        ('name = "a"\nrun = "x \'"', "No closing quotation"),
        (TOML + 'files = ["../*.py"]', "outside the folder"),
        (TOML + 'files = ["/etc/*"]', "outside the folder"),
        (TOML + 'files = ["*.rs"]', "matches nothing"),
        (TOML + 'include = ["../nothing.py"]', "not a file"),
        (TOML + 'include = ["../main.py"]', "not a file"),
    ],
)
def test_mistakes_in_a_bot_toml(tmp_path: Path, toml: str, said: str) -> None:
    assert said in problems(folder(tmp_path / "a", toml))


def test_folder_without_bot_toml(tmp_path: Path) -> None:
    assert "has no bot.toml" in problems(str(tmp_path))


def test_bare_command_is_known_by_its_bytes(tmp_path: Path) -> None:
    script = tmp_path / "my bot.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    data = tmp_path / "weights"
    data.write_text("1")
    word = f"'{script}' --fast {data}"
    bot = load(word)
    assert (bot.name, bot.complete, bot.run[1:]) == ("weights", False, ("--fast", str(data)))
    data.write_text("2")
    assert load(word).identity != bot.identity
    assert load(f"'{script}' --slow {data}").identity != load(word).identity
    assert stage(bot).argv[0] == str(script)


def test_commands_that_do_not_exist() -> None:
    assert "no such folder or command" in problems("./no-such-bot --fast")
    assert "no such command on the PATH" in problems("no-such-bot")
    assert "empty command" in problems(" ")


def test_all_bots_are_read_before_anything_is_refused(tmp_path: Path) -> None:
    good = folder(tmp_path / "a")
    with pytest.raises(ConfigError) as caught:
        load_all([good, "no-such-bot", str(tmp_path), good])
    assert len(caught.value.problems) == 3
    assert "--copies" in caught.value.problems[2]


def test_equal_names_get_numbers(tmp_path: Path) -> None:
    words = [folder(tmp_path / name, main=name) for name in ("x", "y", "z")]
    assert [bot.name for bot in load_all(words)] == ["a", "a-2", "a-3"]
