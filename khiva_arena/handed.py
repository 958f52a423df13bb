"""How the arena names games that do not come with it, before any of their code is read."""

LIBRARY = "openspiel"
"""The name of the games that OpenSpiel brings."""
VARIABLE = "KHIVA_ARENA_HANDED_GAMES"
"""The environment variable that holds the games that a command was handed."""
