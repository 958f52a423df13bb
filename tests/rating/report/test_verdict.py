"""The sentence on top of a page: who won, by places and by ratings, whether that could
be luck, and what would tell.
"""

import re
from collections.abc import Callable
from fractions import Fraction

import pytest
from made_results import listed
from wording import sentence

from khiva_arena.rating.ratings.looks import unplanned
from khiva_arena.rating.report.places import Placed, Places
from khiva_arena.rating.report.standings import Entrant, Standings, standings
from khiva_arena.rating.report.verdict import MoreSeeds, verdict

NAMES = ("ann", "bob", "carl")
Order = Callable[[int], tuple[int, ...]]


def played(order: Order, seeds: int) -> Standings:
    """The standings of an event of three bots, of which ``order`` gives the ranks by
    seed.
    """
    rows = [
        listed(
            "e",
            f"{seed}/0",
            turn,
            f"s{seed}",
            [turn, (turn + 1) % 3, (turn + 2) % 3],
            [order(seed)[bot] for bot in (turn, (turn + 1) % 3, (turn + 2) % 3)],
        )
        for seed in range(seeds)
        for turn in range(3)
    ]
    return standings(rows, [Entrant(str(bot), name) for bot, name in enumerate(NAMES)])


def placed(*first: int, rounds: int = 3) -> Places:
    """The places of a knockout of three rounds, with these bots in the first one."""
    order = [*first, *(bot for bot in range(3) if bot not in first)]
    rows = [
        Placed(1 if bot in first else 2, str(bot), NAMES[bot], Fraction(1, 2), 0, ())
        for bot in order
    ]
    return Places("e", 1, "knockout", rounds, 3, tuple(rows))


def clear(seed: int) -> tuple[int, ...]:
    return (1, 2, 3) if seed % 8 else (2, 1, 3)


def close(seed: int) -> tuple[int, ...]:
    return (1, 2, 3) if seed % 20 % 9 % 2 == 0 else (2, 1, 3)


BOB_MAY = sentence("report", "may-be-as-good", rivals="bob")
LUCK, BEYOND = sentence("report", "could-be-luck"), sentence("report", "more-than-luck")
TOO_FEW, APART = sentence("report", "too-few-deals"), sentence("report", "results-tell-none-apart")
BOB = f"{LUCK}: {BOB_MAY}."
SHARED = "share the first place of"
CLOSE = f"ann leads{BOB}"


@pytest.mark.parametrize(
    ("seeds", "order", "said"),
    [
        (40, clear, f"ann won{BEYOND}."),
        (20, close, CLOSE),
        (
            10,
            lambda seed: ((1, 2, 3), (3, 1, 2), (2, 3, 1))[seed % 3],
            f"ann leads{LUCK}: {APART}.",
        ),
        (1, lambda seed: (1, 2, 3), f"ann leads{TOO_FEW}."),
        (6, lambda seed: (1, 1, 1), f"ann, bob and carl {SHARED.removesuffix(' of')}{LUCK}."),
    ],
)
def test_a_sentence_says_who_won_and_whether_that_could_be_luck(
    seeds: int, order: Order, said: str
) -> None:
    assert verdict(played(order, seeds)) == said


@pytest.mark.parametrize(
    ("seeds", "order", "said"),
    [
        (40, clear, f"ann leads so far{BEYOND}."),
        (20, close, f"ann leads so far{BOB}"),
        (1, lambda seed: (1, 1, 3), f"ann and bob {SHARED.removesuffix(' of')} so far{TOO_FEW}."),
    ],
)
def test_while_it_runs_nobody_has_won_and_no_seeds_are_counted(
    seeds: int, order: Order, said: str
) -> None:
    assert verdict(played(order, seeds), more=MoreSeeds(seeds), so_far=True) == said


@pytest.mark.parametrize(
    ("places", "so_far", "said"),
    [
        (placed(0), False, f"ann won the knockout; by ratings ann is ahead{BOB}"),
        (placed(1), False, f"bob won the knockout; by ratings ann is ahead{BOB}"),
        (
            placed(1, rounds=2),
            True,
            f"bob is first in the knockout after round 2 of 3; by ratings ann is ahead so far{BOB}",
        ),
        (
            placed(1, 2, rounds=1),
            True,
            (
                f"bob and carl {SHARED} the knockout after round 1 of 3; by ratings ann is "
                f"ahead so far{BOB}"
            ),
        ),
    ],
)
def test_the_first_place_is_a_fact_and_the_rating_an_estimate(
    places: Places, so_far: bool, said: str
) -> None:
    assert verdict(played(close, 20), places, so_far=so_far) == said


def test_the_first_place_is_told_where_nobody_is_rated() -> None:
    nobody = standings([], [Entrant(str(bot), name) for bot, name in enumerate(NAMES)])
    assert (verdict(nobody, placed(2)), verdict(nobody)) == ("carl won the knockout.", "")


def test_so_many_more_seeds_tell_if_the_difference_stays() -> None:
    """The same 20 seeds again and again: the sentence changes where it said, and not a
    good deal earlier.
    """
    said = verdict(played(close, 20), more=MoreSeeds(20))
    missing = int(re.search(r"about (\d+) more", said)[1])  # type: ignore[index]
    distance = played(close, 20).ratings.between(0, 1)
    gap = f"{distance.elo:.0f}"
    told = f"It is {gap} +/- {distance.error:.0f} Elo above bob"
    told += sentence("report", "seeds-that-tell", seeds=missing)
    assert (
        said
        == f"{CLOSE} {told}"
        + f"; khiva-arena plan STORE --gap {gap} --power 0.5 prints the command."
    )
    enough = 20 * -(-(20 + missing) // 20)
    assert verdict(played(close, enough + 60)) == f"ann won{BEYOND}."
    assert verdict(played(close, enough - 100)) == CLOSE


def test_more_seeds_are_a_command_by_the_settings_file_and_wider_by_looks() -> None:
    table = played(close, 20)
    plain, extended = (
        verdict(table, more=MoreSeeds(20)),
        verdict(table, more=MoreSeeds(20, unplanned(20), "my cup.toml")),
    )
    few, many = (int(re.search(r"about (\d+) more", said)[1]) for said in (plain, extended))  # type: ignore[index]
    assert few < many
    assert extended.endswith(
        sentence("report", "seeds-that-tell", seeds=many)
        + f": khiva-arena run 'my cup.toml' --seeds {20 + many}"
    )
    assert (
        verdict(table, more=MoreSeeds(0, settings="cup.toml")) == plain
    )  # events that do not extend one another
    assert verdict(table, more=MoreSeeds(20, store=False)).endswith(
        sentence("report", "seeds-that-tell", seeds=few) + "."
    )


def test_a_command_stands_on_a_line_of_its_own_where_it_can_be_copied() -> None:
    table = played(close, 20)
    page = verdict(table, more=MoreSeeds(20, settings="cup.toml"))
    about = int(re.search(r"about (\d+) more", page)[1])  # type: ignore[index]
    for settings, command in (
        ("", f"play {about}"),
        ("cup.toml", f"khiva-arena run cup.toml --seeds {20 + about}"),
    ):
        said = verdict(
            table, more=MoreSeeds(20, settings=settings, command=lambda seeds: f"play {seeds}")
        )
        assert said == f"{page.rpartition(': ')[0]}:\n{command}"
    assert verdict(table, more=MoreSeeds(20, command=lambda _seeds: "")) == verdict(
        table, more=MoreSeeds(20)
    )


@pytest.mark.parametrize(
    ("seeds", "order"),
    [(40, clear), (6, lambda seed: (1, 1, 1)), (4, close), (1, close)],
    ids=["certain", "tie", "few", "one"],
)
def test_no_number_of_seeds_where_there_is_nothing_to_tell_or_nothing_to_tell_it_by(
    seeds: int, order: Order
) -> None:
    assert "more seeds" not in verdict(played(order, seeds), more=MoreSeeds(seeds))
