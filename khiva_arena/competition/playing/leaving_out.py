"""The bots that are left out of an event, and whether the others can play it without
them.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from khiva_arena.common.say import Say
from khiva_arena.competition.settings.competition import unplayable
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.names import Format


def those_left(
    stages: Sequence[Settings], entrants: Sequence[Bot], reasons: Mapping[str, str], say: Say
) -> tuple[Bot, ...]:
    """Return the bots without those that are left out, and say a line on each of these.
    Raises ConfigError if too few are left.

    reasons: why bots are left out, in a line that ends with what to do, by identity.
    """
    names = [bot.name for bot in entrants if bot.identity in reasons]
    for bot in entrants:
        if bot.identity in reasons:
            say(f"{bot.name} is left out: {reasons[bot.identity]}", warning=True)
    playing = tuple(bot for bot in entrants if bot.identity not in reasons)
    without = [_without(stage, names) for stage in stages]
    if names and (problems := _unplayable(without, entrants, playing)):
        raise ConfigError(
            [
                f"{problem} ({', '.join(names)}: left out by {stages[0].leaves_out})"
                for problem in problems
            ]
        )
    return playing


def _unplayable(
    stages: Sequence[Settings], entrants: Sequence[Bot], playing: Sequence[Bot]
) -> list[str]:
    """Return why the bots that are left cannot play these stages, [] if they can.

    The candidate of a gauntlet that names none is the first of all bots, so it must not
    be left out.
    """
    if not playing:
        return ["no bot is left to play"]
    first = stages[0]
    if first.format == Format.GAUNTLET and not first.candidates and playing[0] != entrants[0]:
        return [
            f"the candidate, {entrants[0].name}, cannot play; name another one with --candidate"
        ]
    return unplayable(stages, playing)


def _without(stage: Settings, names: Sequence[str]) -> Settings:
    """Return the settings without the permissions of bots that are left out."""
    env = tuple(word for word in stage.env if word.rpartition("=")[0] not in names)
    return replace(
        stage, network=tuple(name for name in stage.network if name not in names), env=env
    )
