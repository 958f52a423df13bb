"""What the documents say is so: the commands run, the files are where they are said to be, the settings are taken."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from arena import ROOT, arena

from khiva_arena.arbiter.resources import DEFAULT, WORDS, say
from khiva_arena.cli.main import COMMANDS
from khiva_arena.cli.settings import DEFAULTS, FLAGS, settle
from khiva_arena.cli.settings_file import read_file

README = (ROOT / "README.md").read_text()
HONEST = "#!{python}\nimport sys\nsys.argv[1:] = ['honest', '0']\n"


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_readme_s_commands_run(tmp_path: Path) -> None:
    """In the order they stand, on fewer seeds, with a program of the user's own."""
    import sys

    other = tmp_path / "other-bot"
    other.write_text(HONEST.format(python=sys.executable) + (ROOT / "tests" / "support" / "faulty.py").read_text())
    other.chmod(0o755)
    begin, block = [block for block in blocks(README, "") if "--bot" in block][:2]
    assert [line.split()[1] for line in begin.splitlines()] == ["new", "check", "match"]
    for line in begin.splitlines():
        arena(*shlex.split(line)[1:], cwd=tmp_path)
    commands = [shlex.split(line) for line in block.replace("\\\n", " ").replace("--seeds 50", "--seeds 2").splitlines()]
    assert [words[1] for words in commands] == ["run", "standings", "verify", "show", "show", "match"]
    said = [arena(*words[1:], cwd=tmp_path).stdout for words in commands]
    assert said[0].rstrip() == said[1].rstrip()
    assert "6 of 6 matches are sound" in said[2]
    assert "every choice is the same" in said[5]
    others = [line for block in blocks(README, "") for line in block.splitlines() if line.startswith("khiva-arena ")]
    others = [line for line in others if line.split()[1] in ("plan", "bundle", "verify", "export", "sprt")][1:]
    assert [line.split()[1] for line in others] == ["sprt", "plan", "bundle", "verify", "export"]
    for line in others:
        words = shlex.split(line.replace("--elo1 20", "--elo1 400"))
        assert arena(*words[1:], cwd=tmp_path).stdout or words[1] in ("bundle", "export")


def test_the_readme_s_settings_are_taken(tmp_path: Path) -> None:
    (block,) = blocks(README, "toml")
    (tmp_path / "c.toml").write_text(block)
    given, places = read_file(tmp_path / "c.toml")
    assert set(places) >= set(given)
    assert settle(given, places).seats == 3


def test_every_command_is_in_the_readme() -> None:
    for command in set(COMMANDS) - {"games", "bots"}:
        assert f"`{command}" in README or f"khiva-arena {command} " in README


def test_no_document_has_a_gap_left_to_fill() -> None:
    for path in [
        ROOT / "README.md",
        *(path for room in ("bots", "khiva_arena", "protocol") for path in (ROOT / room).rglob("*.md")),
    ]:
        assert not re.search(r"^[A-Z]+(_[A-Z]+)+$|\bTODO\b|\bTBD\b", path.read_text(), re.MULTILINE), path


def test_links_lead_somewhere() -> None:
    rooms = ("bots", "khiva_arena", "protocol", "results", "tests")
    for path in [ROOT / "README.md", *(path for room in rooms for path in (ROOT / room).glob("**/*.md"))]:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
            if "://" not in link:
                assert (path.parent / link).exists(), f"{path}: {link}"


def test_help_names_every_setting(tmp_path: Path) -> None:
    text = arena("run", "-h", cwd=tmp_path).stdout
    for key in DEFAULTS:
        name = FLAGS.get(key, key)
        assert re.search(rf"--{name}\b", text), name


def test_the_drawing_of_the_layout_is_the_layout() -> None:
    import khiva_arena

    drawn = khiva_arena.__doc__ or ""
    package = ROOT / "khiva_arena"
    for room in sorted(path.name for path in package.iterdir() if path.is_dir() and not path.name.startswith("_")):
        assert f"{room}/" in drawn
        assert (ROOT / "tests" / room).is_dir(), f"no tests/{room}"
    for name in re.findall(r"(\w+)\.py", drawn):
        assert list(package.rglob(f"{name}.py")), name


def test_the_top_level_holds_what_the_design_says() -> None:
    import subprocess

    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    if not tracked:
        pytest.skip("NOT TESTED: not a git checkout")
    names = {"khiva_arena", "protocol", "bots", "tests", "results", "pyproject.toml", "Makefile", "README.md", "LICENSE"}
    assert {Path(path).parts[0] for path in tracked} == names | {"CHANGELOG.md", ".gitignore", ".ci"}


def test_no_file_is_two_rooms() -> None:
    for path in [*ROOT.glob("khiva_arena/**/*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("bots/**/*.py")]:
        assert len(path.read_text().splitlines()) <= 600, path


def test_dependencies_say_why() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = project["dependencies"] + project["optional-dependencies"]["test"]
    text = (ROOT / "pyproject.toml").read_text()
    for requirement in named:
        assert re.search(rf'"{re.escape(requirement)}",\s+# \w', text), requirement


def test_every_bot_in_the_table_is_there() -> None:
    table = (ROOT / "bots" / "README.md").read_text().split("## The bots here")[1]
    named = [name for row in re.findall(r"^\| ([a-z/_, -]+) \|", table, re.MULTILINE) for name in row.split(", ") if "/" in name]
    shipped = [str(path.parent.relative_to(ROOT / "bots")) for path in ROOT.glob("bots/*/*/bot.toml")]
    assert sorted(named) == sorted(shipped)


def test_what_the_documents_promise_is_what_is_kept() -> None:
    said = " ".join(README.split())
    assert "no match is lost or played twice" not in said
    assert "matches in flight are played again from the start" in said
    assert "No answer is shown or used before every seat has answered or run out of time." in said
    assert "as nearly as the number of deals allows" in said
    assert "Bots are played with your own rights only if you say so" in said
    bots = (ROOT / "bots" / "README.md").read_text()
    assert "Only isolation `trusted` lets a bot keep notes elsewhere on the disk" in bots
    for key, words in WORDS.items():
        row = f"| `{key}` | {say(key, getattr(DEFAULT, key)).replace('.0 s', ' s')}"
        assert row in (ROOT / "khiva_arena" / "arbiter" / "ISOLATION.md").read_text(), words
