"""A build is a stranger's program: kept in at every level, ended with all it started,
and whatever it leaves is taken over by root and made unwritable, or refused in a line.
And scratch folders, that bots leave in any state.
"""

import os
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from arena import descendants, left_over
from levels import EVERY_LEVEL, KEEPING
from wording import sentence

from khiva_arena.bots.sandbox import pid_namespaces, reap, scratch, uids
from khiva_arena.bots.sandbox.cell import cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import Resources
from khiva_arena.entrants import build, staging
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, InternalError

pytestmark = pytest.mark.slow

BOUND = 60.0
NOBODY = 1 << 22
HERE = pid_namespaces.namespace("self")


@pytest.fixture(autouse=True)
def _own_cache(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(open_folder / "cache"))


def bot(folder: Path, script: str) -> Bot:
    """A bot that is built by a shell script of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text('name = "built"\nrun = "true"\nbuild = "sh build.sh"\n')
    (folder / "build.sh").write_text(script)
    return load(str(folder))


def built(folder: Path, script: str, level: Level) -> Path:
    return Path(stage(bot(folder, script), level).folder)


def said(folder: Path, script: str, level: Level) -> str:
    """What a build that must fail is said to have failed by. Nothing half staged
    stays.
    """
    with pytest.raises(BotError) as caught:
        built(folder, script, level)
    assert not list((staging.cache_folder() / "staged").glob("draft-*"))
    return str(caught.value)


REACHES = """
cat "{secret}" >> reached 2>&1 && echo read >> reached
ls "{folder}" > /dev/null 2>&1 && echo listed >> reached
echo x > "{folder}/left" && echo wrote >> reached
echo x > /usr/khiva-arena-test && echo usr >> reached
touch "{staged}/left" && echo staged >> reached
echo x > "$HOME/note" && echo scratch > scratch
exec 2>&1
python3 -c 'import socket; socket.create_server(("127.0.0.1", 0))' && echo network >> reached
true
"""


@KEEPING
def test_a_build_reaches_nothing(level: Level, tmp_path: Path, open_folder: Path) -> None:
    private = open_folder / "private"
    private.mkdir()
    (private / "secret").write_text("the seed")
    for path in (private / "secret", private):
        path.chmod(0o777)
    staged = staging.cache_folder() / "staged"
    place = built(
        tmp_path / "a",
        REACHES.format(secret=private / "secret", folder=private, staged=staged),
        level,
    )
    assert (place / "scratch").read_text() == "scratch\n"
    reached = (place / "reached").read_text() if (place / "reached").exists() else ""
    assert not {"read", "listed", "wrote", "usr", "staged", "network", "the seed"} & set(
        reached.splitlines()
    )
    assert [path.name for path in private.iterdir()] == ["secret"]


@EVERY_LEVEL
def test_what_was_built_belongs_to_us_and_cannot_be_written(level: Level, tmp_path: Path) -> None:
    script = (
        "mkdir -p a/b; echo x > a/b/c; chmod 4777 a/b/c; cp /bin/true program; chmod 6755 "
        "program; chmod 777 a; mkfifo p\nrm p\n"
    )
    place = built(tmp_path / "a", script, level)
    for path in (place, *place.rglob("*")):
        found = path.lstat()
        assert found.st_uid == os.geteuid()
        assert stat.S_IMODE(found.st_mode) & ~0o555 == 0, (path, oct(found.st_mode))
    assert stat.S_IMODE((place / "program").stat().st_mode) == 0o555


@EVERY_LEVEL
def test_a_build_runs_once_for_each_version_and_level_asked(level: Level, tmp_path: Path) -> None:
    script = "date +%s%N > when\n"
    place = built(tmp_path / "a", script, level)
    when = (place / "when").read_text()
    assert (built(tmp_path / "a", script, level) / "when").read_text() == when
    assert (built(tmp_path / "b", script, level) / "when").read_text() == when
    assert (built(tmp_path / "b", script + "true\n", level) / "when").read_text() != when


@EVERY_LEVEL
def test_a_failed_build_says_how(level: Level, tmp_path: Path) -> None:
    assert "exited with code 3:\nno such header" in said(
        tmp_path / "a", "echo no such header >&2; exit 3\n", level
    )


@EVERY_LEVEL
def test_a_build_that_takes_too_long_is_ended_with_all_it_started(
    level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "BUILD_SECONDS", 1)
    before, began = descendants(os.getpid()), time.monotonic()
    script = "(trap '' TERM HUP; setsid sleep 300) & (sleep 300 &) ; sleep 300\n"
    assert "took longer than 1 s" in said(tmp_path / "a", script, level)
    assert time.monotonic() - began < BOUND
    assert not left_over(before)


@EVERY_LEVEL
def test_what_a_build_leaves_running_is_ended(level: Level, tmp_path: Path) -> None:
    before = descendants(os.getpid())
    place = built(
        tmp_path / "a",
        "setsid sleep 300 > /dev/null 2>&1 &\nsleep 300 &\necho done > done\n",
        level,
    )
    assert (place / "done").exists()
    assert not left_over(before)


def test_a_build_whose_processes_cannot_be_ended_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: reap.Adoption) -> None:
        raise InternalError("20 processes did not end")

    monkeypatch.setattr(reap.Adoption, "end_strays", fail)
    assert (
        said(tmp_path / "a", "true\n", Level.TRUSTED)
        == "built: its build left processes that cannot be ended"
    )


@KEEPING
def test_a_build_has_limits_of_its_own(
    level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At trusted they are set when it runs already, and what it starts at once may
    escape them.
    """
    monkeypatch.setattr(build, "FOR_A_BUILD", Resources(file_size=100_000))
    assert "code" in said(tmp_path / "a", "head -c 200000 /dev/zero > large || exit 9\n", level)


HOSTILE = {
    "modes": "mkdir shut; echo x > shut/file; chmod 000 shut/file shut; chmod 000 .\n",
    "links out": (
        "ln -s {private} folder; ln -s {private}/secret file; ln -s / root; ln -s nowhere "
        "broken; ln -s loop loop\n"
    ),
    "a pipe": "mkfifo pipe\n",
    "long names": "touch $(printf '%0255d' 0); printf x > \"$(printf 'a\\nb')\"; touch -- -rf\n",
    "a deep tree": "mkdir -p $(printf 'd/%.0s' $(seq 1200))\n",
    "itself gone": "rm -rf ./*\n",
}


@pytest.mark.soak
@EVERY_LEVEL
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_tree_is_staged_or_refused_and_followed_nowhere(
    level: Level, tmp_path: Path, open_folder: Path, what: str
) -> None:
    private = open_folder / "private"
    private.mkdir(mode=0o700)
    (private / "secret").write_text("the seed")
    (private / "secret").chmod(0o600)
    made = bot(tmp_path / "a", HOSTILE[what].format(private=private))
    began = time.monotonic()
    with suppress(BotError):
        stage(made, level)
    assert time.monotonic() - began < BOUND
    assert not list((staging.cache_folder() / "staged").glob("draft-*"))
    found = [stat.S_IMODE(path.stat().st_mode) for path in (private, private / "secret")]
    assert (found, (private / "secret").read_text()) == ([0o700, 0o600], "the seed")
    assert [path.stat().st_uid for path in (private, private / "secret")] == [os.geteuid()] * 2
    subprocess.run(["chmod", "-R", "u+rwX", str(staging.cache_folder())], check=False)
    subprocess.run(["rm", "-rf", str(staging.cache_folder())], check=True)


def test_a_tree_that_cannot_be_walked_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How deep Python walks differs from version to version."""

    def too_deep(*_: object) -> None:
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(staging, "_copy", too_deep)
    assert said(tmp_path / "a", "true\n", Level.TRUSTED) == sentence(
        "entrants", "nested-too-deep", name="built"
    )


# --- scratch folders ---

LEAVES = {
    "nothing": "true",
    "files": "cd $HOME; mkdir -p a/b; echo x > a/b/c; touch .hidden -- -rf",
    "modes": "cd $HOME; mkdir shut; echo x > shut/file; chmod 000 shut/file shut; chmod 000 .",
    "links": (
        "cd $HOME; ln -s {private} folder; ln -s {private}/secret file; ln -s loop loop; "
        "mkfifo pipe"
    ),
    "a deep tree": "cd $HOME; mkdir -p $(printf 'd/%.0s' $(seq 1500))",
    "itself gone": "rmdir $HOME",
}


@pytest.mark.soak
@pytest.mark.parametrize("level", [Level.BASIC, Level.TRUSTED], indirect=True)
@pytest.mark.parametrize("what", LEAVES)
def test_scratch_is_removed_whatever_is_in_it(level: Level, open_folder: Path, what: str) -> None:
    private = open_folder / "private"
    private.mkdir(mode=0o700)
    (private / "secret").write_text("the seed")
    home = ran(level, LEAVES[what].format(private=private))
    assert not os.path.lexists(home)
    assert (stat.S_IMODE(private.stat().st_mode), (private / "secret").read_text()) == (
        0o700,
        "the seed",
    )


def ran(level: Level, script: str) -> str:
    """Run a shell script at a level and clean up behind it. Returns where its scratch
    folder was.
    """
    made = cell(Command(("/bin/sh", "-c", script), "/"), Sandbox(level), "test")
    assert made.scratch is not None
    subprocess.run(
        made.argv,
        cwd=made.folder,
        env=made.environment,
        pass_fds=made.descriptors,
        check=False,
        capture_output=True,
    )
    made.clean()
    return made.scratch


@EVERY_LEVEL
def test_scratch_is_new_each_time(level: Level) -> None:
    script = (
        "import os; print(os.listdir(os.environ['HOME'])); "
        "open(os.path.join(os.environ['HOME'], 'note'), 'w').close()"
    )
    for _ in range(2):
        made = cell(
            Command(
                ("/usr/bin/python3" if os.geteuid() == 0 else sys.executable, "-c", script), "/"
            ),
            Sandbox(level),
            "test",
        )
        done = subprocess.run(
            made.argv,
            cwd=made.folder,
            env=made.environment,
            pass_fds=made.descriptors,
            capture_output=True,
            text=True,
            check=False,
        )
        made.clean()
        assert (done.stdout, done.stderr) == ("[]\n", "")


def test_sweeping_takes_what_the_dead_left_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    dead, alive = (tmp_path / f"{scratch.PREFIX}{HERE}-{pid}-x" for pid in (NOBODY, os.getpid()))
    private, other = tmp_path / "private", tmp_path / "elsewhere"
    for folder in (dead, alive, private, other):
        folder.mkdir()
        (folder / "file").write_text("x")
    link = tmp_path / f"{scratch.PREFIX}{HERE}-{NOBODY}-link"
    link.symlink_to(private)
    (dead / "link").symlink_to(private)
    file = tmp_path / f"{scratch.PREFIX}{HERE}-{NOBODY}-file"
    file.write_text("x")
    elsewhere = tmp_path / f"{scratch.PREFIX}{HERE + 1}-{NOBODY}-x"  # of a container
    elsewhere.mkdir()
    scratch.sweep()
    elsewhere.rmdir()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in (alive, private, other, link, file)
    )
    assert all((folder / "file").exists() for folder in (alive, private, other))


@pytest.mark.skipif(
    os.geteuid() != 0, reason="only root sees folders of other users that it could remove"
)
def test_sweeping_leaves_other_users_folders_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    theirs, ours = (
        tmp_path / f"{scratch.PREFIX}{HERE}-{NOBODY}-{who}" for who in ("theirs", "ours")
    )
    for folder, user in ((theirs, 1000), (ours, uids.FIRST + 5)):
        folder.mkdir()
        os.chown(folder, user, user)
    scratch.sweep()
    assert [path.name for path in tmp_path.iterdir()] == [theirs.name]
