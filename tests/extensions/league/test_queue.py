"""The queue: authors and their tokens, limits, names, and entries that are claimed
once, whenever a process is killed.
"""

import sqlite3
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from uploads import MUCH, folder_of_files, one_of_its_own
from wording import pattern, sentence

from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.submissions import queue as queue_file
from khiva_arena.extensions.league.submissions import queue_rows
from khiva_arena.extensions.league.submissions.limits import UploadLimits, limits_of
from khiva_arena.extensions.league.submissions.names import compared
from khiva_arena.extensions.league.submissions.queue import (
    LEASE_SECONDS,
    MOST_ATTEMPTS,
    RETRY_SECONDS,
    Queue,
)
from khiva_arena.extensions.league.submissions.queue_rows import Author

TAKEN = pattern("submissions", "name-taken", name=".*", what="a bot")
FEW = UploadLimits(a_day=2, waiting=2, build_seconds=60.0, bots=9)


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """An empty one."""
    with Queue(tmp_path) as opened:
        yield opened


@pytest.fixture
def ann(queue: Queue) -> Author:
    """An author without a token."""
    return queue.add_author("ann")


class Clock:
    """A clock that tests move: that of leases, and that of days."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = timedelta()
        clock = self

        class Days(datetime):
            @classmethod
            def now(cls, tz: object = None) -> datetime:
                return datetime.now(UTC) + clock.ahead

        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + self.ahead.total_seconds())
        for module in (queue_file, queue_rows):
            monkeypatch.setattr(module, "datetime", Days)
        monkeypatch.setattr(queue_file, "now", lambda: Days.now().isoformat(timespec="seconds"))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock for the queue, at noon."""
    moved = Clock(monkeypatch)
    moved.ahead = datetime.now(UTC).replace(hour=12, minute=0) - datetime.now(UTC)
    return moved


# --- authors ---


def test_a_token_names_its_author_and_is_not_stored(queue: Queue, ann: Author) -> None:
    token = queue.rotate(ann.id)
    assert queue.author_of_token(token) == Author(ann.id, "ann", True)
    assert len(token) >= 43
    assert token.encode() not in queue.path.read_bytes() + Path(f"{queue.path}-wal").read_bytes()


@pytest.mark.parametrize("wrong", ["", "x", "\0", "\udc80", "x" * 10**6, "' OR 1 = 1 --"])
def test_no_other_text_is_a_token(wrong: str, queue: Queue, ann: Author) -> None:
    queue.rotate(ann.id)
    assert queue.author_of_token(wrong) is None


def test_a_hash_that_was_read_is_no_token(queue: Queue, ann: Author) -> None:
    queue.rotate(ann.id)
    (stored,) = sqlite3.connect(queue.path).execute("SELECT token FROM authors").fetchone()
    assert queue.author_of_token(stored) is None


def test_a_new_token_ends_the_one_before(queue: Queue, ann: Author) -> None:
    first, second = queue.rotate(ann.id), queue.rotate(ann.id)
    assert queue.author_of_token(first) is None
    assert queue.author_of_token(second) is not None


def test_who_is_revoked_has_no_token_and_no_bot_that_waits(queue: Queue, ann: Author) -> None:
    token = queue.rotate(ann.id)
    queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    queue.revoke(ann.id)
    assert queue.author_of_token(token) is None
    assert queue.authors() == []
    assert queue.authors(with_revoked=True) == [Author(ann.id, "ann", False, True)]
    assert [(entry.state, entry.report) for entry in queue.entries_of(ann.id)] == [
        ("refused", sentence("submissions", "revoked"))
    ]
    with pytest.raises(ConfigError, match=pattern("submissions", "revoked")):
        queue.add_upload(ann.id, "two", one_of_its_own(), MUCH)


def test_a_new_token_lets_a_revoked_author_take_part_again(queue: Queue, ann: Author) -> None:
    queue.revoke(ann.id)
    assert queue.author_of_token(queue.rotate(ann.id)) == Author(ann.id, "ann", True)


def test_a_forgotten_name_is_nowhere_and_free_again(queue: Queue) -> None:
    ann = queue.add_author("Annabella Quux")
    queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    queue.revoke(ann.id, forget=True)
    assert queue.author("Annabella Quux") is None
    assert queue.author("") is None
    kept = b"".join(path.read_bytes() for path in queue.path.parent.iterdir())
    assert b"Quux" not in kept
    assert b"quux" not in kept
    assert queue.authors(with_revoked=True) == [Author(ann.id, "", False, True)]
    assert queue.add_author("Annabella Quux").id != ann.id


# --- names ---


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("greedy", "GREEDY"),
        ("bot one", "botone"),
        ("bot-one", "bot_one"),
        ("b0b", "bob"),
        ("l1on", "lion"),
        ("Ill", "lll"),
        ("modern", "modem"),
        ("vvolf", "wolf"),
        ("5am", "sam"),
        ("a.b", "ab"),
    ],
)
def test_names_that_look_alike_are_one(one: str, other: str, queue: Queue, ann: Author) -> None:
    assert compared(one) == compared(other)
    bob = queue.add_author("bob")
    queue.add_upload(ann.id, one, one_of_its_own(), MUCH)
    for author in (ann, bob):
        with pytest.raises(ConfigError, match=TAKEN) as caught:
            queue.add_upload(author.id, other, one_of_its_own(), MUCH)
        assert "ann" not in str(caught.value)


def test_a_name_is_its_author_s_for_all_versions_and_nobody_else_s(
    queue: Queue, ann: Author
) -> None:
    queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    assert len({entry.family for entry in queue.entries_of(ann.id)}) == 1
    with pytest.raises(ConfigError, match=TAKEN):
        queue.add_upload(queue.add_author("bob").id, "one", one_of_its_own(), MUCH)


def test_authors_that_look_alike_are_refused(queue: Queue, ann: Author) -> None:
    with pytest.raises(
        ConfigError, match=pattern("submissions", "name-taken", name="'Ann'", what="an author")
    ):
        queue.add_author("Ann")


def test_the_very_same_bot_is_refused_whoever_sends_it(queue: Queue, ann: Author) -> None:
    packed = one_of_its_own()
    queue.add_upload(ann.id, "one", packed, MUCH)
    for author, name in (
        (ann, "other"),
        (queue.add_author("bob"), "one"),
        (queue.add_author("cy"), "two"),
    ):
        with pytest.raises(ConfigError, match=pattern("submissions", "equal")) as caught:
            queue.add_upload(author.id, name, packed, MUCH)
        assert "ann" not in str(caught.value)


def test_a_bot_that_was_refused_can_be_sent_again(queue: Queue, ann: Author) -> None:
    packed = one_of_its_own()
    for _ in range(2):
        number = queue.add_upload(ann.id, "one", packed, MUCH)
        queue.identify(number, "a" * 64)
        queue.settle(number, "refused", "no")
    assert [entry.state for entry in queue.entries_of(ann.id)] == ["refused", "refused"]


# --- limits ---


def test_limits_come_from_the_settings() -> None:
    assert limits_of(LeagueOptions()) == UploadLimits(10, 3, 3_600.0, 3)


def test_so_many_bots_a_day(queue: Queue, ann: Author, clock: Clock) -> None:
    for _ in range(FEW.a_day):
        queue.settle(queue.add_upload(ann.id, "one", one_of_its_own(), FEW), "refused", "no")
    day = (datetime.now(UTC) + clock.ahead + timedelta(days=1)).strftime("%Y-%m-%dT00:00:00")
    with pytest.raises(
        ConfigError,
        match=pattern("submissions", "too-many-today", count="2 bots", when=rf".* {day}\+00:00"),
    ):
        queue.add_upload(ann.id, "one", one_of_its_own(), FEW)
    queue.add_upload(queue.add_author("bob").id, "two", one_of_its_own(), FEW)
    clock.ahead += timedelta(days=1)
    queue.add_upload(ann.id, "one", one_of_its_own(), FEW)


def test_so_many_bots_wait(queue: Queue, ann: Author) -> None:
    few = FEW._replace(a_day=9)
    first = queue.add_upload(ann.id, "one", one_of_its_own(), few)
    queue.add_upload(ann.id, "one", one_of_its_own(), few)
    with pytest.raises(ConfigError, match="at most 2 bots of yours may wait to be checked"):
        queue.add_upload(ann.id, "one", one_of_its_own(), few)
    queue.settle(first, "accepted", "", "1" * 64)
    queue.add_upload(ann.id, "one", one_of_its_own(), few)


def test_who_has_used_up_the_cpu_of_a_day_waits_until_the_next_one(
    queue: Queue, ann: Author, clock: Clock
) -> None:
    waits = queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    done = queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    queue.settle(done, "refused", "no")
    queue.add_build_seconds(done, FEW.build_seconds)
    with pytest.raises(ConfigError, match=pattern("submissions", "cpu-spent")):
        queue.add_upload(ann.id, "two", one_of_its_own(), FEW._replace(a_day=9))
    assert queue.claim(build_seconds=FEW.build_seconds) is None
    assert sentence("submissions", "cpu-spent") in queue.entry(waits).report
    clock.ahead += timedelta(days=1)
    claimed = queue.claim(build_seconds=FEW.build_seconds)
    assert claimed is not None
    assert (claimed[0].number, claimed[0].report) == (waits, "")


def test_who_has_used_least_comes_first(queue: Queue, ann: Author) -> None:
    bob = queue.add_author("bob")
    done = queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    queue.settle(done, "refused", "no")
    queue.add_build_seconds(done, 1.0)
    numbers = [
        queue.add_upload(author.id, f"of {author.name}", one_of_its_own(), MUCH)
        for author in (ann, bob)
    ]
    claimed = [
        queue.claim(build_seconds=60.0),
        queue.claim(build_seconds=60.0),
        queue.claim(build_seconds=60.0),
    ]
    assert [one and one[0].number for one in claimed] == [numbers[1], numbers[0], None]


# --- claims ---


def test_an_entry_is_claimed_once_and_again_when_its_lease_is_over(
    queue: Queue, ann: Author, clock: Clock, tmp_path: Path
) -> None:
    packed = one_of_its_own()
    number = queue.add_upload(ann.id, "one", packed, MUCH)
    with Queue(tmp_path) as other:
        assert queue.claim() == (queue.entry(number), packed)
        assert other.claim() is None
        clock.ahead += timedelta(seconds=LEASE_SECONDS - 60)
        queue.renew(number)
        clock.ahead += timedelta(seconds=LEASE_SECONDS - 60)
        assert other.claim() is None
        assert other.leased() == [number]
        clock.ahead += timedelta(seconds=120)
        assert other.leased() == []
        assert other.claim() == (queue.entry(number), packed)


def test_a_check_that_is_killed_again_and_again_is_given_up(
    queue: Queue, ann: Author, clock: Clock
) -> None:
    first = queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    for attempt in range(1, MOST_ATTEMPTS + 1):
        assert queue.claim() is not None
        assert queue.set_aside_ended("why") is None
        clock.ahead += timedelta(seconds=LEASE_SECONDS + 1)
        assert (queue.set_aside_ended("why") is None) == (attempt < MOST_ATTEMPTS)
    assert (queue.entry(first).state, queue.entry(first).report) == ("refused", "why")
    assert queue.set_aside_ended("why") is None


def test_a_change_of_an_entry_writes_its_files_no_second_time(
    queue: Queue, ann: Author, tmp_path: Path
) -> None:
    """Or a large entry would fill the disk that its check needs. They go once it waits
    no more.
    """
    number = queue.add_upload(ann.id, "one", folder_of_files({"blob": bytes(1 << 20)}), MUCH)
    queue.empty_wal()
    assert queue.claim() is not None
    queue.renew(number)
    queue.put_back(number)
    assert (tmp_path / "queue.db-wal").stat().st_size < 100_000
    queue.refuse(number, "why")
    assert queue._rows("SELECT * FROM files") == []


def test_a_fault_of_the_machine_counts_for_nothing(queue: Queue, ann: Author, clock: Clock) -> None:
    number = queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    for _ in range(MOST_ATTEMPTS + 1):
        assert queue.claim() is not None
        queue.put_back(number)
        assert queue.claim() is None
        clock.ahead += timedelta(seconds=RETRY_SECONDS + 1)
    assert queue.entry(number).state == "waiting"


def test_what_its_organiser_adds_is_for_this_process_alone(queue: Queue, ann: Author) -> None:
    number = queue.add_entry(ann.id, "one", "a" * 64, one_of_its_own())
    assert queue.claim() is None
    claimed = queue.claim(number)
    assert claimed is not None
    assert claimed[0].identity == "a" * 64


def test_the_first_of_two_equal_bots_has_its_identity(queue: Queue, ann: Author) -> None:
    """Streams that differ may hold one bot: a file that its globs leave out."""
    numbers = [
        queue.add_upload(ann.id, "one", folder_of_files({"more": more}), MUCH) for more in "ab"
    ]
    queue.identify(numbers[1], "a" * 64)
    queue.identify(numbers[1], "a" * 64)
    with pytest.raises(ConfigError, match=pattern("submissions", "equal")):
        queue.identify(numbers[0], "a" * 64)


def test_two_sources_that_give_one_module_are_one_bot(queue: Queue, ann: Author) -> None:
    numbers = [queue.add_upload(ann.id, "one", one_of_its_own(), MUCH) for _ in range(2)]
    queue.settle(numbers[0], "accepted", "", "1" * 64)
    with pytest.raises(ConfigError, match=pattern("submissions", "equal")):
        queue.settle(numbers[1], "accepted", "", "1" * 64)
    assert queue.entry(numbers[1]).state == "waiting"


def test_what_was_refused_meanwhile_stays_refused(queue: Queue, ann: Author) -> None:
    number = queue.add_upload(ann.id, "one", one_of_its_own(), MUCH)
    queue.revoke(ann.id)
    queue.settle(number, "accepted", "", "1" * 64)
    assert queue.entry(number).state == "refused"


@pytest.mark.parametrize("version", ["9", "-1"])
def test_a_queue_of_another_version_is_left_alone(version: str, tmp_path: Path) -> None:
    Queue(tmp_path)._connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(
        StoreError, match=pattern("submissions", "another-version", version=version, own="2")
    ):
        Queue(tmp_path)


def test_nobody_else_can_read_it(queue: Queue) -> None:
    assert queue.path.stat().st_mode & 0o077 == 0
