"""Parts of a bundle that a page does not check, for lack of an extension in its
runtime.
"""

from khiva_arena.arbiter import handed_games
from khiva_arena.extensions.checker.plain_values import shown
from khiva_arena.games.registry import HASHED
from khiva_arena.records.replay import league_format
from khiva_arena.records.store import bundle

EXTENSIONS = ("checker",)
"""The extensions that a page carries."""
_CARRIES = (
    "This page carries the core of Khiva Arena and its extension {}, and no other extension. If a "
    "bundle needs another one, the page names it, and says what it does not check."
)
_NOT_CARRIED = (
    "{}. The check needs the extension {}, which this page does not carry. Use the command `{}`."
)
_OF_A_LEAGUE = "the chain of the league: its links, draws, beacon and finals"
_OF_OWN_GAMES = "event {}: its matches and tables, since the game {} does not come with the arena"


def needs_league(line: bundle.LinkLine | bundle.EventLine) -> bool:
    """Tell whether the extension ``league`` has to check a line: a link, or a batch,
    whose links may be left out of a bundle.
    """
    return isinstance(line, bundle.LinkLine) or league_format.is_batch(line.definition)


def needs_own_games(line: bundle.EventLine) -> bool:
    """Tell whether the extension ``own_games`` has to play the matches of an event
    again.
    """
    return HASHED in str(line.definition.get("rules_version"))


def carries() -> str:
    """Return the words on the extensions that a page carries."""
    return _CARRIES.format(", ".join(EXTENSIONS))


def chain_not_checked() -> str:
    """Return the words on the chain of a league, for which a page lacks an
    extension.
    """
    return _NOT_CARRIED.format(_OF_A_LEAGUE, league_format.EXTENSION, "khiva-arena verify FILE")


def game_not_checked(event: int, game: str) -> str:
    """Return the words on an event of a game of somebody's own, for which a page lacks
    an extension. ``event``: its number.
    """
    what = _OF_OWN_GAMES.format(event, shown(game))
    return _NOT_CARRIED.format(what, handed_games.EXTENSION, "khiva-arena verify FILE --game GAME")
