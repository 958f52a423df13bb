"""Silk Road's rules map: the open points O1-O16 as named variants, their defaults, and
forbidden combinations.

``canonical`` makes the map, plain values only, for the record; ``compile_rules`` turns
it into the form that the engine reads.
"""

import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from khiva_arena.errors import RulesError
from khiva_arena.games.base import Plain
from khiva_arena.games.rules_map import (
    Valued,
    defaults_of,
    describe,
    filled_in,
    is_whole,
    lay_over,
    whole,
)
from khiva_arena.games.silk_road.board import Board, board, check_map
from khiva_arena.games.silk_road.tables import PER_GOOD, TILE, TILE_SETS, TILES

NAMED: dict[str, tuple[str, ...]] = {
    "tied_decline": ("recompute", "original_tie"),  # O3
    "baksheesh": ("mandatory", "optional"),  # O4
    "supply": ("unlimited", "capped"),  # O6
    "hand_dump": ("choose", "all"),  # O7
    "first_targets": ("printed", "counted"),  # O8
    "discard_order": ("player", "canonical"),  # O9
    "extra_draws": ("optional", "mandatory"),  # O10
    "reshuffle": ("at_once", "when_needed"),  # O13
    "camels_at_end": ("stay", "back"),  # O14
    "lay_out_order": ("active_first", "active_last"),  # O15
    "empty_hand": ("two", "up_to_two"),  # O16
}
"""The variants that are words, default first."""

MOST_TURNS = 2000
KEYS = (
    "map",
    "tiles",
    "layout",
    "tied_decline",
    "baksheesh",
    "most_cards",
    "supply",
    "hand_dump",
    "first_targets",
    "discard_order",
    "extra_draws",
    "max_turns",
    "reshuffle",
    "camels_at_end",
    "lay_out_order",
    "empty_hand",
)
"""The keys in the order of the canonical map: O1 to O16; O2 is tiles and layout."""
LATER = ("camels_at_end", "lay_out_order", "empty_hand")
"""Keys not known to version 0.1.0: left out of the canonical map if they have their
default (``rules_map.lay_over``).
"""


def _tiles(given: Plain) -> dict[str, int] | None:
    """Return how many tiles there are of every kind (O2), or None for a wrong value; A
    and C name the two known guesses.
    """
    if isinstance(given, str):
        given = TILE_SETS.get(given)
    if not isinstance(given, Mapping) or not all(
        key in TILES and is_whole(n, 0, 100) for key, n in given.items()
    ):
        return None
    return {name: given.get(name, 0) for name in TILES}


def _layout(given: Plain) -> str | list[str] | None:
    """Return the layout (O2), or None for a wrong value.

    A layout is shuffled, fixed as the map prints it, or the tiles in the order of the
    map's villages.
    """
    if given in ("shuffled", "fixed"):
        return given  # type: ignore[no-any-return]
    if isinstance(given, list | tuple) and all(
        isinstance(name, str) and name in TILE for name in given
    ):
        return list(given)
    return None


VALUED = {
    "tiles": Valued(
        "A", _tiles, f"is A, C or a table of how many there are of each of {', '.join(TILES)}"
    ),
    "layout": Valued(
        "shuffled",
        _layout,
        "is shuffled, fixed or a list of tiles in the order of the map's villages",
    ),
    "most_cards": Valued(
        "unlimited",
        whole(1, PER_GOOD, "unlimited"),
        f"is unlimited or a number of cards 1..{PER_GOOD}",
    ),
    "max_turns": Valued(400, whole(1, MOST_TURNS), f"is a number of turns 1..{MOST_TURNS}"),
}
"""The variants that are values."""

VARIANTS = describe(
    KEYS, NAMED, VALUED, map="r1 (a reconstruction: silk_road/maps/r1.toml), or such a table"
)
"""The possible values of each key in words, for people."""
SAMPLES: tuple[dict[str, Plain], ...] = (
    {"tiles": "C", "extra_draws": "mandatory", "supply": "capped", "hand_dump": "all"},
    {"layout": "fixed", "baksheesh": "optional", "most_cards": 6},
)
"""Rules maps that show a bot what the default rules do not, for ``check``."""


def canonical(settings: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the defaults with ``settings`` laid over them, except for defaults of
    ``LATER``.

    Raises RulesError with every mistake found.
    """
    rules, problems = lay_over("Silk Road", KEYS, NAMED, VALUED, settings, LATER)
    chart, wrong = check_map(settings.get("map", "r1"))
    if chart is not None:
        rules = {"map": chart, **rules}
    problems += [*wrong, *_inconsistent(rules)]
    if problems:
        raise RulesError(problems)
    return rules


def _inconsistent(rules: Mapping[str, Plain]) -> list[str]:
    """Return the mistakes of map, tiles and layout that do not fit together. Keys that
    were wrong on their own are missing here.
    """
    if not {"map", "tiles"} <= rules.keys():
        return []
    problems = []
    villages, tiles, layout = rules["map"]["villages"], rules["tiles"], rules.get("layout")
    if sum(tiles.values()) != len(villages):
        problems.append(
            f"tiles: {sum(tiles.values())} tiles for the {len(villages)} villages of the map"
        )
    elif layout == "fixed" and not rules["map"]["tiles"]:
        problems.append("layout is fixed, but the map says no tiles")
    elif layout == "fixed" and Counter(rules["map"]["tiles"].values()) != +Counter(tiles):
        problems.append("layout is fixed, but the tiles of the map are not those of the rule tiles")
    elif isinstance(layout, list) and Counter(layout) != +Counter(tiles):
        problems.append("layout does not name exactly the tiles of the rule tiles")
    return problems


def every_rule(rules: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a canonical map completed by the rules of ``LATER`` that it leaves out."""
    return filled_in(KEYS, defaults_of(LATER, NAMED, VALUED), rules)


class Ruleset(NamedTuple):
    """A canonical map as the engine reads it. O numbers are those of RULES.md, words
    those of the rules map.

    board: the map.
    laid: the tiles lie by village; else they are shuffled (O2).
    drop_tied: ``tied_decline`` is recompute (O3).
    baksheesh_optional: ``baksheesh`` is optional (O4).
    most_cards: cards in one move at most (O5).
    capped: ``supply`` is capped (O6).
    choose_dump: ``hand_dump`` is choose (O7).
    count_targets: ``first_targets`` is counted (O8).
    sort_discards: ``discard_order`` is canonical (O9).
    extra_optional: ``extra_draws`` is optional (O10).
    max_turns: number of turns after which the match ends (O11).
    shuffle_at_once: ``reshuffle`` is at_once (O13).
    camels_back: ``camels_at_end`` is back (O14).
    active_lays_last: ``lay_out_order`` is active_last (O15).
    empty_optional: ``empty_hand`` is up_to_two (O16).
    """

    board: Board
    tiles: tuple[int, ...]
    """Every tile, rising, to be shuffled; or, when ``laid``, by village."""
    laid: bool
    drop_tied: bool
    baksheesh_optional: bool
    most_cards: int
    capped: bool
    choose_dump: bool
    count_targets: bool
    sort_discards: bool
    extra_optional: bool
    max_turns: int
    shuffle_at_once: bool
    camels_back: bool
    active_lays_last: bool
    empty_optional: bool


def compile_rules(rules: Mapping[str, Plain]) -> Ruleset:
    """Return a canonical map in the form that the engine reads."""
    return _compile(json.dumps(every_rule(rules)))


@lru_cache(maxsize=64)
def _compile(text: str) -> Ruleset:
    rules = json.loads(text)
    layout = rules["layout"]
    if layout == "fixed":
        layout = [rules["map"]["tiles"][village] for village in rules["map"]["villages"]]
    spread = [name for name, count in rules["tiles"].items() for _ in range(count)]
    return Ruleset(
        board=board(rules["map"]),
        tiles=tuple(sorted(TILE[name] for name in spread))
        if layout == "shuffled"
        else tuple(TILE[name] for name in layout),
        laid=layout != "shuffled",
        drop_tied=rules["tied_decline"] == "recompute",
        baksheesh_optional=rules["baksheesh"] == "optional",
        most_cards=PER_GOOD if rules["most_cards"] == "unlimited" else rules["most_cards"],
        capped=rules["supply"] == "capped",
        choose_dump=rules["hand_dump"] == "choose",
        count_targets=rules["first_targets"] == "counted",
        sort_discards=rules["discard_order"] == "canonical",
        extra_optional=rules["extra_draws"] == "optional",
        max_turns=rules["max_turns"],
        shuffle_at_once=rules["reshuffle"] == "at_once",
        camels_back=rules["camels_at_end"] == "back",
        active_lays_last=rules["lay_out_order"] == "active_last",
        empty_optional=rules["empty_hand"] == "up_to_two",
    )
