"""Extensions: parts of the arena that most runs never load. This file lists them; no
other file names or imports them.

Deleting one is its folder, its import and its place in ``ROWS`` below, its tests and
its page.
"""

from khiva_arena.common.hooks import ExtensionRow
from khiva_arena.extensions.checker.row import ROW as CHECKER
from khiva_arena.extensions.cluster.row import ROW as CLUSTER
from khiva_arena.extensions.grading.row import ROW as GRADING
from khiva_arena.extensions.league.row import ROW as LEAGUE
from khiva_arena.extensions.own_games.row import ROW as OWN_GAMES
from khiva_arena.extensions.seats.row import ROW as SEATS
from khiva_arena.extensions.serve.row import ROW as SERVE
from khiva_arena.extensions.shards.row import ROW as SHARDS
from khiva_arena.extensions.spending.row import ROW as SPENDING

ROWS: tuple[ExtensionRow, ...] = (
    SEATS,
    LEAGUE,
    CLUSTER,
    SERVE,
    SHARDS,
    OWN_GAMES,
    CHECKER,
    GRADING,
    SPENDING,
)
"""The extensions, in the order in which their commands, flags and settings are
listed.
"""
