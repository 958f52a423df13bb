"""Khiva's rules map: the open points O1-O12 as named variants, their defaults, and
forbidden combinations.

``canonical`` makes the whole map, plain values only, for the record; ``compile_rules``
turns it into the form that the engine reads.
"""

from collections.abc import Mapping
from typing import NamedTuple

from khiva_arena.errors import RulesError
from khiva_arena.games.base import Plain
from khiva_arena.games.khiva.tables import (
    CAMELS,
    CODE,
    COLOUR,
    COLOURS,
    SALT_PRICE,
    TEAPOT_VALUES,
    TEAPOTS,
    VALUE,
    WALKS,
)
from khiva_arena.games.rules_map import Valued, describe, is_whole, lay_over, whole

NAMED: dict[str, tuple[str, ...]] = {
    "khiva_spaces": ("skip", "own_tent"),  # O3
    "overshoot": ("stop_at_outpost", "no_move", "bounce"),  # O4
    "compensation": ("per_rejected_card", "per_rejected_player", "per_player_turn"),  # O6
    "carpet_top": ("hidden", "colour"),  # O7
    "salt_tie_break": ("max_bag", "sum_bags"),  # O9
    "end_trigger": ("pile_empty", "failed_draw"),  # O10
    "decline": ("no", "yes"),  # O11
    "compensation_time": ("before_move", "after_move"),  # O12
}
"""The variants that are words, default first."""

CARPET_SETS = {15: [3, 4, 5], 25: [3, 3, 4, 4, 5]}
"""O8 by number of carpets: the values each colour has."""

MAX_SLOTS = 5
MAX_TURNS = 1000
MAX_SUPPLY = 1000


def _ints(x: Plain, length: int, low: int, high: int) -> bool:
    return (
        isinstance(x, list | tuple) and len(x) == length and all(is_whole(i, low, high) for i in x)
    )


def _gem_slots(given: Plain) -> list[list[int]] | None:
    """Return the table colour x value of O1, made from the table or from five numbers
    by card value; None for a wrong value.
    """
    if _ints(given, 5, 0, MAX_SLOTS):
        return [list(given) for _ in CAMELS]
    if (
        isinstance(given, list | tuple)
        and len(given) == 5
        and all(_ints(row, 5, 0, MAX_SLOTS) for row in given)
    ):
        return [list(row) for row in given]
    return None


def _teapot_counts(given: Plain) -> list[int] | None:
    """Return how many teapots there are of each value 2..7 (O2), or None for a wrong
    value.
    """
    fits = _ints(given, len(TEAPOT_VALUES), 1, TEAPOTS) and sum(given) == TEAPOTS
    return list(given) if fits else None


def _carpets(given: Plain) -> list[int] | None:
    """Return the values that each colour has (O8), or None for a wrong value; 15 and 25
    name the two known sets.
    """
    if type(given) is int:
        given = CARPET_SETS.get(given)
    if isinstance(given, list | tuple) and 1 <= len(given) <= 10 and _ints(given, len(given), 1, 9):
        return sorted(given)
    return None


VALUED = {
    "gem_slots": Valued(
        [2, 2, 1, 1, 0],
        _gem_slots,
        f"is five numbers 0..{MAX_SLOTS} by card value, or such a row for each of the five colours",
    ),
    "teapot_counts": Valued(
        [3, 4, 4, 4, 4, 3],
        _teapot_counts,
        "is how many teapots there are of each value 2..7: six numbers, each at least 1, "
        f"that sum to {TEAPOTS}",
    ),
    "gem_supply": Valued(
        "unlimited",
        whole(SALT_PRICE, MAX_SUPPLY, "unlimited"),
        f'is "unlimited" or a number {SALT_PRICE}..{MAX_SUPPLY} (fewer could never buy salt)',
    ),
    "carpets": Valued(
        15,
        _carpets,
        "is the one to ten values 1..9 that each colour has, or 15 or 25 for the two known sets",
    ),
    "max_turns": Valued(200, whole(1, MAX_TURNS), f"is a number of turns 1..{MAX_TURNS}"),
}
"""The variants that are values."""

KEYS = (
    "gem_slots",
    "teapot_counts",
    "khiva_spaces",
    "overshoot",
    "gem_supply",
    "compensation",
    "carpet_top",
    "carpets",
    "salt_tie_break",
    "end_trigger",
    "decline",
    "compensation_time",
    "max_turns",
)
"""The keys in the order of the canonical map: O1 to O12, then the length limit."""

VARIANTS = describe(KEYS, NAMED, VALUED)
"""The possible values of each key in words, for people."""
SAMPLES: tuple[dict[str, Plain], ...] = (
    {"decline": "yes", "khiva_spaces": "own_tent", "compensation": "per_player_turn"},
    {"carpet_top": "colour", "carpets": 25, "gem_slots": [2, 2, 2, 2, 2]},
)
"""Rules maps that show a bot what the default rules do not, for ``check``."""


def canonical(settings: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the defaults with ``settings`` laid over them. Raises RulesError with
    every mistake found.
    """
    rules, problems = lay_over("Khiva", KEYS, NAMED, VALUED, settings)
    problems += _inconsistent(rules)
    if problems:
        raise RulesError(problems)
    return rules


def _inconsistent(rules: Mapping[str, Plain]) -> list[str]:
    """Return the mistakes of variants that contradict one another. Keys that were wrong
    on their own are missing from ``rules``.
    """
    problems = []
    if (
        rules.get("compensation") == "per_player_turn"
        and rules.get("compensation_time") == "after_move"
    ):
        problems.append(
            "compensation_time after_move does not go with compensation per_player_turn, "
            "which pays at the end of the turn"
        )
    return problems


class Ruleset(NamedTuple):
    """A canonical map as the engine reads it. O numbers are those of RULES.md.

    overshoot: the word of O4.
    supply: gems in all, None if there is no limit (O5).
    pay_each_card: each rejected card is paid, not each rejected seat (O6).
    pay_after: payment follows the move of the camel (``compensation_time``).
    top_visible: the colour of the top carpet can be seen (O7).
    sum_bags: ties are broken by the sum of the salt bags, not by the best one (O9).
    end_on_empty: the end begins when a pile is empty (``end_trigger``).
    may_decline: the winner may leave the camel, and take nothing at shop 4 (O11).
    max_turns: number of turns after which the match ends.
    """

    slots: tuple[int, ...]
    """Gem slots of each card: the gems that may be paid with it (O1)."""
    walks: tuple[tuple[tuple[int, ...], ...], ...]
    """Places ahead of a camel, by seat and place, see ``tables.WALKS``."""
    overshoot: str
    supply: int | None
    pay_rejected: bool
    """True if a rejected seat is paid at the camel, False if at the end of the turn."""
    pay_each_card: bool
    pay_after: bool
    top_visible: bool
    sum_bags: bool
    end_on_empty: bool
    may_decline: bool
    max_turns: int
    teapots: tuple[int, ...]
    """Every teapot's value, rising."""
    carpets: tuple[int, ...]
    """Every carpet's code, rising: by colour, then value."""


def compile_rules(rules: Mapping[str, Plain]) -> Ruleset:
    """Return a whole canonical map in the form that the engine reads."""
    table = rules["gem_slots"]
    return Ruleset(
        slots=tuple(table[COLOUR[card]][VALUE[card] - 1] for card in range(len(CODE))),
        walks=WALKS[rules["khiva_spaces"]],
        overshoot=rules["overshoot"],
        supply=None if rules["gem_supply"] == "unlimited" else rules["gem_supply"],
        pay_rejected=rules["compensation"] != "per_player_turn",
        pay_each_card=rules["compensation"] == "per_rejected_card",
        pay_after=rules["compensation_time"] == "after_move",
        top_visible=rules["carpet_top"] == "colour",
        sum_bags=rules["salt_tie_break"] == "sum_bags",
        end_on_empty=rules["end_trigger"] == "pile_empty",
        may_decline=rules["decline"] == "yes",
        max_turns=rules["max_turns"],
        teapots=tuple(
            v
            for v, count in zip(TEAPOT_VALUES, rules["teapot_counts"], strict=True)
            for _ in range(count)
        ),
        carpets=tuple(10 * c + v for c in range(len(COLOURS)) for v in rules["carpets"]),
    )
