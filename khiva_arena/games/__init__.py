"""The games: ``GAMES`` by name, ``get(name)`` for one of them; ``base.py`` says what a game offers."""

from khiva_arena.games.registry import GAMES as GAMES
from khiva_arena.games.registry import get as get
