"""The row of the extension ``own_games``: games that do not come with the arena, and
the check of a game.
"""

from khiva_arena.common.hooks import ExtensionRow, FilledHook


def _load() -> tuple[FilledHook, ...]:
    from khiva_arena.extensions.own_games.extension import EXTENSION

    return EXTENSION


ROW = ExtensionRow("own_games", _load)
"""The flag ``--game`` is the core's, since it names the arena's games, too. Only games
of OpenSpiel need an extra of pip.
"""
