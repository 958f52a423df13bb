"""A league of real bots whose player and server are killed and stopped again and again:
nothing is lost, nothing is played twice, and the chain is that of a league that nobody
disturbed.
"""

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from arena import arena, descendants, until_gone
from in_targets import in_long
from league_player import same_each_time
from league_serving import league_server
from leagues import ends_in
from quick_leagues import new_quick_league, quick_bot
from waiting import PATIENCE, until

from khiva_arena.extensions.league.chain.stored_chain import chain_of
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.files import FILE

PLAYER = str(Path(__file__).parent / "support" / "league_player.py")
STARTS = ("random", "greedy")
BEGINNING = (0.1, 0.6)
"""Seconds from the start of a player, in some of which it opens its league."""
PLAYING = 0.75
"""How often a player is killed while it plays, not while it begins."""
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM)


def made_league(folder: Path, bots: int) -> Path:
    """A league of two seats with variants of shipped bots, entered before its first
    batch.
    """
    folder.mkdir()
    new_quick_league(folder)
    with same_each_time(folder / "spring"):
        for number in range(bots):
            source = quick_bot(folder / f"variant-{number}", STARTS[number % len(STARTS)]) / "bot.c"
            source.write_text(f"{source.read_text()}\n/* variant {number} */\n")
            author = f"author {number % 7}"
            arena("league", "enter", "spring", source.parent.name, "--author", author, cwd=folder)
    return folder / "spring"


def played_calmly(league: Path, batches: int) -> None:
    """Play so many batches in this process, which nobody disturbs."""
    with same_each_time(league):
        arena(
            "league",
            "play",
            "spring",
            "--batches",
            str(batches),
            "-j",
            "2",
            cwd=league.parent,
            seconds=batches * PATIENCE,
        )


def played(league: Path, batches: int, kills: Counter[str], seed: int) -> Counter[str]:
    """Play so many batches, with so many kills and stops at random instants of the
    player and of a server. Return how many hit one at work.
    """
    chance, hits = random.Random(seed), Counter[str]()
    while (left := batches - _over(league)) > 0:
        if (
            hits["server"] * kills["player"] < (hits["player"] + 1) * kills["server"]
            and hits["server"] < kills["server"]
        ):
            _kill_a_server(league, chance)
            hits["server"] += 1
        words = [sys.executable, PLAYER, "play", "spring", "--batches", str(left), "-j", "2"]
        process = subprocess.Popen(
            words, cwd=league.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if hits["player"] < kills["player"]:
            _wait_a_little(league, process, chance)
        else:
            process.wait()
        if process.poll() is None:
            below = descendants(process.pid)
            process.send_signal(chance.choice(SIGNALS))
            process.wait(PATIENCE)
            hits["player"] += 1
            assert until_gone(below), "a process outlived the player that was killed"
    return hits


def _wait_a_little(league: Path, process: subprocess.Popen[bytes], chance: random.Random) -> None:
    """Wait for an instant while a player begins, or while it plays the next two
    batches; it may end before.
    """
    seconds = chance.uniform(*BEGINNING)
    if chance.random() < PLAYING:
        goal = _recorded(league) + chance.randint(1, 10)
        until(lambda: process.poll() is not None or _recorded(league) >= goal)
        seconds = chance.uniform(0, 0.1)
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def _recorded(league: Path) -> int:
    """Return how many matches a league has, 0 if that cannot be read now."""
    try:
        with closing(sqlite3.connect(f"{(league / FILE).as_uri()}?mode=ro", uri=True)) as store:
            return int(store.execute("SELECT count(*) FROM matches").fetchone()[0])
    except sqlite3.Error:
        return 0


def _kill_a_server(league: Path, chance: random.Random) -> None:
    """Ask a server for its pages, and end it before it has answered all."""
    with league_server(league, is_killed=True) as server:
        assert server.ask("/").status == 200
        answer = server.connection()
        answer.request("GET", "/api/league.json")
        server.process.send_signal(chance.choice(SIGNALS))
        server.process.wait(PATIENCE)
        answer.close()


def _over(league: Path) -> int:
    if not Store.check(league):
        return 0
    with Store.read(league) as store:
        chain = chain_of(store)
        return chain.over if chain else 0


@pytest.mark.soak
@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    ("bots", "batches", "players", "servers"),
    [(3, 4, 3, 1), *in_long([(3, 8, 6, 2), (20, 40, 60, 40)])],
    ids=["few", "more", "many"],
)
def test_a_league_that_is_killed_has_the_chain_of_one_that_is_not(
    tmp_path: Path,
    bots: int,
    batches: int,
    players: int,
    servers: int,
    record_property: Callable[[str, object], None],
) -> None:
    kills = Counter(player=players, server=servers)
    calm = made_league(tmp_path / "calm", bots)
    disturbed = Path(shutil.copytree(calm.parent, tmp_path / "disturbed")) / calm.name
    hits = played(disturbed, batches, kills, seed=32)
    record_property("kills", dict(hits))  # for --junitxml
    assert hits.total() >= kills.total() // 2
    played_calmly(calm, batches)
    chains = []
    for league in (disturbed, calm):
        result = verify(league)
        assert result.sound, [
            *result.problems,
            *(problem for event in result.events for problem in event.problems),
        ]
        assert all(event.missing == 0 for event in result.events)
        with Store.read(league) as store:
            chain = chain_of(store)
            assert chain is not None
            chains.append((chain.links, chain.digest, [over.run_digest for over in ends_in(store)]))
    assert chains[0] == chains[1]
