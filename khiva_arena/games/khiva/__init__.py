"""Khiva: camels, secret cards and passes. The rules are in RULES.md; layers: tables <
variants < state < dealing < rules < {observation, notation} < game.
"""

from khiva_arena.games.khiva.game import GAME, Khiva, KhivaState

__all__ = ["GAME", "Khiva", "KhivaState"]
