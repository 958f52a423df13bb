"""Errors that nobody foresaw, at one item of what a league's player does between and in batches: it goes on, and says so."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import pytest
from arena import arena
from cases import cases
from leagues import ChainAlone, Played, ends_in, enter, league_in, names_play, player_of_names
from made_league import MadeLeague, Shape
from module_cup import vectors
from quick_leagues import quick_league
from uploads import MUCH, folder_of_files, new_league
from wording import sentence

from khiva_arena.arbiter import match_queue, pool
from khiva_arena.arbiter.failure import failure_of
from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.errors import ArenaError, ConfigError, StagingError, StoreError
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.chain.stored_chain import chain_of
from khiva_arena.extensions.league.commands import league as league_commands
from khiva_arena.extensions.league.folder import CHAIN, PUBLIC
from khiva_arena.extensions.league.player import match_lists, pauses, player, publish, roster_changes, started_bots
from khiva_arena.extensions.league.player.refusals import HowLong
from khiva_arena.extensions.league.public_state import BATCHES, read_state
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import Store
from khiva_arena.words import count

__all__ = ["quick_league"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]


class Said(list[str]):
    def __call__(self, text: str, *, warning: bool = False) -> None:
        self.append(text)


def fails(*_: object, **__: object) -> NoReturn:
    raise RuntimeError("within")


def fails_for(real: Callable[..., Any], is_poison: Callable[..., bool]) -> Callable[..., Any]:
    """A function that raises for what is poison, and else does as it did."""

    def called(*words: Any, **more: Any) -> Any:
        return fails() if is_poison(*words) else real(*words, **more)

    return called


def traces(folder: Path) -> list[str]:
    """The names of the traces that a league keeps."""
    return sorted(path.stem for path in (folder / failures.FOLDER).glob("*.txt"))


# --- between batches ---


def test_an_entry_that_cannot_be_entered_is_left_out_and_the_others_are_in(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path)
    for name in ("poison", "quick", "slow"):
        enter(league, name, name)
    real = roster_changes.name_of_version
    monkeypatch.setattr(roster_changes, "name_of_version", fails_for(real, lambda family, _: family == "poison"))
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


def test_a_change_that_cannot_be_made_is_done_with(tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    league = league_in(tmp_path, 3)
    ours = enter(league, "ann", "quick")
    played(league, 1)
    with Queue(tmp_path) as queue:
        for state in ("suspended", "retired"):
            queue.add_change(ours, state, "as its author asked")
    real = roster_changes.StateChanged
    monkeypatch.setattr(
        roster_changes, "StateChanged", lambda **fields: fails() if fields["state"] == "suspended" else real(**fields)
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

    def start(bots: started_bots.StartedBots, roster: Any) -> Any:  # the fixture sets these functions for each call of it
        real = getattr(started_bots, step)
        is_poison: Callable[..., bool] = (lambda *words: "poison v1" in words) if step == "load" else _has_poison
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
def endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[float], Said]]:
    """Play a league until its second batch is over, or it has waited eight times. Return the waits, and what was said."""
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
    endless: Callable[..., tuple[list[float], Said]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, errors = player.next_batch, [RuntimeError("one"), ExceptionGroup("tasks", [KeyError("other")])]

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
    monkeypatch.setattr(*((player, where) if where == "next_batch" else (player.Player, where)), fails)
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
    *(in_other_words(StagingError, OSError(number, os.strerror(number))) for number in (errno.EAGAIN, errno.EROFS)),
    in_other_words(StagingError, HostFault("no process")),
    in_other_words(ConfigError, OSError(errno.EMFILE, os.strerror(errno.EMFILE))),
    in_other_words(StoreError, OSError(errno.ENFILE, os.strerror(errno.ENFILE))),
    OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)),
    MemoryError(),
    ExceptionGroup("tasks", [ValueError(), OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))]),
]
"""Failures of the machine that may pass, wherever they are met."""


@cases("error", PASSING)
def test_a_failure_of_the_machine_at_a_start_is_waited_for(error: Exception, tmp_path_factory: pytest.TempPathFactory) -> None:
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
    machine = [line for line in said if line.startswith(sentence("league", "machine-failed-at-batch", batch=1))]
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
def test_what_needs_a_person_ends_a_player_with_exit_code_2(error: ArenaError, tmp_path: Path) -> None:
    one = pauses.Pauses(tmp_path, HowLong(), Said())
    one.player = object()  # type: ignore[assignment]
    with pytest.raises(type(error)) as caught, pauses.failing_machine_told():
        one.after(error)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("error", [ConfigError("a mistake"), StoreError("damaged"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_what_ends_a_player_on_purpose_still_ends_it(
    error: BaseException, endless: Callable[..., tuple[list[float], Said]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(player, "next_batch", ends)
    with pytest.raises(type(error)) as caught:
        endless()
    assert caught.value is error
    assert traces(tmp_path) == []


@pytest.mark.parametrize("how", [{"batches": 2}, {"until": datetime.now(UTC) - timedelta(minutes=1)}], ids=["batches", "until"])
def test_a_player_with_an_end_tells_at_once(how: dict[str, Any], tmp_path: Path) -> None:
    one = pauses.Pauses(tmp_path, HowLong(**how), Said())
    one.player = object()  # type: ignore[assignment]
    with pytest.raises(RuntimeError):
        one.after(RuntimeError())


def without_waits(quick_league: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy a league into a place, and let it try matches again at once."""
    shutil.copytree(quick_league / "spring", place / "spring")
    toml = place / "spring" / "league.toml"
    toml.write_text(toml.read_text().replace("retry_minutes = 60", "retry_minutes = 0"))
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))


@pytest.mark.usefixtures("confined")
def test_a_match_that_the_arena_fails_at_is_void_and_the_batch_goes_on(
    quick_league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_waits(quick_league, tmp_path, monkeypatch)
    monkeypatch.setattr(pool, "play_live", fails_for(pool.play_live, lambda job, *_: job.ordinal == 0 and job.attempt > 0))
    done = arena("league", "play", "spring", "-j", "1", "--batches", "1", cwd=tmp_path)
    words = sentence("league", "match-void", match=0, batch=1)
    assert words in done.stderr
    assert traces(tmp_path / "spring") == ["match-1-0"]
    with Store.read(tmp_path / "spring") as store:
        (event,) = store.events()
        assert 0 not in store.recorded(event.id)
        assert store.recorded(event.id)
        assert {row.why for row in store.voids(event.id)} == {failure_of(RuntimeError()).why}
        assert event.set_aside
    assert verify(tmp_path / "spring").sound


@pytest.mark.usefixtures("confined")
def test_tables_that_stay_void_while_the_machine_spoils_all_are_counted(
    quick_league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them is set aside yet: after four voids in a row no more is tried."""
    without_waits(quick_league, tmp_path, monkeypatch)
    real, tried = pool.play_live, list[int]()

    async def spoilt_at_first(job: Any, *words: Any, **more: Any) -> Any:
        tried.append(job.ordinal)
        return void(job, "the host slept") if len(tried) <= 4 else await real(job, *words, **more)

    monkeypatch.setattr(pool, "play_live", spoilt_at_first)
    done = arena("league", "play", "spring", "-j", "1", "--batches", "1", cwd=tmp_path)
    with Store.read(tmp_path / "spring") as store:
        (event,) = store.events()
        tables = {(row.seed, row.lineup) for row in store.voids(event.id)}
        assert len(ends_in(store)) == 1
    (told,) = [line for line in done.stderr.splitlines() if sentence("league", "tried-again-at") in line]
    assert f"{count(len(tables), 'table')} stayed void" in told


def test_a_match_that_cannot_be_recorded_is_void(tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    real, tried = Store.add_match, list[int]()

    def add(store: Store, row: Any, reveals: Any) -> None:
        if row.ordinal == 1:
            tried.append(row.attempt)
            if len(tried) < 3:
                fails()
        real(store, row, reveals)

    monkeypatch.setattr(Store, "add_match", add)
    played(league, 1)
    assert len(tried) == 3
    with Store.read(tmp_path) as store:
        (event,) = store.events()
        assert len(store.recorded(event.id)) == 6
        assert event.set_aside == ()
        assert -1 in store.reveals(event.id)
    assert traces(tmp_path) == ["match-1-1"]
    assert verify(tmp_path).sound


# --- published ---


@pytest.fixture
def made(tmp_path: Path) -> Iterator[MadeLeague]:
    with MadeLeague(tmp_path / "spring", Shape(seats=2, seeds=1)) as league:
        for number in (1, 2):
            league.enter(f"bot {number}", number, number)
        for _ in range(2):
            league.batch()
        yield league


def published(league: MadeLeague) -> Said:
    said = Said()
    with publish.Publisher(league.store, said) as public:
        public.publish(league.chain)
        public.finish()
    return said


def pages(league: MadeLeague) -> list[str]:
    return sorted(os.listdir(league.folder / PUBLIC / BATCHES))


def test_a_task_that_the_arena_fails_at_is_told_and_the_others_are_made(
    made: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish.Publisher, "_take_table", fails)
    (told,) = published(made)
    path = made.folder / failures.FOLDER / "page.txt"
    assert sentence("league", "trace-is-in", path=path) in told
    assert pages(made) == ["1.html", "2.html"]


def test_a_process_that_cannot_be_asked_for_is_told(made: MadeLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    real = publish.Background.start
    asked = fails_for(real, lambda _self, _name, words: words[-1] == made.store.event_ids(1, 1)[0])
    monkeypatch.setattr(publish.Background, "start", asked)
    assert len(published(made)) == 1
    assert pages(made) == ["2.html"]


def test_a_list_of_matches_that_the_arena_fails_at_is_told_and_the_other_is_made(
    made: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = match_lists.MatchLists._matches_of
    monkeypatch.setattr(match_lists.MatchLists, "_matches_of", fails_for(real, lambda _self, batch: batch.number == 1))
    (told,) = published(made)
    assert sentence("league", "trace-is-in", path=made.folder / failures.FOLDER / "list-1.txt") in told
    assert [path.name for path in (made.folder / PUBLIC / "matches").iterdir()] == ["2.json"]


def test_a_standing_that_cannot_be_written_is_told_once_and_written_later(
    made: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The public chain has each link once all the same."""
    said = Said()
    with publish.Publisher(made.store, said) as public:
        with monkeypatch.context() as failing:
            failing.setattr(publish.Published, "read", fails_for(publish.Published.read, lambda *words: words[-1].number == 4))
            for _ in range(2):
                public.publish(made.chain)
            tried = Said()
            failing.setattr(public, "_write", lambda: tried.append("again"))
            for _ in range(3):
                public.look()
            assert tried == []
            public._next_reveal = datetime.now(UTC)
            public.look()
            assert tried == ["again"]
        assert len(said) == 1
        assert read_state(made.folder) is None
        public.publish(made.chain)
        public.finish()
    state = read_state(made.folder)
    assert state is not None
    assert state.link == made.chain.links - 1
    assert len((made.folder / PUBLIC / CHAIN).read_text().splitlines()) == made.chain.links
    assert traces(made.folder) == ["standing"]


def test_a_disk_that_fails_between_two_public_files_doubles_no_link(made: MadeLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    with publish.Publisher(made.store, Said()) as public:
        with monkeypatch.context() as failing:
            failing.setattr(public._log, "add", fails)
            public.publish(made.chain)
        public.publish(made.chain)
    assert len((made.folder / PUBLIC / CHAIN).read_text().splitlines()) == made.chain.links


def test_a_wish_that_the_arena_fails_at_is_told(made: MadeLeague) -> None:
    said = Said()
    with publish.Publisher(made.store, said) as public:
        public.wish = fails
        public.publish(made.chain)
        public.finish()
    assert len(said) == 1
    assert pages(made) == ["1.html", "2.html"]


# --- all of it ---


@pytest.mark.usefixtures("confined")
def test_two_uploads_with_bad_names_stop_no_league_in_ticks(tmp_path: Path) -> None:
    """Their builds leave files whose names no payload can hold."""
    spring = new_league(tmp_path / "spring").folder
    modules = vectors({"greedy": "honest", "random": "late", "third": "illegal three times"})
    for name, module in modules.items():
        (spring / f"{name}.wasm").write_bytes(module)
    values = {"bots": '["greedy.wasm", "random.wasm"]', "clock": '"ticks"', "turn": '"10ms"', "bank": '"0s"'}
    lines = [
        line for line in (spring / "league.toml").read_text().splitlines() if line.partition(" = ")[0] not in (*values, "ponder")
    ]
    head = [f"{key} = {value}" for key, value in values.items()]
    pin = f'interpreters = {{ javascript = "{"0" * 64}" }}'
    (spring / "league.toml").write_text("\n".join([*head, *(line for line in lines if "interpreters = " not in line), pin, ""]))
    toml = 'name = "a"\ninterpreter = "javascript main.js"\nbuild = "sh build.sh"\n'
    with Queue(spring) as queue:
        whose = queue.add_author("mallory").id
        for name in ("bad\\377", "worse\\200"):
            script = f'touch "$(printf "{name}")"\n'
            queue.add_upload(whose, f"bot {name[:3]}", folder_of_files({"main.js": "", "build.sh": script}, toml), MUCH)
        other = queue.add_author("ann").id
        third = folder_of_files({"bot.wasm": modules["third"]}, 'name = "a"\nmodule = "bot.wasm"\n')
        queue.add_upload(other, "third", third, MUCH)
    arena("league", "play", "spring", "--batches", "1", cwd=tmp_path)
    with Queue(spring) as queue:
        reports = {entry.family_name: entry.report for entry in queue.entries()}
        states = {entry.family_name: entry.state for entry in queue.entries()}
    assert sentence("entrants", "name-no-utf-8", name="bad\\xff") in reports["bot bad"]
    assert sentence("entrants", "name-no-utf-8", name="worse\\x80") in reports["bot wor"]
    assert states == dict.fromkeys(("bot bad", "bot wor", "third"), "refused")
    assert reports["third"].startswith("its check failed:")  # the check of the next entry was run to its end
    assert not (spring / failures.FOLDER).exists()
    with Store.read(spring) as store:
        assert len(ends_in(store)) == 1
