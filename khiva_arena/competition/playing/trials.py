"""Trial matches: whether a bot plays a match to its end, before any match of it counts.

A trial match has the clocks, limits and walls of the matches to come. It is on a deal
of its own, it ends at the first forfeit of the bot on trial, and it is not recorded.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from khiva_arena.arbiter.job import SeatReport
from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.seat import Blame
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import Verdict
from khiva_arena.entrants.bots import Bot
from khiva_arena.records.replay.conditions import Conditions

PlayTables = Callable[[Iterator[tuple[Job, ...]], Callable[[Outcome], None]], object]
"""Plays tables, and hands on the outcome of each attempt at a match."""
NOT_BEGUN = "no match could be begun on this machine"


class TrialMatch(NamedTuple):
    """A match in which a bot is on trial.

    table: the bots there, the bot on trial first; copies of it may follow.
    id: of the match.
    secret: of its deal, 32 bytes.
    rotation: seat s has the bot at the place rotation + s of the table.
    """

    table: tuple[Bot, ...]
    id: str
    secret: bytes
    rotation: int = 0

    @property
    def seated(self) -> tuple[Bot, ...]:
        """The bots by seat."""
        return tuple(
            self.table[(self.rotation + seat) % len(self.table)] for seat in range(len(self.table))
        )

    @property
    def own_seats(self) -> tuple[int, ...]:
        """The seats of the bot on trial and its copies."""
        return tuple(
            seat for seat, bot in enumerate(self.seated) if bot.identity == self.table[0].identity
        )


class TriedMatch(NamedTuple):
    """A trial match that was played, or that stayed void.

    own_seats: the seats of the bot on trial and its copies.
    outcome: the last one.
    is_cause: whether the bot made an attempt at the match void.
    """

    own_seats: tuple[int, ...]
    outcome: Outcome
    is_cause: bool

    @property
    def reports(self) -> list[SeatReport]:
        """The facts about the bot and its copies; [] if none are known of a void
        match.
        """
        return [
            self.outcome.seats[seat] for seat in self.own_seats if seat < len(self.outcome.seats)
        ]

    @property
    def places(self) -> list[int]:
        """The places of the bot and its copies; [] for a void match."""
        return (
            [self.outcome.record.ranks[seat] for seat in self.own_seats]
            if self.outcome.record
            else []
        )

    @property
    def faults(self) -> list[Blame]:
        """The faults of the bot and its copies in a match that counts."""
        return (
            [blame for report in self.reports for blame in report.faults]
            if self.outcome.record
            else []
        )

    @property
    def forfeiter(self) -> SeatReport | None:
        """The facts about the bot, or a copy, that forfeited first; None if none
        did.
        """
        record = self.outcome.record
        out = {
            seat: at
            for seat in self.own_seats
            if record is not None and (at := record.forfeited_at[seat]) is not None
        }
        return self.outcome.seats[min(out, key=out.__getitem__)] if out else None

    @property
    def is_only_late(self) -> bool:
        """True if the bot forfeited, and all its faults are that it took too long."""
        return self.forfeiter is not None and all(map(_is_late, self.forfeiter.faults))


def _is_late(blame: Blame) -> bool:
    return blame.verdict is Verdict.TIMEOUT or (
        blame.verdict is Verdict.START_FAILED and blame.detail.startswith(str(Verdict.TIMEOUT))
    )


def play_trials(
    trials: Sequence[TrialMatch],
    conditions: Conditions,
    commands: Mapping[str, Command],
    sandbox: Sandbox,
    play: PlayTables,
    ended: Callable[[int, TriedMatch], None] = lambda _number, _tried: None,
) -> list[TriedMatch]:
    """Play trial matches, and return how each went.

    commands: of the bots, by identity.
    play: plays the matches, each a table of its own.
    ended: gets the number of each match that was played, and how it went, at once.
    """
    tried: dict[int, TriedMatch] = {}
    causes: set[int] = set()

    def take(outcome: Outcome) -> None:
        number, own_seats = outcome.ordinal, trials[outcome.ordinal].own_seats
        causes.update({number} if set(outcome.causes) & {*own_seats} else ())
        if outcome.record is None and outcome.again:
            return
        tried[number] = TriedMatch(own_seats, outcome, number in causes)
        ended(number, tried[number])

    jobs = [
        _job(number, trial, conditions, commands, sandbox) for number, trial in enumerate(trials)
    ]
    play(_tables(jobs), take)
    return [
        tried.get(job.ordinal) or TriedMatch((), void(job, NOT_BEGUN, begun=False), is_cause=False)
        for job in jobs
    ]


def _tables(jobs: Iterable[Job]) -> Iterator[tuple[Job, ...]]:
    return ((job,) for job in jobs)


def _job(
    number: int,
    trial: TrialMatch,
    conditions: Conditions,
    commands: Mapping[str, Command],
    sandbox: Sandbox,
) -> Job:
    seated = trial.seated
    header = conditions.header([(bot.name, bot.identity) for bot in seated], trial.id, trial.secret)
    of_seats = tuple(commands[bot.identity] for bot in seated)
    return Job(number, 1, header, trial.secret, of_seats, sandbox, ends_with=trial.own_seats)
