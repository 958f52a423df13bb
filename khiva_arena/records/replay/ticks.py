"""Thinking paid in ticks: a seat's bank, and the check that the ticks of a record add
up.
"""

from collections.abc import Mapping, Sequence
from statistics import median_low

from khiva_arena.common.result import SPOKEN_PRICE_LISTS, TICKS_A_MS, Verdict
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.records.replay.record import FORFEITED, Record
from khiva_arena.words import count

TICKS_A_SECOND = 1_000 * TICKS_A_MS
ANSWER_TICKS = 1
"""The ticks that a person pays for an answer, be it one that comes too late and is
dropped.
"""


class TickBank:
    """The ticks of one seat beyond its turns; they are exact, and never refill.

    turn: ticks of each decision.
    left: ticks of the bank.
    """

    __slots__ = ("left", "turn")

    def __init__(self, time: Mapping[str, int]) -> None:
        """Begin with a full bank. ``time``: the limits of a record's header, in
        milliseconds.
        """
        self.turn = time["turn_ms"] * TICKS_A_MS
        self.left = time["bank_ms"] * TICKS_A_MS

    @property
    def left_ms(self) -> int:
        """The bank in whole milliseconds, rounded down, as a bot gets it."""
        return self.left // TICKS_A_MS

    @property
    def balance(self) -> float:
        """The bank in seconds, for what is kept beside a record."""
        return self.left / TICKS_A_SECOND

    def allowance(self) -> int:
        """Return the ticks that the next decision may take in all."""
        return self.turn + self.left

    def charge(self, ticks: float) -> float:
        """Charge a decision: its whole ticks beyond the turn come off the bank. Return
        its ticks in seconds.
        """
        self.left -= max(0, int(ticks) - self.turn)
        return ticks / TICKS_A_SECOND


def check_ticks(record: Record, ticks: Sequence[Sequence[int]]) -> None:
    """Check that the ticks of a record go with its limits and its faults. ``ticks``:
    those of the record.

    Raises RecordError if a seat took more than it had, if a time-out is not exactly at
    the limit, or if a seat took some that was not asked.
    """
    time, steps = record.header.time, record.steps
    starts, *asked = ticks
    if [len(starts), *map(len, asked)] != [len(record.header.seats), *map(len, steps)]:
        raise RecordError("its ticks are not one number for each start and each choice")
    seats = {seat for step in steps for seat, _, _ in step}
    if not seats <= set(range(len(starts))):
        raise RecordError("it has choices of seats that are not at the table")
    if max(starts) > time["startup_ms"] * TICKS_A_MS:
        raise RecordError(f"seat {starts.index(max(starts))} took more ticks to start than it had")
    banks = [TickBank(time) for _ in starts]
    for number, (step, spent) in enumerate(zip(steps, asked, strict=True), 1):
        for (seat, _, why), took in zip(step, spent, strict=True):
            most = banks[seat].allowance()
            if why in (FORFEITED, Verdict.RESOURCE):
                most = 0
            if took > most or (why == Verdict.TIMEOUT and took < most):
                raise RecordError(
                    f"step {number}, seat {seat}: took {took:,} of {most:,} "
                    f"ticks{f', {why}' if why else ''}"
                )
            banks[seat].charge(took)


def refuse_unspoken(price_list: int) -> None:
    """Raise ConfigError for a price list that this version lacks: it cannot know what a
    module pays and is sent by it.
    """
    if price_list not in SPOKEN_PRICE_LISTS:
        known = ", ".join(map(str, SPOKEN_PRICE_LISTS))
        raise ConfigError(
            f"its ticks are of price list {price_list}, and this khiva-arena has only list "
            f"{known}: take a version that has it"
        )


def unconfirmed(record: Record) -> tuple[tuple[int, int], ...]:
    """Return the forfeits of a record in ticks that no other machine can confirm: each
    seat, and the number of the step.
    """
    pairs = zip(record.verdicts, record.forfeited_at, strict=True)
    return tuple(
        (seat, at)
        for seat, (verdict, at) in enumerate(pairs)
        if verdict is Verdict.RESOURCE and at is not None
    )


def granted(record: Record) -> tuple[tuple[int, int, int], ...]:
    """Return the most ticks that each question of a record in ticks may take when it is
    played again: seat, step, and ticks.

    That is one more than the record has, so that who takes more is told from who takes
    as many.
    """
    starts, *rows = record.ticks or ((),)
    again = [(seat, 0, took + 1) for seat, took in enumerate(starts)]
    for number, (step, row) in enumerate(zip(record.steps, rows, strict=True) if rows else (), 1):
        again += [
            (choice.seat, number, took + 1)
            for choice, took in zip(step, row, strict=True)
            if choice.why != FORFEITED
        ]
    return tuple(again)


def spending(record: Record) -> list[str]:
    """Return in words, by seat, what its start took and the least, median and most of
    its decisions; [] by the wall clock.
    """
    starts, *asked = record.ticks or ((),)
    paid: list[list[int]] = [[] for _ in starts]
    for step, row in zip(record.steps, asked, strict=True) if record.ticks else ():
        for (seat, _, why), took in zip(step, row, strict=True):
            if why != FORFEITED:
                paid[seat].append(took)
    return [_in_words(start, decisions) for start, decisions in zip(starts, paid, strict=True)]


def _in_words(start: int, decisions: Sequence[int]) -> str:
    words = f"{start:,} ticks to start, {count(len(decisions), 'decision')}"
    if not decisions:
        return words
    return (
        f"{words}: least {min(decisions):,}, median {median_low(decisions):,}, most "
        f"{max(decisions):,} ticks"
    )
