"""The bots of the parts of an event, run again before the parts are merged: of each
part a share of its matches, drawn just now.

A match that cannot be confirmed on this machine has another one drawn in its place, and
is counted. A part of which more than one drawn match in twenty cannot be is refused
unless the user takes it: else who forges would see to it that nobody can run his bots.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from khiva_arena.common.say import Say
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.audit.cost import RerunCost
from khiva_arena.competition.audit.sample import (
    RerunFindings,
    RerunSample,
    by_bot_in_words,
    lots,
    run_drawn,
)
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards.parts import EventPart
from khiva_arena.records.replay.record import Record

if TYPE_CHECKING:
    from khiva_arena.competition.audit.rerun import Rerunner  # few merges run bots


class RerunPart(NamedTuple):
    """A sample of a store's matches whose bots were run again.

    store: its folder.
    sample: these matches.
    cost: what running their bots could take.
    """

    store: str
    sample: RerunSample
    cost: RerunCost

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        drawn, among: the number of these matches, and of all that the store has.
        confirmed: the number of those that did the same.
        unconfirmed: why each of the others could not be confirmed on this machine, by
            ordinal.
        unconfirmed_by_bot: how many these are, by the name of each bot that it may be
            due to.
        one_found: the chance that a single forged match would have been found, if it
            can be run again on this machine.
        sure_from: the least number of such matches of which one would have been found
            with a chance of more than 95 %; None if none could be run again.
        cost: what running the bots could take.
        """
        sample = self.sample
        return {
            "store": self.store,
            "drawn": sample.drawn,
            "among": sample.among,
            "confirmed": sample.confirmed,
            "unconfirmed": {str(ordinal): one.why for ordinal, one in sample.unconfirmed.items()},
            "unconfirmed_by_bot": sample.by_bot,
            "one_found": sample.one_found,
            "sure_from": sample.sure_from,
            "cost": self.cost.to_dict(),
        }


def rerun_parts(
    parts: Sequence[EventPart],
    rerunner: "Rerunner",
    share: float,
    say: Say,
    *,
    take_unconfirmed: bool,
) -> list[RerunPart]:
    """Run the bots of a share of the matches of each part again. The parts must have
    been checked otherwise.

    share: of the matches of each, rounded up to a whole number of them.
    say: takes a line for people, before bots are run.
    take_unconfirmed: whether a part may have any number of matches that cannot be
        confirmed.

    Raises ConfigError with each part that has a forged match, or too many that cannot
    be confirmed; or if a module is not available.
    """
    reruns = [
        _rerun(part, rerunner, share, say, take_unconfirmed=take_unconfirmed) for part in parts
    ]
    problems = [
        problem
        for part, rerun in zip(parts, reruns, strict=True)
        if (problem := _problem(part, rerun.sample, take_unconfirmed=take_unconfirmed))
    ]
    if problems:
        raise ConfigError(problems)
    return reruns


def _rerun(
    part: EventPart, rerunner: "Rerunner", share: float, say: Say, *, take_unconfirmed: bool
) -> RerunPart:
    order = lots(part.store.recorded(part.event.id))
    total = RerunCost()

    def run(ordinals: Sequence[int]) -> RerunFindings:
        nonlocal total
        matches = _matches(part, ordinals)
        cost = RerunCost()
        for record, _ in matches.values():
            cost = cost.with_match(record.ticks)
        total = RerunCost(total.matches + cost.matches, total.ticks + cost.ticks)
        say(f"{part.folder}: {cost.says}")
        return rerunner.findings(part.event.definition, matches)

    sample = run_drawn(order, ceil(share * len(order)), run, take_unconfirmed=take_unconfirmed)
    return RerunPart(str(part.folder), sample, total)


def _matches(part: EventPart, ordinals: Sequence[int]) -> Mapping[int, tuple[Record, bytes]]:
    """Return the records of matches with the secrets of their seeds, by ordinal, as the
    audit has found them sound.
    """
    rows = [row for ordinal in ordinals if (row := part.store.match(part.event.id, ordinal))]
    return {
        row.ordinal: (Record.from_json(row.record), part.event.seed_secret(row.seed))
        for row in rows
    }


def _problem(part: EventPart, sample: RerunSample, *, take_unconfirmed: bool) -> str:
    """Return in a line why a part is refused; "" if it is not."""
    number = part.event.number
    if sample.unequal:
        ordinal, difference = next(iter(sorted(sample.unequal.items())))
        more = f"`khiva-arena verify {quote(str(part.folder))} --rerun-bots` says more"
        return (
            f"{part.folder}: not sound: match {number}/{ordinal}: "
            f"{harmless(difference, LONGEST)}; {more}"
        )
    if not sample.too_many or take_unconfirmed:
        return ""
    ordinal, (why, *_) = next(iter(sample.unconfirmed.items()))
    example = harmless(
        f"(by bot: {by_bot_in_words(sample.by_bot)}), such as match {number}/{ordinal}: {why}",
        LONGEST,
    )
    return (
        f"{part.folder}: {len(sample.unconfirmed)} of {sample.drawn} drawn matches could "
        "not be confirmed, more than one in "
        f"twenty {example}; merge it on another machine, or take it with --take-unconfirmed"
    )
