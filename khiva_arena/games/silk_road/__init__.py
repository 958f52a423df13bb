"""Silk Road: three caravans, goods to sell, jewels to collect. The rules are in
RULES.md; layers: tables < board < variants < state < {dealing, events} < {cards,
scoring} < markets < villages < rules < {observation, notation, shapes} < game.
"""

from khiva_arena.games.silk_road.game import GAME, SilkRoad, SilkRoadState

__all__ = ["GAME", "SilkRoad", "SilkRoadState"]
