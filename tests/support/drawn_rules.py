"""Rules maps drawn at random: each game's words, values, and for Silk Road maps of the
board.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from khiva_arena.games.base import Game
from khiva_arena.games.emira import variants as emira_variants
from khiva_arena.games.emira.tables import EVENTS
from khiva_arena.games.khiva import variants as khiva_variants
from khiva_arena.games.silk_road import board
from khiva_arena.games.silk_road import variants as silk_road_variants
from khiva_arena.games.silk_road.tables import TILE_SETS, TILES

Settings = dict[str, Any]


def drawn_rules(game: Game, lots: random.Random) -> Settings:
    """Draw a rules map: each key is the default in half of the maps."""
    named, values = DRAWN[game.name]
    settings = {key: lots.choice(words) for key, words in named.items()} | values(lots)
    settings = {key: value for key, value in settings.items() if lots.random() < 0.5}
    if settings.get("compensation") == "per_player_turn":
        settings.pop("compensation_time", None)
    if game.name == "silk_road":
        settings = {**settings, **_board_and_tiles(lots)}
    return game.rules(settings)


def _of_khiva(lots: random.Random) -> Settings:
    teapots = [0, *sorted(lots.sample(range(1, 22), 5)), 22]
    row = [lots.randrange(6) for _ in range(5)]
    return {
        "gem_slots": lots.choice([row, [[lots.randrange(6) for _ in range(5)] for _ in range(5)]]),
        "teapot_counts": [after - before for before, after in pairwise(teapots)],
        "gem_supply": lots.choice([3, 4, 5, 8, 30, 1000]),
        "carpets": lots.choice([15, 25, [lots.randint(1, 9) for _ in range(lots.randint(1, 10))]]),
        "max_turns": lots.choice([1, 2, 5, 9, 20, 60, 1000]),
    }


def _of_emira(lots: random.Random) -> Settings:
    events = lots.sample(EVENTS, len(EVENTS))
    cuts = sorted(lots.sample(range(len(events) + 1), 4))
    return {
        "base_income": sorted(
            50 * lots.choice([0, 1, 2, 3, 20, 200, lots.randrange(201)]) for _ in range(2)
        ),
        "symbols": lots.choice(
            ["groups", "by_name", "none", [events[a:b] for a, b in pairwise(cuts)]]
        ),
        "max_rounds": lots.choice([1, 2, 5, 20, 40, 60]),
    }


def _of_silk_road(lots: random.Random) -> Settings:
    return {
        "most_cards": lots.choice([1, 2, 3, 5, 14, "unlimited"]),
        "max_turns": lots.choice([1, 2, 5, 20, 60, 400]),
    }


DRAWN: dict[str, tuple[Mapping[str, Sequence[str]], Callable[[random.Random], Settings]]] = {
    "khiva": (khiva_variants.NAMED, _of_khiva),
    "emira": (emira_variants.NAMED, _of_emira),
    "silk_road": (silk_road_variants.NAMED, _of_silk_road),
}
"""By game: the rules that are words, and a function that draws those that are
values.
"""


# --- Silk Road: the map, its tiles and their layout, which have to fit ---


def _board_and_tiles(lots: random.Random) -> Settings:
    """Draw a map in three of ten, tiles for its villages, and a layout of these."""
    chart: Any = (
        next(filter(None, (_map(lots) for _ in range(10))), None) if lots.random() < 0.3 else None
    )
    villages = len((chart or board.MAPS["r1"])["villages"])
    tiles: Any = lots.choice(sorted(TILE_SETS)) if villages == 22 and lots.random() < 0.5 else None
    counts = TILE_SETS[tiles] if tiles else dict.fromkeys(TILES, 0)
    if not tiles:
        some = lots.sample(TILES, lots.randint(1, len(TILES)))
        for _ in range(villages):
            counts[lots.choice(some)] += 1
    layout: Any = [name for name, count in counts.items() for _ in range(count)]
    lots.shuffle(layout)
    settings = {"tiles": tiles or counts, "layout": lots.choice(["shuffled", layout])}
    return settings | {"map": chart} if chart else settings


def _map(lots: random.Random) -> Any:
    """Draw a map: the printed one with other ends or roads, or a ring of villages with
    cities beside; None if it is refused.
    """
    chart = json.loads(json.dumps(board.MAPS["r1"]))
    if lots.random() < 0.5:
        lots.shuffle(cities := chart["cities"][:])
        chart["starts"], chart["targets"] = cities[:3], cities[3:]
        for _ in range(lots.randrange(6)):
            chart[lots.choice(["one_way", "two_way"])].append(lots.sample(chart["villages"], 2))
    else:
        cities = [f"Ç{number} ☃𝄞" for number in range(lots.randint(6, 12))]
        cities[0] = "𝄞" * 40  # the longest name that there can be, beside the shortest ones
        villages = [*"abcdefghijklmn"[: lots.randint(4, 14)]]
        ring = [*zip(villages, [*villages[1:], villages[0]], strict=True)]
        beside = [
            [city, village]
            for city in cities
            for village in lots.sample(villages, lots.randint(1, 2))
        ]
        lots.shuffle(ends := cities[:])
        chart = {
            "name": "x",
            "cities": cities,
            "villages": villages,
            "one_way": [],
            "signposts": {},
        }
        chart |= {"two_way": [*map(list, ring), *beside], "starts": ends[:3], "targets": ends[3:6]}
    return chart if board.check_map(chart).canonical else None
