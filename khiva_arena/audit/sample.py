"""Samples of an event's matches, drawn at random, and the bound they give on wrong ones among the others."""

import random
import re
from collections.abc import Iterable
from math import ceil
from typing import Any, NamedTuple

from khiva_arena.errors import ConfigError

CHANCE = 0.05
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?) ?%")


def share_of(word: str, option: str = "--rerun-bots") -> float:
    """Return the share that a word such as "5%" means, above 0 and up to 1. Raises ConfigError, which names the option."""
    match = _SHARE.fullmatch(word.strip())
    share = float(match[1]) / 100 if match else 0.0
    if not 0 < share <= 1:
        raise ConfigError(f"{option}: {word!r} is no share of the matches: give one such as 5%, or 100% for all")
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
    def draw(cls, ordinals: Iterable[int], limit: int, others: str = "places, sums and hash chains") -> "Sample":
        """Draw at most ``limit`` of these matches by the system's randomness: the writer of the file cannot know which."""
        matches = list(ordinals)
        return cls(frozenset(random.SystemRandom().sample(matches, min(limit, len(matches)))), len(matches), others)

    @classmethod
    def draw_share(cls, ordinals: Iterable[int], share: float) -> "Sample":
        """Draw a share of these matches, rounded up to a whole number of them."""
        matches = list(ordinals)
        return cls.draw(matches, ceil(share * len(matches)))

    def finds(self) -> str:
        """Return in words how likely a sample like this one has a match of somebody who has forged some of them."""
        drawn, surely = len(self.ordinals), self.sure_from
        if drawn == self.among:
            return "their bots were run again and did the same"
        of = f"in {drawn:,} of them, drawn just now, the bots were run again and did the same"
        if surely == 1:
            return f"{of}: a single forged match is found with a chance of more than 95 %"
        one = f"{100 * chance_found(self.among, drawn, 1):.2g} %"
        return f"{of}: a single forged match is found with a chance of {one}, {surely:,} or more with more than 95 %"

    @property
    def sure_from(self) -> int:
        """The least number of wrong matches of which the sample has one with a chance of more than 95 %."""
        return at_most_wrong(self.among, len(self.ordinals)) + 1

    def says(self, sound: int, unsound: int) -> str:
        """Return in words how much the sample proves."""
        drawn = len(self.ordinals)
        of = f"{drawn:,} of {self.among:,} recorded matches were drawn at random and replayed"
        if unsound or sound < drawn:
            return f"{of}, and some are not sound: verify the rest, too"
        bound = at_most_wrong(self.among, drawn)
        if not bound:
            return f"{of}: all of them"
        share = f"{100 * bound / self.among:.2g} %"
        return (
            f"{of}, and none is wrong: 95 % sure, at most {bound:,} of all ({share}) are; of the others only {self.others} were "
            "checked"
        )

    def to_dict(self, sound: int, unsound: int) -> dict[str, Any]:
        """Return the sample as plain values. ``at_most_wrong``: null if not all of it is sound."""
        is_clean = not unsound and sound == len(self.ordinals)
        bound = at_most_wrong(self.among, len(self.ordinals)) if is_clean else None
        return {"drawn": len(self.ordinals), "among": self.among, "at_most_wrong": bound}


def chance_found(among: int, drawn: int, wrong: int) -> float:
    """Return the chance that at least one of ``wrong`` matches is drawn: 1 less the hypergeometric chance of none."""
    missed = 1.0
    for number in range(wrong):
        missed *= max(0, among - drawn - number) / (among - number)
    return 1 - missed


def at_most_wrong(among: int, drawn: int) -> int:
    """Return the largest number of wrong matches of which such a sample would show none with a chance of 5 % or more."""
    chance, wrong = 1.0, 0
    while wrong < among - drawn:
        chance *= (among - drawn - wrong) / (among - wrong)  # that the next wrong one is not drawn either
        if chance < CHANCE:
            break
        wrong += 1
    return wrong
