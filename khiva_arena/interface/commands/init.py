"""The work of ``khiva-arena init``: a commented settings file to begin with."""

import shlex
from pathlib import Path

from khiva_arena.common.text import harmless, is_text
from khiva_arena.competition.events.worst_case import cost_of_limits, random_games
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.competition.settings.template import settings_text
from khiva_arena.display.terminal.console import say
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule import formats
from khiva_arena.rating.schedule.terms import Terms
from khiva_arena.records.replay.conditions import NO_KEY
from khiva_arena.records.store.new_file import new_file

BOTS = ("shipped:python/random", "shipped:python/naive", "shipped:python/greedy")
VALUES = {"bots": BOTS, "bank": "5s", "probation": True}
"""The settings of a new file that are not the defaults, beside the folder for results:
a cup for a class, which no bot spoils.
"""


def init(file: Path) -> None:
    """Write the file."""
    if not is_text(file.name):
        raise ConfigError(f"{file.name!r}: name a file in text that a settings file can hold")
    if file.suffix != ".toml":
        raise ConfigError(
            f"{file}: `init` writes a settings file for `khiva-arena run`, whose name ends with "
            f".toml; for a bot of your own, type khiva-arena new python {shlex.quote(str(file))}"
        )
    with new_file(file) as out:
        out.write(text_of(file.stem).encode())
    say(harmless(f"{file} is written; next: khiva-arena run {shlex.quote(str(file))}"))


def text_of(name: str) -> str:
    """Return the text of a settings file. ``name``: of the file, and of its folder for
    results.
    """
    return settings_text({**VALUES, "out": f"results/{name}"}, {"bank": _cost()})


def _cost() -> str:
    """Return how long a slow bot may take at the limits that the file has."""
    settings = settings_from(VALUES)
    games = random_games(settings.game, settings.seats, settings.rules)
    terms = Terms(settings.format, len(BOTS), settings.seats, settings.seeds, key=NO_KEY)
    matches = sum(shape.matches for shape in formats.shapes(terms))
    return cost_of_limits(games, settings.limits, settings.seats, matches) if games else ""
