"""The plans of ``khiva-arena run``: which flags go together, and the lines that are
printed of a new plan.
"""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.competition.run.options import PlanFlags, RunOptions
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards.plan import MadePlan, make_plan
from khiva_arena.extensions.shards.plan_settings import why_not_in_shards
from khiva_arena.games.registry import HASHED, handing
from khiva_arena.games.which import is_played
from khiva_arena.rating.report.same_names import in_a_line
from khiva_arena.records.replay.conditions import MODULE
from khiva_arena.words import count

_SHARDS = 5  # of the example


def check_together(
    flags: PlanFlags, config: Path | None, options: RunOptions, *, shipped: bool
) -> None:
    """Raise ConfigError if flags do not go together."""
    problems = []
    if flags.plan is not None:
        problems += (
            ["--plan and --from-plan: a plan is written once, then played"]
            if flags.from_plan is not None
            else []
        )
        problems += (
            ["--plan and --shard: the plan is of the whole event; --from-plan plays a shard of it"]
            if flags.shard
            else []
        )
        problems += (
            ["--plan and --commit: a plan prints the commitment, too; leave --commit out"]
            if options.commit
            else []
        )
        problems += (
            ["--plan and --web: a plan plays nothing; give --web to a run --from-plan"]
            if options.web
            else []
        )
        problems += (
            ["--plan and --new-event: each plan is of an event of its own; leave it out"]
            if options.new_event
            else []
        )
        problems += (
            ["--plan and --any-engine: a new plan is of this version; leave it out"]
            if options.any_engine
            else []
        )
        if options.public is not None:
            problems.append(
                "--plan and --public: publish the commitment first, then give --public to "
                "each run --from-plan"
            )
    if flags.from_plan is not None:
        problems += (
            [f"{config}: the plan has the settings; leave the file out"]
            if config is not None
            else []
        )
        problems += ["--shipped: the plan names its bots; leave it out"] if shipped else []
        problems += (
            ["--commit: the commitment was printed when the plan was made; leave it out"]
            if options.commit
            else []
        )
        problems += (
            ["--new-event: a plan is of one event; make a new plan for another one"]
            if options.new_event
            else []
        )
    if problems:
        raise ConfigError(problems)


def refuse_shard(stages: Sequence[Settings]) -> NoReturn:
    """Raise ConfigError for a shard without a plan. Some formats have no shards; then
    the error says why.
    """
    use = "machines share one secret: write a plan with --plan FILE, then give --from-plan FILE"
    raise ConfigError(f"--shard: {why_not_in_shards(stages[0].format, len(stages)) or use}")


def print_plan(
    path: Path, stages: Sequence[Settings], entrants: Sequence[Bot], as_json: bool
) -> None:
    """Write a plan, and print the values to publish before the first match."""
    tell_plan(path, make_plan(path, stages, entrants, say), "OUT", as_json)


def tell_plan(
    path: Path, made: MadePlan, out: str, as_json: bool, *, is_published: bool = False
) -> None:
    """Print what to publish of a plan before its first match, and how it is played.

    out: where its shards are joined.
    is_published: whether that is public already.
    """
    event, is_new = made
    timetable = bare_timetable(event)
    if not is_new:
        say(f"{path} has this plan already; it stays")
    if HASHED in event.definition.rules_version:
        say(is_played(event.definition))
    for line in in_a_line(event.bots):
        say(f"warning: {line}")
    for bot in event.bots:
        if not bot.complete:
            say(
                f"warning: bot {bot.name} is a bare command: machines compare its program "
                "and the files that it names, no others"
            )
    digest = event.definition.digest
    if as_json:
        values = {"event": event.id, "definition": digest, "commitment": event.commitment}
        click.echo(json.dumps({**values, "seeds": timetable.seeds, "planned": timetable.matches}))
    else:
        click.echo(
            f"event {event.id}: {count(timetable.seeds, 'seed')}, "
            f"{count(timetable.matches, 'match', 'matches')}"
        )
        click.echo(f"definition {digest}")
        click.echo(f"commitment {event.commitment}")
    file = shlex.quote(str(path))
    if event.definition.isolation == MODULE:
        say(
            "every machine runs the modules itself, in wasmtime: pip install "
            "'khiva-arena[modules]' there"
        )
    else:
        say(
            f"every machine must offer isolation {event.definition.isolation}, as this "
            "plan says; --isolation gives another one"
        )
    say(f"keep {path} secret: it reveals every deal; copy it only to machines that you trust")
    shards = min(timetable.seeds, _SHARDS)
    publish = "" if is_published else "publish the commitment; then "
    say(
        f"next: {publish}play a shard on each machine, here one of {shards}, and join their stores:"
    )
    text = f" --public {shlex.quote(event.public)}" if event.public is not None else ""
    say(f"  khiva-arena run --from-plan {file} --shard 1/{shards}{text} --out shard-1")
    game_flags = handing([(event.definition.game, event.definition.rules_version)], here=True)
    say(
        f"  khiva-arena merge {' '.join(f'shard-{number}' for number in range(1, shards + 1))} "
        f"--out {out}{game_flags}"
    )
