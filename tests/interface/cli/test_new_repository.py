"""``khiva-arena new repository``: its files for CI, run line by line as two forges
would run them, in clones of a repository.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from arena import RANDOM, arena
from tools import need
from wording import sentence

from khiva_arena import __version__
from khiva_arena.common import shipped
from khiva_arena.common.exit_codes import NOT_BETTER
from khiva_arena.entrants.bots import load
from khiva_arena.games.registry import GAMES

pytestmark = pytest.mark.slow

GITHUB, GITLAB = ".github/workflows/bot.yml", ".gitlab-ci.yml"
MOST_LINES = 15
AUTHOR = {
    f"GIT_{role}_{part}": "ann@example.org"
    for role in ("AUTHOR", "COMMITTER")
    for part in ("NAME", "EMAIL")
}
CRASHES = "def choose(decide, match):\n    return len(decide['legal'])\n"
SHELLS = {GITHUB: ["bash", "-e", "-c"], GITLAB: ["bash", "-eo", "pipefail", "-c"]}
"""How each forge runs a line."""


def git(folder: Path, *words: str) -> None:
    done = subprocess.run(
        ["git", "-C", str(folder), *words],
        env=os.environ | AUTHOR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def commit(folder: Path, text: str = "") -> None:
    """Commit all, with a text behind the bot's program."""
    with (folder / "main.py").open("a") as file:
        file.write(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a change")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return made(tmp_path)


def made(tmp_path: Path, *words: str) -> Path:
    """Make a repository with its first commit. Few seeds are enough, since the
    arithmetic of the test is tested elsewhere.
    """
    need("git")
    arena("new", "repository", "my-bot", *words, cwd=tmp_path)
    folder = tmp_path / "my-bot"
    test = (folder / "test.sh").read_text()
    assert test.count("--seeds 200") == 1, "the number of seeds is bounded"
    (folder / "test.sh").write_text(test.replace("--seeds 200", "--seeds 32"))
    git(tmp_path, "init", "-q", "-b", "main", "my-bot")
    commit(folder)
    return folder


def file_of(folder: Path, name: str) -> dict[str, Any]:
    """Return the one job of a file for CI."""
    content = yaml.safe_load((folder / name).read_text())
    job: dict[str, Any] = content["jobs"]["test"] if name == GITHUB else content["test"]
    return job


def lines_of(folder: Path, name: str) -> list[str]:
    job = file_of(folder, name)
    return (
        [step["run"] for step in job["steps"] if "run" in step] if name == GITHUB else job["script"]
    )


def job(repository: Path, name: str, branch: str = "main", depth: int = 0) -> tuple[int, str]:
    """Run the lines of a file in a new clone, without those that install. Return the
    exit code, and what is said with the job's summary.
    """
    clone = repository.parent / f"clone-{len(list(repository.parent.iterdir()))}"
    words = [f"--depth={depth}"] if depth else []
    git(repository.parent, "clone", "-q", "-b", branch, *words, f"file://{repository}", str(clone))
    place = {"GITHUB_STEP_SUMMARY": str(clone.parent / "summary.md")} if name == GITHUB else {}
    (clone.parent / "summary.md").write_text("")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    said = ""
    for line in lines_of(clone, name):
        if "install" in line:
            continue
        done = subprocess.run(
            [*SHELLS[name], line],
            cwd=clone,
            env=os.environ | place | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        said += done.stdout + done.stderr
        if name == GITHUB:
            summary = (clone.parent / "summary.md").read_text()
            assert summary == done.stdout
            assert all(row.startswith("    ") for row in summary.splitlines()), (
                "Markdown shows it as it is"
            )
        if done.returncode:
            return done.returncode, said
    return 0, said


SAME = sentence("report", "no-match-same-bot", candidate="my-bot")


@pytest.mark.parametrize("name", [GITHUB, GITLAB])
def test_where_no_bot_changed_no_match_is_played(name: str, repository: Path) -> None:
    code, said = job(repository, name)
    assert (code, SAME in said) == (0, True), "the first commit"
    (repository / "NOTES.md").write_text("of the author")
    commit(repository)
    code, said = job(repository, name)
    assert (code, SAME in said) == (0, True), "another file"


@pytest.mark.parametrize("name", [GITHUB, GITLAB])
def test_another_bot_is_tested_against_the_version_before_and_on_a_branch_against_main(
    name: str, repository: Path
) -> None:
    commit(repository, "# another\n")
    code, said = job(repository, name)
    assert code == 0
    assert "after 32 seeds, 64 matches" in said
    git(repository, "checkout", "-q", "-b", "idea")
    commit(repository, "# an idea\n")
    commit(repository)
    code, said = job(repository, name, "idea")
    assert code == 0
    assert "after 32 seeds, 64 matches" in said, (
        "the commit before is the same bot, and main is another"
    )


def tried(repository: Path) -> tuple[int, str]:
    """Run test.sh as a user does, and return its exit code and what it says."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "test.sh"],
        cwd=repository,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_test_that_the_user_stopped_does_not_stop_the_test_of_the_next_version(
    repository: Path,
) -> None:
    begun = (
        (repository / "test.sh")
        .read_text()
        .splitlines()[-1]
        .replace('".@$main"', ".@HEAD --commit")
    )
    main = repository / "main.py"
    main.write_text(f"{main.read_text()}# another\n")
    arena(*shlex.split(begun)[1:], cwd=repository)
    main.write_text(f"{main.read_text()}# better\n")
    code, said = tried(repository)
    assert code in (0, NOT_BETTER)
    assert "after 32 seeds, 64 matches" in said


@pytest.mark.parametrize("branch", ["master", ""])
def test_a_repository_without_main_says_what_to_do(branch: str, tmp_path: Path) -> None:
    repository = made(tmp_path)
    if branch:
        git(repository, "branch", "-q", "-m", "main", branch)
    else:
        git(repository, "update-ref", "-d", "HEAD")
    code, said = tried(repository)
    assert code == 2
    assert said.splitlines()[-1].startswith("test.sh: ")


def test_a_worse_bot_fails_the_job(tmp_path: Path) -> None:
    repository = made(tmp_path, "--language", "shipped:python/greedy")
    (repository / "main.py").write_bytes(Path(RANDOM, "main.py").read_bytes())
    commit(repository)
    assert job(repository, GITHUB)[0] == NOT_BETTER


@pytest.mark.parametrize("name", [GITHUB, GITLAB])
def test_a_bot_that_fails_its_check_fails_the_job_before_any_match(
    name: str, repository: Path
) -> None:
    main = repository / "main.py"
    main.write_text(main.read_text().replace("play(", f"{CRASHES}\n\nplay("))
    commit(repository)
    code, said = job(repository, name)
    assert code == 1
    assert "FAILED" in said
    assert "sprt" not in said


def test_a_shallow_clone_is_not_taken_for_a_first_commit(repository: Path) -> None:
    commit(repository, "# another\n")
    code, said = job(repository, GITHUB, depth=1)
    assert code == 2
    assert sentence("entrants", "commit-shallow", commit="HEAD~1") in said


def test_a_main_without_a_bot_has_nothing_to_be_worse_than(
    tmp_path: Path, repository: Path
) -> None:
    git(repository, "checkout", "-q", "--orphan", "empty")
    git(repository, "rm", "-rfq", "--cached", ".")
    git(repository, "commit", "-q", "--allow-empty", "-m", "nothing yet")
    git(repository, "branch", "-q", "-M", "empty", "main-without")
    git(repository, "checkout", "-q", "-f", "main")
    git(repository, "branch", "-q", "-m", "main", "idea")
    git(repository, "branch", "-q", "-m", "main-without", "main")
    code, said = job(repository, GITLAB, "idea")
    assert (code, SAME in said) == (0, True)


def test_the_files_fit_each_other(repository: Path, tmp_path: Path) -> None:
    for name in (GITHUB, GITLAB):
        lines = (repository / name).read_text().splitlines()
        assert len(lines) <= MOST_LINES
        assert lines_of(repository, name)[0] == f'pip install "khiva-arena=={__version__}"'
    github, gitlab = file_of(repository, GITHUB), file_of(repository, GITLAB)
    assert f"{github['timeout-minutes']} minutes" == gitlab["timeout"]
    assert github["steps"][0]["with"] == {"fetch-depth": int(gitlab["variables"]["GIT_DEPTH"])}
    assert [step["uses"].partition("@")[2][0] for step in github["steps"] if "uses" in step] == [
        "v",
        "v",
    ]
    assert {name for name, _ in load(str(repository)).sources} == {"khiva_kit.py", "main.py"}, (
        "and nothing of CI"
    )


@pytest.mark.parametrize("language", shipped.languages())
def test_a_bot_in_any_language_has_its_tools_installed(language: str, tmp_path: Path) -> None:
    kit = shipped.languages()[language]
    for words, tools in {
        (): (kit,),
        ("--search",): kit.search_tools(False),
        ("--module",): (kit.module,),
    }.items():
        if None in tools or not tools:
            continue
        folder = "-".join(("bot", *words)).replace("---", "-")
        said = json.loads(
            arena(
                "new", "repository", folder, "--language", language, *words, "--json", cwd=tmp_path
            ).stdout
        )
        assert said["language"] == language
        assert said["files"] == sorted(
            path.relative_to(tmp_path / folder).as_posix()
            for path in (tmp_path / folder).rglob("*")
            if path.is_file()
        )
        for name in (GITHUB, GITLAB):
            installs = [line for line in lines_of(tmp_path / folder, name) if "apt-get" in line]
            packages = [word for line in installs for word in line.partition("--yes ")[2].split()]
            assert packages == list(
                dict.fromkeys(package for one in tools for package in one.debian)
            )
            assert len((tmp_path / folder / name).read_text().splitlines()) <= MOST_LINES
            assert any("[modules]" in line for line in lines_of(tmp_path / folder, name)) == (
                "--module" in words
            )


@pytest.mark.parametrize("game", GAMES)
def test_its_test_plays_a_game_at_its_fewest_seats(game: str, tmp_path: Path) -> None:
    arena("new", "repository", "my-bot", "--game", game, cwd=tmp_path)
    test = (tmp_path / "my-bot" / "test.sh").read_text()
    assert f"check --quick --game {game} " in test
    assert f"sprt --game {game} --seats {GAMES[game].seats[0]} " in test
    assert "@" not in test.replace('".@$main"', "")


def test_what_it_refuses(tmp_path: Path) -> None:
    refused = {
        ("repository",): sentence("new", "name-folder-for-repository"),
        ("repository", "x", "--game", "chess"): sentence("new", "game-of-arena"),
        ("repository", "x", "--search", "--game", "emira"): sentence(
            "new", "bot-plays-only", game="emira", plays="khiva"
        ),
        ("game", "x", "--game", "emira"): sentence("new", "is-for-bot", word="emira"),
        ("--game", "emira"): sentence("new", "is-for-bot", word="emira"),
        ("--language", "c"): sentence("new", "is-for-repository", word="c"),
    }
    for words, why in refused.items():
        assert why in arena("new", *words, cwd=tmp_path, code=2).stderr
    assert not list(tmp_path.iterdir())
