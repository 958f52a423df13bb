"""A full disk under a league's player: it says so once, waits, and goes on once there
is room.
"""

import errno
import secrets
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import IO

import pytest
from arena import ROOT
from disks import fill, remount, small_disk
from leagues import ChainAlone, enter, league_in, names_play
from quick_leagues import new_quick_league
from uploads import MUCH, folder_of_files, new_league, one_of_its_own
from waiting import PATIENCE
from wording import sentence

from khiva_arena.common.say import say_nothing
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError, StoreError, StoreFull
from khiva_arena.extensions.league import full_disk
from khiva_arena.extensions.league.chain.links import StateChanged
from khiva_arena.extensions.league.chain.roster import RosterBot
from khiva_arena.extensions.league.chain.stored_chain import links_of
from khiva_arena.extensions.league.full_disk import disk_is_full, outlast
from khiva_arena.extensions.league.player import player
from khiva_arena.extensions.league.player.refusals import HowLong
from khiva_arena.extensions.league.player.started_bots import StartedBots
from khiva_arena.extensions.league.settings import League, league_of
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.file_errors import explain_errors
from khiva_arena.records.store.files import FILE

WAITS = sentence("league", "waits-for-room")


class Time:
    """A time that passes in waits alone. ``then``: what happens in each of them, by how
    many there were.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, then: Callable[[int], None]) -> None:
        self.now, self.waits, self._then = 0.0, list[float](), then
        monkeypatch.setattr(full_disk, "clock", lambda: self.now)
        monkeypatch.setattr(full_disk, "pause", self._pause)

    def _pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        self._then(len(self.waits))


class Until(list[str]):
    """What a player says, until it says this: then it is interrupted."""

    def __init__(self, last: str) -> None:
        super().__init__()
        self._last = last

    def __call__(self, text: str, *, warning: bool = False) -> None:
        self.append(text)
        if text.startswith(self._last):
            raise KeyboardInterrupt


# --- which errors ---


def sqlite_full() -> sqlite3.Error:
    """SQLite's own error for a file that may not grow."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as caught:
            connection.execute("CREATE TABLE one (x)")
    return caught.value


def fails_silently(error: OSError) -> None:
    try:
        raise error
    except OSError:
        raise ConfigError("unreadable") from None


def hidden(error: OSError) -> ConfigError:
    """An error whose message alone tells of another one."""
    with pytest.raises(ConfigError) as caught:
        fails_silently(error)
    return caught.value


def explained(error: Exception) -> StoreError:
    with pytest.raises(StoreError) as caught, explain_errors(Path("spring")):
        raise error
    return caught.value


def io_error() -> sqlite3.Error:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
    return error


@pytest.mark.parametrize(
    ("error", "full"),
    [
        *((OSError(number, ""), True) for number in (errno.ENOSPC, errno.EDQUOT, errno.EIO)),
        *((OSError(number, ""), False) for number in (errno.ENOENT, errno.EACCES, errno.EROFS)),
        (sqlite_full(), True),
        (io_error(), True),
        (explained(sqlite_full()), True),
        (explained(io_error()), True),
        (explained(sqlite3.DatabaseError("malformed")), False),
        (hidden(OSError(errno.ENOSPC, "")), True),
        (hidden(OSError(errno.ENOENT, "")), False),
        (
            ExceptionGroup(
                "", [ValueError(), ExceptionGroup("", [hidden(OSError(errno.EDQUOT, ""))])]
            ),
            True,
        ),
        (ExceptionGroup("", [ValueError()]), False),
    ],
)
def test_a_full_disk_is_found_behind_an_error(error: Exception, full: bool) -> None:
    assert disk_is_full(error) is full


def test_errors_that_cause_each_other_are_each_looked_at_once() -> None:
    first, second = ValueError(), ValueError()
    first.__cause__, second.__cause__ = second, first
    assert not disk_is_full(first)


# --- waiting ---


def no_room() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_waits_grow_from_a_minute_to_ten_and_end_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Until("never")
    time = Time(monkeypatch, lambda _: None)
    with pytest.raises(StoreFull) as caught:
        outlast(no_room, tmp_path, said, waits=True)
    assert caught.value.exit_code == 1
    assert time.waits[:6] == [60, 120, 240, 480, 600, 600]
    assert max(time.waits) == 600
    assert 86_400 <= time.now < 86_400 + 600
    assert len([text for text in said if WAITS in text]) == len(said) == 1


def test_a_disk_that_is_full_again_later_is_told_and_waited_for_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Until("never")
    time = Time(monkeypatch, lambda _: None)
    worked: list[int] = []

    def work() -> str:
        worked.append(1)
        if len(worked) == 3:
            time.now += full_disk.LONGEST_WAIT + 1
        if len(worked) < 5:
            no_room()
        return "done"

    assert outlast(work, tmp_path, said, waits=True) == "done"
    assert time.waits == [60, 120, 60, 120]
    assert len(said) == 2


def test_other_errors_and_interrupts_go_through_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = Time(monkeypatch, lambda _: None)
    for error in (StoreError("damaged"), KeyboardInterrupt(), SystemExit(3)):

        def work(error: BaseException = error) -> None:
            raise error

        with pytest.raises(type(error)):
            outlast(work, tmp_path, say_nothing, waits=True)
    assert time.waits == []


# --- a player ---


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk."""
    with small_disk(tmp_path / "disk", "4m") as where:
        yield where


@pytest.fixture
def league(disk: Path) -> League:
    """A league on a small disk, in which two bots wait."""
    made = league_in(disk / "spring")
    enter(made, "ann", "quick")
    enter(made, "bob", "slow")
    return made


@pytest.mark.parametrize(
    "match", [None, 0, 4], ids=["before it is founded", "at a batch's first match", "in a batch"]
)
def test_a_player_outlasts_a_full_disk(
    disk: Path, league: League, monkeypatch: pytest.MonkeyPatch, match: int | None
) -> None:
    """The player says so once, keeps the league for itself, and goes on where it was:
    the matches recorded stay.
    """
    held: list[bool] = []
    recorded: list[set[int]] = []
    ballast: list[Path] = []

    def fills(ordinal: int, _attempt: int) -> bool:
        if ordinal == match and not ballast:
            ballast.append(fill(disk))
        return False

    def frees(number: int) -> None:
        if (league.folder / FILE).exists():
            held.append(Store.is_in_use(league.folder))
            with Store.read(league.folder) as store:
                recorded.append(
                    {ordinal for event in store.event_ids() for ordinal in store.recorded(event)}
                )
        if number == 3:
            ballast[0].unlink()

    names_play(monkeypatch, fills)
    monkeypatch.setattr(player, "Publisher", ChainAlone)
    time = Time(monkeypatch, frees)
    if match is None:
        ballast.append(fill(disk))
    said = Until("batch 3 is over")
    with pytest.raises(KeyboardInterrupt):
        player.play(league, HowLong(), said)
    assert time.waits == [60, 120, 240]
    assert len([text for text in said if WAITS in text]) == 1
    assert all(held)
    assert recorded == sorted(recorded, key=len)
    assert all(fewer <= more for fewer, more in pairwise(recorded))
    result = verify(league.folder)
    assert result.sound, result.problems


@pytest.mark.usefixtures("confined")
def test_a_full_disk_of_the_cache_ends_no_league(
    open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build finds no room there, and nobody is to blame for that: the player waits,
    and plays with the bot.
    """
    league = new_league(tmp_path / "spring")
    anchor = tmp_path / "spring" / "bots" / "anchors" / "random"
    (anchor / "bot.toml").write_text(
        (anchor / "bot.toml").read_text() + 'build = "{python} build.py"\n'
    )
    (anchor / "build.py").write_text("open('table.bin', 'wb').write(bytes(3 << 20))\n")
    with small_disk(open_folder / "small", "2m") as disk:
        disk.chmod(0o755)
        monkeypatch.setenv("KHIVA_ARENA_CACHE", str(disk))
        league, said = league_of(league.folder, {}, say_nothing), Until("batch 1:")
        time = Time(monkeypatch, lambda number: remount(disk, "size=64m") if number == 2 else None)
        with pytest.raises(KeyboardInterrupt):
            player.play(league, HowLong(), said)
    assert time.waits == [60, 120]
    assert len([text for text in said if WAITS in text]) == 1


def test_a_draft_that_a_kill_left_and_that_fills_the_disk_is_removed_first(
    disk: Path, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    names_play(monkeypatch)
    monkeypatch.setattr(player, "Publisher", ChainAlone)
    monkeypatch.setattr(player, "_examine_some", lambda *_: None)
    with Queue(league.folder) as queue:
        number = queue.add_upload(queue.add_author("eve").id, "bot", one_of_its_own(), MUCH)
        assert queue.claim() is not None
    player.play(league, HowLong(1), say_nothing)
    with Queue(league.folder) as queue:
        queue._connection.execute(
            "UPDATE entries SET leased_until = 9e9 WHERE number = ?", (number,)
        )
    draft = league.folder / "bots" / f"draft-{number}"
    draft.mkdir(parents=True)
    fill(disk).rename(draft / "blob")
    time = Time(monkeypatch, lambda _: None)
    player.play(league, HowLong(1), say_nothing)
    assert not draft.exists()
    assert time.waits == []


@pytest.mark.usefixtures("confined")
def test_a_bot_that_has_no_room_on_the_disk_waits_and_the_league_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room for a batch, and not for the files of the bot, which wait in the
    queue.
    """
    with small_disk(tmp_path / "disk", "16m") as disk:
        league, said = new_league(disk / "spring"), Until("batch 1:")
        with Queue(league.folder) as queue:
            blob = folder_of_files({"blob": secrets.token_bytes(6 << 20)})
            number = queue.add_upload(queue.add_author("eve").id, "big", blob, MUCH)
            queue.empty_wal()
        fill(disk, leave=4 << 20)
        time = Time(monkeypatch, lambda _: None)
        with pytest.raises(KeyboardInterrupt):
            player.play(league, HowLong(), said)
        assert time.waits == []
        assert not list((league.folder / "bots").glob("draft-*"))
        with Queue(league.folder) as queue:
            assert queue.entry(number).state == "waiting"


PROCESS = """
import sys
from khiva_arena.interface.cli.main import main
from khiva_arena.extensions.league import full_disk

def pause(_seconds):
    print("it waits", file=sys.stderr, flush=True)
    sys.stdin.readline()

full_disk.pause = pause
main()
"""
"""A command whose waits end with a line of its input."""


@pytest.mark.soak
def test_a_player_as_a_process_outlasts_a_full_disk(tmp_path: Path) -> None:
    """Bots play in processes of their own, of which errors come in groups."""
    with small_disk(tmp_path / "disk", "64m") as disk:
        new_quick_league(disk)
        command = [sys.executable, "-c", PROCESS, "league", "play", "spring"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=disk, stdin=pipe, stderr=pipe, text=True) as running:
            assert running.stdin
            assert running.stderr
            try:
                until_said(running.stderr, "batch 1 is over")
                ballast = fill(disk)
                warned = until_said(running.stderr, "it waits")
                ballast.unlink()
                running.stdin.write("\n")
                running.stdin.flush()
                said = until_said(running.stderr, "batch 3 is over")
                running.send_signal(signal.SIGINT)
                assert running.wait(PATIENCE) == 130
            finally:
                running.kill()
        assert len([line for line in [*warned, *said] if WAITS in line]) == 1
        assert verify(disk / "spring").sound


def until_said(lines: IO[str], beginning: str) -> list[str]:
    """Read lines until one begins so, and return them."""
    read = []
    for line in lines:
        read.append(line)
        if line.startswith(beginning):
            return read
    raise AssertionError("".join(read))


def test_a_player_that_was_told_how_many_batches_ends_at_once(
    disk: Path, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    names_play(monkeypatch)
    monkeypatch.setattr(player, "Publisher", ChainAlone)
    time = Time(monkeypatch, lambda _: None)
    ballast = fill(disk)
    with pytest.raises(StoreFull) as caught:
        player.play(league, HowLong(1), say_nothing)
    assert caught.value.exit_code == 1
    assert time.waits == []
    ballast.unlink()
    player.play(league, HowLong(1), say_nothing)
    assert verify(league.folder).sound


def add_authors(queue: Queue) -> None:
    for number in range(10_000):
        queue.add_author(f"author {number}")


def test_a_full_queue_is_a_full_disk(disk: Path, league: League) -> None:
    with Queue(league.folder) as queue:
        fill(disk)
        with pytest.raises(StoreFull) as caught:
            add_authors(queue)
        assert disk_is_full(caught.value)
        assert caught.value.exit_code == 1


def test_a_bot_is_not_suspended_for_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    enter(league, "bob", "slow")
    names_play(monkeypatch)
    monkeypatch.setattr(player, "Publisher", ChainAlone)
    tried: list[int] = []
    load = StartedBots._load

    def load_once(self: StartedBots, bot: RosterBot) -> Bot:
        tried.append(1)
        if len(tried) == 1:
            raise hidden(OSError(errno.EIO, "Input/output error"))
        return load(self, bot)

    monkeypatch.setattr(StartedBots, "_load", load_once)
    Time(monkeypatch, lambda _: None)
    with pytest.raises(KeyboardInterrupt):
        player.play(league, HowLong(), Until("batch 1 is over"))
    with Store.read(tmp_path) as store:
        assert not [link for link in links_of(store) if isinstance(link, StateChanged)]


def test_the_units_of_a_league_start_it_again_after_a_full_disk_as_often_as_it_takes() -> None:
    page = (ROOT / "docs" / "leagues.md").read_text()
    units = [unit.partition("```")[0].splitlines() for unit in page.split("```ini\n[Unit]")[1:]]
    served = [unit for unit in units if "Restart=on-failure" in unit]
    assert [sum("khiva-arena league play" in line for line in unit) for unit in served] == [1, 0]
    for unit in served:
        assert {"StartLimitIntervalSec=0", "RestartSec=60"} <= {*unit}
        never = [
            line.partition("=")[2].split()
            for line in unit
            if line.startswith("RestartPreventExitStatus=")
        ]
        assert StoreFull.exit_code not in [int(code) for codes in never for code in codes]
