"""Emira's rules map: the mode, the open points O1-O14 as named variants, their
defaults, and forbidden values.

``canonical`` makes the whole map, plain values only, for the record; ``compile_rules``
turns it into the form that the engine reads.
"""

from collections.abc import Mapping
from typing import NamedTuple

from khiva_arena.errors import RulesError
from khiva_arena.games.base import Plain
from khiva_arena.games.emira.tables import EVENT_OF, EVENTS
from khiva_arena.games.rules_map import Valued, describe, is_whole, lay_over, whole

NAMED: dict[str, tuple[str, ...]] = {
    "mode": ("basic", "advanced"),
    "gold": ("public", "hidden"),  # O3
    "undecided": ("auction", "always"),  # O4
    "grant_timing": ("bidding", "serving"),  # O5
    "event_buy_3p": ("even", "never"),  # O6
    "appearance_return_3p": ("odd", "even"),  # O7
    "bazaar_noble": ("replace", "extra"),  # O8
    "zahrah_card": ("deck", "removed"),  # O9
    "xenia_room": ("yes", "no"),  # O10
    "bonus_counters": ("unlimited", "twelve"),  # O11
    "good_looking": ("all", "own"),  # O12
    "hind_round": ("nobody", "undecided"),  # O13
}
"""The variants that are words, default first."""

SYMBOLS: dict[str, list[list[str]]] = {
    "groups": [
        ["bazaar"],
        ["camel_breeding", "camel_epidemic", "sick_camels"],
        ["double_trouble", "quiet_days"],
        ["golden_times", "interrupt_spice_trade"],
        ["noble_merchandise"],
    ],
    "by_name": [[name] for name in EVENTS],
    "none": [],
}
"""Names for whole tables of symbols (O2). Cards that share a symbol are in one list,
cards without one in none.
"""

MAX_ROUNDS = 200
MAX_INCOME = 10_000


def _base_income(given: Plain) -> list[int] | None:
    """Return a sheik's income, and the black sheik's (O1), or None for a wrong value.
    Fifties, so that a fifth of it is paid in tens.
    """
    fits = isinstance(given, list | tuple) and len(given) == 2
    if (
        fits
        and all(is_whole(x, 0, MAX_INCOME) and x % 50 == 0 for x in given)
        and given[0] <= given[1]
    ):
        return list(given)
    return None


def _symbols(given: Plain) -> list[list[str]] | None:
    """Return the groups of cards that share a symbol (O2), from a name of SYMBOLS or
    the groups themselves.

    None for a wrong value, such as a card in two groups.
    """
    if isinstance(given, str):
        given = SYMBOLS.get(given)
    if not isinstance(given, list | tuple) or not all(
        isinstance(group, list | tuple) and group for group in given
    ):
        return None
    cards = [card for group in given for card in group]
    if not all(isinstance(card, str) and card in EVENT_OF for card in cards) or len(
        set(cards)
    ) != len(cards):
        return None
    return sorted(sorted(group) for group in given)


VALUED = {
    "base_income": Valued(
        [100, 150],
        _base_income,
        f"is two amounts in fifties up to {MAX_INCOME}, a sheik's and the black sheik's, rising",
    ),
    "symbols": Valued(
        "groups",
        _symbols,
        "is groups, by_name, none, or lists of event cards that share a symbol, each card once",
    ),
    "max_rounds": Valued(40, whole(1, MAX_ROUNDS), f"is a number of rounds 1..{MAX_ROUNDS}"),
}
"""The variants that are values."""

KEYS = (
    "mode",
    "base_income",
    "symbols",
    "gold",
    "undecided",
    "grant_timing",
    "event_buy_3p",
    "appearance_return_3p",
    "bazaar_noble",
    "zahrah_card",
    "xenia_room",
    "bonus_counters",
    "good_looking",
    "hind_round",
    "max_rounds",
)
"""The keys in the order of the canonical map: the mode, O1 to O13, then the length
limit O14.
"""

VARIANTS = describe(KEYS, NAMED, VALUED)
"""The possible values of each key in words, for people."""
SAMPLES: tuple[dict[str, Plain], ...] = (
    {"mode": "advanced", "symbols": "none", "bazaar_noble": "extra", "base_income": [2000, 4000]},
    {"gold": "hidden", "undecided": "always", "grant_timing": "serving", "xenia_room": "no"},
)
"""Rules maps that show a bot what the default rules do not, for ``check``."""


def canonical(settings: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the defaults with ``settings`` laid over them. Raises RulesError with
    every mistake found.
    """
    rules, problems = lay_over("Emira", KEYS, NAMED, VALUED, settings)
    if problems:
        raise RulesError(problems)
    return rules


class Ruleset(NamedTuple):
    """A canonical map as the engine reads it. O numbers are those of RULES.md.

    advanced: the mode is advanced.
    base_income, black_income: gold of a sheik, and of the black sheik (O1).
    gold_hidden: O3 hidden.
    always: every undecided Emira is looked at after each change (O4).
    grant_at_bid: the grant may be taken while bidding (O5).
    buys_3p: with 3 players event cards are bought in the even round (O6).
    return_odd: with 3 players an unsold counter goes back after the odd round (O7).
    extra: the item chosen comes besides the one drawn (O8).
    zahrah_under: her status card goes under the deck (O9).
    xenia_room: Xenia needs room where she moves (O10).
    bonus_capped: there are twelve counters "+1" (O11).
    good_looking_all: counters that princesses brought count, too (O12).
    hind_undecided: undecided Emiras may join in the lost round (O13).
    max_rounds: number of rounds after which the match ends (O14).
    """

    advanced: bool
    base_income: int
    black_income: int
    blocks: tuple[int, ...]
    """Bit mask, for each event card, of the cards that it keeps from being played later
    in the round.
    """
    gold_hidden: bool
    always: bool
    grant_at_bid: bool
    buys_3p: bool
    return_odd: bool
    extra: bool
    zahrah_under: bool
    xenia_room: bool
    bonus_capped: bool
    good_looking_all: bool
    hind_undecided: bool
    max_rounds: int


def compile_rules(rules: Mapping[str, Plain]) -> Ruleset:
    """Return a whole canonical map in the form that the engine reads."""
    blocks = [0] * len(EVENTS)
    for group in rules["symbols"]:
        mask = sum(1 << EVENT_OF[name] for name in group)
        for name in group:
            blocks[EVENT_OF[name]] = mask
    base, black = rules["base_income"]
    return Ruleset(
        advanced=rules["mode"] == "advanced",
        base_income=base,
        black_income=black,
        blocks=tuple(blocks),
        gold_hidden=rules["gold"] == "hidden",
        always=rules["undecided"] == "always",
        grant_at_bid=rules["grant_timing"] == "bidding",
        buys_3p=rules["event_buy_3p"] == "even",
        return_odd=rules["appearance_return_3p"] == "odd",
        extra=rules["bazaar_noble"] == "extra",
        zahrah_under=rules["zahrah_card"] == "deck",
        xenia_room=rules["xenia_room"] == "yes",
        bonus_capped=rules["bonus_counters"] == "twelve",
        good_looking_all=rules["good_looking"] == "all",
        hind_undecided=rules["hind_round"] == "undecided",
        max_rounds=rules["max_rounds"],
    )
