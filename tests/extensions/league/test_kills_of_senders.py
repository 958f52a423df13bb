"""``league enter`` and ``submit`` as processes that are ended at any instant: their
next call says what became of the bot.
"""

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from arena import arena, descendants, says_interrupted, until_gone
from forked_command import started
from league_serving import league_server
from public_league import league_folder, write_public
from quick_leagues import quick_league as quick_league
from tools import need
from waiting import PATIENCE, until
from wording import sentence

from khiva_arena.entrants.bots import load
from khiva_arena.extensions.league.chain.stored_chain import chain_of
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.queue_rows import QueueEntry
from khiva_arena.records.store.db import Store

pytestmark = [pytest.mark.usefixtures("forked")]
TRIES = 3
"""How many commands are begun at most for each that is to be ended: some end before."""
TAKEN_UP = 0.4
"""How often the same command is given again, or what it sent is checked."""
SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130
ENDED = (INTERRUPTED, -signal.SIGKILL, -signal.SIGTERM, 1)
"""The exit codes of a command that was ended; the last two if it had not begun to
listen, in a fork of these tests.
"""


@pytest.fixture
def folder(quick_league: Path, tmp_path: Path) -> Path:
    """A folder with the league "spring", which is not founded, and the bot "naive",
    which ann has entered.
    """
    return Path(shutil.copytree(quick_league, tmp_path / "folder"))


def waiting(league: Path) -> list[QueueEntry]:
    """The entries that are not refused."""
    with Queue(league) as queue:
        return queue.entries("waiting", "accepted", "entered")


def changed(bot: Path, number: int) -> None:
    """Make a bot another one that plays alike."""
    need("cc")
    source = bot / "bot.c"
    source.write_text(f"{source.read_text().partition('/* change')[0]}/* change {number} */\n")


@pytest.mark.usefixtures("confined")
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_says_that_nothing_waits(
    number: signal.Signals, folder: Path
) -> None:
    changed(folder / "naive", 1)
    process = started("league", "enter", "spring", "naive", "--author", "ann", cwd=folder)
    until(lambda: len(waiting(folder / "spring")) == 2)
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == INTERRUPTED
    assert says_interrupted(errors)
    assert "naive does not come in by this command" in errors
    assert [entry.state for entry in waiting(folder / "spring")] == ["accepted"]
    assert arena("league", "status", "spring", cwd=folder).stdout.count("entry-") == 1


@pytest.mark.soak
@pytest.mark.parametrize("kills", [8, pytest.param(60, marks=pytest.mark.long)])
def test_an_entry_that_is_ended_at_any_instant_comes_in_when_its_command_says_so(
    folder: Path, kills: int
) -> None:
    league, chance, ended = folder / "spring", random.Random(51), 0
    words = ("league", "enter", "spring", "naive", "--author", "ann")
    changed(folder / "naive", TRIES * kills)
    begun = time.monotonic()
    arena(*words, cwd=folder)
    meant = {entry.identity for entry in waiting(league)}
    usual = time.monotonic() - begun
    for number in range(TRIES * kills):
        if ended == kills:
            break
        changed(folder / "naive", number)
        identity, ending = load(str(folder / "naive")).identity, chance.choice(SIGNALS)
        begun = time.monotonic()
        code = ended_at_an_instant(words, folder, chance.uniform(0, usual), ending)
        usual = usual if code else min(usual, time.monotonic() - begun)
        ended += code != 0
        entry = next((entry for entry in waiting(league) if entry.identity == identity), None)
        if code == 0 or (entry and not entry.held):
            assert entry
            assert (entry.state, entry.held) == ("accepted", False)
            assert code == 0 or ending == signal.SIGKILL, "it was interrupted, and comes in"
            meant.add(identity)
        else:
            assert entry is None or ending == signal.SIGKILL, (
                "it was interrupted, and something of it waits"
            )
            assert code in ENDED
        if (
            ended == kills or chance.random() < TAKEN_UP
        ):  # else the next version takes the place of what was left
            arena(*words, cwd=folder)
            meant.add(identity)
    assert ended == kills
    arena("league", "play", "spring", "--batches", "1", cwd=folder)
    with Store.read(league) as store:
        chain = chain_of(store)
    assert chain
    assert {bot.sources for bot in chain.bots.values() if bot.author} == meant
    assert [entry.held for entry in waiting(league) if entry.state != "entered"] == []
    assert not list((league / "bots").glob("enter-*"))


@pytest.mark.soak
@pytest.mark.parametrize("kills", [25, pytest.param(40, marks=pytest.mark.long)])
def test_a_bot_whose_sender_is_ended_at_any_instant_is_sent_once(
    kills: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    league, chance, ended = league_folder(tmp_path / "spring"), random.Random(51), 0
    settings = league / "league.toml"
    settings.write_text(
        settings.read_text().replace(
            "\nuploads_a_day = 10\n", f"\nuploads_a_day = {TRIES * kills + 1}\n"
        )
    )
    write_public(league)
    arena("new", "python", "crow", cwd=tmp_path)
    with Queue(league) as queue, league_server(league, is_forked=True) as server:
        token, source = tmp_path / "token", tmp_path / "crow" / "main.py"
        token.touch(0o600)
        token.write_text(queue.rotate(queue.add_author("ann").id))
        words = ("submit", "crow", "--to", server.origin, "--token-file", "token", "--wait")
        begun = time.monotonic()
        arena(*words[:-1], cwd=tmp_path)
        usual = time.monotonic() - begun
        for number in range(TRIES * kills):
            if ended == kills:
                break
            source.write_text(f"{source.read_text()}# {number}\n")
            for entry in queue.entries("waiting"):
                queue.settle(entry.number, "refused", "")
            begun = time.monotonic()
            code = ended_at_an_instant(
                words, tmp_path, chance.uniform(0, usual), chance.choice(SIGNALS)
            )
            usual = usual if code else min(usual, time.monotonic() - begun)
            ended += code != 0
            before = queue.entries("waiting")
            assert len(before) <= 1
            for entry in (
                before if chance.random() < TAKEN_UP else ()
            ):  # the player has checked it meanwhile
                queue.settle(entry.number, "accepted", "its check", f"{number:064x}")
            out = given_again(words[:-1], tmp_path)
            (entry,) = [entry for entry in queue.entries()[-1:] if entry.state != "refused"]
            assert out == f"entry {entry.number} of Spring league: crow is {entry.state}\n"
            assert not before or before[0].number == entry.number
    assert ended == kills
    (receipts,) = (tmp_path / "state" / "khiva-arena" / "receipts").iterdir()
    assert [line.count("link ") for line in receipts.read_text().splitlines()] == [1] * len(
        receipts.read_text().splitlines()
    )


def given_again(words: tuple[str, ...], folder: Path) -> str:
    """Give a command again until the server has noticed that the one before is gone,
    and return what it prints.
    """
    given: list[subprocess.CompletedProcess[str]] = []

    def is_free() -> bool:
        given.append(arena(*words, cwd=folder, code=None))
        return sentence("league_serve", "one-at-a-time") not in given[-1].stderr

    until(is_free)
    assert given[-1].returncode == 0, given[-1].stderr
    return given[-1].stdout


def ended_at_an_instant(
    words: tuple[str, ...], folder: Path, seconds: float, number: signal.Signals
) -> int:
    """End a command so many seconds after its start, unless it has ended. Return its
    exit code.
    """
    process = started(*words, cwd=folder)
    try:
        until(
            lambda: process.poll() is not None or os.getsid(process.pid) == process.pid
        )  # a fork that has just begun is deaf
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        below = descendants(process.pid)
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert until_gone(below), "a process outlived its command"
    return process.returncode
