"""Competitions and sequential tests for Python: played in another process, followed
match by match.
"""

import html
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from khiva_arena.bots.protocol.bot_function import Choose
from khiva_arena.common.say import say_nothing
from khiva_arena.common.stream import (
    Begin,
    FaultRecorded,
    MatchRecorded,
    StreamReader,
    VoidRecorded,
)
from khiva_arena.competition.settings.file import read_file
from khiva_arena.competition.settings.settings import OF_A_TEST
from khiva_arena.competition.settings.table import DEFAULTS
from khiva_arena.errors import ConfigError
from khiva_arena.interface.api.checkpoints import Checkpoint
from khiva_arena.interface.api.functions import as_words
from khiva_arena.interface.api.host import Host, is_remote
from khiva_arena.interface.api.keywords import (
    as_path,
    by_keyword,
    hand_over,
    plain_settings,
    refuse_early,
    text,
)
from khiva_arena.interface.api.matches import PlayedMatch, recorded_matches
from khiva_arena.words import count

if TYPE_CHECKING:  # numpy comes with them
    from khiva_arena.competition.audit.audit_report import AuditResult
    from khiva_arena.interface.api.notebook_tables import TableList
    from khiva_arena.rating.report.sprt import Sprt

AnyBot = str | Path | Choose | Checkpoint
"""A word as ``--bot`` takes it, a folder with a bot.toml, a function ``choose(decide,
match) -> index``, or a checkpoint.
"""
AT_ONCE = 500
"""The largest number of matches read from one look at the store."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a competition. Counts are of the event that is played now.

    event: id of the event, "" before the first one begins.
    stage: the number of the stage, from 1; 0 if there are none.
    recorded: matches, those of earlier runs included.
    planned: matches when the event is over; a sequential test may end before.
    faults: of bots, strikes included.
    voids: attempts that failed because of this machine.
    """

    event: str = ""
    stage: int = 0
    recorded: int = 0
    planned: int = 0
    faults: int = 0
    voids: int = 0

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self.recorded}" max="{max(1, self.planned)}"></progress>'
        return (
            f"{bar} {self.recorded} of {self.planned} matches, {self.faults} faults, "
            f"{self.voids} voids"
        )


class Competition:
    """A competition that is played in a process of its own.

    Iterate it for its matches, each as soon as it is recorded, those of earlier runs
    first. Every iteration begins with the first match. The competition continues
    whether or not somebody looks, until it is over, ``stop`` is called, or Python ends.
    Recorded matches stay, and the same call resumes. An interrupt while a method of
    this object waits stops the competition.

    store: the folder with all results.
    """

    def __init__(self, host: Host, store: Path) -> None:
        self.store = store
        self._host = host
        self._lock = Lock()
        self._reader = StreamReader()
        self._events: dict[str, None] = {}
        self._recorded: list[tuple[str, int]] = []
        self._bots: Sequence[str] = ()
        self._faults: Counter[str] = Counter()  # by bot and verdict, as "boom crashed"
        self._progress = Progress()
        host.wait(lambda: bool(self.progress.event))
        if not self.progress.event:
            host.value()  # raises what was wrong

    def _look(self) -> None:
        """Read the stream of events from where the last look ended."""
        with self._lock:
            for line in self._reader.feed(self._host.more_events()):
                now = self._progress
                if isinstance(line, Begin):
                    self._events[line.event] = None
                    self._bots, self._faults = line.bots, Counter()
                    self._progress = Progress(line.event, line.number, line.before, line.matches)
                elif isinstance(line, MatchRecorded):
                    self._recorded.append((now.event, line.ordinal))
                    if not line.before:  # the others are counted since the event began
                        self._progress = replace(now, recorded=now.recorded + 1)
                elif isinstance(line, FaultRecorded):
                    self._progress = replace(now, faults=now.faults + 1)
                    self._faults[f"{self._bots[line.bot]} {line.verdict}"] += 1
                elif isinstance(line, VoidRecorded):
                    self._progress = replace(now, voids=now.voids + 1)

    @property
    def progress(self) -> Progress:
        """The progress of the competition by now."""
        self._look()
        return self._progress

    @property
    def running(self) -> bool:
        """True while the competition is played."""
        return self._host.running

    @property
    def messages(self) -> tuple[str, ...]:
        """The messages that the run has written on stderr so far, a line each."""
        return tuple(self._host.said().splitlines())

    @property
    def events(self) -> tuple[str, ...]:
        """The ids in the store of those events of the competition that have begun."""
        self._look()
        return tuple(self._events)

    def __iter__(self) -> Iterator[PlayedMatch]:
        """Yield each match as it is recorded, the first match of the competition first.
        After the last match, raise the error that ended the competition early, if one
        did.
        """
        at = 0
        while True:
            self._host.wait(lambda at=at: self._more(at))  # type: ignore[misc]
            if not self._more(at):
                self.wait()
                return
            batch = recorded_matches(self.store, self._recorded[at : at + AT_ONCE])
            at += len(batch)
            yield from batch

    def _more(self, than: int) -> bool:
        self._look()
        return len(self._recorded) > than

    def wait(self) -> Self:
        """Wait until the competition is over or was stopped by ``stop``. Raises any
        other error that ended it before.
        """
        if not (self._host.reply().interrupted and self._host.interrupted):
            self._host.value()
        return self

    @property
    def complete(self) -> bool:
        """True if all matches are recorded: the run was not stopped early, and this
        machine could play every table. Waits for the end of the competition.
        """
        self.wait()
        reply = self._host.reply()
        return not reply.interrupted and bool(reply.value["complete"])

    def stop(self) -> None:
        """Stop the competition, if it still runs. Matches that are over are recorded,
        and the same call resumes.
        """
        self._host.interrupt()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def standings(self, **options: Any) -> "TableList":
        """Return the rating tables of the competition's events, once the competition is
        over or was stopped. ``options``: as in ``khiva_arena.standings``.
        """
        from khiva_arena.interface.api.notebook_tables import standings

        return standings(self.store, *self.wait().events, **options)

    def verify(self) -> "AuditResult":
        """Replay and check all matches of the competition, once it is over or was
        stopped.
        """
        from khiva_arena.interface.api.verify import verify

        return verify(self.store, *self.wait().events)

    def __repr__(self) -> str:
        now = self.progress
        state = "running" if self.running else "ended"
        kinds = ", ".join(f"{words} ({times})" for words, times in self._faults.items())
        faults = f"; {count(now.faults, 'fault')}: {kinds}" if kinds else ""
        return (
            f"<tournament in {self.store}, {state}: {now.recorded} of {now.planned} "
            f"matches{faults}>"
        )

    def _repr_html_(self) -> str:
        state = "" if self.running else ", ended"
        return f"<div>{html.escape(str(self.store))}: {self.progress._repr_html_()}{state}</div>"


class RunningTest(Competition):
    """A sequential test of one bot against others, which stops once the answer is
    clear.
    """

    def result(self) -> "Sprt":
        """Return the result of the test, once it is over."""
        from khiva_arena.competition.playing.sequential import sprt_of

        return sprt_of(self.store, self.wait().events[0])


def run(
    settings: str | Path | None = None,
    *,
    bots: Iterable[AnyBot] | None = None,
    any_engine: bool = False,
    new_event: bool = False,
    public: str | None = None,
    from_plan: str | Path | None = None,
    shard: str | None = None,
    **more: Any,
) -> Competition:
    """Play a competition; returns as soon as its first event has begun.

    settings: a TOML file, as ``khiva-arena init`` writes one.
    bots: who plays. Functions are played at isolation trusted, in a process for each
        match.
    any_engine, new_event, public: as the flags of ``khiva-arena run``.
    from_plan, shard: as the flags of ``khiva-arena run``. A plan has the settings;
        ``more`` takes jobs, out and others that each machine has for itself.
    more: settings by their names in a settings file, as seats=2, seeds=20,
        out="results/a", turn="500ms". They win over the file.

    Raises ConfigError for wrong settings, BotError for a bot that cannot be built or
    does not start, StoreError if the store cannot be used.
    """
    words, functions = as_words(() if bots is None else bots)
    config = None if settings is None else as_path("settings", settings)
    file = read_file(config)
    bot_words = {} if bots is None else {"bots": words}
    keywords = plain_settings(
        {**more, **bot_words}, functions, isolation=file.settings.get("isolation")
    )
    options = _options(any_engine, new_event, public)
    aloud = is_remote(words or file.settings.get("bots", ()))
    call: dict[str, Any] = {"config": str(config) if config else None}
    if from_plan is not None or shard is not None:
        call |= _plan_arguments(from_plan, shard, config, functions, new_event)
    hand_over(keywords.get("game", ()))
    # Not above: tables and matches do without what these import.
    if from_plan is None:
        from khiva_arena.competition.settings.competition import competition_from

        refuse_early(
            keywords,
            lambda values: competition_from(file, values, say_nothing),
            file.settings.get("game"),
        )
    else:
        from khiva_arena.competition.run.plans import PLANS

        plan, plans = as_path("from_plan", from_plan), PLANS.get("from_plan")
        with by_keyword():
            game = plans.game_of(plan) or None
        refuse_early(
            keywords,
            lambda values: plans.competition_of_plan(
                plan, call["part"][1], values, bool(any_engine), say_nothing
            ),
            game,
        )
    host = Host(
        "compete",
        listens=True,
        aloud=aloud,
        keywords=keywords,
        options=options,
        callables=functions,
        **call,
    )
    return Competition(host, _store(keywords, file.settings))


def _plan_arguments(
    plan: str | Path | None,
    shard: str | None,
    config: Path | None,
    functions: Sequence[str],
    new_event: bool,
) -> dict[str, Any]:
    """Return the plan and the shard as arguments of a host. Raises ConfigError if a
    plan does not go with the other arguments.
    """
    if plan is None:
        raise ConfigError("shard needs from_plan, a file that `khiva-arena run --plan FILE` writes")
    if config is not None or functions or new_event:
        raise ConfigError(
            "from_plan: the plan has the settings and the bots; leave out settings, "
            "functions and new_event"
        )
    return {
        "part": (str(as_path("from_plan", plan)), None if shard is None else text("shard", shard))
    }


def sprt(
    candidate: AnyBot,
    opponents: AnyBot | Iterable[AnyBot],
    *,
    any_engine: bool = False,
    new_event: bool = False,
    public: str | None = None,
    **more: Any,
) -> RunningTest:
    """Test whether a bot is better than others, seed by seed until the answer is clear;
    returns as soon as the test has begun.

    more: settings, as in ``run``, and those of a test: ``elo0`` (0.0 by default) and
        ``elo1`` (20.0), where H0 is that the candidate's advantage is elo0 or less, H1
        that it is elo1 or more; ``alpha`` and ``beta`` (0.05), about how often a
        candidate at elo0 passes, and one at elo1 fails; ``normalized`` (False), whether
        both bounds are normalised Elo.

    Raises ConfigError, BotError and StoreError for the same reasons as ``run``.
    """
    is_single = isinstance(opponents, str | os.PathLike | Checkpoint) or callable(opponents)
    others = (opponents,) if is_single else tuple(opponents)  # type: ignore[arg-type]
    if not others:
        raise ConfigError("opponents: none; name at least one")
    words, functions = as_words((candidate, *others))
    own = plain_settings(more, functions, known=[name for name in OF_A_TEST if name != "bots"])
    keywords = {**own, "bots": words}
    from khiva_arena.competition.playing.sequential import test_of  # not above: numpy comes with it

    options = _options(any_engine, new_event, public)
    hand_over(keywords.get("game", ()))
    refuse_early(keywords, lambda values: test_of(values, say_nothing))
    call = {"keywords": keywords, "options": options, "callables": functions}
    host = Host("test", listens=True, aloud=is_remote(words), **call)
    return RunningTest(host, _store(keywords, {}))


def _options(any_engine: bool, new_event: bool, public: str | None) -> dict[str, Any]:
    line = None if public is None else text("public", public)
    return {"any_engine": bool(any_engine), "new_event": bool(new_event), "public": line}


def _store(keywords: Mapping[str, Any], file: Mapping[str, Any]) -> Path:
    """Return the folder of the results. The process that plays refuses a wrong
    value.
    """
    return Path(str(keywords.get("out", file.get("out", DEFAULTS["out"])))).absolute()
