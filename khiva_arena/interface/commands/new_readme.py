"""``README.md`` of a new bot: the page of its language, with links that lead from
anywhere.
"""

import os
import re

from khiva_arena.common import shipped
from khiva_arena.common.address import ADDRESS
from khiva_arena.common.shipped import Language
from khiva_arena.games.registry import GAMES, NAMES

_LINK = re.compile(r"\]\((\.\./[^)#]+)(#[^)]*)?\)")
_PAGE = "[{title}](../../protocol/games/{name}.md)"
_EXAMPLES = (
    "The examples on this page are for Khiva. `AGENTS.md` has the commands, the rules and the "
    "questions of {title}."
)


def readme_of(kit: Language, game: str) -> str:
    """Return the page of a language for a bot that plays a game."""
    text = (kit.folder / "README.md").read_text(encoding="utf-8")
    if game != NAMES[0]:
        of_khiva, of_game = (
            _PAGE.format(title=GAMES[name].title, name=name) for name in (NAMES[0], game)
        )
        head, rest = text.replace(of_khiva, of_game).split("\n", 1)
        text = f"{head}\n{_EXAMPLES.format(title=GAMES[game].title)}\n\n{rest}"
    return _LINK.sub(
        lambda found: f"]({_place(f'bots/{kit.name}', found[1])}{found[2] or ''})", text
    )


def _place(home: str, target: str) -> str:
    """Return where a reader finds a page that a page of the folder ``home`` names by a
    path: its address, or its file here.
    """
    top, _, rest = os.path.normpath(os.path.join(home, target)).partition(os.sep)
    if ADDRESS.site and rest.endswith(".md"):
        return f"{ADDRESS.site}/{top}/{rest.removesuffix('.md')}.html"
    return str(shipped.folder(top) / rest)
