"""The examination: who is accepted, who hears why not, who is to blame, and what a kill
at any instant leaves.
"""

import dataclasses
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from arena import ROOT
from msgspec.structs import replace
from scripted_modules import compiled
from uploads import MUCH, folder_of_files, new_league, one_of_its_own
from wording import sentence

from khiva_arena.arbiter.wire import HostFault
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import DEFAULT
from khiva_arena.common import shipped
from khiva_arena.common.result import Clock
from khiva_arena.common.say import say_nothing
from khiva_arena.competition.conformance import check_plan
from khiva_arena.competition.conformance import whole_check as check_run
from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packing import pack
from khiva_arena.errors import BotError, StagingError
from khiva_arena.extensions.league.chain.stored_chain import chain_of, found
from khiva_arena.extensions.league.player.roster_changes import take_all
from khiva_arena.extensions.league.settings import League, league_of
from khiva_arena.extensions.league.submissions import examine, trial_table
from khiva_arena.extensions.league.submissions.examine import examine_next, folder_of
from khiva_arena.extensions.league.submissions.queue import RETRY_SECONDS, Queue
from khiva_arena.extensions.league.submissions.trial_table import Finding
from khiva_arena.interface.commands.new_folder import make
from khiva_arena.records.store.db import Store

LISTENED = "print(1)"
BROKEN = ROOT / "bots" / "broken"


@pytest.fixture
def queue(league: League) -> Iterator[Queue]:
    """Its queue, in which one author is known."""
    with Queue(league.folder) as opened:
        opened.add_author("ann")
        yield opened


def upload(queue: Queue, packed: bytes, name: str = "bot") -> int:
    """Send a bot as the one author."""
    return queue.add_upload(queue.authors()[0].id, name, packed, MUCH)


def checks_as(monkeypatch: pytest.MonkeyPatch, made: Finding | BaseException) -> None:
    """Let each check give a verdict, or raise."""

    def verdict(*_: object) -> Finding:
        if isinstance(made, BaseException):
            raise made
        return made

    monkeypatch.setattr(examine, "verdict_of", verdict)


def copies(league: League) -> list[str]:
    """The names of the folders of bots, but the anchors'."""
    return sorted({path.name for path in (league.folder / "bots").iterdir()} - {"anchors"})


# --- what is made of a verdict ---


def test_a_bot_that_is_accepted_has_a_copy_which_is_the_bot(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks_as(monkeypatch, Finding(True, "fine"))
    upload(queue, one_of_its_own())
    examined = examine_next(league, queue)
    assert examined is not None
    entry, verdict = examined
    assert verdict == Finding(True, "fine")
    assert (entry.state, entry.played_as) == ("accepted", entry.identity)
    assert copies(league) == [folder_of(league, entry.identity).name]
    assert load(str(folder_of(league, entry.identity))).identity == entry.identity
    assert examine_next(league, queue) is None


def test_a_report_is_harmless_and_names_no_place(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = league.folder / "bots" / "draft-1"
    said = (
        f"--bot {draft}: \x1b[2J\n{draft}/main.py: {staging.cache_folder()}/staged/ab/x\n  "
        "next: khiva-arena check x"
    )
    checks_as(monkeypatch, Finding(False, f"{said}\n{'x' * 10**6}"))
    upload(queue, one_of_its_own())
    examined = examine_next(league, queue)
    assert examined is not None
    first, second, *others = examined[1].report.splitlines()
    assert (first, second) == ("\\x1b[2J", "main.py: ab/x")
    assert len("".join(others)) < 20_000
    assert copies(league) == []


def test_an_equal_bot_in_another_stream_is_refused(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks_as(monkeypatch, Finding(True, ""))
    toml = 'name = "a"\nrun = "{python} main.py"\nfiles = ["*.py"]\n'
    for more in ("a", "b"):
        upload(queue, folder_of_files({"main.py": "# one", "more": more}, toml), f"bot {more}")
        examine_next(league, queue)
    first, second = queue.entries()
    assert (first.state, second.state) == ("accepted", "refused")
    assert second.report == sentence("submissions", "equal")
    assert copies(league) == [folder_of(league, first.identity).name]


def test_an_anchor_s_own_files_are_refused(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks_as(monkeypatch, Finding(True, ""))
    upload(queue, pack(league.anchors[0]), "mine")
    examine_next(league, queue)
    assert [(entry.state, entry.report) for entry in queue.entries()] == [
        ("refused", sentence("submissions", "equal"))
    ]
    assert copies(league) == []


# --- who is to blame ---


@pytest.mark.parametrize("error", [StagingError("full"), KeyboardInterrupt()])
def test_a_fault_of_the_machine_lets_a_bot_wait(
    error: BaseException, league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks_as(monkeypatch, error)
    upload(queue, one_of_its_own())
    with pytest.raises(type(error)):
        examine_next(league, queue)
    assert copies(league) == []
    checks_as(monkeypatch, Finding(True, ""))
    monkeypatch.setattr(examine, "sweep", lambda *_: None)
    queue._connection.execute(
        "UPDATE entries SET leased_until = leased_until - ?", (RETRY_SECONDS,)
    )
    examined = examine_next(league, queue)
    assert examined is not None
    assert examined[0].state == "accepted"


def test_a_disk_that_takes_no_bot_is_not_its_author_s_fault(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28), "/somewhere")

    monkeypatch.setattr(examine, "unpack", full)
    number = upload(queue, one_of_its_own())
    with pytest.raises(StagingError):
        examine_next(league, queue)
    assert queue.entry(number).state == "waiting"


def test_an_anchor_that_does_not_start_is_not_its_author_s_fault(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise BotError("greedy")

    monkeypatch.setattr(trial_table, "ready_to_play", fails)
    monkeypatch.setattr(
        examine, "verdict_of", lambda league, bot, renew: trial_table._tried(league, bot, renew)
    )
    number = upload(queue, one_of_its_own())
    with pytest.raises(StagingError):
        examine_next(league, queue)
    assert queue.entry(number).state == "waiting"


@pytest.mark.parametrize("where", ["stage", "start"])
def test_a_check_that_this_machine_cannot_make_is_not_its_author_s_fault(
    where: str, league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise StagingError("full") if where == "stage" else HostFault("no process")

    steps = [check_plan.PlannedStep("start", "", fails)]  # type: ignore[arg-type]
    monkeypatch.setattr(
        check_run, *(("stage", fails) if where == "stage" else ("steps", lambda running: steps))
    )
    number = upload(queue, one_of_its_own())
    with pytest.raises(StagingError):
        examine_next(league, queue)
    assert queue.entry(number).state == "waiting"


# --- kills ---


STEPS = (
    "unpack",
    "_loaded",
    "verdict_of",
    "as_played",
    "queue.identify",
    "queue.settle",
    "rename",
    "rmtree",
    "after",
)


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_any_instant_loses_and_doubles_nothing(
    step: str, league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process dies in that step: nothing of its ending runs. The next one goes on
    once the lease is over.
    """
    checks_as(monkeypatch, Finding(True, ""))
    number = upload(queue, one_of_its_own())
    with monkeypatch.context() as dying:

        def dies(*_: object, **__: object) -> None:
            os._exit(9)

        if step == "after":
            dying.setattr(Queue, "add_build_seconds", dies)
        elif step == "rename":
            dying.setattr(Path, "rename", dies)
        elif step == "rmtree":
            dying.setattr(examine.shutil, "rmtree", dies)
        elif step.startswith("queue."):
            dying.setattr(Queue, step.removeprefix("queue."), dies)
        else:
            dying.setattr(examine, step, dies)
        child = os.fork()
        if child == 0:
            with suppress(BaseException), Queue(league.folder) as own:
                examine_next(league, own)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    if step != "after":
        assert queue.entry(number).state == "waiting"
        queue._connection.execute("UPDATE entries SET leased_until = 0")
    examine_next(league, queue)
    assert examine_next(league, queue) is None
    entry = queue.entry(number)
    assert entry.state == "accepted"
    assert copies(league) == [folder_of(league, entry.identity).name]
    assert load(str(folder_of(league, entry.identity))).identity == entry.identity


def test_the_draft_of_another_process_at_work_stays(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(queue, one_of_its_own())
    queue.claim()
    (league.folder / "bots" / "draft-1").mkdir()
    assert examine_next(league, queue) is None
    assert copies(league) == ["draft-1"]


# --- into the chain ---


def test_what_is_accepted_is_entered_once(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three versions of one bot before one batch: each has a link of its own, and the
    oldest gives way.
    """
    checks_as(monkeypatch, Finding(True, ""))
    for _ in range(3):
        upload(queue, one_of_its_own())
        examine_next(league, queue)
    said: list[str] = []
    with Store.write(league.folder) as store:
        chain = found(store, "spring", league.terms, league.frozen_anchors)
        chain = take_all(store, queue, chain, lambda text, **_: said.append(text))
        assert [(bot.name, bot.state) for bot in chain.bots.values() if bot.author] == [
            ("bot v1", "retired"),
            ("bot v2", "active"),
            ("bot v3", "active"),
        ]
        queue._connection.execute(
            "UPDATE entries SET state = 'accepted'"
        )  # as a kill before the marks leaves them
        again = take_all(store, queue, chain, lambda text, **_: said.append(text))
        assert again == chain == chain_of(store)
    assert [entry.state for entry in queue.entries()] == ["entered"] * 3


def test_a_link_that_does_not_follow_stops_no_player(
    league: League, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An anchor has the name that the version would get."""
    checks_as(monkeypatch, Finding(True, ""))
    upload(queue, one_of_its_own())
    examine_next(league, queue)
    said: list[str] = []
    anchors = tuple(
        replace(anchor, name="bot v1") if number else anchor
        for number, anchor in enumerate(league.frozen_anchors)
    )
    with Store.write(league.folder) as store:
        chain = found(store, "spring", league.terms, anchors)
        assert take_all(store, queue, chain, lambda text, **_: said.append(text)) == chain
    assert [entry.state for entry in queue.entries()] == ["refused"]
    assert len(said) == 1


# --- in ticks ---


def custom_section(text: bytes) -> bytes:
    """What makes a module another one that plays the same."""
    return b"\0" + bytes([len(text) + 1, len(text)]) + text


@pytest.mark.language
def test_two_sources_of_one_module_are_one_bot_in_ticks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks_as(monkeypatch, Finding(True, ""))
    league = new_league(tmp_path / "spring")
    for name in ("greedy", "random"):
        (league.folder / f"{name}.wasm").write_bytes(compiled() + custom_section(name.encode()))
    text = (league.folder / "league.toml").read_text()
    text = re.sub(r"(?m)^bots = .*$", 'bots = ["greedy.wasm", "random.wasm"]', text)
    text = re.sub(r"(?m)^ponder = .*$", "", text)
    (league.folder / "league.toml").write_text(re.sub(r"(?m)^clock = .*$", 'clock = "ticks"', text))
    league = league_of(league.folder, {}, say_nothing)
    toml = 'name = "a"\nmodule = "bot.wasm"\n'
    streams = [
        folder_of_files({"bot.wasm": compiled(), "main.py": more}, toml)
        for more in ("# one", "# two")
    ]
    with Queue(league.folder) as queue:
        queue.add_author("ann")
        for number, stream in enumerate(
            [*streams, folder_of_files({"bot.wasm": compiled() + custom_section(b"random")}, toml)]
        ):
            upload(queue, stream, f"bot {number}")
            examine_next(league, queue)
        first, *others = queue.entries()
    assert (first.state, first.played_as != first.identity) == ("accepted", True)
    assert {(entry.state, entry.report) for entry in others} == {
        ("refused", sentence("submissions", "equal"))
    }
    assert copies(league) == [folder_of(league, first.identity).name]


def test_a_bot_whose_interpreter_has_more_memory_than_the_league_gives_is_refused_unbuilt(
    league: League, tmp_path: Path
) -> None:
    files = {
        "main.js": "",
        "bot.toml": 'name = "large"\ninterpreter = "javascript main.js"\nmemory = 64\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    settings = replace(league.settings, clock=Clock.TICKS)
    sandbox = Sandbox(Level.TRUSTED, dataclasses.replace(DEFAULT, memory=103 << 20))
    found = trial_table.verdict_of(
        league._replace(settings=settings, sandbox=sandbox), load(str(tmp_path)), lambda: None
    )
    refusal = sentence(
        "entrants", "interpreter-memory", bot="", mib=64, limit=103, left=63, enough=104
    )
    assert (found.accepted, found.report) == (
        False,
        refusal.partition(": ")[2] + sentence("entrants", "interpreter-memory-less"),
    )


# --- whole examinations ---


@pytest.mark.soak
def test_a_shipped_bot_comes_in_and_its_build_counts(
    league: League, queue: Queue, tmp_path: Path
) -> None:
    make(shipped.languages()["python"], tmp_path / "bot", "random")
    toml = tmp_path / "bot" / "bot.toml"
    burns = "import time; [None for _ in iter(lambda: time.process_time() < 1.5, False)]"
    (tmp_path / "bot" / "burn.py").write_text(burns)
    toml.write_text(toml.read_text() + 'build = "{python} burn.py"\n')
    number = upload(queue, pack(load(str(tmp_path / "bot"))))
    examined = examine_next(league, queue)
    assert examined is not None
    assert examined[0].state == "accepted", examined[1].report
    assert queue._spent_today()[examined[0].author] > 1.5
    assert queue.entry(number).played_as == queue.entry(number).identity


REFUSED = {
    "fails": ("build = \"sh -c 'echo \\\\033[2J; exit 3'\"", "exited with code 3"),
    "leaves a link": ("build = \"sh -c 'rm main.py; ln -s /etc/passwd main.py'\"", "No such file"),
    "reaches for others": (
        "build = \"sh -c 'rm -rf ../anchors ../../queue.db; exit 4'\"",
        "exited with code 4",
    ),
}


@pytest.mark.slow
@pytest.mark.usefixtures("standard")  # at basic the link is told otherwise
@pytest.mark.parametrize("how", REFUSED)
def test_a_build_that_means_harm_is_refused_in_the_words_of_check(
    how: str, league: League, queue: Queue
) -> None:
    line, said = REFUSED[how]
    number = upload(
        queue,
        folder_of_files(
            {"main.py": f"# {how}"}, f'name = "a"\nrun = "{{python}} main.py"\n{line}\n'
        ),
    )
    examine_next(league, queue)
    entry = queue.entry(number)
    assert entry.state == "refused"
    assert said in entry.report
    assert str(league.folder) not in entry.report
    assert (league.folder / "bots" / "anchors" / "random" / "main.py").exists()
    assert copies(league) == []


ZOO = (
    "deaf",
    "print",
    "segfault",
    "exit-0",
    "daemon-stdout",
    "flood-zeros",
    "fork-bomb",
    "memory",
    "half-frame",
    "choice-huge",
)


@pytest.mark.soak
@pytest.mark.parametrize("row", ZOO)
def test_a_bot_that_misbehaves_is_refused_and_the_next_one_is_checked(
    row: str, league: League, queue: Queue
) -> None:
    files = {path.name: path.read_bytes() for path in BROKEN.glob("*.py")}
    number = upload(
        queue, folder_of_files(files, f'name = "a"\nrun = "{{python}} -S -E main.py {row}"\n')
    )
    after = upload(queue, folder_of_files({"main.py": LISTENED}))
    assert [
        examined[0].number
        for examined in (examine_next(league, queue), examine_next(league, queue))
        if examined
    ] == [
        number,
        after,
    ]
    assert {entry.state for entry in queue.entries()} == {"refused"}
    assert copies(league) == []
