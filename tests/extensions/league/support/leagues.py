"""Leagues without a process: the player at work as it is, but bots are names, and the
rules engine plays their matches.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
from msgspec import structs
from synthesised import Fails, outcome, void

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.result import VOIDS_MOST
from khiva_arena.common.say import say_nothing
from khiva_arena.competition.playing.executor import TakeOutcome
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.run.run_events import RunEvents
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.loading import AS_IT_IS
from khiva_arena.errors import BotError
from khiva_arena.extensions.league.chain.links import Over
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import links_of
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.player import batch_at_play, player, started_bots
from khiva_arena.extensions.league.player.player import Player
from khiva_arena.extensions.league.player.publish import Publisher
from khiva_arena.extensions.league.player.refusals import HowLong, check_first
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.rating.schedule.formats import DrawnRound
from khiva_arena.records.store.db import Store

Played = Callable[..., None]
"""What ``played`` gives a test."""


def never(_ordinal: int, _attempt: int) -> bool:
    """No match is void."""
    return False


def named(name: str) -> Bot:
    """A bot that is nothing but a name."""
    return Bot(name, "1", ("none",), (), (), sha256(name.encode()).hexdigest(), True, (), name)


def league_in(
    folder: Path, anchors: int = 2, options: LeagueOptions | None = None, **settings: object
) -> League:
    """A league of a folder, whose anchors are names."""
    made = settings_from(
        {"seats": 3, "seeds": 1, "out": str(folder), "bots": ("one", "other"), **settings}
    )
    bots = tuple(named(f"anchor {number}") for number in range(anchors))
    (folder / "league.toml").parent.mkdir(exist_ok=True)
    (folder / "league.toml").write_text("")
    sandbox = Sandbox(Level.STANDARD, made.resources, ponder=True)
    return League(folder, made, AS_IT_IS, options or LeagueOptions(retry_minutes=0), bots, sandbox)


def enter(league: League, author: str, name: str, made: str = "") -> str:
    """Let a bot wait for the next batch, as if it had been checked. Return its
    identity.
    """
    identity = sha256(f"{name} {made}".encode()).hexdigest()
    with Queue(league.folder) as queue:
        whose = queue.author(author) or queue.add_author(author)
        number = queue.add_entry(whose.id, name, identity, identity.encode())
        queue.settle(number, "accepted", "its check passed", identity)
        queue.release(number)
    return identity


class Engine:
    """An executor that has the rules engine play. ``fails``: tells which attempts at a
    match are void.
    """

    at_a_time = 1

    def __init__(self, fails: Fails) -> None:
        self._fails = fails

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def prepare(self, entrants: Iterable[Bot]) -> Mapping[str, Command]:
        return {bot.identity: Command(("none",), "/") for bot in entrants}

    def play(self, play: Play, draw: DrawnRound, take: TakeOutcome) -> None:
        for job in play.jobs(draw):
            for attempt in range(job.attempt, max(VOIDS_MOST, job.attempt) + 1):
                tried = structs.replace(job, attempt=attempt)
                is_void = self._fails(job.ordinal, attempt)
                again = is_void and not tried.last
                take(structs.replace(void(tried) if is_void else outcome(tried), again=again))
                if not again:
                    break


class ChainAlone(Publisher):
    """A publisher of the chain and of nothing that takes a process."""

    def publish(self, chain: Chain) -> None:
        self._chain = chain
        self._read_links()

    def finish(self) -> None: ...


def ends_in(store: Store) -> list[Over]:
    """Return the links of a league that end batches."""
    return [link for link in links_of(store) if isinstance(link, Over)]


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Play so many batches of a league, whose bots are names."""
    return player_of_names(monkeypatch)


def player_of_names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what plays so many batches of a league, whose bots are names."""

    def play(
        league: League,
        batches: int | None = 1,
        *,
        fails: Fails = never,
        broken: Collection[str] = (),
        **how: Any,
    ) -> None:
        names_play(monkeypatch, fails, broken)
        how_long = HowLong(batches, **how)
        with Queue(league.folder) as queue, Store.write(league.folder) as store:
            store._connection.execute("PRAGMA synchronous = OFF")  # no test cuts the power
            check_first(league, store, how_long)
            with RunEvents(league.folder, None, say_nothing) as log:
                Player(league, store, queue, log, ChainAlone(store, say_nothing), how_long).play()

    return play


def names_play(
    monkeypatch: pytest.MonkeyPatch, fails: Fails = never, broken: Collection[str] = ()
) -> None:
    """Let names play for bots. ``broken``: those of names that do not start."""

    def started(_settings: object, bots: Iterable[Bot], *_: object) -> Mapping[str, Command]:
        if names := [bot.name for bot in bots if bot.name in broken]:
            raise BotError(f"{names} do not start")
        return Engine(fails).prepare(bots)

    def copy_of(_league: League, sources: str, name: str, _parts: tuple[str, ...]) -> Bot:
        return structs.replace(named(name), identity=sources)

    monkeypatch.setattr(started_bots.staging, "stage", lambda *_: Command(("none",), "/"))
    monkeypatch.setattr(batch_at_play, "executor_of", lambda *_: Engine(fails))
    monkeypatch.setattr(started_bots, "ready_to_play", started)
    monkeypatch.setattr(started_bots, "load", copy_of)
    for module in (batch_at_play, player):
        monkeypatch.setattr(module, "NAP_SECONDS", 0.0)


def same_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let secrets be those of a counter, and the time stand still, so that two leagues
    have one chain.
    """
    numbers = count()
    monkeypatch.setattr(
        player.secrets, "token_bytes", lambda size: sha256(b"%d" % next(numbers)).digest()[:size]
    )
