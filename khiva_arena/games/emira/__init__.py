"""Emira: auctions, and princesses who choose for themselves. Rules in RULES.md; layers: tables < questions < variants < state
< {dealing, events, values} < {scoring, steps} < courtship < {auction, cards, market, upkeep} < rules < {observation, notation}
< game; shapes stand apart, above the tables alone. A world that a view allows is made by worlds of {hidden_cards, hidden_goals,
open_question}, the first by the theory of knowledge."""

from khiva_arena.games.emira.game import GAME, Emira, EmiraState

__all__ = ["GAME", "Emira", "EmiraState"]
