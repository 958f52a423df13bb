"""The work of ``khiva-arena bots``: the bots that come with the arena."""

import json
from typing import Any

import click

from khiva_arena.common import shipped
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.tty import list_width
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.bots import Bot
from khiva_arena.games.registry import NAMES
from khiva_arena.rating.report.text import listing

# The bots of other languages for `run --shipped`: all others choose as one of these
# does, and all together would make thousands of line-ups.
OF_OTHER_LANGUAGES = ("shipped:c/random", "shipped:javascript/random")
# Left out by `run --shipped`, since they think for so long that everybody else would
# wait for them.
SLOW = tuple(
    f"shipped:python/{name}"
    for name in ("search_deep", "search_emira", "search_silk_road", "thinker")
)
# Left out, too: it plays by a model elsewhere, and cannot start without an address.
NEEDS_A_NETWORK = ("shipped:python/llm",)
# And this one, an example for trainers: each of its matches begins with the import of
# numpy, which takes longer than it plays.
LEARNT = ("shipped:python/trained",)


def shipped_bots(game: str | None = None) -> dict[str, Bot]:
    """Return the shipped bots by their --bot words; with ``game`` those that play
    it.
    """
    shipped_here = {word: bot_files.load(word) for word in shipped.bots()}
    return {
        word: bot
        for word, bot in shipped_here.items()
        if not (game and bot.games and game not in bot.games)
    }


def ready_bots(game: str) -> list[str]:
    """Return the --bot words of ``run --shipped``. Bots whose language is not on this
    machine are named on stderr.
    """
    words = []
    for word in shipped_bots(game):
        language = shipped.languages()[_language(word)]
        if word in (*SLOW, *NEEDS_A_NETWORK, *LEARNT) or (
            language.name != "python" and word not in OF_OTHER_LANGUAGES
        ):
            continue
        if language.name == "python" or shipped.is_here(language):
            words.append(word)
        else:
            say(
                f"{word} is left out: {language.title} is not on this machine; "
                f"{shipped.remedy(language)}"
            )
    return words


def bots(game: str | None, as_json: bool) -> None:
    """Print the bots, of one game or all."""
    if game:
        game = _name(game)  # an unknown one is the user's mistake
    searching = {
        f"{name}/{shipped.SEARCH}": tools
        for name, tools in shipped.all_tools(searches=True).items()
    }
    lacking = shipped.all_lacks(shipped.all_tools() | searching)
    rows: list[dict[str, Any]] = []
    for word, bot in shipped_bots(game).items():
        lacks = lacking.get(word.removeprefix(shipped.WORD), lacking[_language(word)])
        rows.append({"bot": word, "name": bot.name, "games": list(bot.games), "lacks": lacks})
    if as_json:
        click.echo(json.dumps({"bots": rows}))
        return
    table = [
        [row["bot"], row["name"], ", ".join(row["games"]) or "any", row["lacks"] or "-"]
        for row in rows
    ]
    click.echo("\n".join(listing([["bot", "name", "games", "lacks"], *table], list_width())))


def _name(game: str) -> str:
    if game in NAMES:
        return game
    # not above: most games come with the arena
    from khiva_arena.arbiter.handed_games import open_game

    return open_game(game).name


def _language(word: str) -> str:
    return word.removeprefix(shipped.WORD).partition("/")[0]
