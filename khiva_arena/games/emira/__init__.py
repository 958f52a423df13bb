"""Emira: auctions, and princesses who choose for themselves. The rules are in RULES.md.

Layers: tables < questions < variants < state < {dealing, events, values} < {scoring,
    steps} < courtship < {auction, cards, market, upkeep} < rules < {observation,
    notation} < game; shapes stand apart, above the tables alone. The file worlds makes
    a world that a view allows, with {hidden_cards, open_question}; hidden_cards follows
    the theory of knowledge.
"""

from khiva_arena.games.emira.game import GAME, Emira, EmiraState

__all__ = ["GAME", "Emira", "EmiraState"]
