"""Definitions of events from the settings of a competition; they are stored and hashed.

A page makes them too, so no import here needs processes or walls.
"""

from collections.abc import Sequence
from hashlib import sha256

from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import PRICE_LIST, Clock, Policy
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants import runtimes
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.conditions import MODULE, Conditions
from khiva_arena.records.replay.definition import (
    DefinedBot,
    DefinedRuntime,
    Definition,
    author_groups,
)

SHORTEST_MS = 50
"""Milliseconds below which bots that answer at once are late now and then. Of 18,000
decisions of such bots, on two busy cores, one in a thousand took 5 ms at a table of
two, and 36 ms at a table of four.
"""


def conditions_of(settings: Settings, bots: Sequence[Bot], sandbox: Sandbox) -> Conditions:
    """Return the conditions of matches of these settings and bots."""
    in_ticks = settings.clock is Clock.TICKS
    return Conditions(
        game=settings.game.name,
        rules_version=settings.game.rules_version,
        rules=dict(settings.rules),
        time=settings.limits,
        policy=settings.policy,
        isolation=MODULE if in_ticks else str(sandbox.level),
        limits=sandbox.resources,
        ponder=sandbox.ponder,
        link_ms=settings.link_ms if any(bot.is_remote for bot in bots) else 0,
        clock=settings.clock,
        meter=PRICE_LIST if in_ticks else 0,
    )


def nobody_to_allow(settings: Settings, bots: Sequence[Bot]) -> list[str]:
    """Return the mistake if an allowance for links is given and no bot is remote; else
    [].
    """
    if settings.link_ms and not any(bot.is_remote for bot in bots):
        return ["--link-allowance has no effect without a bot remote:NAME; leave it out"]
    return []


def definition_of(
    settings: Settings, bots: Sequence[Bot], sandbox: Sandbox, after: str | None = None
) -> Definition:
    """Return the definition of an event of these settings. Raises ConfigError if a
    candidate is not among the bots.

    after: the id of the event that the stage before was.
    """
    names = [bot.name for bot in bots]
    if missing := [name for name in settings.candidates if name not in names]:
        raise ConfigError(
            f"--candidate: {', '.join(missing)} did not come to this stage; there are "
            f"{', '.join(names)}"
        )
    conditions = conditions_of(settings, bots, sandbox)
    line_ups, all_meet = _line_ups(settings, bots)
    return Definition(
        **{name: getattr(conditions, name) for name in conditions.__struct_fields__},
        format=settings.format,
        seats=settings.seats,
        seeds=settings.seeds,
        copies=settings.copies,
        lineups=line_ups,
        draw="all-meet" if all_meet else "",
        seed=None if settings.seed is None else seeds.seed_digest(run_secret(settings)),
        anchor=next((name for name in names if name == "random"), names[0]),
        bots=tuple(defined(bot, settings) for bot in bots),
        rounds=settings.rounds or None,
        advance=settings.advance or None,
        candidates=tuple(names.index(name) for name in settings.candidates),
        authors_apart=settings.authors_apart,
        stage=settings.stage,
        hypotheses=settings.hypotheses,
        comparison=settings.comparison,
        runtimes=runtimes_of(bots),
        after=after,
        rate_kept=settings.rate_kept,
        looks=_looks(settings),
    )


def _looks(settings: Settings) -> int | None:
    """Return the number of planned looks, None if none were planned. Raises ConfigError
    for an event that cannot be extended.
    """
    if not settings.looks:
        return None
    # not above: a match alone knows no schedule
    from khiva_arena.rating.schedule.formats import FORMATS

    form = FORMATS[settings.format]
    if settings.stage or form.IN_ROUNDS or form.SEQUENTIAL:
        raise ConfigError(
            "--looks: only a round-robin or a gauntlet without stages can be extended "
            "after a look; leave it out"
        )
    return settings.looks


def defined(bot: Bot, settings: Settings) -> DefinedBot:
    """Return a bot as it stands in a definition."""
    return DefinedBot(
        bot.name,
        bot.identity,
        bot.author if settings.authors_apart else "",
        network=bot.name in settings.network,
        env=variables_of(bot.name, settings.env),
        remote=bot.is_remote,
        kept=bot.kept,
        sources=bot.built_from,
        module=bot.parts[0] if bot.parts else "",
        payload=bot.parts[1] if bot.parts else "",
    )


def variables_of(name: str, env: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the variables that a bot is handed, in the order of the
    alphabet.
    """
    pairs = [word.rpartition("=") for word in env]
    return tuple(sorted({variable for bot, _, variable in pairs if bot == name}))


def refuse_to_mix(definition: Definition) -> None:
    """Raise ConfigError if bots that may remember would be rated with others, and
    nobody has said that they may.
    """
    names = [bot.name for bot in definition.bots if bot.kept]
    if definition.rated_apart and len(names) < len(definition.bots):
        raise ConfigError(
            f"{', '.join(names)}: a bot whose process serves many matches may remember, and is not "
            "rated with others that start again for each; play without --keep, or say --rate-kept"
        )


def runtimes_of(bots: Sequence[Bot]) -> dict[str, DefinedRuntime]:
    """Return the runtimes that bots name, as they stand in a definition, and the
    interpreters. Raises ConfigError.
    """
    named = {runtime.name: runtimes.as_defined(runtime) for bot in bots for runtime in bot.runtimes}
    if any(bot.is_interpreted for bot in bots):
        from khiva_arena.entrants.staging import interpreter_of  # not above: few bots have one

        for bot in (bot for bot in bots if bot.is_interpreted):
            name = f"{bot.module} {bot.interpreted.memory} MiB" if bot.interpreted else ""
            named[name] = DefinedRuntime(sha256(interpreter_of(bot)).hexdigest(), ())
    return named


def changed_runtimes(definition: Definition, bots: Sequence[Bot]) -> list[str]:
    """Return the names of the bots' runtimes that have changed since an event was
    played.
    """
    then, now = definition.runtimes, runtimes_of(bots)
    return sorted(name for name in now if name in then and then[name] != now[name])


def run_secret(settings: Settings, extends: str | None = None) -> bytes:
    """Return the run's secret of settings with a seed, 32 bytes.

    Each stage of a competition has its own secret. An event that extends another has
    its own too: the other's is known by then.
    """
    assert settings.seed is not None
    if extends is not None:
        return seeds.extension_secret(settings.seed, extends)
    secret = seeds.run_secret(settings.seed)
    return seeds.stage_secret(secret, settings.stage) if settings.stage else secret


def _line_ups(settings: Settings, bots: Sequence[Bot]) -> tuple[int | None, bool]:
    """Return the most line-ups that are played, None for all, and whether all bots meet
    in them. In a definition, "auto" is a number.
    """
    if not isinstance(settings.lineups, str):
        return settings.lineups, False
    from khiva_arena.rating.schedule import coverings  # not above: a match alone knows no schedule

    groups = author_groups([bot.author for bot in bots]) if settings.authors_apart else ()
    line_ups, all_meet = coverings.auto(len(bots), settings.seats, settings.copies, groups)
    return max(1, line_ups), all_meet


def short_turn_warning(definition: Definition) -> str:
    """Return a warning for an event whose turns are short, in a line; "" if they are
    not.
    """
    return _short_turn(definition.time.turn_ms, definition.clock)


def short_turn_refusal(settings: Settings) -> list[str]:
    """Return the mistake in settings whose turns are too short for their policy; [] if
    there is none.
    """
    if settings.policy != Policy.STRICT or not (
        warning := _short_turn(settings.limits.turn_ms, settings.clock)
    ):
        return []
    return [warning]


def _short_turn(turn: int, clock: Clock) -> str:
    if turn >= SHORTEST_MS or clock is Clock.TICKS:
        return ""
    return (
        f"--turn {turn}ms: the machine itself takes some tens of milliseconds now and "
        "then, so a bot that answers at once may be "
        f"late; from {SHORTEST_MS}ms on that is rare, and a --bank makes up for it"
    )


def refuse_short_turns(definition: Definition) -> None:
    """Raise ConfigError for a new event with turns below ``SHORTEST_MS`` whose first
    late answer forfeits.

    An event that extends another is played as that one was.
    """
    if (
        short_turn_warning(definition)
        and definition.policy == Policy.STRICT
        and definition.extends is None
    ):
        raise ConfigError(
            f"--turn {definition.time.turn_ms}ms with --policy strict: a bot that answers at once "
            f"would forfeit whenever the machine is busy for a moment; take --turn {SHORTEST_MS}ms "
            "or more, or --policy lenient"
        )
