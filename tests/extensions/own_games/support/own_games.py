"""Games of a user for tests: the one that ``khiva-arena new game`` makes, with some of
it replaced.
"""

from collections.abc import Callable
from pathlib import Path

import khiva_arena.extensions.own_games

TEMPLATE = Path(khiva_arena.extensions.own_games.__file__).parent / "template" / "game.py"
Made = Callable[..., Path]


def changed(path: Path, *changes: tuple[str, str]) -> Path:
    """The template at ``path``, with the old text of each pair replaced by the new
    one.
    """
    text = TEMPLATE.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text)
    return path
