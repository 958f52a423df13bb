"""Samples of an event's matches, drawn at random, and the bound they give on wrong ones among the others."""

import random
from collections.abc import Iterable
from typing import Any, NamedTuple

CHANCE = 0.05


class Sample(NamedTuple):
    """Matches that are replayed.

    ordinals: of these matches.
    among: the number of matches they are drawn from.
    others: the checks of matches that are not replayed, in words.
    """

    ordinals: frozenset[int]
    among: int
    others: str = "places and sums"

    @classmethod
    def draw(cls, ordinals: Iterable[int], limit: int, others: str = "places and sums") -> "Sample":
        """Draw at most ``limit`` of these matches by the system's randomness: the writer of the file cannot know which."""
        matches = list(ordinals)
        return cls(frozenset(random.SystemRandom().sample(matches, min(limit, len(matches)))), len(matches), others)

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


def at_most_wrong(among: int, drawn: int) -> int:
    """Return the largest number of wrong matches of which such a sample would show none with a chance of 5 % or more."""
    chance, wrong = 1.0, 0
    while wrong < among - drawn:
        chance *= (among - drawn - wrong) / (among - wrong)  # that the next wrong one is not drawn either
        if chance < CHANCE:
            break
        wrong += 1
    return wrong
