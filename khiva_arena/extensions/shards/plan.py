"""Make plans from competitions, and refuse what cannot be planned."""

from collections.abc import Sequence
from pathlib import Path
from secrets import token_bytes
from typing import NamedTuple

from khiva_arena import __version__
from khiva_arena.common.result import Clock
from khiva_arena.common.say import Say
from khiva_arena.competition.settings import consent
from khiva_arena.competition.settings.competition import unplayable
from khiva_arena.competition.settings.define import (
    definition_of,
    refuse_short_turns,
    refuse_to_mix,
    run_secret,
)
from khiva_arena.competition.settings.isolation import sandbox_of
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.bots_of_an_event import with_distinct_names
from khiva_arena.entrants.hints.starts import modules_of
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards.plan_file import event_of, read_plan, write_plan
from khiva_arena.extensions.shards.plan_settings import (
    digest_of,
    modules_folder,
    planned_settings,
    why_not_in_shards,
)
from khiva_arena.extensions.shards.play import bot_rows
from khiva_arena.games.base import Game
from khiva_arena.records.replay import seeds
from khiva_arena.records.store.db import EventRow


def check_plannable(path: Path, stages: Sequence[Settings], entrants: Sequence[Bot]) -> None:
    """Raise ConfigError with every reason why a competition cannot be planned."""
    first = stages[0]
    problems = unplayable(stages, entrants)
    if reason := why_not_in_shards(first.format, len(stages)):
        problems.append(f"--plan: {reason}")
    problems += [
        f"--plan: bot {bot.name} is seated by only one machine, so it plays in no shard"
        for bot in entrants
        if bot.guest
    ]
    if first.leaves_out:
        names = "a plan names the bots that play, and tries none"
        problems.append(
            f"--plan and {first.leaves_out}: {names}; leave it out, and the bots that cannot play"
        )
    problems += [f"--plan {problem}" for problem in places_of_bots(path, entrants)]
    if problems:
        raise ConfigError(problems)


def places_of_bots(path: Path, bots: Sequence[Bot]) -> list[str]:
    """Return the mistake of a plan's file that lies in the folder of a bot, a line each
    bot; a bare module is one file of its folder.
    """
    place, problems = path.resolve(), []
    for bot in bots:
        home = Path(bot.home).resolve()
        if bot.sources and place.is_relative_to(home) and (home / "bot.toml").exists():
            problems.append(
                f"{path}: lies in the folder of bot {bot.name}, which must not read it; "
                "name a file elsewhere"
            )
    return problems


class MadePlan(NamedTuple):
    """A plan that was written.

    event: its event.
    is_new: whether no plan of this definition existed.
    """

    event: EventRow
    is_new: bool


def make_plan(
    path: Path, stages: Sequence[Settings], entrants: Sequence[Bot], say: Say
) -> MadePlan:
    """Write the plan of a competition of one event. Raises ConfigError.

    An existing plan of the same definition stays.
    """
    check_plannable(path, stages, entrants)
    first = stages[0]
    sandbox = sandbox_of(first, say, rated=True)
    if first.clock is Clock.TICKS:
        entrants = with_distinct_names(modules_of(entrants, sandbox.level))
    definition = definition_of(first, entrants, sandbox)
    refuse_to_mix(definition)
    refuse_short_turns(definition)
    secret = token_bytes(seeds.SECRET_BYTES) if first.seed is None else run_secret(first)
    commitment = seeds.commitment(definition.digest, secret)
    return keep_plan(
        path,
        event_of(definition.text, __version__, commitment, secret, bot_rows(entrants)),
        first.game,
        say,
    )


def keep_plan(path: Path, event: EventRow, game: Game, say: Say, *modules: Path) -> MadePlan:
    """Write an event as a plan. ``modules``: folders that may have those of an event in
    ticks. Raises ConfigError.
    """
    if event.definition.in_ticks:
        from khiva_arena.entrants.only_modules import keep_in  # not above: few events are in ticks

        keep_in(modules_folder(path), event.definition, *modules)
    new = write_plan(path, event, _as_typed(game.word) if game.outside else "")
    plan = read_plan(path)
    # Whoever writes a plan has just said all that it opens.
    consent.remember(path, consent.openings_of(planned_settings(plan), {}), digest_of(plan), say)
    return MadePlan(plan.event, new)


def _as_typed(word: str) -> str:
    """Return a game's word as it may be typed elsewhere: a file below this folder is
    named relative to it.
    """
    path, folder = Path(word), Path.cwd()
    return (
        str(path.relative_to(folder))
        if path.is_absolute() and path.is_relative_to(folder)
        else word
    )
