"""The rules of the games in C, for trainers and for bots in Python that search: some
hundred times as fast as the engine.

The engine is the authority, and the arbiter never loads this. The library is built when
the package is set up where a C compiler is, and wheels carry it.
"""

from khiva_arena.crules.game import HabitsInC, RulesInC, StateInC, ViewInC
from khiva_arena.crules.library import GAMES, is_built
from khiva_arena.crules.stream import QuickStreamInC, StreamInC

__all__ = [
    "GAMES",
    "HabitsInC",
    "QuickStreamInC",
    "RulesInC",
    "StateInC",
    "StreamInC",
    "ViewInC",
    "is_built",
]
