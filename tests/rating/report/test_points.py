"""Points by source of the bots of a table, their errors over deals, and the sentence on
where a lead comes from.
"""

from collections.abc import Callable
from math import sqrt

import pytest
from made_results import listed
from msgspec import to_builtins

from khiva_arena.games.base import SeatPoints
from khiva_arena.rating.ratings.student import stdtrit
from khiva_arena.rating.report import points as by_source
from khiva_arena.rating.report import section_text
from khiva_arena.rating.report.points import PointsSample, SourcedMatch, section
from khiva_arena.rating.report.sections import SectionRequest, sections
from khiva_arena.rating.report.standings import Entrant, Standings, standings

Of = Callable[[int, int], tuple[int, ...]]
"""The points from teapots, gems and salt, by bot and seed."""


def sampled(
    points: Of, seeds: int, names: tuple[str, ...] = ("ann", "bob"), certain: bool = True
) -> tuple[Standings, PointsSample]:
    """A table whose first bot comes first, in all matches if that is to be certain, and
    its sample.
    """
    bots = range(len(names))
    seated = [
        (seed, tuple((at + turn) % len(names) for at in bots))
        for seed in range(seeds)
        for turn in bots
    ]
    results, sample = [], []
    for seed, at in seated:
        ranks = [1 + bot if certain or seed % 3 else len(names) - bot for bot in at]
        results.append(listed("e", f"{seed}/0", at[0], f"s{seed}", at, ranks))
        counted = [
            dict(zip(("teapots", "gems", "salt"), points(bot, seed), strict=False)) for bot in at
        ]
        sample.append(
            SourcedMatch(seed, at, [SeatPoints(of_seat, {"lost": seed}) for of_seat in counted])
        )
    return standings(results, [Entrant(name, name) for name in names]), PointsSample(sample)


def teapots(bot: int, seed: int) -> tuple[int, int]:
    """Ann makes 9 to 11 more from teapots, and both the same from gems."""
    return 20 - 9 * bot + seed % 3 * (1 - bot), 4 + seed % 2


def unsteady(bot: int, seed: int) -> tuple[int, int]:
    """Ann makes 6 or 7 more, of which now this and now that source has most."""
    more = 2 * (seed * 7 % 11 - 5)
    return 20 + (1 - bot) * (3 + more), 20 + (1 - bot) * (3 - more + seed % 2)


def lucky(bot: int, seed: int) -> tuple[int, int]:
    return 20 + (seed * 7 % 11 - 5) * (1 - 2 * bot), 7


def test_means_and_errors_are_those_over_deals() -> None:
    table, sample = sampled(teapots, 4)
    of = section(table, sample)
    assert (of.matches, of.of, of.counted, of.uncounted) == (8, 8, ["teapots", "gems"], ["lost"])
    ann = of.rows[0]
    assert (ann.bot, ann.matches, ann.seeds) == ("ann", 8, 4)
    assert ann.means == [20.75, 4.5, 1.5]
    lost = (
        sqrt(4 / 3 * sum((2 * (seed - 1.5)) ** 2 for seed in range(4))) / 8
    )  # both matches of a deal are off together
    assert ann.errors[2] == pytest.approx(lost * float(stdtrit(3, 0.975)), abs=0.001)
    one = section(*sampled(teapots, 1))
    assert one.rows[0].errors == [None] * 3
    assert one.lead is None


@pytest.mark.parametrize(
    ("points", "seeds", "certain", "said"),
    [
        (teapots, 12, True, "ann wins by teapots: 21.0 against 11.0 (10.0 +/- 0.6 more)."),
        (teapots, 12, False, "ann is ahead by teapots: 21.0 against 11.0 (10.0 +/- 0.6 more)."),
        (teapots, 4, True, ""),  # few deals may agree by chance
        (unsteady, 12, True, "ann wins by no single source of points."),
        (lucky, 12, True, ""),  # within the error
        (lambda bot, seed: teapots(1 - bot, seed), 12, True, ""),  # the winner makes fewer points
        (lambda bot, seed: (20, 4), 12, True, ""),
        (
            lambda bot, seed: (20 - 5 * bot, 20 - 4 * bot, 20 - 4 * bot),
            12,
            True,
            (
                "ann wins by several sources of points, most by teapots: 20.0 against 15.0 "
                "(5.0 +/- 0.0 more)."
            ),
        ),
    ],
)
def test_a_sentence_says_what_a_lead_comes_from_or_nothing(
    points: Of, seeds: int, certain: bool, said: str
) -> None:
    table, sample = sampled(points, seeds, certain=certain)
    assert by_source.sentence(table, section(table, sample)) == said


def test_of_several_others_the_mean_counts() -> None:
    table, sample = sampled(
        lambda bot, seed: (20 - 6 * bot, 4 + seed % 2), 12, ("ann", "bob", "carl")
    )
    others = " of the others at its tables"
    said = f"ann wins by teapots: 20.0 against 11.0{others} (9.0 +/- 0.0 more)."
    assert by_source.sentence(table, section(table, sample)) == said


def test_the_text_has_every_source_and_says_why_there_is_none() -> None:
    table, sample = sampled(teapots, 12)
    text = section_text.to_text(
        table, sections(table, SectionRequest(("points",), (), points=sample)), ("points",)
    )
    assert "(lost)" in text
    assert "24 of 24 rated matches" in text
    assert by_source.sentence(table, section(table, sample)) in text
    none = sections(
        table, SectionRequest(("points",), (), points=PointsSample(why_none="it rained"))
    )
    assert to_builtins(none)["points"]["rows"] == []
    assert "n/a: it rained." in section_text.to_text(table, none, ("points",))
