"""Emira: auctions, and princesses who choose for themselves. Rules in RULES.md; layers: tables < questions < variants < state
< {dealing, events, values} < {scoring, steps} < courtship < {auction, cards, market, upkeep} < rules < {observation, notation}
< game; shapes stand apart, above the tables alone."""

from khiva_arena.games.emira.game import GAME, Emira, EmiraState

__all__ = ["GAME", "Emira", "EmiraState"]
