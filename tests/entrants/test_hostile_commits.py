"""Repositories that are hostile or damaged, from which a bot is read."""

import os
import re
import shutil
from pathlib import Path

import pytest
from arena import until_gone
from git_bots import TOML, committed, repository, run, why
from wording import pattern, sentence

from khiva_arena.entrants import git
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.loading import Bounds, Loading
from khiva_arena.errors import ConfigError

__all__ = ["repository"]


def commit_of_tree(tree: str) -> str:
    return run("commit-tree", tree, "-m", "made by hand")


def tree_of(*entries: tuple[str, bytes, str]) -> str:
    """Write a tree with any names, of (mode, name, hash), in this order."""
    data = b"".join(
        mode.encode() + b" " + name + b"\0" + bytes.fromhex(digits)
        for mode, name, digits in entries
    )
    return run("hash-object", "-t", "tree", "-w", "--stdin", "--literally", given=data)


def blob(data: bytes) -> str:
    return run("hash-object", "-w", "--stdin", given=data)


def bot_tree(*more: tuple[str, bytes, str]) -> str:
    """Write a commit whose top is a bot with more entries."""
    own = (("100644", b"bot.toml", blob(TOML.encode())), ("100644", b"main.py", blob(b"old = 1")))
    return commit_of_tree(tree_of(*sorted([*more, *own], key=lambda entry: entry[1])))


def test_nothing_of_a_repository_is_run(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks, a monitor of files, filters, aliases, and variables that lead git
    elsewhere.
    """
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    committed(
        {
            "my-bot/bot.toml": TOML,
            "my-bot/main.py": "old = 1",
            ".gitattributes": "* filter=trap diff=trap\n",
        }
    )
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        (repository / ".git" / "hooks" / name).write_bytes(trap.read_bytes())
        (repository / ".git" / "hooks" / name).chmod(0o755)
    keys = (
        "core.fsmonitor",
        "filter.trap.smudge",
        "filter.trap.clean",
        "diff.trap.textconv",
        "core.pager",
        "core.sshCommand",
    )
    for key in (*keys, "core.askPass", "credential.helper", "alias.ls-tree", "alias.cat-file"):
        with (repository / ".git" / "config").open("a") as config:
            section, _, name = key.rpartition(".")
            head, _, rest = section.partition(".")
            config.write(f'[{head} "{rest}"]\n' if rest else f"[{head}]\n")
            config.write(f"\t{name} = {trap}\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "sprung"))
    assert load("my-bot@HEAD").identity == load("my-bot").identity
    assert not (tmp_path / "sprung").exists()


def test_a_folder_that_poses_as_a_repository_is_none(repository: Path) -> None:
    """A commit may hold the files of a repository, whose settings would count in that
    folder.
    """
    committed()
    for path in (repository / ".git").iterdir():
        (shutil.copytree if path.is_dir() else shutil.copy)(path, repository / "my-bot" / path.name)
    run("config", "--file", "my-bot/config", "core.worktree", str(repository / "my-bot"))
    assert run("rev-parse", "--git-dir", at="my-bot") == ".", (
        "git takes the folder for a repository"
    )
    assert sentence("entrants", "commit-bare") in why("my-bot@HEAD")


def test_a_bare_repository_says_what_to_name(repository: Path, tmp_path: Path) -> None:
    committed()
    run("clone", "-q", "--bare", str(repository), str(tmp_path / "bare.git"))
    for word in ("../bare.git@HEAD", "../bare.git/my-bot@HEAD"):
        assert sentence("entrants", "commit-bare") in why(word)
        assert "fsck" not in why(word)


def test_a_replaced_object_is_not_taken() -> None:
    committed()
    before = load("my-bot@HEAD").identity
    run("replace", run("rev-parse", "HEAD:my-bot/main.py"), blob(b"another = 1"))
    assert run("show", "HEAD:my-bot/main.py") == "another = 1"
    assert load("my-bot@HEAD").identity == before


def test_names_that_lead_elsewhere(repository: Path, tmp_path: Path) -> None:
    evil = blob(b"evil")
    victim = tmp_path / "victim"
    inner = tree_of(("100644", b"victim", evil))
    steps = str(tmp_path).encode().split(b"/")[1:]
    below = inner
    for step in reversed(steps):
        below = tree_of(("40000", step, below))
    hostile = {
        "no name": ("40000", b"", below),
        "a path for a name": ("100644", b"/" + b"/".join([*steps, b"victim"]), evil),
        "the same name": ("100644", b"main.py", evil),
        "a file and a folder": ("40000", b"main.py", inner),
    }
    for what, entry in hostile.items():
        refusal = (
            "fatal: empty filename"
            if what == "no name"
            else pattern("entrants", "commit-damaged", path=".*")
        )
        assert re.search(refusal, why(f".@{bot_tree(entry)}")), what
    for name in (b"..", b".", b".git"):
        bot = load(f".@{bot_tree(('40000', name, inner))}")
        assert [name for name, _ in bot.sources] == ["bot.toml", "main.py"], (
            "hidden names are never part of a bot"
        )
    assert not victim.exists()
    assert not (repository / "victim").exists()


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "main.py", "../" * 20 + "etc/passwd", "\x1b[31m/../main.py"]
)
def test_a_link_to_a_file_is_refused_wherever_it_leads(target: str) -> None:
    commit = bot_tree(("120000", b"x.py", blob(target.encode())))
    assert sentence("entrants", "link-not-followed", path="x.py") in why(f".@{commit}")


def test_no_file_is_written_through_a_link(tmp_path: Path) -> None:
    through = tree_of(("100644", b"y", blob(b"")))
    commit = bot_tree(("120000", b"x", blob(str(tmp_path).encode())), ("40000", b"x", through))
    assert re.search(pattern("entrants", "commit-damaged", path=".*"), why(f".@{commit}"))
    assert not (tmp_path / "y").exists()


def test_a_bot_toml_that_is_a_link_or_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[int]()
    pieces = git.Blobs.pieces
    monkeypatch.setattr(
        git.Blobs, "pieces", lambda blobs, entry: (read.append(entry.size), pieces(blobs, entry))[1]
    )
    link = commit_of_tree(tree_of(("120000", b"bot.toml", blob(b"/etc/passwd"))))
    assert "bot.toml: cannot be read" in why(f".@{link}")
    long = commit_of_tree(tree_of(("100644", b"bot.toml", blob(b"#" * 1_000_001))))
    assert "bot.toml: cannot be read" in why(f".@{long}")
    assert max(read) < 100, "the long one is not read"


def test_the_bounds_of_folders_hold_before_anything_is_read() -> None:
    committed(
        {
            "my-bot/bot.toml": TOML,
            "my-bot/main.py": "",
            "my-bot/big": "x" * 3000,
            "my-bot/a/b/c/d": "",
        }
    )
    for bounds in (
        Bounds(bot_file_size=2000),
        Bounds(bot_size=2000),
        Bounds(bot_files=2),
        Bounds(bot_depth=2),
    ):
        loading = Loading(bounds)
        with pytest.raises(ConfigError) as of_folder:
            load("my-bot", loading=loading)
        here = str(of_folder.value).partition(": ")[2]
        assert here in why("my-bot@HEAD", loading)
    committed({"my-bot/bot.toml": TOML + 'files = ["main.py"]\n'})
    loading = Loading(Bounds(bot_file_size=2000, bot_depth=2))
    assert load("my-bot@HEAD", loading=loading).identity == load("my-bot", loading=loading).identity


@pytest.mark.slow
def test_deep_and_wide_trees_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tree_of(("100644", b"x", blob(b"")))
    for _ in range(70):
        deep = tree_of(("40000", b"d", deep))
    assert re.search(
        pattern("entrants", "folders-more-deep-leave", limit="64"),
        why(f".@{bot_tree(('40000', b'd', deep))}"),
    )
    wide = tree_of(*(("100644", b"%03d" % number, blob(b"")) for number in range(50)))
    for _ in range(6):
        wide = tree_of(*(("40000", b"%03d" % number, wide) for number in range(50)))
    monkeypatch.setattr(git, "MOST_NAMES", 1 << 20)
    assert sentence("entrants", "commit-names", most=1) in why(
        f".@{bot_tree(('40000', b'w', wide))}"
    )
    few = Loading(Bounds(bot_files=3))
    many = tree_of(*(("100644", b"%03d" % number, blob(b"")) for number in range(50)))
    assert sentence("entrants", "commit-files", count=52, most=30) in why(
        f".@{bot_tree(('40000', b'm', many))}", few
    )


def test_missing_objects_are_named(repository: Path) -> None:
    committed()
    digits = run("rev-parse", "HEAD:my-bot/main.py")
    (repository / ".git" / "objects" / digits[:2] / digits[2:]).unlink()
    assert why("my-bot@HEAD")
    tree = run("rev-parse", "HEAD:my-bot")
    (repository / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    assert why("my-bot@HEAD")


def test_a_git_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in git's place starts another one and waits: both are gone when the
    line is told.
    """
    committed()
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\nsleep 600 &\necho $$ $! > {tmp_path}/pids\nwait\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(git, "SECONDS", 0.5)
    assert sentence("entrants", "commit-slow", seconds="60") in why("my-bot@HEAD")
    assert until_gone({int(pid) for pid in (tmp_path / "pids").read_text().split()})
