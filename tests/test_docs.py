"""What the documents say is so: the commands run, the files are where they are said to
be, the settings are taken.
"""

import re
import runpy
import shlex
import subprocess
import tomllib
from pathlib import Path

import make_home_page
import make_strength_page
import pytest
from arena import ROOT, arena
from generated_parts import with_parts
from links import dead_links
from make_layout import PACKAGE, place_of
from make_layout import headings as headings_of_rooms
from tools import lacks

from khiva_arena.bots.sandbox.limits import DEFAULT, WORDS, in_words
from khiva_arena.common.exit_codes import DONE, NOT_BETTER
from khiva_arena.competition.pages.names import read_names
from khiva_arena.competition.settings.file import read_file
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.games.registry import GAMES

pytestmark = pytest.mark.slow

DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()
FIRST_TOURNAMENT = (DOCS / "first-tournament.md").read_text()
COMMAND_LINE = (DOCS / "command-line.md").read_text()
FEWER = {
    "--seeds 15": "--seeds 1",
    "--seeds 20 --lineups auto": "--seeds 1 --lineups auto",
    "--seeds 20": "--seeds 2",
    "--seeds 50": "--seeds 2",
    "--seeds 10": "--seeds 1 --lineups 1",
    "--elo1 20": "--elo1 400 --rule max_turns=4",
    "check my-bot": "check --quick my-bot",
}


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[list[str]]:
    """The words of each line that a page says to type, on fewer deals;
    tests/shipped_bots/test_readmes.py has a bot checked in whole.
    """
    text = "".join(blocks(page, "sh")).replace("\\\n", " ")
    for long, short in FEWER.items():
        text = text.replace(long, short)
    return [shlex.split(line, comments=True) for line in text.splitlines()]


def typed(page: str, folder: Path) -> list[tuple[str, str]]:
    """The verb of each command of a page, and what it printed."""
    typed = [words[1:] for words in commands(page) if words[0] == "khiva-arena"]
    return [
        (words[0], arena(*words, cwd=folder, code=None if words == ["doctor"] else 0).stdout)
        for words in typed
    ]


@pytest.mark.soak
def test_the_line_that_installs_works_where_the_system_manages_its_python(tmp_path: Path) -> None:
    page = (DOCS / "install.md").read_text()
    line = next(
        line for line in "".join(blocks(page, "sh")).splitlines() if line.startswith("python3")
    )
    assert line.endswith(" && pip install khiva-arena")
    asks = "python -c 'import sys; assert sys.prefix != sys.base_prefix'"
    done = subprocess.run(
        line.replace("~", ".").replace("pip install khiva-arena", asks),
        shell=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0
    assert (tmp_path / "khiva" / "bin" / "pip").exists()


@pytest.mark.soak
def test_the_readme_s_commands_run(tmp_path: Path) -> None:
    """And those of its table, in the order of the rows."""
    assert {words[0] for words in commands(README)} == {"pip", "make", "khiva-arena"}
    targets = {line.split(":")[0] for line in (ROOT / "Makefile").read_text().splitlines()}
    assert [
        words[1] for words in commands(README) if words[0] == "make" and words[1] in targets
    ] == ["run", "test"]
    said = typed(README, tmp_path)
    rows = [
        shlex.split(line)
        for line in re.findall(r"^\| [^|]+ \| `khiva-arena ([^`]+)` \|", README, re.MULTILINE)
    ]
    for verb, *others in rows:
        quick, code = (
            ["--quick"] * (verb == "check"),
            NOT_BETTER if verb == "compare" else DONE,
        )  # a bot of random choices
        said.append((verb, arena(verb, *others, *quick, cwd=tmp_path, code=code).stdout))
    assert [verb for verb, _ in said] == [
        "run",
        "new",
        "check",
        "compare",
        "show",
        "report",
        "verify",
    ]
    head = next(line for line in README.splitlines() if line.startswith("rank "))
    columns = next(line for line in said[0][1].splitlines() if line.startswith("rank ")).split()
    assert head.split() == [
        column for column in columns if column not in ("voids", "caused", "disk")
    ]  # of a busy machine
    assert "matches are sound" in said[-1][1]
    assert len(README.splitlines()) < 120


def test_the_settings_that_are_shown_are_taken(tmp_path: Path) -> None:
    block, _with_mistakes = blocks(COMMAND_LINE, "toml")
    (tmp_path / "c.toml").write_text(block)
    given, places, *_ = read_file(tmp_path / "c.toml")
    assert set(places) >= set(given)
    assert settings_from(given, places).seats == 3


_WHICH = ("only", "exclude", "events", "season")


def test_the_page_of_the_report_has_its_options(tmp_path: Path) -> None:
    page = (DOCS / "publish.md").read_text()
    table = page.split("## Options of the page")[1]
    options = set(
        re.findall(r"^  +(--[a-z-]+)", arena("report", "--help", cwd=tmp_path).stdout, re.MULTILINE)
    )
    ours = {
        f"--{name}"
        for name in (
            "game",
            "out",
            "title",
            "replays",
            "matches",
            *_WHICH,
            "names",
            "notes",
            "for-authors",
        )
    }
    assert options == ours
    assert all(f"`{option} " in table or f"`{option}`" in table for option in options - {"--out"})
    (block,) = blocks(page, "toml")
    (tmp_path / "names.toml").write_text(block)
    assert read_names(tmp_path / "names.toml") == {"greedy": "Team 1", "random": "Team 2"}


def test_every_page_of_the_manual_is_in_the_table_once() -> None:
    files = [row["file"] for row in tomllib.loads((DOCS / "pages.toml").read_text()).values()]
    assert sorted(file for file in files if file.startswith("docs/")) == sorted(
        f"docs/{path.name}" for path in DOCS.glob("*.md")
    )
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_the_home_page_lists_the_pages_of_the_table() -> None:
    text = make_home_page.PAGE.read_text("utf-8")
    assert text == with_parts(text, make_home_page.parts()), "run `make schema` and read the diff"


def test_ladders_and_the_games_in_brief_are_those_of_the_data_file_and_of_agents_md() -> None:
    for page, parts in make_strength_page.pages().items():
        text = page.read_text("utf-8")
        assert text == with_parts(text, parts), "run `make schema` and read the diff"


def test_each_game_has_a_page_in_brief_of_a_thousand_words_that_leads_to_its_long_pages() -> None:
    overview = linked(DOCS / "games.md")
    for name, game in GAMES.items():
        page = make_strength_page.brief_page(name)
        text = page.read_text("utf-8")
        assert text.startswith(f"# {game.title} in brief\n")
        assert len(text.split()) <= 1000, page
        long = {
            ROOT / "khiva_arena" / "games" / name / "RULES.md",
            ROOT / "protocol" / "games" / f"{name}.md",
        }
        assert long | {DOCS / "improve-a-bot.md"} <= linked(page)
        assert page in overview


def linked(page: Path) -> set[Path]:
    """The pages that a reader sees a link to, not one inside of a block."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"(?<!!)\[[^\]]+\]\(([^)#]+\.md)(?:#[^)]*)?\)", text)
    return {(page.parent / link).resolve() for link in links if "://" not in link}


def test_every_page_of_the_site_is_two_links_that_are_seen_from_its_first_page() -> None:
    first = linked(DOCS / "index.md")
    near = first.union(*(linked(page) for page in first))
    rooms = (
        "docs/*.md",
        "protocol/*.md",
        "protocol/games/*.md",
        "khiva_arena/games/*/RULES.md",
        "bots/*.md",
        "bots/*/README.md",
    )
    pages = {path.resolve() for room in rooms for path in ROOT.glob(room)} - {
        (DOCS / "index.md").resolve()
    }
    assert len(pages) > 60
    assert sorted(str(page.relative_to(ROOT)) for page in pages - near) == []


def test_no_document_has_a_gap_left_to_fill() -> None:
    rooms = (".github", "bots", "docs", "khiva_arena", "protocol")
    for path in [
        *ROOT.glob("*.md"),
        *(path for room in rooms for path in (ROOT / room).rglob("*.md")),
    ]:
        assert not re.search(
            r"^[A-Z]+(_[A-Z]+)+$|\bTODO\b|\bTBD\b", path.read_text(), re.MULTILINE
        ), path


def test_links_lead_somewhere() -> None:
    """Those of every page, to files and to headings."""
    rooms = ("bots", "docs", "khiva_arena", "protocol", "results", "tests")
    every = [
        *ROOT.glob("*.md"),
        *(path for room in rooms for path in (ROOT / room).glob("**/*.md")),
    ]
    pages = [one for one in every if "node_modules" not in one.parts]
    assert [
        (str(page.relative_to(ROOT)), link) for page in pages for link in dead_links(page, ROOT)
    ] == []


def test_help_names_every_setting(tmp_path: Path) -> None:
    text = arena("run", "-h", "all", cwd=tmp_path).stdout
    for row in TABLE:
        assert re.search(rf"{row.option}\b", text), row.name


def test_each_room_has_a_folder_of_tests() -> None:
    rooms = [
        place_of(heading, room)
        for heading, lines in headings_of_rooms().items()
        for room in lines[1]
    ]
    folders = [room.relative_to(PACKAGE) for room in rooms if room.is_dir()]
    assert [folder for folder in folders if not (ROOT / "tests" / folder).is_dir()] == []


def test_the_top_level_holds_what_the_design_says() -> None:
    import subprocess

    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    if not tracked:
        lacks("not a git checkout", may=True)
    rooms = {
        "khiva_arena",
        "docs",
        "protocol",
        "bots",
        "interpreters",
        "tests",
        "results",
        ".ci",
        ".github",
    }
    pages = {
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "RELEASING.md",
        "LICENSE",
    }
    assert {Path(path).parts[0] for path in tracked} == rooms | pages | {
        "pyproject.toml",
        "Makefile",
        "Containerfile",
        ".git-blame-ignore-revs",
        ".gitignore",
        ".importlinter",
    }


def test_what_the_container_copies_is_there() -> None:
    copied = re.findall(r"^COPY (.*) \S+$", (ROOT / "Containerfile").read_text(), re.MULTILINE)
    assert all((ROOT / word).exists() for line in copied for word in line.split())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pages = runpy.run_path(str(DOCS / "wheel_pages.py"))
    forced = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {"khiva_arena", *forced, *pages["FOLDERS"], *pages["FILES"]} <= {
        word for line in copied for word in line.split()
    }


def test_no_file_is_two_rooms() -> None:
    for path in [
        *ROOT.glob("khiva_arena/**/*.py"),
        *ROOT.glob("tests/**/*.py"),
        *ROOT.glob("bots/**/*.py"),
    ]:
        assert len(path.read_text().splitlines()) <= 600, path


def test_dependencies_say_why() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = project["dependencies"] + [
        line for extra in project["optional-dependencies"].values() for line in extra
    ]
    text = (ROOT / "pyproject.toml").read_text()
    for requirement in named:
        assert re.search(rf'"{re.escape(requirement)}",\s+# \w', text), requirement


def test_every_bot_in_the_table_is_there() -> None:
    table = (ROOT / "bots" / "README.md").read_text().split("## The bots here")[1]
    named = [
        name
        for row in re.findall(r"^\| ([a-z/_, -]+) \|", table, re.MULTILINE)
        for name in row.split(", ")
        if "/" in name
    ]
    shipped = [
        str(path.parent.relative_to(ROOT / "bots")) for path in ROOT.glob("bots/*/*/bot.toml")
    ]
    assert sorted(named) == sorted(shipped)


def test_what_the_documents_promise_is_what_is_kept() -> None:
    bots = (ROOT / "bots" / "README.md").read_text()
    assert "Only isolation `trusted` lets a bot keep notes elsewhere on the disk" in " ".join(
        bots.split()
    )
    for key, words in WORDS.items():
        row = f"| `{key}` | {in_words(key, getattr(DEFAULT, key)).replace('.0 s', ' s')}"
        assert row in bots, words
