"""A bot as a commit has it, ``my-bot@REV``: read from real repositories, some of them made to harm the reader."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from arena import arena, until_gone
from quick_bots import NAIVE
from tools import lacks, need
from wording import pattern, sentence

from khiva_arena.common.text import harmless
from khiva_arena.entrants import bot_words, git
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.commits import without_commit
from khiva_arena.entrants.loading import AS_IT_IS, Bounds, Loading, allow_include
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import ConfigError

TOML = 'name = "ann"\nrun = "{python} main.py"\n'


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The work tree of a new repository, which is the working folder. The user has no settings of git."""
    need("git")
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    run("init", "-q", "-b", "main")
    return place


def run(*words: str, at: str | Path = ".", given: bytes = b"") -> str:
    author = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
    done = subprocess.run(["git", "-C", str(at), *author, *words], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def committed(files: dict[str, str] | None = None, at: str | Path = ".") -> str:
    """Write files, commit all that is there and return the hash."""
    for name, text in ({"my-bot/bot.toml": TOML, "my-bot/main.py": "old = 1"} if files is None else files).items():
        path = Path(at, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    run("add", "-A", "-f", at=at)
    run("commit", "-q", "--allow-empty", "-m", "a change", at=at)
    return run("rev-parse", "HEAD", at=at)


def commit_of_tree(tree: str) -> str:
    return run("commit-tree", tree, "-m", "made by hand")


def tree_of(*entries: tuple[str, bytes, str]) -> str:
    """Write a tree with any names, of (mode, name, hash), in this order."""
    data = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(digits) for mode, name, digits in entries)
    return run("hash-object", "-t", "tree", "-w", "--stdin", "--literally", given=data)


def blob(data: bytes) -> str:
    return run("hash-object", "-w", "--stdin", given=data)


def bot_tree(*more: tuple[str, bytes, str]) -> str:
    """Write a commit whose top is a bot with more entries."""
    own = (("100644", b"bot.toml", blob(TOML.encode())), ("100644", b"main.py", blob(b"old = 1")))
    return commit_of_tree(tree_of(*sorted([*more, *own], key=lambda entry: entry[1])))


def why(word: str, loading: Loading = AS_IT_IS) -> str:
    """Return the one line by which a word is refused."""
    with pytest.raises(ConfigError) as caught:
        load(word, loading=loading)
    assert "\n" not in str(caught.value)
    assert "khiva-arena-scratch" not in str(caught.value), "no private path is shown"
    return str(caught.value)


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
    assert load(bot.asked_as, str(repository)).identity == bot.identity, "the stored word finds it again"
    assert (repository / "my-bot" / "main.py").read_text() == "new = 1", "nothing is checked out"


ALIKE: dict[str, Callable[[Path], object]] = {
    "a program": lambda bot: (bot / "main.py").chmod(0o755),
    "a link to a folder": lambda bot: (bot / "data").symlink_to("../kit"),
    "a link that leads nowhere": lambda bot: (bot / "gone").symlink_to("../nowhere"),
    "hidden files and caches": lambda bot: [
        (bot / name).mkdir() or (bot / name / "x.py").write_text("x") for name in (".git-like", "__pycache__")
    ],
    "an odd name": lambda bot: (bot / "a b\tc\n$(x)é").write_text("x"),
    "many bytes": lambda bot: (bot / "weights").write_bytes(bytes(range(256)) * 3000),
    "a file of another kit": lambda bot: (bot / "bot.toml").write_text(TOML + 'include = ["../kit/kit.py"]\n'),
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
    committed({"my-bot/bot.toml": TOML, "my-bot/main.py": "old = 1", "my-bot@HEAD/bot.toml": TOML.replace("ann", "folder")})
    assert load("my-bot@HEAD").name == "folder"


def test_consent_to_included_files_is_asked_in_the_words_of_the_folder(repository: Path) -> None:
    committed({"my-bot/bot.toml": TOML + 'include = ["../kit/kit.py"]\n', "my-bot/main.py": "", "kit/kit.py": ""})
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
        assert sentence("entrants", "commit-unnamed", word=repr(harmless(word))) in why(f"my-bot@{word}")
    for word in ("^HEAD", "HEAD~5", "HEAD..HEAD", "HEAD:my-bot", "HEAD^{tree}"):
        assert sentence("entrants", "commit-unknown", commit=word) in why(f"my-bot@{word}")


def test_a_path_that_the_commit_lacks() -> None:
    first = committed({"a-file": ""})[:7]
    committed({"bots/my-bot/bot.toml": TOML})
    assert sentence("entrants", "commit-lacks-path", commit=first, path="bots/my-bot") in why("bots/my-bot@HEAD~1")
    assert sentence("entrants", "commit-not-a-folder", path="a-file", kind="a file", commit=first) in why("a-file@HEAD~1")
    assert sentence("entrants", "commit-name-a-bot", word="bots/my-bot@HEAD") in why("bots@HEAD")


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    assert sentence("entrants", "commit-no-repository") in why("../alone@HEAD")


def test_a_shallow_clone_says_how_to_fetch_the_rest(repository: Path, tmp_path: Path) -> None:
    committed()
    committed({"my-bot/main.py": "new = 1"})
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repository}", str(tmp_path / "clone")], check=True)
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
    words = ["git", "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repository}", str(tmp_path / "clone")]
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
    digits = committed({"my-bot/bot.toml": TOML, "my-bot/main.py": "", "my-bot/weights.bin": pointer})[:7]
    assert sentence("entrants", "commit-elsewhere", path="weights.bin", what="a pointer of Git LFS", commit=digits) in why(
        "my-bot@HEAD"
    )
    committed({"my-bot/bot.toml": TOML + 'files = ["*.py"]\n'})
    assert load("my-bot@HEAD").identity == load("my-bot").identity, "one that the bot leaves out is no mistake"


@pytest.mark.parametrize(
    ("path", "word", "shown"), [("my-bot/sub", "my-bot", "sub"), ("sub", "sub", "sub"), ("sub", "sub/bot", "sub")]
)
def test_a_submodule_is_not_in_the_commit(path: str, word: str, shown: str) -> None:
    digits = committed()
    run("update-index", "--add", "--cacheinfo", f"160000,{digits},{path}")
    run("commit", "-q", "-m", "a submodule")
    Path(word).mkdir(parents=True, exist_ok=True)
    now = run("rev-parse", "--short=7", "HEAD")
    assert sentence("entrants", "commit-elsewhere", path=shown, what="a submodule", commit=now) in why(f"{word}@HEAD")


@pytest.mark.parametrize("files", ["*.py", "**/main.py", "lib/*.py", "sub/x/*.py", "sub/*"])
def test_a_submodule_that_the_bot_does_not_take_is_no_mistake(files: str, repository: Path) -> None:
    toml = TOML + f'files = ["main.py", "{files}"]\n'
    digits = committed(
        {"my-bot/bot.toml": toml, "my-bot/main.py": "", "my-bot/lib/a.py": "", "my-bot/sub/x/b.py": "", "my-bot/sub/c": ""}
    )
    for path in ("my-bot/vendor", "other/sub", "my-bot/sub/vendor"):
        run("update-index", "--add", "--cacheinfo", f"160000,{digits},{path}")
    run("commit", "-q", "-m", "submodules")
    for path in ("vendor", "sub/vendor"):
        (repository / "my-bot" / path).mkdir()
    if "**" in files:
        assert sentence(
            "entrants", "commit-elsewhere", path="sub/vendor", what="a submodule", commit=run("rev-parse", "--short=7", "HEAD")
        ) in why("my-bot@HEAD")
    else:
        assert load("my-bot@HEAD").identity == load("my-bot").identity


@pytest.mark.parametrize("include", ["sub/kit.py", "../kit/kit.py"])
def test_a_file_that_is_included_from_a_submodule_is_not_in_the_commit(include: str) -> None:
    digits = committed({"my-bot/bot.toml": TOML + f'files = ["*.py"]\ninclude = ["{include}"]\n', "my-bot/main.py": ""})
    path = os.path.dirname(os.path.normpath(f"my-bot/{include}"))
    run("update-index", "--add", "--cacheinfo", f"160000,{digits},{path}")
    run("commit", "-q", "-m", "a submodule")
    now = run("rev-parse", "--short=7", "HEAD")
    shown = path.removeprefix("my-bot/")
    assert sentence("entrants", "commit-elsewhere", path=shown, what="a submodule", commit=now) in why(
        "my-bot@HEAD", Loading(include=allow_include)
    )


@pytest.mark.parametrize(
    ("attributes", "on_disk"),
    [("*.py text eol=crlf", b"old = 1\r\n"), ("*.py ident", b"old = 1\n"), ("* text=auto", b"old = 1\n")],
)
def test_a_commit_has_the_bytes_of_the_repository_whatever_gitattributes_say(
    attributes: str, on_disk: bytes, repository: Path
) -> None:
    """Git converts line ends and the like between the repository and the disk; nothing is converted here."""
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


def test_nothing_of_a_repository_is_run(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks, a monitor of files, filters, aliases, and variables that lead git elsewhere."""
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    committed({"my-bot/bot.toml": TOML, "my-bot/main.py": "old = 1", ".gitattributes": "* filter=trap diff=trap\n"})
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        (repository / ".git" / "hooks" / name).write_bytes(trap.read_bytes())
        (repository / ".git" / "hooks" / name).chmod(0o755)
    keys = ("core.fsmonitor", "filter.trap.smudge", "filter.trap.clean", "diff.trap.textconv", "core.pager", "core.sshCommand")
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
    """A commit may hold the files of a repository, whose settings would count in that folder."""
    committed()
    for path in (repository / ".git").iterdir():
        (shutil.copytree if path.is_dir() else shutil.copy)(path, repository / "my-bot" / path.name)
    run("config", "--file", "my-bot/config", "core.worktree", str(repository / "my-bot"))
    assert run("rev-parse", "--git-dir", at="my-bot") == ".", "git takes the folder for a repository"
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
        refusal = "fatal: empty filename" if what == "no name" else pattern("entrants", "commit-damaged", path=".*")
        assert re.search(refusal, why(f".@{bot_tree(entry)}")), what
    for name in (b"..", b".", b".git"):
        bot = load(f".@{bot_tree(('40000', name, inner))}")
        assert [name for name, _ in bot.sources] == ["bot.toml", "main.py"], "hidden names are never part of a bot"
    assert not victim.exists()
    assert not (repository / "victim").exists()


@pytest.mark.parametrize("target", ["/etc/passwd", "main.py", "../" * 20 + "etc/passwd", "\x1b[31m/../main.py"])
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
    monkeypatch.setattr(git.Blobs, "pieces", lambda blobs, entry: (read.append(entry.size), pieces(blobs, entry))[1])
    link = commit_of_tree(tree_of(("120000", b"bot.toml", blob(b"/etc/passwd"))))
    assert "bot.toml: cannot be read" in why(f".@{link}")
    long = commit_of_tree(tree_of(("100644", b"bot.toml", blob(b"#" * 1_000_001))))
    assert "bot.toml: cannot be read" in why(f".@{long}")
    assert max(read) < 100, "the long one is not read"


def test_the_bounds_of_folders_hold_before_anything_is_read() -> None:
    committed({"my-bot/bot.toml": TOML, "my-bot/main.py": "", "my-bot/big": "x" * 3000, "my-bot/a/b/c/d": ""})
    for bounds in (Bounds(bot_file_size=2000), Bounds(bot_size=2000), Bounds(bot_files=2), Bounds(bot_depth=2)):
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
    assert re.search(pattern("entrants", "folders-more-deep-leave", limit="64"), why(f".@{bot_tree(('40000', b'd', deep))}"))
    wide = tree_of(*(("100644", b"%03d" % number, blob(b"")) for number in range(50)))
    for _ in range(6):
        wide = tree_of(*(("40000", b"%03d" % number, wide) for number in range(50)))
    monkeypatch.setattr(git, "MOST_NAMES", 1 << 20)
    assert sentence("entrants", "commit-names", most=1) in why(f".@{bot_tree(('40000', b'w', wide))}")
    few = Loading(Bounds(bot_files=3))
    many = tree_of(*(("100644", b"%03d" % number, blob(b"")) for number in range(50)))
    assert sentence("entrants", "commit-files", count=52, most=30) in why(f".@{bot_tree(('40000', b'm', many))}", few)


def test_missing_objects_are_named(repository: Path) -> None:
    committed()
    digits = run("rev-parse", "HEAD:my-bot/main.py")
    (repository / ".git" / "objects" / digits[:2] / digits[2:]).unlink()
    assert why("my-bot@HEAD")
    tree = run("rev-parse", "HEAD:my-bot")
    (repository / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    assert why("my-bot@HEAD")


def test_a_git_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in git's place starts another one and waits: both are gone when the line is told."""
    committed()
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\nsleep 600 &\necho $$ $! > {tmp_path}/pids\nwait\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(git, "SECONDS", 0.5)
    assert sentence("entrants", "commit-slow", seconds="60") in why("my-bot@HEAD")
    assert until_gone({int(pid) for pid in (tmp_path / "pids").read_text().split()})


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """The private folder lasts as long as the command."""
    committed({"my-bot/bot.toml": TOML, "my-bot/main.py": ""})
    (tmp_path / "tmp").mkdir()
    code = (
        "from khiva_arena.entrants.bots import load; import os; load('my-bot@HEAD'); print(len(os.listdir(os.environ['TMPDIR'])))"
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
    assert f"{name}#1" in arena("match", "--bot", "my-bot", "--bot", "my-bot@HEAD~1", *words, cwd=repository).stdout
    arena("check", "--quick", "--isolation", "trusted", "--trust-bots", "my-bot@HEAD~1", cwd=repository)
    sprt = ("sprt", "./my-bot", "./my-bot@HEAD~1", *words, "--seeds", "32", "--out", "out", "--events-file", "events")
    said = arena(*sprt, cwd=repository, code=None)
    assert name in said.stdout + said.stderr
    (repository / "cups").mkdir()
    (repository / "cups" / "cup.toml").write_text(
        'bots = ["../my-bot", "../my-bot@HEAD~1"]\nseats = 2\nseeds = 1\nout = "games"\n'
    )
    assert name in arena("run", "cups/cup.toml", *words, cwd=repository).stdout
    engines = ({"command": "../my-bot", "name": "now"}, {"command": "my-bot@HEAD~1", "workingDirectory": "..", "name": "before"})
    (repository / "cups" / "engines.json").write_text(json.dumps(engines))
    listed = ("--engines", "cups/engines.json", "--seats", "2", "--seeds", "1", "--out", "listed")
    assert "before" in arena("run", *listed, *words, cwd=repository).stdout
    committed({"my-bot/more.txt": "a third bot"})  # HEAD~1 is another commit from now on
    games = ("replay", "cups/games", "1/0", *trusted)
    seats = [arena(*games, "--seat", seat, cwd=repository).stdout for seat in "01"]
    assert sum(f"now {name}" in said for said in seats) == 1
    assert f"now {name}" in arena(*games, "--seat", "0", "--bot", "my-bot@HEAD~2", cwd=repository).stdout
    said = [arena("replay", "listed", "1/0", *trusted, "--seat", seat, cwd=repository).stdout for seat in "01"]
    assert sum("then before, now naive" in one for one in said) == 1, "a bot of an engines.json is found again"
    said = arena(*games, "--bot", "my-bot@HEAD", cwd=repository).stdout
    assert "then naive, now naive@" in said, "without --seat it is asked at the seat of its own name"


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
