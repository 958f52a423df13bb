"""The games: ``GAMES`` holds them by name, ``get(name)`` returns one, and ``base.py``
is their contract.
"""

from khiva_arena.games.registry import GAMES as GAMES
from khiva_arena.games.registry import get as get
