from khiva_arena import env as env
from khiva_arena import errors as errors
from khiva_arena import games as games
from khiva_arena.api.check import check as check
from khiva_arena.api.checkpoints import Checkpoint as Checkpoint
from khiva_arena.api.competitions import Competition as Competition
from khiva_arena.api.competitions import run as run
from khiva_arena.api.competitions import sprt as sprt
from khiva_arena.api.matches import PlayedMatch as PlayedMatch
from khiva_arena.api.matches import match as match
from khiva_arena.api.matches import matches as matches
from khiva_arena.api.merge import merge as merge
from khiva_arena.api.tables import standings as standings
from khiva_arena.api.verify import verify as verify
from khiva_arena.env.local import local as local
from khiva_arena.games.base import Game as Game
from khiva_arena.games.base import State as State
from khiva_arena.protocol.bot_function import BotMatch as BotMatch
from khiva_arena.protocol.bot_function import BotRequest as BotRequest

__version__: str
