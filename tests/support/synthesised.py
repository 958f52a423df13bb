"""Stores of valid records without a bot: the rules engine plays, choices are drawn by a
number for each match, and what lies beside a record is made up. Some matches have a
fault, some were void before they were recorded.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from msgspec import structs

from khiva_arena import __version__
from khiva_arena.arbiter.match import Job, Outcome, SeatReport
from khiva_arena.arbiter.seat import Blame
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.bots.sandbox.limits import Resources
from khiva_arena.common.result import Measured, Policy, Verdict, final_ranks
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.games.registry import get
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.records.replay.definition import DefinedBot, Definition
from khiva_arena.records.replay.record import Choice, Record
from khiva_arena.records.store.db import BotRow, EventRow, Store

SECRET = bytes(range(32))
EVERY_SO_OFTEN = 7
SHORT = {"khiva": {"max_turns": 6}, "emira": {"max_rounds": 6}, "silk_road": {"max_turns": 20}}
"""Rules by which matches end early: what is made up, joined and audited is matches of
any length.
"""
KEPT = 200
_PLAYED: dict[str, Outcome] = {}
"""The last matches that were played, of which the stores of one machine and of shards
have the same.
"""
Fails = Callable[[int, int], bool]
"""Whether an attempt at a match is void, by ordinal and attempt."""
Plays = Callable[[Store, EventRow, Sequence[Command]], Play]
"""Gives the matches that are still to be played of an event in a store: all of them, or
those of a shard.
"""


def planned(
    game: str = "khiva",
    bots: int = 3,
    secret: bytes = SECRET,
    public: str | None = None,
    entrants: tuple[DefinedBot, ...] = (),
    **changes: object,
) -> EventRow:
    """An event that is still to be played, in no store. ``entrants``: its bots, if they
    are not made up.
    """
    made = get(game)
    entrants = entrants or tuple(
        DefinedBot(f"bot{number}", f"{number:064x}") for number in range(bots)
    )
    settings: dict[str, object] = {
        "format": Format.ROUND_ROBIN,
        "seats": 2,
        "seeds": 10,
        "copies": 1,
        "lineups": None,
        "rules": dict(made.rules(SHORT.get(game, {}))),
        "isolation": Level.TRUSTED,
    }
    what = Definition(
        game=game,
        rules_version=made.rules_version,
        time=TimeLimits(10_000, 1_000, 10_000),
        policy=Policy.LENIENT,
        limits=Resources(),
        ponder=True,
        seed=None,
        anchor=entrants[0].name,
        bots=entrants,
        **{**settings, **changes},
    )
    rows = tuple(
        BotRow(bot.name, bot.identity, "1", True, f"./{bot.name}", "/") for bot in what.bots
    )
    return structs.replace(in_no_store(what, rows, secret), public=public)


def in_no_store(
    definition: Definition, rows: tuple[BotRow, ...], secret: bytes = SECRET
) -> EventRow:
    """Return the event of a definition, before a store has it."""
    commitment = seeds.commitment(definition.digest, secret)
    event_id = seeds.event_id(definition.digest, commitment)
    return EventRow(event_id, 0, definition.text, (__version__,), "", commitment, secret, rows)


def once_in_a_while(ordinal: int, attempt: int) -> bool:
    """Some matches are void at their first attempt."""
    return ordinal % 11 == 3 and attempt == 1


def play_event(
    folder: Path,
    event: EventRow,
    fails: Fails = once_in_a_while,
    luck: str = "",
    most: int | None = None,
    plays: Plays = Play,
) -> Path:
    """Play an event, or as many matches of it, into a store. ``luck``: another text,
    other choices.
    """
    with Store.write(folder) as store:
        store._connection.execute("PRAGMA synchronous = OFF")  # no test cuts the power
        if store.event(event.id) is None:
            store.add_event(
                event.id, event.text, event.engines[0], event.commitment, event.secret, event.bots
            )
            if event.public is not None:
                store.add_public(event.id, event.public)
        row = store.event(event.id)
        assert row is not None
        play = plays(store, row, [Command(("none",), "/")] * len(row.bots))
        for drawn in play.rounds():
            for job in play.jobs(drawn):
                if most is not None and len(play.done) >= most:
                    return folder
                _settle(play, job, fails, luck)
    return folder


def _settle(play: Play, job: Job, fails: Fails, luck: str) -> None:
    for attempt in (1, 2):
        attempted = structs.replace(job, attempt=job.attempt + attempt - 1)
        is_void = fails(job.ordinal, attempted.attempt)
        play.record(void(attempted) if is_void else outcome(attempted, luck), last=attempt == 2)
        if not is_void:
            return


def void(job: Job) -> Outcome:
    """An attempt at a match that the machine spoilt."""
    beside = tuple(_report((), {}, "") for _ in job.header.seats)
    return Outcome(
        job.ordinal, job.attempt, None, "the machine was too slow", beside, 1, 0.1, causes=(0,)
    )


def outcome(job: Job, luck: str = "") -> Outcome:
    """Return a match that the rules engine plays, once for all stores that have it."""
    played = repr((job.header, job.secret, job.ordinal, luck))
    if played not in _PLAYED:
        if len(_PLAYED) > KEPT:
            _PLAYED.clear()
        _PLAYED[played] = _played(job, luck)
    return structs.replace(_PLAYED[played], attempt=job.attempt)


def _played(job: Job, luck: str) -> Outcome:
    header = job.header
    count = len(header.seats)
    state, _ = get(header.game).new(count, header.rules, job.secret)
    draw = Random(f"{header.match} {luck}")
    steps: list[tuple[Choice, ...]] = []
    late: tuple[int, int] | None = None
    times: list[dict[int, float]] = [{} for _ in header.seats]
    while not state.is_over:
        step = []
        for seat, decision in state.pending().items():
            is_late = late is None and job.ordinal % EVERY_SO_OFTEN == 0
            late = (seat, len(steps) + 1) if is_late else late
            step.append(
                Choice(seat, 0, "timeout")
                if is_late
                else Choice(seat, draw.randrange(len(decision.legal)))
            )
            times[seat][len(steps) + 1] = draw.randrange(1, 900) / 1000
        steps.append(tuple(step))
        state.apply({choice.seat: choice.choice for choice in step})
    ok, nobody = (Verdict.OK,) * count, (None,) * count
    ranks, scores = tuple(final_ranks(state.ranks, nobody)), tuple(state.scores)
    record = Record(header, tuple(steps), ok, nobody, ranks, scores, "over")
    beside = tuple(
        _report(
            (Blame(Verdict.TIMEOUT, "no answer came", late[1]),)
            if late and late[0] == seat
            else (),
            times[seat],
            "note\n",
        )
        for seat in range(count)
    )
    req = seeds.req_start(job.secret, header.match)
    return Outcome(job.ordinal, job.attempt, record, "", beside, req, 0.25)


def _report(faults: tuple[Blame, ...], times: dict[int, float], notes: str) -> SeatReport:
    measured = Measured(0.125, page_faults=len(faults))
    return SeatReport(
        "",
        "",
        faults,
        times,
        dict.fromkeys(times, 0.25),
        9.5,
        Ending(0, False, measured, notes, len(notes), 4096),
        measured,
    )
