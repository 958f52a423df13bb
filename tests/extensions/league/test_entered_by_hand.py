"""``league enter`` that is interrupted or killed at any step: nothing comes in that was
not meant to, and nothing is lost.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest
from arena import arena
from in_targets import soak_but_every
from interrupt_at import InterruptAt
from tools import need
from uploads import MUCH, TOML, new_league
from wording import pattern, sentence

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.say import say_nothing
from khiva_arena.display.terminal import interrupts
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.packing import pack
from khiva_arena.errors import ConfigError, StagingError
from khiva_arena.extensions.league import waiting
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import chain_of, found
from khiva_arena.extensions.league.player.roster_changes import take_all
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions import by_hand, entry_files, examine, queue_file
from khiva_arena.extensions.league.submissions.entry_files import EntryLock
from khiva_arena.extensions.league.submissions.examine import examine_next
from khiva_arena.extensions.league.submissions.limits import BotsBound
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.trial_table import Finding
from khiva_arena.extensions.league.waiting import take_back, waiting_of
from khiva_arena.records.store.db import Store

HOURS = 7_200.0
PLACES = (by_hand, entry_files, examine, queue_file, contextlib)
"""The modules in which an interrupt is tried."""
STEPS = (
    "lock.take",
    "by_hand.examine_next",
    "examine.sweep",
    "queue.claim",
    "examine.unpack",
    "examine._loaded",
    "queue.identify",
    "examine.verdict_of",
    "examine.as_played",
    "queue.settle",
    "examine.take_back_older",
    "queue.add_build_seconds",
    "signals.listen_no_more",
    "queue.release",
)
"""Functions in or after which a command can end before its entry is in."""


@pytest.fixture(scope="module")
def template(confined: Level, tmp_path_factory: pytest.TempPathFactory) -> League:
    """A league that nobody has entered."""
    return new_league(tmp_path_factory.mktemp("league") / "spring", settings="versions = 1")


@pytest.fixture
def league(template: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> League:
    """A copy of it, in which each check gives a good verdict; ann is an author."""
    monkeypatch.setattr(examine, "verdict_of", lambda *_: Finding(True, "fine"))
    shutil.copytree(template.folder, tmp_path / "spring")
    with Queue(tmp_path / "spring") as queue:
        queue.add_author("ann")
    return template._replace(folder=tmp_path / "spring")


@pytest.fixture
def queue(league: League) -> Iterator[Queue]:
    with Queue(league.folder) as opened:
        yield opened


def bot(tmp_path: Path, source: str = "# one") -> Bot:
    """A bot as its organiser has it at hand."""
    folder = tmp_path / f"bot of {source[2:]}"
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(TOML)
    (folder / "main.py").write_text(source)
    return load(str(folder))


def enter(league: League, one: Bot, family: str = "bot") -> str:
    """Enter a bot of ann's as the command does. Return the state of its entry."""
    with Queue(league.folder) as queue:
        packed = by_hand.Packed(queue.authors()[0].id, family, one.identity, pack(one))
        return by_hand.enter(league, queue, packed, BotsBound(3, [])).state


def breaks(
    monkeypatch: pytest.MonkeyPatch, step: str, end: Callable[[], NoReturn], *, is_after: bool
) -> None:
    """Let a step end its process, before or after it is done."""
    room, _, name = step.rpartition(".")
    owner: object = {
        "queue": Queue,
        "lock": EntryLock,
        "by_hand": by_hand,
        "examine": examine,
        "signals": interrupts,
    }[room]
    real = getattr(owner, name)

    def broken(*words: object, **more: object) -> object:
        monkeypatch.setattr(owner, name, real)  # once: the end itself may call it
        if is_after:
            real(*words, **more)
        end()

    monkeypatch.setattr(owner, name, broken)


def interrupted() -> NoReturn:
    raise KeyboardInterrupt


def dies() -> NoReturn:
    os._exit(9)


def in_a_child(run: Callable[[], object]) -> int:
    """Run something in a process of its own. Return its exit code."""
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            run()
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def played(league: League, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Do as a player does between two batches, hours later. Return the bots of the
    roster, anchors left out, and their states.
    """
    real = time.time
    with (
        monkeypatch.context() as later,
        Queue(league.folder) as queue,
        Store.write(league.folder) as store,
    ):
        later.setattr(time, "time", lambda: real() + HOURS)
        queue.end_leases_of_player()
        examine_next(league, queue)
        chain = chain_of(store) or found(store, "spring", league.terms, league.frozen_anchors)
        return roster(take_all(store, queue, chain, say_nothing))


def roster(chain: Chain) -> list[tuple[str, str]]:
    return [(bot.name, bot.state) for bot in chain.bots.values() if bot.author]


def said_to_wait(league: League, queue: Queue) -> list[str]:
    """What `league status` says of bots that wait."""
    return [
        one.why
        for one in waiting_of(
            league.folder, queue.entries("waiting", "accepted"), queue.changes(), None
        )
    ]


def files_of_entries(league: League) -> list[str]:
    """What is below ``bots``, but the anchors."""
    return sorted({path.name for path in (league.folder / "bots").iterdir()} - {"anchors"})


KILLED = sentence("league", "was-killed")


# --- interrupted ---


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", soak_but_every(STEPS, 3))
def test_an_interrupted_entry_never_comes_in(
    step: str,
    is_after: bool,
    league: League,
    queue: Queue,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An aborted entry came back an hour later, and retired the version that was
    playing.
    """
    enter(league, bot(tmp_path))
    assert played(league, monkeypatch) == [("bot v1", "active")]
    before = files_of_entries(league)
    released = (step, is_after) == ("queue.release", True)
    two = bot(tmp_path, "# two")
    with monkeypatch.context() as patch:
        breaks(patch, step, interrupted, is_after=is_after)
        with pytest.raises(KeyboardInterrupt):
            enter(league, two)
    if not released:  # after that it is in, and signals are ignored
        assert queue.entries("waiting", "accepted") == []
        assert files_of_entries(league) == before
        assert played(league, monkeypatch) == [("bot v1", "active")]
    assert enter(league, two) == "accepted"
    assert played(league, monkeypatch) == [("bot v1", "retired"), ("bot v2", "active")]


def test_an_entry_interrupted_after_any_call_never_comes_in(
    league: League, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted once a transaction had begun, and before Python was in its block, an
    entry was said not to come in, and waited: taking it back was a part of that
    transaction, which nobody ended.
    """
    one, tried = bot(tmp_path), 0
    packed = by_hand.Packed(queue.authors()[0].id, "bot", one.identity, pack(one))
    monkeypatch.setattr(by_hand.interrupts, "listen_no_more", lambda: sys.setprofile(None))
    while True:
        interrupt = InterruptAt(tried + 1, PLACES)
        with Queue(league.folder) as own:
            try:
                sys.setprofile(interrupt.see)
                by_hand.enter(league, own, packed, BotsBound(3, []))
                break
            except KeyboardInterrupt:
                tried += 1
            finally:
                sys.setprofile(None)
        assert [entry.state for entry in queue.entries() if entry.state != "refused"] == [], (
            interrupt.where
        )
        assert files_of_entries(league) == [], interrupt.where
        queue._connection.execute("DELETE FROM entries")  # hundreds of them would take their time
    assert tried > 300
    assert not interrupt.where, "it went on after an interrupt"
    assert [entry.state for entry in queue.entries()] == ["accepted"]


def test_a_check_that_the_player_was_interrupted_in_does_not_count(
    league: League, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attempt is not counted. Three attempts that a kill has ended refuse a bot."""
    packed, unpack, tried = pack(bot(tmp_path)), examine.unpack, 0

    def begin(*words: Any) -> None:
        sys.setprofile(interrupt.see)
        unpack(*words)

    monkeypatch.setattr(examine, "unpack", begin)
    while True:
        interrupt = InterruptAt(tried + 1, PLACES)
        queue.add_upload(queue.authors()[0].id, "bot", packed, MUCH)
        with Queue(league.folder) as own:
            try:
                examine_next(league, own)
                break
            except KeyboardInterrupt:
                tried += 1
            finally:
                sys.setprofile(None)
        ((state, attempts),) = queue._connection.execute(
            "SELECT state, attempts FROM entries"
        ).fetchall()
        assert (state, attempts) == ("waiting", 0) or state == "accepted", interrupt.where
        queue._connection.execute("DELETE FROM entries")
    assert tried > 100
    assert not interrupt.where, "it went on after an interrupt"


def test_what_this_machine_cannot_check_does_not_wait_on(
    league: League, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> NoReturn:
        raise StagingError("full")

    one = bot(tmp_path)
    breaks(monkeypatch, "examine.verdict_of", full, is_after=False)
    with pytest.raises(StagingError, match="nothing of it waits: run the same command again"):
        enter(league, one)
    assert queue.entries("waiting", "accepted") == []
    assert files_of_entries(league) == []


# --- killed ---


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", soak_but_every(STEPS, 3))
def test_what_a_kill_leaves_waits_for_the_same_command(
    step: str,
    is_after: bool,
    league: League,
    queue: Queue,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = bot(tmp_path)
    with monkeypatch.context() as patch:
        breaks(patch, step, dies, is_after=is_after)
        assert in_a_child(lambda: enter(league, one)) == 9
    entries = queue.entries()
    if entries and (step, is_after) != ("queue.release", True):
        assert played(league, monkeypatch) == []
        assert said_to_wait(league, queue) == [KILLED]
    assert enter(league, one) == "accepted"
    assert len(queue.entries()) == 1
    assert files_of_entries(league) == [entry_files.copy_of(league.folder, one.identity).name]
    assert played(league, monkeypatch) == [("bot v1", "active")]


@pytest.mark.parametrize("step", ["examine.verdict_of", "queue.release"])
def test_a_newer_entry_of_the_bot_takes_the_place_of_what_a_kill_left(
    step: str, league: League, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = bot(tmp_path)
    for family in ("bot", "other"):
        with monkeypatch.context() as patch:
            breaks(patch, step, dies, is_after=False)
            one = left if family == "bot" else bot(tmp_path, "# of another family")
            in_a_child(lambda one=one, family=family: enter(league, one, family))  # type: ignore[misc]
    queue.add_upload(queue.authors()[0].id, "bot", pack(bot(tmp_path, "# new")), MUCH)
    assert played(league, monkeypatch) == [("bot v1", "active")]
    assert [entry.state == "refused" for entry in queue.entries()] == [True, False, False]
    assert said_to_wait(league, queue)[0] == KILLED
    assert enter(league, left) == "accepted"  # again, since that is meant now


def test_nobody_takes_an_entry_from_a_command_at_work(
    league: League, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = bot(tmp_path)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            monkeypatch.setattr(
                examine, "verdict_of", lambda *_: (os.write(write, b"."), time.sleep(HOURS))
            )
            enter(league, one)
        os._exit(1)
    try:
        assert os.read(read, 1) == b"."
        assert said_to_wait(league, queue) == ["is being checked by `league enter`"]
        with pytest.raises(ConfigError, match=pattern("submissions", "equal")):
            enter(league, one)
        assert enter(league, bot(tmp_path, "# two")) == "accepted"
        assert [entry.state for entry in queue.entries()] == ["waiting", "accepted"]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert enter(league, one) == "accepted"


# --- taken back ---


def test_what_waits_is_taken_back_by_its_id_or_its_name(
    league: League, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = bot(tmp_path)
    with monkeypatch.context() as patch:
        breaks(patch, "examine.verdict_of", dies, is_after=False)
        in_a_child(lambda: enter(league, one, "left"))
    enter(league, bot(tmp_path, "# two"), "done")
    queue.add_change("", "season", "two")
    assert [take_back(league.folder, what).id for what in ("left", "entry-2", "two")] == [
        "entry-1",
        "entry-2",
        "change-1",
    ]
    assert queue.changes() == []
    assert played(league, monkeypatch) == []
    assert files_of_entries(league) == []
    with pytest.raises(
        ConfigError, match=pattern("league", "nothing-called", what="entry-2", there="nothing")
    ):
        take_back(league.folder, "entry-2")
    queue.add_change("", "season", "two")
    queue.add_change("", "season", "two")
    with pytest.raises(
        ConfigError, match="two: so are called change-2 and change-3; name one of these"
    ):
        take_back(league.folder, "two")


def test_a_command_at_work_hears_that_its_bot_was_taken_back(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verdict(*_: object) -> Finding:
        take_back(league.folder, "entry-1")
        return Finding(True, "fine")

    monkeypatch.setattr(examine, "verdict_of", verdict)
    assert enter(league, bot(tmp_path)) == "refused"
    assert files_of_entries(league) == []
    assert played(league, monkeypatch) == []


def test_what_is_taken_back_while_a_player_looks_does_not_come_in(
    league: League, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(league, bot(tmp_path))
    for listing, what in (("entries", "entry-1"), ("changes", "change-1")):
        if listing == "changes":
            queue.add_change("", "season", "two")
        real = getattr(Queue, listing)
        with monkeypatch.context() as patch:

            def listed(
                self: Queue, *states: str, real: Callable[..., object] = real, what: str = what
            ) -> object:
                rows = real(self, *states)
                patch.undo()
                take_back(league.folder, what)
                return rows

            patch.setattr(Queue, listing, listed)
            with Store.write(league.folder) as store:
                chain = chain_of(store) or found(
                    store, "spring", league.terms, league.frozen_anchors
                )
                chain = take_all(store, queue, chain, say_nothing)
        assert roster(chain) == []
    assert [season.name for season in chain.seasons] == ["season 1"]


def test_what_is_in_the_chain_waits_no_more_whatever_a_killed_player_noted(
    league: League, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(league, bot(tmp_path))
    queue.add_change("", "season", "two")
    with monkeypatch.context() as patch:
        patch.setattr(Queue, "mark_entered", lambda *_: None)
        patch.setattr(Queue, "mark_done", lambda *_: None)
        assert played(league, monkeypatch) == [("bot v1", "active")]
    for what in ("bot", "two"):
        with pytest.raises(
            ConfigError, match=pattern("league", "nothing-called", what=what, there="nothing")
        ):
            take_back(league.folder, what)
    assert waiting.TAKEN_BACK not in [entry.report for entry in queue.entries()]


# --- uploads ---


@pytest.mark.parametrize("state", ["waiting", "accepted", "entered"])
def test_an_upload_that_came_before_is_found_again(
    state: str, league: League, queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, ann, one_a_day = pack(bot(tmp_path)), queue.authors()[0].id, MUCH._replace(a_day=1)
    number = queue.add_upload(ann, "bot", packed, one_a_day)
    if state != "waiting":
        examine_next(league, queue)
    if state == "entered":
        played(league, monkeypatch)
    assert queue.add_upload(ann, "bot", packed, one_a_day) == number
    assert [entry.state for entry in queue.entries()] == [state]


def test_a_commit_is_entered_by_the_name_in_its_bot_toml(league: League, tmp_path: Path) -> None:
    need("git")
    home = tmp_path / "mine"
    home.mkdir()
    (home / "bot.toml").write_text(TOML + 'files = ["main.py"]\n')
    (home / "main.py").write_text("# one")
    for words in (
        "init -q",
        "add -A",
        "-c user.name=ann -c user.email=ann@example.org commit -q -m one",
    ):
        subprocess.run(["git", "-C", str(home), *words.split()], check=True)
    (home / "main.py").write_text("# two")
    arena("league", "enter", str(league.folder), "mine@HEAD", "--author", "ann", cwd=tmp_path)
    name = load(str(home)).name
    with Queue(league.folder) as queue:
        (entry,) = queue.entries_of(queue.authors()[0].id)
    assert (entry.family_name, entry.state) == (name, "accepted")
    packed = pack(load(f"{home}@HEAD"))
    assert f'name = "{name}"'.encode() in packed
    assert b"# one" in packed
