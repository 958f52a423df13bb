"""A league of real bots whose player and server are killed and stopped again and again: nothing is lost, nothing is played twice,
and the chain is that of a league that nobody disturbed."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from arena import ROOT, arena, descendants
from league_serving import league_server

from khiva_arena.api.verify import verify
from khiva_arena.league.chain.stored_chain import chain_of
from khiva_arena.shipped import bots as shipped_bots
from khiva_arena.store.db import Store

PLAYER = str(ROOT / "tests" / "support" / "league_player.py")
SHIPPED = ("naive", "greedy", "random")
GONE_SECONDS = 20.0
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
SERVED = 0.2
"""How often a server is killed before the player plays on."""


def made_league(folder: Path, bots: int) -> Path:
    """A league of two seats with variants of shipped bots, entered before its first batch."""
    folder.mkdir()
    _command(folder, "new", "spring", "--seats", "2")
    for number in range(bots):
        name = SHIPPED[number % len(SHIPPED)]
        bot = folder / f"variant-{number}"
        arena("new", f"shipped:python/{name}", bot.name, cwd=folder)
        (bot / "main.py").write_text(f"{(bot / 'main.py').read_text()}\n# variant {number}\n")
        _command(folder, "enter", "spring", bot.name, "--author", f"author {number % 7}")
    return folder / "spring"


def _command(folder: Path, verb: str, *words: str) -> None:
    done = subprocess.run([sys.executable, PLAYER, verb, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def played(league: Path, batches: int, kills: int, seed: int) -> int:
    """Play so many batches, with so many kills and stops at random instants. Return how many hit a player or a server at work."""
    chance, hits = random.Random(seed), 0
    while (left := batches - _over(league)) > 0:
        if hits < kills and chance.random() < SERVED:
            _kill_a_server(league, chance)
            hits += 1
        words = [sys.executable, PLAYER, "play", "spring", "--batches", str(left), "-j", "2"]
        process = subprocess.Popen(words, cwd=league.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0.3, 6.0) if hits < kills else None)
        except subprocess.TimeoutExpired:
            below = descendants(process.pid)
            process.send_signal(chance.choice(SIGNALS))
            process.wait(60)
            hits += 1
            _wait_until_gone(below)
    return hits


def _kill_a_server(league: Path, chance: random.Random) -> None:
    """Ask a server for its pages, and end it before it has answered all."""
    with league_server(league, is_killed=True) as server:
        assert server.ask("/").status == 200
        answer = server.connection()
        answer.request("GET", "/api/league.json")
        server.process.send_signal(chance.choice(SIGNALS))
        server.process.wait(60)
        answer.close()


def _over(league: Path) -> int:
    if not Store.check(league):
        return 0
    with Store.read(league) as store:
        chain = chain_of(store)
        return len(chain.overs) if chain else 0


def _wait_until_gone(processes: set[int]) -> None:
    """Wait until processes are gone; fail if one of them stays."""
    deadline = time.monotonic() + GONE_SECONDS
    for process in processes:
        with suppress(ProcessLookupError):
            while True:
                os.kill(process, 0)
                assert time.monotonic() < deadline, f"process {process} outlived the player that was killed"
                time.sleep(0.05)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("bots", "batches", "kills"), [(3, 12, 8), pytest.param(20, 200, 100, marks=pytest.mark.long)], ids=["few", "many"]
)
def test_a_league_that_is_killed_has_the_chain_of_one_that_is_not(tmp_path: Path, bots: int, batches: int, kills: int) -> None:
    assert {f"shipped:python/{name}" for name in SHIPPED} <= set(shipped_bots())
    disturbed, calm = made_league(tmp_path / "disturbed", bots), made_league(tmp_path / "calm", bots)
    hits = played(disturbed, batches, kills, seed=32)
    assert hits >= kills // 2
    assert played(calm, batches, 0, seed=0) == 0
    chains = []
    for league in (disturbed, calm):
        result = verify(league)
        assert result.sound, [*result.problems, *(problem for event in result.events for problem in event.problems)]
        assert all(event.missing == 0 for event in result.events)
        with Store.read(league) as store:
            chain = chain_of(store)
            assert chain is not None
            chains.append((chain.links, chain.digest, [over.run_digest for over in chain.overs]))
    assert chains[0] == chains[1]
