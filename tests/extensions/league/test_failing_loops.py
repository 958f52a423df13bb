"""Errors that nobody foresaw, at one item of what a league's player does between and in
batches: it goes on, and says so.
"""

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import pytest
from cases import cases
from failing import Said, fails, fails_for, traces
from leagues import ChainAlone, Played, ends_in, enter, league_in, names_play, player_of_names
from wording import sentence

from khiva_arena.arbiter.wire import HostFault
from khiva_arena.errors import ArenaError, ConfigError, StagingError, StoreError
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.chain.stored_chain import chain_of
from khiva_arena.extensions.league.commands import league as league_commands
from khiva_arena.extensions.league.player import pauses, player, roster_changes, started_bots
from khiva_arena.extensions.league.player.refusals import HowLong
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import Store

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]


# --- between batches ---


def test_an_entry_that_cannot_be_entered_is_left_out_and_the_others_are_in(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path)
    for name in ("poison", "quick", "slow"):
        enter(league, name, name)
    real = roster_changes.name_of_version
    monkeypatch.setattr(
        roster_changes, "name_of_version", fails_for(real, lambda family, _: family == "poison")
    )
    played(league, 1)
    with Queue(tmp_path) as queue:
        assert [(entry.family_name, entry.state) for entry in queue.entries()] == [
            ("poison", "refused"),
            ("quick", "entered"),
            ("slow", "entered"),
        ]
        assert str(tmp_path) not in queue.entries()[0].report
    assert traces(tmp_path) == ["entry-1"]
    assert verify(tmp_path).sound


def test_an_entry_whose_link_is_written_is_in_whatever_failed_then(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path)
    for name in ("poison", "quick"):
        enter(league, name, name)
    real = Queue.mark_entered
    calls: list[int] = []

    def once(queue: Queue, number: int) -> None:
        calls.append(number)
        if len(calls) == 1:
            fails()
        real(queue, number)

    monkeypatch.setattr(Queue, "mark_entered", once)
    played(league, 1)
    with Queue(tmp_path) as queue, Store.read(tmp_path) as store:
        assert [entry.state for entry in queue.entries()] == ["entered", "entered"]
        chain = chain_of(store)
    assert chain is not None
    assert [bot.name for bot in chain.bots.values() if bot.author] == ["poison v1", "quick v1"]
    assert verify(tmp_path).sound


def test_a_change_that_cannot_be_made_is_done_with(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path, 3)
    ours = enter(league, "ann", "quick")
    played(league, 1)
    with Queue(tmp_path) as queue:
        for state in ("suspended", "retired"):
            queue.add_change(ours, state, "as its author asked")
    real = roster_changes.StateChanged
    monkeypatch.setattr(
        roster_changes,
        "StateChanged",
        lambda **fields: fails() if fields["state"] == "suspended" else real(**fields),
    )
    played(league, 1)
    with Queue(tmp_path) as queue, Store.read(tmp_path) as store:
        assert queue.changes() == []
        chain = chain_of(store)
    assert chain is not None
    assert chain.bots[ours].state == "retired"
    assert traces(tmp_path) == ["change-1"]


@pytest.mark.parametrize("step", ["load", "ready_to_play"])
def test_a_bot_that_the_arena_cannot_start_is_suspended_and_the_others_play(
    step: str, tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path)
    poison = enter(league, "ann", "poison")
    enter(league, "bob", "quick")
    played_before = started_bots.StartedBots.start

    def start(
        bots: started_bots.StartedBots, roster: Any
    ) -> Any:  # the fixture sets these functions for each call of it
        real = getattr(started_bots, step)
        is_poison: Callable[..., bool] = (
            (lambda *words: "poison v1" in words) if step == "load" else _has_poison
        )
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(started_bots, step, fails_for(real, is_poison))
            return played_before(bots, roster)

    monkeypatch.setattr(started_bots.StartedBots, "start", start)
    played(league, 1)
    with Store.read(tmp_path) as store:
        chain = chain_of(store)
    assert chain is not None
    assert chain.over == 1
    assert {bot.name: (bot.state) for bot in chain.bots.values() if bot.author} == {
        "poison v1": "suspended",
        "quick v1": "active",
    }
    assert traces(tmp_path) == [f"bot-{poison[: started_bots.DIGITS]}"]


def _has_poison(_settings: object, bots: Any, *_: object) -> bool:
    return "poison v1" in [bot.name for bot in bots]


# --- batches ---


class Stop(BaseException):
    """The end of a loop that has none."""


@pytest.fixture
def endless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[list[float], Said]]:
    """Play a league until its second batch is over, or it has waited eight times.
    Return the waits, and what was said.
    """
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    player_of_names(monkeypatch)(league, 1)
    monkeypatch.setattr(player, "Publisher", lambda store, say, _pace: ChainAlone(store, say))
    real = player.Player._end

    def play(**how: Any) -> tuple[list[float], Said]:
        waits, said = list[float](), Said()

        def end(one: player.Player, batch: Any) -> None:
            real(one, batch)
            raise Stop

        def sleep(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 8:
                raise Stop

        monkeypatch.setattr(player.Player, "_end", end)
        monkeypatch.setattr(pauses.time, "sleep", sleep)
        with pytest.raises(Stop):
            player.play(league, HowLong(**how), said)
        return waits, said

    return play


def test_a_batch_that_the_arena_fails_at_is_tried_again_after_a_pause(
    endless: Callable[..., tuple[list[float], Said]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, errors = (
        player.next_batch,
        [RuntimeError("one"), ExceptionGroup("tasks", [KeyError("other")])],
    )

    def twice(*words: Any) -> Any:
        if errors:
            raise errors.pop(0)
        return real(*words)

    monkeypatch.setattr(player, "next_batch", twice)
    waits, said = endless()
    assert waits == [60.0, 120.0]
    path = tmp_path / failures.FOLDER / "batch-2.txt"
    assert traces(tmp_path) == ["batch-2"]
    assert "KeyError" in path.read_text()
    told = [line for line in said if line.endswith(sentence("league", "trace-is-in", path=path))]
    assert [line.partition(": ")[0] for line in told] == [
        sentence("league", "failed-at-batch", batch=2, seconds="60 s"),
        sentence("league", "failed-at-batch", batch=2, seconds="120 s"),
    ]
    with Store.read(tmp_path) as store:
        assert len(ends_in(store)) == 2
    assert verify(tmp_path).sound


@pytest.mark.parametrize("where", ["next_batch", "_play_batch"])
def test_one_that_it_always_fails_at_heats_nothing(
    where: str, endless: Callable[..., tuple[list[float], Said]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        *((player, where) if where == "next_batch" else (player.Player, where)), fails
    )
    waits, _ = endless()
    assert waits == [60.0, 120.0, 240.0, 480.0, 600.0, 600.0, 600.0, 600.0]


def in_other_words(kind: type[ArenaError], behind: Exception) -> ArenaError:
    """An error that another one brought about, as the arena words it for people."""
    try:
        raise behind
    except Exception:
        try:
            raise kind("it cannot be started now") from None
        except ArenaError as told:
            return told


PASSING: list[Exception] = [
    *(
        in_other_words(StagingError, OSError(number, os.strerror(number)))
        for number in (errno.EAGAIN, errno.EROFS)
    ),
    in_other_words(StagingError, HostFault("no process")),
    in_other_words(ConfigError, OSError(errno.EMFILE, os.strerror(errno.EMFILE))),
    in_other_words(StoreError, OSError(errno.ENFILE, os.strerror(errno.ENFILE))),
    OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)),
    MemoryError(),
    ExceptionGroup("tasks", [ValueError(), OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))]),
]
"""Failures of the machine that may pass, wherever they are met."""


@cases("error", PASSING)
def test_a_failure_of_the_machine_at_a_start_is_waited_for(
    error: Exception, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No bot is suspended for it."""
    folder, waits, said = tmp_path_factory.mktemp("spring"), list[float](), Said()
    league, errors = league_in(folder), [error, error]
    enter(league, "ann", "quick")
    with pytest.MonkeyPatch.context() as monkeypatch:
        player_of_names(monkeypatch)
        names_play(monkeypatch)
        monkeypatch.setattr(player, "Publisher", lambda store, say, _pace: ChainAlone(store, say))
        real = started_bots.load

        def load(*words: Any) -> Any:
            if errors:
                raise errors.pop(0)
            return real(*words)

        def end(*_: object) -> NoReturn:
            raise Stop

        monkeypatch.setattr(started_bots, "load", load)
        for step in ("_end", "_wait_for_bots"):
            monkeypatch.setattr(player.Player, step, end)
        monkeypatch.setattr(pauses.time, "sleep", waits.append)
        with pytest.raises(Stop):
            player.play(league, HowLong(), said)
    assert waits == [60.0, 120.0]
    machine = [
        line
        for line in said
        if line.startswith(sentence("league", "machine-failed-at-batch", batch=1))
    ]
    assert len(machine) == 2
    assert traces(folder) == []
    with Store.read(folder) as store:
        chain = chain_of(store)
    assert chain is not None
    assert {bot.state for bot in chain.bots.values()} == {"active"}


@cases("error", PASSING)
def test_a_failure_of_the_machine_ends_a_player_with_an_end_so_that_it_is_started_again(
    error: Exception, tmp_path_factory: pytest.TempPathFactory
) -> None:
    league = league_in(tmp_path_factory.mktemp("spring"))
    enter(league, "ann", "quick")
    with pytest.MonkeyPatch.context() as monkeypatch:
        player_of_names(monkeypatch)
        names_play(monkeypatch)
        monkeypatch.setattr(started_bots, "ready_to_play", fails_with(error))
        monkeypatch.setattr(pauses.time, "sleep", fails)
        with pytest.raises(pauses.MachineFails) as caught:
            player.play(league, HowLong(1), Said())
    assert caught.value.exit_code == 1


def fails_with(error: Exception) -> Callable[..., NoReturn]:
    def called(*_: object, **__: object) -> NoReturn:
        raise error

    return called


def test_a_failure_of_the_machine_while_the_settings_are_read_ends_with_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is held yet, so whatever starts the player may start it again."""
    monkeypatch.setattr(league_commands, "league_of", fails_with(PASSING[0]))
    with pytest.raises(pauses.MachineFails):
        league_commands.play(tmp_path, until=None, batches=None)


@cases(
    "error",
    [
        StagingError("no interpreter"),
        in_other_words(StoreError, ValueError("damaged")),
        in_other_words(StagingError, OSError(errno.EACCES, os.strerror(errno.EACCES))),
    ],
)
def test_what_needs_a_person_ends_a_player_with_exit_code_2(
    error: ArenaError, tmp_path: Path
) -> None:
    one = pauses.Pauses(tmp_path, HowLong(), Said())
    one.player = object()  # type: ignore[assignment]
    with pytest.raises(type(error)) as caught, pauses.failing_machine_told():
        one.after(error)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "error",
    [ConfigError("a mistake"), StoreError("damaged"), KeyboardInterrupt(), SystemExit(3)],
    ids=repr,
)
def test_what_ends_a_player_on_purpose_still_ends_it(
    error: BaseException,
    endless: Callable[..., tuple[list[float], Said]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ends(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(player, "next_batch", ends)
    with pytest.raises(type(error)) as caught:
        endless()
    assert caught.value is error
    assert traces(tmp_path) == []


@pytest.mark.parametrize(
    "how",
    [{"batches": 2}, {"until": datetime.now(UTC) - timedelta(minutes=1)}],
    ids=["batches", "until"],
)
def test_a_player_with_an_end_tells_at_once(how: dict[str, Any], tmp_path: Path) -> None:
    one = pauses.Pauses(tmp_path, HowLong(**how), Said())
    one.player = object()  # type: ignore[assignment]
    with pytest.raises(RuntimeError):
        one.after(RuntimeError())
