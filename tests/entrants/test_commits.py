"""A bot as a commit has it, ``my-bot@REV``: read from real repositories, some of them
made to harm the reader.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from arena import arena
from git_bots import TOML, committed, repository, run, why
from quick_bots import NAIVE
from tools import lacks
from wording import sentence

from khiva_arena.common.text import harmless
from khiva_arena.entrants import bot_words, git
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.commits import without_commit
from khiva_arena.entrants.loading import Loading, allow_include
from khiva_arena.entrants.staging import stage

__all__ = ["repository"]

# --- what is read ---


def test_a_commit_plays_as_the_folder_with_its_files(repository: Path) -> None:
    old = committed()
    before = load("my-bot")
    committed({"my-bot/main.py": "new = 1", "my-bot/more.py": ""})
    bot = load("my-bot@HEAD~1")
    assert (bot.name, bot.asked_as) == (f"ann@{old[:7]}", f"my-bot@{old[:12]}")
    assert bot.identity == before.identity != load("my-bot").identity
    assert Path(stage(bot).folder, "main.py").read_text() == "old = 1"
    assert load("my-bot@HEAD").identity == load("my-bot").identity
    assert load(bot.asked_as, str(repository)).identity == bot.identity, (
        "the stored word finds it again"
    )
    assert (repository / "my-bot" / "main.py").read_text() == "new = 1", "nothing is checked out"


ALIKE: dict[str, Callable[[Path], object]] = {
    "a program": lambda bot: (bot / "main.py").chmod(0o755),
    "a link to a folder": lambda bot: (bot / "data").symlink_to("../kit"),
    "a link that leads nowhere": lambda bot: (bot / "gone").symlink_to("../nowhere"),
    "hidden files and caches": lambda bot: [
        (bot / name).mkdir() or (bot / name / "x.py").write_text("x")
        for name in (".git-like", "__pycache__")
    ],
    "an odd name": lambda bot: (bot / "a b\tc\n$(x)é").write_text("x"),
    "many bytes": lambda bot: (bot / "weights").write_bytes(bytes(range(256)) * 3000),
    "a file of another kit": lambda bot: (bot / "bot.toml").write_text(
        TOML + 'include = ["../kit/kit.py"]\n'
    ),
    "few files": lambda bot: (bot / "bot.toml").write_text(TOML + 'files = ["main.py"]\n'),
    "a store": lambda bot: [
        (bot / "out").mkdir(),
        (bot / "out" / "arena.db").write_text("x"),
        (bot / "out" / "y").write_text("x"),
    ],
    "an empty file": lambda bot: (bot / "empty").write_text(""),
}


@pytest.mark.parametrize("change", ALIKE)
def test_the_identity_is_that_of_the_folder(repository: Path, change: str) -> None:
    committed({"my-bot/bot.toml": TOML, "my-bot/main.py": "old = 1", "kit/kit.py": "kit = 1"})
    ALIKE[change](repository / "my-bot")
    committed({})
    loading = Loading(include=allow_include)
    here, there = load("my-bot", loading=loading), load("my-bot@HEAD", loading=loading)
    assert there.identity == here.identity
    assert [name for name, _ in there.sources] == [name for name, _ in here.sources]
    assert Path(stage(there).folder, "main.py").read_text() == "old = 1"


def test_a_folder_that_is_gone_is_read_from_a_commit_that_has_it(repository: Path) -> None:
    committed()
    run("mv", "my-bot", "moved")
    committed({})
    assert load("my-bot@HEAD~1").identity == load("moved").identity


def test_a_repository_may_be_the_bot_itself(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    run("init", "-q", at=tmp_path / "own")
    committed({"bot.toml": TOML, "main.py": ""}, at=tmp_path / "own")
    assert load("../own@HEAD").identity == load("../own").identity


WORDS = {
    "my-bot@HEAD~1": ("my-bot", "HEAD~1"),
    "my-bot/@main": ("my-bot/", "main"),
    "my-bot@HEAD@{1 day ago}": ("my-bot", "HEAD@{1 day ago}"),
    "my-bot@origin/main": ("my-bot", "origin/main"),
    "an@b/my-bot@HEAD": ("an@b/my-bot", "HEAD"),
    "gone@HEAD": ("gone", "HEAD"),
    "my-bot": None,
    "an@b": None,
    "no/where@HEAD": None,
    "python3 main.py@x": None,
    "@HEAD": None,
}


def test_a_word_names_a_commit_unless_it_names_a_folder_or_a_command(repository: Path) -> None:
    for folder in ("my-bot", "an@b/my-bot"):
        (repository / folder).mkdir(parents=True)
    assert {word: bot_words.commit_word(word) for word in WORDS} == WORDS
    assert bot_words.commit_word("my-bot@HEAD", "an@b") == ("my-bot", "HEAD"), "from another folder"


def test_a_folder_whose_name_has_an_at_wins() -> None:
    committed(
        {
            "my-bot/bot.toml": TOML,
            "my-bot/main.py": "old = 1",
            "my-bot@HEAD/bot.toml": TOML.replace("ann", "folder"),
        }
    )
    assert load("my-bot@HEAD").name == "folder"


def test_consent_to_included_files_is_asked_in_the_words_of_the_folder(repository: Path) -> None:
    committed(
        {
            "my-bot/bot.toml": TOML + 'include = ["../kit/kit.py"]\n',
            "my-bot/main.py": "",
            "kit/kit.py": "",
        }
    )
    asked: list[tuple[Path, list[str]]] = []
    loading = Loading(include=lambda bot_toml, paths: asked.append((bot_toml, [*paths])))
    for word in ("my-bot", "my-bot@HEAD"):
        load(word, loading=loading)
    assert asked == [(Path("my-bot/bot.toml"), [str(repository / "kit" / "kit.py")])] * 2
    assert "--allow-include" in why("my-bot@HEAD")


# --- what is refused, in a line ---


def test_words_that_name_no_commit() -> None:
    committed()
    assert sentence("entrants", "commit-unknown", commit="nope") in why("my-bot@nope")
    for word in ("", "--all", "\x1b[31m"):
        assert sentence("entrants", "commit-unnamed", word=repr(harmless(word))) in why(
            f"my-bot@{word}"
        )
    for word in ("^HEAD", "HEAD~5", "HEAD..HEAD", "HEAD:my-bot", "HEAD^{tree}"):
        assert sentence("entrants", "commit-unknown", commit=word) in why(f"my-bot@{word}")


def test_a_path_that_the_commit_lacks() -> None:
    first = committed({"a-file": ""})[:7]
    committed({"bots/my-bot/bot.toml": TOML})
    assert sentence("entrants", "commit-lacks-path", commit=first, path="bots/my-bot") in why(
        "bots/my-bot@HEAD~1"
    )
    assert sentence(
        "entrants", "commit-not-a-folder", path="a-file", kind="a file", commit=first
    ) in why("a-file@HEAD~1")
    assert sentence("entrants", "commit-name-a-bot", word="bots/my-bot@HEAD") in why("bots@HEAD")


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    assert sentence("entrants", "commit-no-repository") in why("../alone@HEAD")


def test_a_shallow_clone_says_how_to_fetch_the_rest(repository: Path, tmp_path: Path) -> None:
    committed()
    committed({"my-bot/main.py": "new = 1"})
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{repository}", str(tmp_path / "clone")],
        check=True,
    )
    assert sentence("entrants", "commit-shallow", commit="HEAD~1") in why("../clone/my-bot@HEAD~1")
    assert load("../clone/my-bot@HEAD").identity == load("my-bot").identity
    run("fetch", "-q", "--unshallow", at=tmp_path / "clone")
    assert load("../clone/my-bot@HEAD~1").identity == load("my-bot@HEAD~1").identity


@pytest.mark.parametrize("other", ["GIT_NO_LAZY_FETCH", "GIT_ALLOW_PROTOCOL"])
def test_a_clone_without_files_fetches_nothing_and_says_how(
    other: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of two variables is enough: older versions of git know only the second."""
    monkeypatch.delitem(git._SET, other)
    digits = committed()
    run("config", "uploadpack.allowFilter", "true")
    words = [
        "git",
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        f"file://{repository}",
        str(tmp_path / "clone"),
    ]
    subprocess.run(words, check=True)
    (tmp_path / "clone" / "my-bot").mkdir()
    problem = why("../clone/my-bot@HEAD")
    command = re.search("`(.+)`", problem)
    assert command
    assert sentence("entrants", "commit-lacks-files", commit=digits[:12]) in problem
    subprocess.run(command[1], shell=True, cwd=tmp_path / "clone", check=True)
    assert load("../clone/my-bot@HEAD").identity == load("my-bot@HEAD").identity


def test_a_pointer_of_git_lfs_is_no_file() -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 1\n"
    digits = committed(
        {"my-bot/bot.toml": TOML, "my-bot/main.py": "", "my-bot/weights.bin": pointer}
    )[:7]
    assert sentence(
        "entrants",
        "commit-elsewhere",
        path="weights.bin",
        what="a pointer of Git LFS",
        commit=digits,
    ) in why("my-bot@HEAD")
    committed({"my-bot/bot.toml": TOML + 'files = ["*.py"]\n'})
    assert load("my-bot@HEAD").identity == load("my-bot").identity, (
        "one that the bot leaves out is no mistake"
    )


@pytest.mark.parametrize(
    ("path", "word", "shown"),
    [("my-bot/sub", "my-bot", "sub"), ("sub", "sub", "sub"), ("sub", "sub/bot", "sub")],
)
def test_a_submodule_is_not_in_the_commit(path: str, word: str, shown: str) -> None:
    digits = committed()
    run("update-index", "--add", "--cacheinfo", f"160000,{digits},{path}")
    run("commit", "-q", "-m", "a submodule")
    Path(word).mkdir(parents=True, exist_ok=True)
    now = run("rev-parse", "--short=7", "HEAD")
    assert sentence(
        "entrants", "commit-elsewhere", path=shown, what="a submodule", commit=now
    ) in why(f"{word}@HEAD")


@pytest.mark.parametrize("files", ["*.py", "**/main.py", "lib/*.py", "sub/x/*.py", "sub/*"])
def test_a_submodule_that_the_bot_does_not_take_is_no_mistake(files: str, repository: Path) -> None:
    toml = TOML + f'files = ["main.py", "{files}"]\n'
    digits = committed(
        {
            "my-bot/bot.toml": toml,
            "my-bot/main.py": "",
            "my-bot/lib/a.py": "",
            "my-bot/sub/x/b.py": "",
            "my-bot/sub/c": "",
        }
    )
    for path in ("my-bot/vendor", "other/sub", "my-bot/sub/vendor"):
        run("update-index", "--add", "--cacheinfo", f"160000,{digits},{path}")
    run("commit", "-q", "-m", "submodules")
    for path in ("vendor", "sub/vendor"):
        (repository / "my-bot" / path).mkdir()
    if "**" in files:
        assert sentence(
            "entrants",
            "commit-elsewhere",
            path="sub/vendor",
            what="a submodule",
            commit=run("rev-parse", "--short=7", "HEAD"),
        ) in why("my-bot@HEAD")
    else:
        assert load("my-bot@HEAD").identity == load("my-bot").identity


@pytest.mark.parametrize("include", ["sub/kit.py", "../kit/kit.py"])
def test_a_file_that_is_included_from_a_submodule_is_not_in_the_commit(include: str) -> None:
    digits = committed(
        {
            "my-bot/bot.toml": TOML + f'files = ["*.py"]\ninclude = ["{include}"]\n',
            "my-bot/main.py": "",
        }
    )
    path = os.path.dirname(os.path.normpath(f"my-bot/{include}"))
    run("update-index", "--add", "--cacheinfo", f"160000,{digits},{path}")
    run("commit", "-q", "-m", "a submodule")
    now = run("rev-parse", "--short=7", "HEAD")
    shown = path.removeprefix("my-bot/")
    assert sentence(
        "entrants", "commit-elsewhere", path=shown, what="a submodule", commit=now
    ) in why("my-bot@HEAD", Loading(include=allow_include))


@pytest.mark.parametrize(
    ("attributes", "on_disk"),
    [
        ("*.py text eol=crlf", b"old = 1\r\n"),
        ("*.py ident", b"old = 1\n"),
        ("* text=auto", b"old = 1\n"),
    ],
)
def test_a_commit_has_the_bytes_of_the_repository_whatever_gitattributes_say(
    attributes: str, on_disk: bytes, repository: Path
) -> None:
    """Git converts line ends and the like between the repository and the disk; nothing
    is converted here.
    """
    committed({"my-bot/bot.toml": TOML, ".gitattributes": f"{attributes}\n"})
    (repository / "my-bot" / "main.py").write_bytes(on_disk)
    committed({})
    assert run("cat-file", "-s", "HEAD:my-bot/main.py") == str(len("old = 1\n"))
    bot = load("my-bot@HEAD")
    assert Path(stage(bot).folder, "main.py").read_bytes() == b"old = 1\n"
    assert (bot.identity == load("my-bot").identity) is (on_disk == b"old = 1\n")


def test_a_repository_of_another_user_is_not_read(repository: Path) -> None:
    committed()
    if os.geteuid():
        lacks("another user: only root can give away a folder", may=True)
    os.chown(repository / ".git", 65534, 65534)
    os.chown(repository, 65534, 65534)
    problem = why("my-bot@HEAD")
    assert sentence("entrants", "commit-owner") in problem
    subprocess.run(problem.partition("if you trust it: ")[2], shell=True, check=True)
    assert load("my-bot@HEAD").name.startswith("ann@")


def test_a_machine_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    committed()
    monkeypatch.setenv("PATH", "")
    assert sentence("entrants", "commit-no-git") in why("my-bot@HEAD")


# --- hostile bytes ---


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """The private folder lasts as long as the command."""
    committed({"my-bot/bot.toml": TOML, "my-bot/main.py": ""})
    (tmp_path / "tmp").mkdir()
    code = (
        "from khiva_arena.entrants.bots import load; import os; load('my-bot@HEAD'); "
        "print(len(os.listdir(os.environ['TMPDIR'])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"TMPDIR": str(tmp_path / "tmp")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1"
    assert not os.listdir(tmp_path / "tmp")


# --- commands ---


@pytest.fixture
def versions(repository: Path) -> str:
    """Commit a bot, then another version of it. Return the first commit."""
    shutil.copytree(NAIVE, repository / "my-bot")
    first = committed({})
    committed({"my-bot/more.txt": "another bot"})
    return first


@pytest.mark.slow
def test_commands_take_a_commit(repository: Path, versions: str) -> None:
    name = f"naive@{versions[:7]}"
    trusted = ("--isolation", "trusted")
    words = ("--game", "khiva", *trusted, "--trust-bots", "--seed", "demo")
    assert (
        f"{name}#1"
        in arena(
            "match", "--bot", "my-bot", "--bot", "my-bot@HEAD~1", *words, cwd=repository
        ).stdout
    )
    arena(
        "check",
        "--quick",
        "--isolation",
        "trusted",
        "--trust-bots",
        "my-bot@HEAD~1",
        cwd=repository,
    )
    sprt = (
        "sprt",
        "./my-bot",
        "./my-bot@HEAD~1",
        *words,
        "--seeds",
        "32",
        "--out",
        "out",
        "--events-file",
        "events",
    )
    said = arena(*sprt, cwd=repository, code=None)
    assert name in said.stdout + said.stderr
    (repository / "cups").mkdir()
    (repository / "cups" / "cup.toml").write_text(
        'bots = ["../my-bot", "../my-bot@HEAD~1"]\nseats = 2\nseeds = 1\nout = "games"\n'
    )
    assert name in arena("run", "cups/cup.toml", *words, cwd=repository).stdout
    engines = (
        {"command": "../my-bot", "name": "now"},
        {"command": "my-bot@HEAD~1", "workingDirectory": "..", "name": "before"},
    )
    (repository / "cups" / "engines.json").write_text(json.dumps(engines))
    listed = ("--engines", "cups/engines.json", "--seats", "2", "--seeds", "1", "--out", "listed")
    assert "before" in arena("run", *listed, *words, cwd=repository).stdout
    committed({"my-bot/more.txt": "a third bot"})  # HEAD~1 is another commit from now on
    games = ("replay", "cups/games", "1/0", *trusted)
    seats = [arena(*games, "--seat", seat, cwd=repository).stdout for seat in "01"]
    assert sum(f"now {name}" in said for said in seats) == 1
    assert (
        f"now {name}"
        in arena(*games, "--seat", "0", "--bot", "my-bot@HEAD~2", cwd=repository).stdout
    )
    said = [
        arena("replay", "listed", "1/0", *trusted, "--seat", seat, cwd=repository).stdout
        for seat in "01"
    ]
    assert sum("then before, now naive" in one for one in said) == 1, (
        "a bot of an engines.json is found again"
    )
    said = arena(*games, "--bot", "my-bot@HEAD", cwd=repository).stdout
    assert "then naive, now naive@" in said, (
        "without --seat it is asked at the seat of its own name"
    )


def test_a_run_names_the_word_that_it_cannot_take(repository: Path) -> None:
    committed()
    said = arena("match", "--bot", "my-bot@nope", "--bot", "my-bot", cwd=repository, code=2).stderr
    assert f"--bot my-bot@nope: {sentence('entrants', 'commit-unknown', commit='nope')}" in said


def test_a_league_takes_the_bot_by_its_own_name(versions: str) -> None:
    bot = load("my-bot@HEAD~1")
    assert bot.commit == versions
    assert (without_commit(bot.name, bot.commit), without_commit("naive", "")) == ("naive", "naive")
    assert load("my-bot@HEAD").name != bot.name


def test_a_name_with_a_commit_is_no_longer_than_any_other() -> None:
    digits = committed({"my-bot/bot.toml": TOML.replace("ann", "a" * 64), "my-bot/main.py": ""})
    assert load("my-bot@HEAD").name == f"{'a' * 56}@{digits[:7]}"
