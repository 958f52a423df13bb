"""Read the competition that a machine plays of a plan, and refuse what differs here."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from khiva_arena import __version__
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.common.say import Say
from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.competition.run.plans import PlannedCompetition
from khiva_arena.competition.settings import consent
from khiva_arena.competition.settings.competition import entrants_named, playable
from khiva_arena.competition.settings.settings import ROWS, settings_from
from khiva_arena.competition.settings.table import AUTO, TABLE, TIMES
from khiva_arena.entrants import loading as loads
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.starts import modules_of
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards.plan_file import PlanRead, read_plan
from khiva_arena.extensions.shards.play import PlannedEvents
from khiva_arena.extensions.shards.shard import WHOLE, PlannedShard, shard_of
from khiva_arena.games.registry import HASHED
from khiva_arena.rating.schedule.formats import FORMATS
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow
from khiva_arena.words import count

OF_A_MACHINE = (
    "bots",
    "engines",
    "runtimes",
    "allow_include",
    "unreleased_interpreters",
    "jobs",
    "out",
    "events_file",
    "report",
    "transcripts",
    "trust_bots",
    *(row.name for row in TABLE if row.elsewhere),
)
"""The settings that each machine has for itself; all others stand in the plan."""
_DIGITS = 8
_WAY_ON = "; `--dask ADDRESS` plays every format on many machines"


def why_not_in_shards(form: str, stages: int = 1) -> str:
    """Return why machines that know nothing of each other cannot play a format; "" if
    they can.
    """
    if stages > 1:
        return f"a stage is played by those who did best in the one before it{_WAY_ON}"
    if form not in FORMATS:
        return ""
    if FORMATS[form].SEQUENTIAL:
        return (
            "a sequential test looks at the results of all seeds so far before it plays the "
            f"next{_WAY_ON}"
        )
    return (
        f"a {form} draws each round from the results of the one before it{_WAY_ON}"
        if FORMATS[form].IN_ROUNDS
        else ""
    )


def modules_folder(plan: Path) -> Path:
    """Return the folder with the modules of a plan in ticks, which goes wherever the
    plan goes.
    """
    return plan.with_name(f"{plan.name}.modules")


def competition_of_plan(
    path: Path, word: str | None, flags: Mapping[str, Any], any_engine: bool, say: Say
) -> PlannedCompetition:
    """Return the settings, the bots and the event of a plan's shard that is to be
    played.

    word: the shard, as 2/5; None for all of the event.
    flags: settings by flags or keywords; bots that are named there are those of the
        plan, wherever they lie here.

    Raises ConfigError with every mistake, as for a bot that differs from the plan's.
    """
    plan = read_plan(path)
    event, word_of_game = plan
    definition = event.definition
    if reason := why_not_in_shards(
        definition.format, definition.stage
    ):  # which no plan of ours has
        raise ConfigError(f"--from-plan {path}: {reason}")
    if __version__ not in event.engines and not any_engine:
        # not above: a run that goes on has no need of it
        from khiva_arena.common.version import shown

        raise ConfigError(
            f"--from-plan {path}: khiva-arena {event.engines[0]} made it, this is {shown()}; play "
            "it with that one, or have the event marked with --any-engine"
        )
    shard = WHOLE if word is None else shard_of(word, bare_timetable(event).seeds)
    bounds = {
        key: value for key, value in dict(flags.get("limits", {})).items() if key in loads.WORDS
    }
    of_a_machine = (*OF_A_MACHINE, "game") if HASHED in definition.rules_version else OF_A_MACHINE
    by_plan = planned_settings(plan)
    others = [
        name
        for name in flags
        if name not in of_a_machine and not (name == "limits" and bounds == dict(flags[name]))
    ]
    if others := [
        name
        for name in others
        if not (name in ROWS and ROWS[name].opens and _equal(flags[name], by_plan.get(name)))
    ]:
        raise ConfigError(
            [f"{ROWS[name].option}: the plan has this setting; leave it out" for name in others]
        )
    values = settings_of(definition, event.secret) | {
        key: flags[key] for key in OF_A_MACHINE if key in flags
    }
    values["limits"] = {**asdict(definition.limits), **bounds}
    if HASHED in definition.rules_version:
        values["game"] = _game_here(path, definition, word_of_game, flags.get("game"))
    for opening in consent.openings_of(by_plan, {}):
        say(f"{path} opens {opening.text}")
    names_bots = bool(flags.get("bots") or flags.get("engines"))
    modules = [] if names_bots else _planned_modules(path, definition)
    if not names_bots:
        values["bots"] = [bot.asked_as for bot in event.bots]
    lacking = {bot.identity for bot in event.bots} - {bot.identity for bot in modules}
    words = [bot.asked_as for bot in event.bots if bot.identity in lacking]
    try:
        bots = [*modules, *entrants_named(values if names_bots else values | {"bots": words}, say)]
    except ConfigError as error:
        if names_bots:
            raise
        first, *others = error.problems
        rest = f" (and {count(len(others), 'other bot')})" if others else ""
        hint = (
            "the name is the plan's; give a --bot for each bot, in any order, with its place here"
        )
        raise ConfigError(f"--from-plan {path}: {first}{rest}: {hint}") from None
    openings = consent.openings_of(by_plan, {key: flags[key] for key in by_plan if key in flags})
    names = {bot.identity: bot.name for bot in event.bots}
    rows = consent.listed(
        openings, [replace(bot, name=names.get(bot.identity, "")) for bot in bots], say
    )
    consent.ask(path, openings, digest_of(plan), say, rows=rows)
    if definition.in_ticks:
        bots = modules_of(bots, best())
    planned = PlannedEvents(PlannedShard(event, shard, path), say)
    stages, entrants = (settings_from(values),), _as_planned(event, bots)
    if definition.batch is None:  # the tables of a batch were checked when they were drawn
        playable(stages, entrants)
    return PlannedCompetition(stages, entrants, planned)


def _planned_modules(path: Path, definition: Definition) -> list[Bot]:
    """Return the bots of a plan in ticks whose modules and payloads lie beside it, as
    they are kept on this machine.
    """
    if not definition.in_ticks:
        return []
    # not above: few events are in ticks
    from khiva_arena.entrants.only_modules import bot_of, keep, read_from

    bots = []
    for bot in definition.bots:
        files = [(file, read_from(modules_folder(path), file)) for file in bot.files]
        if all(data is not None for _, data in files):
            for file, data in files:
                keep(file.kind, data or b"")
            bots.append(bot_of(bot))
    return bots


def planned_settings(plan: PlanRead) -> dict[str, Any]:
    """Return the settings in a plan."""
    return settings_of(plan.event.definition, plan.event.secret) | (
        {"game": plan.game} if plan.game else {}
    )


def _equal(flag: Any, planned: Any) -> bool:
    """Tell whether a flag says the same as the plan; the order of a list does not
    matter.
    """
    return (
        sorted(flag) == sorted(planned)
        if isinstance(planned, list) and isinstance(flag, list | tuple)
        else bool(flag == planned)
    )


def digest_of(plan: PlanRead) -> str:
    """Return the hash under which consent to a plan is remembered: the event has the
    hashes of its game and bots.
    """
    return consent.digest_of(
        f"{plan.event.id}\0{plan.game}\0{[bot.asked_as for bot in plan.event.bots]}"
    )


def _game_here(path: Path, definition: Definition, planned_word: str, flag: str | None) -> str:
    """Return the word that names the game of a plan on this machine. Raises
    ConfigError.

    None of the game's code is run before its hash is known.
    """
    from khiva_arena.arbiter.handed_games import show  # not above: most games come with the arena

    word = planned_word if flag is None else flag
    hint = "" if flag is not None else "; --game says where it is here"
    try:
        code = show(word).code
    except ConfigError as error:
        raise ConfigError(f"--from-plan {path}: {'; '.join(error.problems)}{hint}") from None
    if code != (code_then := definition.rules_version.partition(HASHED)[2]):
        raise ConfigError(
            f"--from-plan {path}: {word} is not the game of the plan: {_brief(code_then)} there, "
            f"{_brief(code)} here; no byte of it may differ{hint}"
        )
    return word


def _brief(code: str) -> str:
    kind, _, digest = code.partition(":")
    return f"{kind}:{digest[:_DIGITS]}" if digest else kind


def settings_of(definition: Definition, secret: bytes) -> dict[str, Any]:
    """Return the settings that give a definition, except those of a machine."""
    values: dict[str, Any] = {
        "game": definition.game,
        "format": str(Format.ROUND_ROBIN if definition.batch else definition.format),
        "policy": str(definition.policy),
        "clock": str(definition.clock),
        "isolation": AUTO if definition.in_ticks else definition.isolation,
        "rules": dict(definition.rules),
        "candidates": [definition.names[bot] for bot in definition.candidates],
        "network": [bot.name for bot in definition.bots if bot.network],
        "env": [f"{bot.name}={variable}" for bot in definition.bots for variable in bot.env],
        "seed": secret.hex() if definition.seed else None,
    }
    same = (
        "seats",
        "seeds",
        "copies",
        "lineups",
        "looks",
        "rounds",
        "advance",
        "authors_apart",
        "ponder",
        "rate_kept",
    )
    times = {key: f"{getattr(definition.time, ms)}ms" for key, ms in TIMES.items()}
    values |= {key: getattr(definition, key) for key in same} | times
    return values | ({"lineups": AUTO} if definition.draw else {})


def _as_planned(event: EventRow, bots: Sequence[Bot]) -> list[Bot]:
    """Return the bots of a plan, in its order and by its names. Raises ConfigError for
    each that is not here, byte by byte.
    """
    by_identity = {bot.identity: bot for bot in bots}
    unmatched = dict(by_identity)
    identities = {bot.identity for bot in event.bots}
    problems = []
    for bot in event.bots:
        if unmatched.pop(bot.identity, None):
            continue
        others = [other for other in unmatched.values() if other.identity not in identities]
        near = next(
            (other for other in others if other.asked_as == bot.asked_as or other.name == bot.name),
            None,
        )
        if near is None:
            problems.append(
                f"bot {bot.name} ({bot.asked_as}) of the plan is not named; give a --bot "
                "for each bot, with its place here"
            )
            continue
        del unmatched[near.identity]
        hashes = f"identity {bot.identity[:_DIGITS]} there, {near.identity[:_DIGITS]} here"
        problems.append(
            f"bot {bot.name}: {near.asked_as} differs from the bot of the plan: {hashes}; "
            "no byte of a bot may "
            "differ: copy it from where the plan was made, or make a plan with this one"
        )
    problems += [f"--bot {bot.asked_as}: the plan has no such bot" for bot in unmatched.values()]
    if problems:
        raise ConfigError(problems)
    return [
        replace(by_identity[bot.identity], name=bot.name, built_from=bot.sources)
        for bot in event.definition.bots
    ]
