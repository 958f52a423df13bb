"""The hooks that the extension ``checker`` fills: none, since the arena asks nothing of
the page that checks bundles.
"""

from khiva_arena.common.hooks import FilledHook

EXTENSION: tuple[FilledHook, ...] = ()
