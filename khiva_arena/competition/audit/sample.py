"""Samples of an event's matches, drawn at random, and the bound they give on wrong ones
among the others.

Some drawn matches cannot be run again on a machine. What a sample proves is then said
of the others alone: those that could be run are drawn at random from all that can be,
which are at most those that were not found to be otherwise.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from khiva_arena.errors import ConfigError
from khiva_arena.words import count

CHANCE = 0.05
MOST_UNCONFIRMED = 20
"""Of so many drawn matches one at most may be one that cannot be confirmed: else nobody
could be told from a forger.
"""
AT_ONCE = 256
"""The most matches that are run again together: their records are held until then."""
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?) ?%")


def share_of(word: str, option: str = "--rerun-bots") -> float:
    """Return the share that a word such as "5%" means, above 0 and up to 1. Raises
    ConfigError, which names the option.
    """
    match = _SHARE.fullmatch(word.strip())
    share = float(match[1]) / 100 if match else 0.0
    if not 0 < share <= 1:
        raise ConfigError(
            f"{option}: {word!r} is no share of the matches: give one such as 5%, or 100% for all"
        )
    return share


class Sample(NamedTuple):
    """Matches that are replayed.

    ordinals: of these matches.
    among: the number of matches they are drawn from.
    others: the checks of matches that are not replayed, in words.
    """

    ordinals: frozenset[int]
    among: int
    others: str = "places, sums and hash chains"

    @classmethod
    def draw(
        cls,
        ordinals: Iterable[int],
        limit: int,
        others: str = "places, sums and hash chains",
        rng: random.Random | None = None,
    ) -> "Sample":
        """Draw at most ``limit`` of these matches by the system's randomness: the
        writer of the file cannot know which.
        """
        matches = list(ordinals)
        drawn = (rng or random.SystemRandom()).sample(matches, min(limit, len(matches)))
        return cls(frozenset(drawn), len(matches), others)

    def says(self, sound: int, unsound: int, unconfirmed: int = 0, *, in_part: int = 0) -> str:
        """Return in words how much the sample proves.

        sound, unsound: the numbers of its matches that are and are not.
        unconfirmed: how many are neither, since their bots could not be run again on
            this machine.
        in_part: how many of these came out equal but for a part that nobody can know.
        """
        drawn = len(self.ordinals)
        of = f"{drawn:,} of {self.among:,} recorded matches were drawn at random and replayed"
        if unsound or sound + unconfirmed < drawn:
            return f"{of}, and some are not sound: verify the rest, too"
        if unconfirmed == drawn and in_part:
            known = "all that could be run again here is the same, which is not the whole of any"
            return (
                f"{of}, and {known}"
                if drawn == self.among
                else f"{of}, and {known}: nothing is known of the others"
            )
        if unconfirmed == drawn:
            return f"{of}, and none could be run again here: nothing is known of the others"
        among = self.among - unconfirmed
        bound = at_most_wrong(among, sound)
        if not bound and not unconfirmed:
            return f"{of}: all of them"
        share, all_ = (
            f"{100 * bound / among:.2g} %",
            "all that can be run again here" if unconfirmed else "all",
        )
        return (
            f"{of}, and none is wrong: 95 % sure, at most {bound:,} of {all_} ({share}) are; of "
            f"the others only {self.others} were checked"
        )

    def to_dict(self, sound: int, unsound: int, unconfirmed: int = 0) -> dict[str, Any]:
        """Return the sample as plain values. ``at_most_wrong``: of the matches that are
        not unconfirmed; null if some of these is not sound, or there is none.
        """
        is_clean = not unsound and sound > 0 and sound + unconfirmed == len(self.ordinals)
        bound = at_most_wrong(self.among - unconfirmed, sound) if is_clean else None
        return {"drawn": len(self.ordinals), "among": self.among, "at_most_wrong": bound}


class Unconfirmed(NamedTuple):
    """A drawn match that could not be confirmed on this machine.

    why: in words.
    bots: the names of those that it may be due to.
    is_claim: True if it came out equal but for a forfeit that only the machine which
        played can know, and for persons.
    is_unpublished: True if its league does not publish one of these bots.
    """

    why: str
    bots: tuple[str, ...]
    is_claim: bool = False
    is_unpublished: bool = False


class RerunFindings(NamedTuple):
    """What running the bots of drawn matches again has shown, by ordinal; the others
    did the same.

    unequal: the first difference of each that did not come out equal.
    unconfirmed: those of which nothing is known.
    """

    unequal: Mapping[int, str]
    unconfirmed: Mapping[int, Unconfirmed]


def too_many(unconfirmed: int, drawn: int) -> bool:
    """Tell whether so many of the drawn matches could not be confirmed that who forges
    could hide among them.

    One alone says nothing: in a small sample it is always more than one in twenty.
    """
    return unconfirmed > 1 and MOST_UNCONFIRMED * unconfirmed > drawn


class RerunSample(NamedTuple):
    """Matches that were drawn one by one, and their bots run again, until as many as
    were wanted had been confirmed.

    among: the number of matches that they were drawn from.
    drawn: the number of those that were drawn.
    unconfirmed: those of them that could not be confirmed, by ordinal.
    unequal: the first difference of each that did not come out equal, by ordinal: then
        no other was drawn.
    """

    among: int
    drawn: int
    unconfirmed: Mapping[int, Unconfirmed]
    unequal: Mapping[int, str]

    @property
    def confirmed(self) -> int:
        """The number of matches whose bots were run again, and did the same."""
        return self.drawn - len(self.unconfirmed) - len(self.unequal)

    @property
    def too_many(self) -> bool:
        """True if so many could not be confirmed that who forges could hide among
        them.
        """
        return too_many(len(self.unconfirmed), self.drawn)

    @property
    def by_bot(self) -> dict[str, int]:
        """How many matches could not be confirmed, by the name of each bot that it may
        be due to, the most first.
        """
        return by_bot(self.unconfirmed.values())

    @property
    def one_found(self) -> float:
        """The chance that a single forged match is found, if it can be run again
        here.
        """
        return (
            chance_found(self.among - len(self.unconfirmed), self.confirmed, 1)
            if self.confirmed
            else 0.0
        )

    @property
    def sure_from(self) -> int | None:
        """The least number of forged matches that can be run again here, of which one
        is found with a chance of more than 95 %; None if no number is.
        """
        return (
            at_most_wrong(self.among - len(self.unconfirmed), self.confirmed) + 1
            if self.confirmed
            else None
        )

    def finds(self) -> str:
        """Return in words how likely a sample like this one has a match of somebody who
        has forged some of them.
        """
        if self.confirmed == self.among:
            return "their bots were run again and did the same"
        of = (
            f"in {self.confirmed:,} of them, drawn just now, the bots were run again and did "
            "the same"
        )
        beside = f"; {in_words(self.unconfirmed.values())}" if self.unconfirmed else ""
        if not self.confirmed:
            return f"in none of them the bots could be run again{beside}"
        which = " that can be run again here" if self.unconfirmed else ""
        if self.sure_from == 1:
            return (
                f"{of}: a single forged match{which} is found with a chance of more than 95 "
                f"%{beside}"
            )
        one = f"{100 * self.one_found:.2g} %"
        many = f"{self.sure_from:,} or more with more than 95 %"
        return f"{of}: a single forged match{which} is found with a chance of {one}, {many}{beside}"


def in_words(unconfirmed: Iterable[Unconfirmed]) -> str:
    """Return in words how many matches could not be confirmed, by bot, and why the
    first of them could not.
    """
    matches = list(unconfirmed)
    more = count(len(matches), "more that was", "more that were")
    return (
        f"{more} drawn could not be confirmed (by bot: {by_bot_in_words(by_bot(matches))}): "
        f"{matches[0].why}"
    )


def by_bot_in_words(numbers: Mapping[str, int]) -> str:
    """Return numbers of matches by the name of a bot in words: "alpha 3, beta 1"."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def by_bot(unconfirmed: Iterable[Unconfirmed]) -> dict[str, int]:
    """Return how many matches could not be confirmed, by the name of each bot that it
    may be due to, the most first.
    """
    return dict(Counter(name for one in unconfirmed for name in sorted({*one.bots})).most_common())


def lots(ordinals: Iterable[int], rng: random.Random | None = None) -> list[int]:
    """Return matches in the order in which they are drawn, by the system's randomness:
    nobody can know it before.
    """
    return (rng or random.SystemRandom()).sample(matches := list(ordinals), len(matches))


def run_drawn(
    order: Sequence[int],
    wanted: int,
    run: Callable[[Sequence[int]], RerunFindings],
    *,
    take_unconfirmed: bool = False,
) -> RerunSample:
    """Run the bots of matches again in the order of their lots, until ``wanted`` of
    them are confirmed, or there are no more.

    A match that cannot be confirmed has another one drawn in its place. So those that
    are confirmed are drawn at random from all that can be, however many cannot: k
    forged ones of these all escape with the hypergeometric chance.

    order: ordinals, by lot.
    run: takes ordinals that are drawn, and runs their bots.
    take_unconfirmed: whether to go on when it is certain that too many cannot be
        confirmed.
    """
    unequal: dict[int, str] = {}
    unconfirmed: dict[int, Unconfirmed] = {}
    drawn = 0
    while not unequal and drawn < len(order) and (lacking := wanted + len(unconfirmed) - drawn) > 0:
        if too_many(len(unconfirmed), wanted + len(unconfirmed)) and not take_unconfirmed:
            break
        batch = order[drawn : drawn + min(lacking, AT_ONCE)]
        drawn += len(batch)
        findings = run(batch)
        unequal |= findings.unequal
        unconfirmed |= findings.unconfirmed
    return RerunSample(len(order), drawn, unconfirmed, unequal)


def chance_found(among: int, drawn: int, wrong: int) -> float:
    """Return the chance that at least one of ``wrong`` matches is drawn: 1 less the
    hypergeometric chance of none.
    """
    missed = 1.0
    for number in range(wrong):
        missed *= max(0, among - drawn - number) / (among - number)
    return 1 - missed


def at_most_wrong(among: int, drawn: int) -> int:
    """Return the largest number of wrong matches of which such a sample would show none
    with a chance of 5 % or more.
    """
    chance, wrong = 1.0, 0
    while wrong < among - drawn:
        chance *= (among - drawn - wrong) / (
            among - wrong
        )  # that the next wrong one is not drawn either
        if chance < CHANCE:
            break
        wrong += 1
    return wrong
