"""The answer of a comparison of two bots, in a sentence, as text and as JSON."""

from collections.abc import Collection, Sequence
from math import ceil, isfinite
from textwrap import wrap
from typing import Any, Literal, NamedTuple

import msgspec

from khiva_arena.common.exit_codes import VerdictWord, concluded
from khiva_arena.common.text import WIDTH
from khiva_arena.common.time_in_words import in_time
from khiva_arena.rating.ratings.comparison import ComparisonTest, Side, seeds_to_clear
from khiva_arena.words import count

MOST_MINUTES = 24 * 60
"""Above, nobody waits for an answer: the smallest difference that was told is named
instead.
"""
_SIDES = {
    Side.BETTER: VerdictWord.BETTER,
    Side.WORSE: VerdictWord.WORSE,
    Side.NONE: VerdictWord.OPEN,
}


class ComparedTables(msgspec.Struct, frozen=True):
    """The answer of a comparison at one number of seats. null: the results do not say.

    event: its id.
    seats: at each table.
    verdict: better, worse or open; unfinished: matches are missing, and nothing is
        known yet.
    elo: how far the first bot is above the other. If one took all points, half of a
        match is given back for this number.
    low, high: the ends of its interval; null if it has no end on that side.
    clear: whether the answer was clear at a look before the end.
    seeds, matches: that count.
    faults, old_faults: of the first bot, and of the other; each one that did not
        forfeit is counted, too.
    forfeits: the matches that the first bot forfeited.
    minutes: that the matches took, with as many at a time as now.
    minutes_to_clear: that would be enough in all if the difference stays as it was
        seen; 0 if the answer is better or worse; null for more than a day.
    least_told: the smallest difference in Elo that so many matches can tell, if the
        answer is open.
    """

    event: str
    seats: int
    verdict: VerdictWord
    elo: float | None
    low: float | None
    high: float | None
    clear: bool
    seeds: int
    matches: int
    faults: int
    old_faults: int
    forfeits: int
    minutes: float
    minutes_to_clear: int | None
    least_told: int | None


class CompareOutput(msgspec.Struct, frozen=True):
    """The output of ``khiva-arena compare --json``. null: the results do not say.

    verdict: better, worse, open or same (both are one bot, and nothing was played);
        forfeited: the first bot forfeited a match, and ``tables`` have the answers;
        unfinished: matches are missing. With several numbers of seats it is better if
        one is better and none is worse, and worse if one is worse and none is better.
    code: the exit code of the command.
    sentence: the answer in words.
    new, old, against: names of bots.
    elo, low, high: of the only number of seats; null if there are several, or none was
        played.
    matches, faults, forfeits: of all.
    minutes_to_clear: the longest of all, null if one is null.
    least_told: the largest of all, null if nothing is open.
    tables: the answer at each number of seats.
    next: commands to type next.
    v: the version of this output.
    """

    verdict: VerdictWord
    code: int
    sentence: str
    new: str
    old: str
    against: list[str]
    elo: float | None
    low: float | None
    high: float | None
    matches: int
    faults: int
    forfeits: int
    minutes_to_clear: int | None
    least_told: int | None
    tables: list[ComparedTables]
    next: list[str]
    v: Literal[1]


class ComparedBots(msgspec.Struct, frozen=True):
    """A comparison of two bots.

    new, old: their names.
    against: the names of the third bots by which they are compared; () if they meet.
    tables: the answer at each number of seats; () if both are one bot.
    """

    new: str
    old: str
    against: tuple[str, ...]
    tables: tuple[ComparedTables, ...]

    @property
    def answer(self) -> VerdictWord:
        """Which bot is better, over all numbers of seats."""
        return overall([one.verdict for one in self.tables]) if self.tables else VerdictWord.SAME

    @property
    def forfeits(self) -> int:
        """The matches that the first bot forfeited."""
        return sum(one.forfeits for one in self.tables)

    @property
    def verdict(self) -> VerdictWord:
        """The answer, or the verdict that comes before it."""
        return concluded(
            self.answer,
            is_finished=self.answer is not VerdictWord.UNFINISHED,
            has_forfeited=self.forfeits > 0,
        )


def overall(verdicts: Collection[VerdictWord]) -> VerdictWord:
    """Return one answer for several numbers of seats: better if one is better and none
    is worse, and the other way round.
    """
    if VerdictWord.UNFINISHED in verdicts:
        return VerdictWord.UNFINISHED
    sides = {VerdictWord.BETTER, VerdictWord.WORSE} & {*verdicts}
    return sides.pop() if len(sides) == 1 else VerdictWord.OPEN


class FaultsSeen(NamedTuple):
    """The faults in the matches of a comparison.

    new, old: of the first bot, and of the other.
    forfeits: the matches that the first bot forfeited.
    """

    new: int
    old: int
    forfeits: int


def tables_of(
    test: ComparisonTest,
    event: str,
    seats: int,
    seconds: float,
    faults: FaultsSeen,
    *,
    is_over: bool,
) -> ComparedTables:
    """Return the answer of a test.

    seconds: that its matches took, with as many at a time as were played.
    is_over: whether it has ended; else nothing is known yet.
    """
    verdict, minutes = VerdictWord.UNFINISHED, seconds / 60
    elo: tuple[float | None, ...] = (None, None, None)
    to_clear = least = None
    if is_over and test.blocks:
        verdict = _SIDES[test.ends().side]
        elo = tuple(round(value, 1) + 0.0 if isfinite(value) else None for value in test.elo())
        is_open = verdict is VerdictWord.OPEN
        to_clear = _minutes_to_clear(test, minutes / test.blocks) if is_open else 0
        least = ceil(told) if is_open and isfinite(told := test.least_told()) else None
    elif is_over:
        verdict = VerdictWord.OPEN
    return ComparedTables(
        event=event,
        seats=seats,
        verdict=verdict,
        elo=elo[0],
        low=elo[1],
        high=elo[2],
        clear=bool(test.decision),
        seeds=test.blocks,
        matches=test.blocks * test.matches,
        faults=faults.new,
        old_faults=faults.old,
        forfeits=faults.forfeits,
        minutes=round(minutes, 4),
        minutes_to_clear=to_clear,
        least_told=least,
    )


def _minutes_to_clear(test: ComparisonTest, of_a_seed: float) -> int | None:
    seeds = seeds_to_clear(test.rule, test.scores)
    minutes = None if seeds is None else max(1, ceil(seeds * of_a_seed))
    return None if minutes is None or minutes > MOST_MINUTES else minutes


# --- in words ---


def sentence(compared: ComparedBots) -> str:
    """Return the answer in one sentence."""
    new, old, answer, tables = compared.new, compared.old, compared.answer, compared.tables
    beside = f", by their results against {', '.join(compared.against)}" if compared.against else ""
    if answer is VerdictWord.SAME:
        return f"{new} and {old} are the same bot: no match was played"
    if answer is VerdictWord.UNFINISHED:
        return f"no verdict on {new} and {old} yet: some matches are missing"
    if answer is VerdictWord.OPEN:
        head = f"open whether {new} is better than {old}{beside}"
    else:
        head = f"{new} is {answer} than {old}{beside}"
    if compared.forfeits:
        head = (
            f"{new} forfeited {count(compared.forfeits, 'match', 'matches')}; with these as "
            f"lost, {head}"
        )
    if len(tables) == 1:
        return (
            f"{head}: {_numbers(tables[0])} at {count(tables[0].seats, 'seat')}{_way_on(tables[0])}"
        )
    parts = [
        f"{one.verdict} at {count(one.seats, 'seat')}, {_numbers(one)}{_way_on(one)}"
        for one in tables
    ]
    return f"{head}: {'; '.join(parts)}"


def _numbers(one: ComparedTables) -> str:
    matches = count(one.matches, "match", "matches")
    if one.elo is None:
        return f"nothing was rated in {matches}"
    if one.low is None and one.high is None:
        return f"too little to bound the difference in {matches}"
    if one.low is None or one.high is None:
        end = f"at most {one.high:.0f}" if one.low is None else f"at least {one.low:.0f}"
        return f"about {one.elo:.0f} Elo, {end}, in {matches}"
    return f"{one.elo:.0f} Elo [{one.low:.0f}, {one.high:.0f}] in {matches}"


def _way_on(one: ComparedTables) -> str:
    """Return how much time would tell more, for an open answer; else ""."""
    if one.verdict is not VerdictWord.OPEN or one.elo is None:
        return ""
    if one.minutes_to_clear is not None:
        return (
            f"; if the difference stays so, it takes {in_time(60 * one.minutes_to_clear)} in "
            "all to tell it"
        )
    time = in_time(60 * one.minutes)
    if one.least_told is None:
        return f"; no difference can be told in {time}"
    return f"; a difference below {one.least_told} Elo cannot be told in {time}"


def to_text(compared: ComparedBots) -> str:
    """Return the sentence, and how far it can be trusted. Ends with a newline."""
    lines = wrap(sentence(compared), WIDTH, subsequent_indent="  ")
    if compared.answer not in (VerdictWord.SAME, VerdictWord.UNFINISHED):
        lines += ["", *wrap(_note(compared), WIDTH)]
    lines += [fault for one in compared.tables for fault in _faults(compared, one)]
    return "\n".join(lines) + "\n"


def _note(compared: ComparedBots) -> str:
    ways = {
        one.seats: "it was clear" if one.clear else "its time or its matches were used up"
        for one in compared.tables
    }
    if len({*ways.values()}) == 1:
        stop = f"The comparison stopped because {next(iter(ways.values()))}"
    else:
        stop = "The comparison stopped " + "; ".join(
            f"at {seats} seats because {way}" for seats, way in ways.items()
        )
    return (
        f"{stop}. Its errors allow for a look after each seed: of 100 comparisons of equal "
        "bots at most 5 say better or worse."
    )


def _faults(compared: ComparedBots, one: ComparedTables) -> list[str]:
    found = ((compared.new, one.faults), (compared.old, one.old_faults))
    return [
        f"{name} made {count(number, 'fault')} at {one.seats} seats"
        for name, number in found
        if number
    ]


def to_json(compared: ComparedBots, code: int, next_lines: Sequence[str]) -> dict[str, Any]:
    """Return plain values, as ``CompareOutput`` has them. ``code``: the exit code of
    the command.
    """
    tables = list(compared.tables)
    only = tables[0] if len(tables) == 1 else None
    minutes = [one.minutes_to_clear for one in tables]
    least = [one.least_told for one in tables if one.least_told is not None]
    output = CompareOutput(
        verdict=compared.verdict,
        code=code,
        sentence=sentence(compared),
        new=compared.new,
        old=compared.old,
        against=list(compared.against),
        elo=only.elo if only else None,
        low=only.low if only else None,
        high=only.high if only else None,
        matches=sum(one.matches for one in tables),
        faults=sum(one.faults for one in tables),
        forfeits=compared.forfeits,
        minutes_to_clear=None if None in minutes else max(filter(None, minutes), default=0),
        least_told=max(least, default=None),
        tables=tables,
        next=list(next_lines),
        v=1,
    )
    plain: dict[str, Any] = msgspec.to_builtins(output)
    return plain
