"""Errors that nobody foresaw, at one item of each loop of a league's player: the loop
goes on, and the organiser is told.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from cases import cases
from uploads import MUCH, one_of_its_own
from wording import sentence

from khiva_arena.entrants import staging
from khiva_arena.errors import ConfigError, StagingError, StoreError, StoreFull
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.player import player
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions import by_hand, examine
from khiva_arena.extensions.league.submissions.examine import examine_next
from khiva_arena.extensions.league.submissions.limits import BotsBound
from khiva_arena.extensions.league.submissions.queue import (
    MOST_ATTEMPTS,
    MOST_FAILURES,
    RETRY_SECONDS,
    Queue,
)
from khiva_arena.extensions.league.submissions.trial_table import Finding

UNFORESEEN: list[Exception] = [
    UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"),
    RuntimeError(f"at {os.getcwd()}/here, \x1b[2J"),
    AssertionError(),
    RecursionError("too deep"),
    KeyError("name"),
    OSError(errno.ENOENT, os.strerror(errno.ENOENT), "/lost"),
    OSError(errno.ELOOP, os.strerror(errno.ELOOP), "/round"),
    ExceptionGroup("tasks", [ValueError("one"), ExceptionGroup("more", [ZeroDivisionError()])]),
]
OF_THE_MACHINE: list[Exception] = [
    OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
    MemoryError(),
    StoreError("no room"),
    StagingError("no room"),
    ExceptionGroup("tasks", [ValueError("one"), OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))]),
]


@pytest.fixture
def queue(league: League) -> Iterator[Queue]:
    """Its queue, in which two authors are known."""
    with Queue(league.folder) as opened:
        opened.add_author("ann")
        opened.add_author("bea")
        yield opened


def upload(queue: Queue, name: str, author: int = 0) -> int:
    """Send a bot that no other one equals."""
    return queue.add_upload(queue.authors()[author].id, name, one_of_its_own(), MUCH)


def fails_at(monkeypatch: pytest.MonkeyPatch, name: str, error: BaseException) -> None:
    """Let the check of the bot of a name raise; every other bot passes."""

    def verdict(_league: League, bot: object, _renew: object) -> Finding:
        if getattr(bot, "name", "") == name:
            raise error
        return Finding(True, "fine")

    monkeypatch.setattr(examine, "verdict_of", verdict)


def look_again(queue: Queue) -> None:
    """Let the time pass until an entry is tried again."""
    queue._connection.execute(
        "UPDATE entries SET leased_until = leased_until - ? WHERE leased_until > 0",
        (RETRY_SECONDS,),
    )


# --- entries ---


@cases("error", UNFORESEEN)
def test_an_entry_that_the_arena_fails_at_is_set_aside_and_the_next_one_is_examined(
    error: Exception, template: League, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("failing") / "spring"
    shutil.copytree(template.folder, folder)
    league, said = template._replace(folder=folder), list[str]()
    with Queue(folder) as queue, pytest.MonkeyPatch.context() as monkeypatch:
        queue.add_author("ann")
        fails_at(monkeypatch, "poison", error)
        numbers = [upload(queue, name) for name in ("poison", "sound")]
        player._examine_some(league, queue, lambda text, **_: said.append(text))
        poison, sound = map(queue.entry, numbers)
        assert (poison.state, poison.report) == ("refused", sentence("submissions", "unexamined"))
        assert sound.state == "accepted"
    trace = folder / failures.FOLDER / f"entry-{poison.number}.txt"
    assert stat.S_IMODE(trace.stat().st_mode) == 0o600
    assert stat.S_IMODE(trace.parent.stat().st_mode) == 0o700
    text = trace.read_text()
    assert type(error).__name__ in text
    assert "in verdict" in text
    assert "\x1b" not in text
    assert said[0].startswith(
        f"entry {poison.number}, poison, was not examined: {type(error).__name__}"
    )
    assert said[0].endswith(sentence("league", "trace-is-in", path=trace))
    assert said[0].isprintable()
    assert sorted(path.name for path in (folder / "bots").iterdir()) == sorted(
        {"anchors", sound.identity[:32]}
    )


def test_it_does_not_count_against_the_day_of_its_author(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_at(monkeypatch, "poison", RuntimeError())
    monkeypatch.setattr(examine, "_cpu_of_children", iter(range(0, 10**6, 1_000)).__next__)
    whose, limits = queue.authors()[0].id, MUCH._replace(a_day=1, build_seconds=60.0)
    again = one_of_its_own()
    queue.add_upload(whose, "poison", again, limits)
    with pytest.raises(ConfigError):
        queue.add_upload(whose, "other", one_of_its_own(), limits)
    assert examine_next(league, queue)
    assert (
        queue._spent_today()[whose] == 1_000
    )  # bots of those who have used less come first all the same
    assert queue.entry(queue.add_upload(whose, "poison", again, limits)).state == "waiting"
    assert queue.claim(build_seconds=limits.build_seconds)


@cases("error", OF_THE_MACHINE)
def test_an_entry_at_which_the_machine_fails_waits(
    error: Exception, template: League, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("full") / "spring"
    shutil.copytree(template.folder, folder)
    league, said = template._replace(folder=folder), list[str]()
    with Queue(folder) as queue, pytest.MonkeyPatch.context() as monkeypatch:
        queue.add_author("ann")
        fails_at(monkeypatch, "unlucky", error)
        numbers = [upload(queue, name) for name in ("unlucky", "sound")]
        player._examine_some(league, queue, lambda text, **_: said.append(text))
        assert [queue.entry(number).state for number in numbers] == ["waiting", "accepted"]
    assert len(said) == 2
    assert not (folder / failures.FOLDER).exists()


@pytest.mark.parametrize("others", [0, 1])
def test_an_entry_at_which_the_machine_fails_thrice_is_set_aside_if_another_one_went_through(
    others: int, league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it is the only one, nobody knows that the machine works."""
    fails_at(monkeypatch, "unlucky", MemoryError())
    number = upload(queue, "unlucky")
    for attempt in range(MOST_FAILURES):
        assert queue.entry(number).state == "waiting"
        if attempt == 1 and others:
            upload(queue, "sound", 1)
        player._examine_some(league, queue, lambda *_, **__: None)
        look_again(queue)
    trace = league.folder / failures.FOLDER / f"entry-{number}.txt"
    if others:
        assert queue.entry(number).report == sentence("submissions", "unexamined")
        assert "MemoryError" in trace.read_text()
    else:
        assert queue.entry(number).state == "waiting"
        assert not trace.exists()


@pytest.mark.parametrize("other", [RuntimeError(), KeyboardInterrupt()], ids=repr)
def test_another_entry_that_got_no_verdict_shows_nothing_of_the_machine(
    other: BaseException, league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = upload(queue, "unlucky")
    for attempt in range(MOST_FAILURES):
        fails_at(monkeypatch, "unlucky", MemoryError())
        with pytest.raises(StagingError):
            examine_next(league, queue)
        if attempt == 1:
            upload(queue, "other", 1)
            fails_at(monkeypatch, "other", other)
            with (
                pytest.raises(KeyboardInterrupt)
                if isinstance(other, KeyboardInterrupt)
                else nullcontext()
            ):
                examine_next(league, queue)
        look_again(queue)
    assert queue.entry(number).state == "waiting"


@pytest.mark.parametrize("step", ["note_failure", "settle", "add_build_seconds"])
def test_a_full_disk_that_no_failure_can_be_noted_on_leaves_no_draft_and_no_attempt(
    step: str, league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The draft is gone before the queue is written, since it may be what fills the
    disk.
    """
    number = upload(queue, "bot")
    fails_at(monkeypatch, "bot" if step != "settle" else "", MemoryError())
    drafts: list[list[Path]] = []

    def full(*_: object, **__: object) -> None:
        drafts.append(list((league.folder / "bots").glob("draft-*")))
        raise StoreFull("full")

    with monkeypatch.context() as patched:
        patched.setattr(Queue, step, full)
        with pytest.raises(StoreFull):
            examine_next(league, queue)
    assert drafts == [[]]
    assert queue.entry(number).state == "waiting"
    assert [row["attempts"] for row in queue._rows("SELECT attempts FROM entries")] == [0]


def test_an_entry_whose_attempts_no_full_disk_took_back_is_set_aside_and_its_author_not_blamed(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    whose, limits, said = queue.authors()[0].id, MUCH._replace(a_day=1), list[str]()
    number = queue.add_upload(whose, "bot", one_of_its_own(), limits)
    fails_at(monkeypatch, "bot", MemoryError())

    def full(*_: object) -> None:
        raise StoreFull("full")

    with monkeypatch.context() as patched:
        for step in ("note_failure", "put_back"):
            patched.setattr(Queue, step, full)
        for _ in range(MOST_ATTEMPTS):
            with pytest.raises(StoreFull):
                examine_next(league, queue)
            queue.end_leases_of_player()
    player._examine_some(league, queue, lambda text, **_: said.append(text))
    assert (queue.entry(number).state, queue.entry(number).report) == (
        "refused",
        sentence("submissions", "unexamined"),
    )
    assert len(said) == 1
    assert said[0].startswith(f"entry {number}, bot, was not examined: ")
    assert f"its check was ended {MOST_ATTEMPTS} times before it was done" in said[0]
    queue.add_upload(whose, "bot", one_of_its_own(), limits)


@pytest.mark.parametrize(
    "stop",
    [
        KeyboardInterrupt(),
        SystemExit(3),
        BaseExceptionGroup("tasks", [KeyboardInterrupt(), ValueError()]),
    ],
    ids=repr,
)
def test_a_stop_goes_through_and_counts_as_no_failure(
    stop: BaseException, league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_at(monkeypatch, "bot", stop)
    number = upload(queue, "bot")
    with pytest.raises(type(stop)):
        examine_next(league, queue)
    assert queue.entry(number).state == "waiting"
    assert [row["failures"] for row in queue._rows("SELECT failures FROM entries")] == [0]
    assert not (league.folder / failures.FOLDER).exists()


@pytest.mark.parametrize("step", ["settle", "set_aside", "add_build_seconds"])
def test_a_failure_to_settle_goes_through(
    step: str, league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each entry that waits would be examined for nothing."""
    fails_at(monkeypatch, "poison" if step == "set_aside" else "", RuntimeError("check"))
    upload(queue, "poison")

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("settle")

    monkeypatch.setattr(Queue, step, fails)
    with pytest.raises(RuntimeError, match="settle"):
        player._examine_some(league, queue, lambda *_, **__: None)


def test_an_entry_by_hand_that_the_arena_fails_at_does_not_come_in(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_at(monkeypatch, "poison", RuntimeError("within"))
    said: list[str] = []
    bot = by_hand.Packed(queue.authors()[0].id, "poison", "", one_of_its_own())
    entry = by_hand.enter(league, queue, bot, BotsBound(9, ()), lambda text, **_: said.append(text))
    assert (entry.state, entry.report) == ("refused", sentence("submissions", "unexamined"))
    assert "RuntimeError: within" in said[0]


def test_an_error_of_the_disk_in_other_words_is_not_its_author_s(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of a bot are read by code that tells each error of a file as its
    author's.
    """
    number = upload(queue, "bot")

    def broken(*_: object, **__: object) -> str:
        raise OSError(errno.EIO, os.strerror(errno.EIO), "main.py")

    monkeypatch.setattr(staging.sources, "identity_of_files", broken)
    with pytest.raises(StagingError):
        examine_next(league, queue)
    assert queue.entry(number).state == "waiting"


# --- traces ---


def test_traces_are_few_and_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "MOST_FILES", 3)
    for number in range(5):
        failures.keep(tmp_path, f"entry-{number}", RuntimeError("x" * 10**6))
        os.utime(tmp_path / failures.FOLDER / f"entry-{number}.txt", (number, number))
    files = sorted((tmp_path / failures.FOLDER).iterdir())
    assert [file.name for file in files] == ["entry-2.txt", "entry-3.txt", "entry-4.txt"]
    assert max(file.stat().st_size for file in files) < 70_000
    assert len(failures.keep(tmp_path, "entry-9", RuntimeError("x" * 10**6))) < 500 + len(
        str(tmp_path)
    )


def test_a_trace_that_cannot_be_kept_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / failures.FOLDER).write_text("")
    told = failures.keep(tmp_path, "entry-1", RuntimeError("within"))
    assert told.startswith("RuntimeError: within; ")
    assert "its trace cannot be kept" in told


def test_a_trace_is_kept_whatever_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "MOST_FILES", 1)
    (tmp_path / failures.FOLDER).mkdir()
    (tmp_path / failures.FOLDER / "other.txt").symlink_to("nowhere")
    told = failures.keep(tmp_path, "entry-1", RuntimeError("\n\nwithin\nit"))
    assert told.startswith("RuntimeError: within it; ")
    assert (
        sentence("league", "trace-is-in", path=tmp_path / failures.FOLDER / "entry-1.txt") in told
    )
    assert [file.name for file in (tmp_path / failures.FOLDER).iterdir()] == ["entry-1.txt"]


def test_a_folder_of_traces_that_cannot_be_read_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(failures, "_remove_older", broken)
    told = failures.keep(tmp_path, "entry-1", RuntimeError("within"))
    assert (
        sentence("league", "trace-is-in", path=tmp_path / failures.FOLDER / "entry-1.txt") in told
    )
