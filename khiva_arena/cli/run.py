"""``khiva-arena run``: a whole competition, from bots to a rating table."""

from pathlib import Path
from typing import Any

import click

from khiva_arena.arbiter.bots import Bot
from khiva_arena.cli.bots import ready_bots
from khiva_arena.cli.competition import compete, entrants_named, if_interrupted, unplayable
from khiva_arena.cli.draw import How, draw_options, print_commitment
from khiva_arena.cli.help import Verb
from khiva_arena.cli.options import json_option, match_options
from khiva_arena.cli.say import say
from khiva_arena.cli.settings import AUTO, Settings, tables_of_flags
from khiva_arena.cli.settings_file import by_line, read_file
from khiva_arena.cli.stages import settle_stages
from khiva_arena.errors import ConfigError


def _line_ups(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | str | None:
    """A whole number, or "auto"."""
    if value is None or value == AUTO:
        return value
    try:
        return int(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no whole number, nor {AUTO}") from None


@click.command("run", cls=Verb, short_help="Play a competition and print its rating table.")
@click.argument("config", required=False, type=click.Path(path_type=Path, dir_okay=False))
@match_options
@click.option("--engines", metavar="FILE", help="Add the engines of a cutechess engines.json, by name and command.")
@click.option(
    "--format",
    metavar="FORMAT",
    help="round-robin, gauntlet, swiss or knockout, each defined for tables of 2 to 5 seats [default: round-robin].",
)
@click.option("--seats", type=int, metavar="N", help="Seats at a table [default: 3].")
@click.option(
    "--seeds",
    type=int,
    metavar="N",
    help="Deals; each is played by every line-up in all rotations [default: 10]; at most a million. Of each round in a swiss or "
    "a knockout.",
)
@click.option("--rounds", type=int, metavar="N", help="Rounds of a swiss [default: enough to find the best].")
@click.option("--advance", type=int, metavar="N", help="How many of a knockout's table go on [default: half of them].")
@click.option(
    "--candidate",
    "candidates",
    multiple=True,
    metavar="NAME",
    help="Who plays a gauntlet against line-ups of the others; repeat for each [default: the first bot].",
)
@click.option(
    "--authors-apart", is_flag=True, default=None, help="Never seat bots of one author (in bot.toml) at a table together."
)
@click.option("--copies", type=int, metavar="N", help="Seat up to N copies of one bot at a table [default: 1].")
@click.option(
    "--lineups",
    callback=_line_ups,
    metavar="N",
    help="At most N line-ups, balanced; all are played unless there are very many. auto: the fewest that compare all bots, which "
    "tell most of so many matches; give as many more seeds.",
)
@click.option("-j", "--jobs", type=int, metavar="N", help="Matches at a time [default: 1].")
@click.option("--out", metavar="DIR", help="The store [default: results/latest]; one that exists is resumed or added to.")
@click.option("--events", metavar="FILE", help="Also write what happens as JSON lines, for `khiva-arena watch` and programs.")
@click.option(
    "--shipped",
    is_flag=True,
    help="Add the bots that come with the arena: those in Python, and the random ones in C and JavaScript where these are here.",
)
@click.option("--any-engine", is_flag=True, help="Go on with an event that another version of khiva-arena began; it is marked.")
@click.option(
    "--new-event",
    is_flag=True,
    help="Begin another event: if all of these settings are over, or beside one that is not and that bots or settings have left "
    "behind. One of these settings that is not over goes on.",
)
@draw_options
@json_option
def command(
    config: Path | None,
    any_engine: bool,
    new_event: bool,
    commit: bool,
    public: str | None,
    shipped: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Play a competition: by default a round-robin, every line-up of the bots, on every seed, in every rotation of the seats.

    CONFIG is a TOML file with the same settings by their long names (bots = [...], seats = 3, turn = "1s", a [rules]
    table), and with [[stage]] tables for events one after another; `khiva-arena init` writes one. Flags win over
    KHIVA_ARENA_RUN_* variables (one for each setting but --bot), and those over the file. The same command again resumes; if
    what it asks for is over, it says so, prints the table and plays nothing.
    """
    how = How(any_engine, new_event, commit, public)
    stages, entrants = _asked(config, flags, shipped)
    played, complete = compete(stages, entrants, how)
    if commit:
        print_commitment(stages[0].out, played[0], as_json)
        return 0
    with if_interrupted(say, lambda: "all matches are fixed" if complete else "some matches are not fixed"):
        from khiva_arena.cli.standings import print_standings  # numpy comes with it: not before the matches have been played

        print_standings(stages[0].out, played, as_json=as_json, anchor=None)
    return 0 if complete else 1


def _asked(config: Path | None, flags: dict[str, Any], shipped: bool) -> tuple[tuple[Settings, ...], list[Bot]]:
    """What is to be played, and by whom. Raises ConfigError with every mistake in settings, bots and stages, by line."""
    given, places = read_file(config) if config else ({}, {})
    said = {key: value for key, value in flags.items() if value not in (None, ())}
    named = said.get("bots", given.get("bots", ()))
    if shipped and isinstance(named, list | tuple):
        said["bots"] = (*named, *ready_bots(said.get("game") or given.get("game", "khiva")))
    for key, found in tables_of_flags(said).items():
        places = {place: line for place, line in places.items() if place not in [f"{key}.{name}" for name in found]}
        if found and isinstance(given.get(key, {}), dict):
            said[key] = {**given.get(key, {}), **found}
    problems: list[str] = []
    stages: tuple[Settings, ...] = ()
    entrants: list[Bot] = []
    try:
        stages = settle_stages(given, said, places)
    except ConfigError as error:
        problems += error.problems
    try:
        entrants = entrants_named({**given, **said})
    except ConfigError as error:
        problems += error.problems
    if stages and entrants:
        problems += unplayable(stages, entrants)
    if problems:
        raise ConfigError(by_line(problems, {key: place for key, place in places.items() if key not in said}))
    return stages, entrants
