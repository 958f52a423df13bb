"""A match that belongs to no competition: its seats, deals and id."""

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from khiva_arena.arbiter.match import Job
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import Clock
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.settings.define import conditions_of, nobody_to_allow, runtimes_of
from khiva_arena.competition.settings.isolation import keep_apart, sandbox_of
from khiva_arena.competition.settings.permissions import asking, mistakes, with_permissions
from khiva_arena.competition.settings.settings import Settings, settings_from
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.starts import hinting, modules_of
from khiva_arena.entrants.loading import valid_part_of
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.conditions import Conditions
from khiva_arena.records.replay.record import Record, digest_of

if TYPE_CHECKING:  # few matches have persons
    from khiva_arena.competition.settings.alone import MatchAlone


class OneMatch(NamedTuple):
    """A match that is ready to be played.

    job: the job for the arbiter.
    entrants: the bots by seat.
    random_secret: the secret that was drawn for the deals, 32 bytes; None if a seed was
        given.
    marks: by seat, marks that other seats may lack: person, or those of a definition.
    then: the record that the match goes on from; None for a match of its own.
    alone: the event that it is, of a match in ticks with persons; None for any other.
    """

    job: Job
    entrants: tuple[Bot, ...]
    random_secret: bytes | None
    marks: tuple[tuple[str, ...], ...]
    then: Record | None = None
    alone: "MatchAlone | None" = None

    @property
    def words(self) -> tuple[str, ...]:
        """The word by which each bot was named, by seat."""
        return tuple(bot.asked_as for bot in self.entrants)


class MatchEntry(NamedTuple):
    """The settings and the bots of a match that belongs to no competition.

    settings: they have as many seats as bots.
    entrants: the bots in the order given.
    """

    settings: Settings
    entrants: list[Bot]


def settings_and_bots(values: Mapping[str, Any], say: Say = say_nothing) -> MatchEntry:
    """Return settings with as many seats as bots, and the bots in the order given.
    Raises ConfigError with every mistake.

    say: tells what the user is asked about a bot; with ``say_nothing`` nobody is asked
    """
    seated = {"seats": len(values["bots"])} if values.get("bots") else {}
    settings = settings_from({**values, **seated}, {"seats": "--bot"}, seats="bots")
    loading = asking(valid_part_of(values), say)
    entrants = [bot_files.load(word, loading=loading) for word in settings.bots]
    problems = bots_of_an_event.of_another_game(entrants, settings.game.name)
    problems += mistakes(settings.network, settings.env, [bot.name for bot in entrants])
    if settings.clock is Clock.TICKS:
        modules = [
            bot for bot in entrants if bot.guest != "person"
        ]  # who has no hub refuses persons by itself
        problems += [
            *bots_of_an_event.not_modules(modules),
            *bots_of_an_event.beyond_memory(entrants, settings.resources.memory),
        ]
    if problems := [*problems, *nobody_to_allow(settings, entrants)]:
        raise ConfigError(problems)
    return MatchEntry(settings, bots_of_an_event.mark_kept(entrants, settings.kept))


def one_match(
    settings: Settings, entrants: Sequence[Bot], say: Say, *, by_function: bool = False
) -> OneMatch:
    """Return a match of these bots, ready to be played. Bots are staged, so for players
    elsewhere there must be a hub already.

    by_function: let modules count their ticks by function

    Raises ConfigError, BotError if a bot cannot be built, and GameFault if the game
    breaks its contract.
    """
    settings.game.vet(settings.seats, settings.rules)
    sandbox = sandbox_of(settings, say, rated=False)
    if settings.clock is Clock.TICKS:
        entrants = modules_of(entrants, sandbox.level)
    random_secret = secrets.token_bytes(seeds.SECRET_BYTES) if settings.seed is None else None
    if settings.clock is Clock.TICKS and any(bot.guest for bot in entrants):
        return _with_persons(settings, entrants, sandbox, random_secret)
    seed = seeds.seed_secret(random_secret or seeds.run_secret(settings.seed or ""), 0)
    conditions = conditions_of(settings, entrants, sandbox)
    name = match_id(terms_of(settings, conditions, entrants), entrants, seed)
    commands = stage_all(
        entrants, sandbox, settings.network, settings.env, settings.link_ms, by_function=by_function
    )
    keep_apart(entrants, commands, sandbox)
    bots = [(bot.name, bot.identity) for bot in entrants]
    job = Job(0, 1, conditions.header(bots, name, seed), seed, commands, sandbox)
    return OneMatch(
        job, tuple(entrants), random_secret, tuple(_marks(bot, settings) for bot in entrants)
    )


def _with_persons(
    settings: Settings, entrants: Sequence[Bot], sandbox: Sandbox, random_secret: bytes | None
) -> OneMatch:
    """Return a match in ticks with persons, which is an event of its own: so it can be
    stored and checked.
    """
    # not above: few matches have persons
    from khiva_arena.competition.settings.alone import match_alone

    alone = match_alone(settings, entrants, sandbox, random_secret or b"")
    commands = stage_all(alone.entrants, sandbox)
    keep_apart(alone.entrants, commands, sandbox)
    job = Job(0, 1, alone.header, alone.event.seed_secret(0), commands, sandbox)
    marks = tuple(_marks(bot, settings) for bot in alone.entrants)
    return OneMatch(job, tuple(alone.entrants), random_secret, marks, alone=alone)


def terms_of(settings: Settings, conditions: Conditions, entrants: Sequence[Bot]) -> dict[str, Any]:
    """Return the conditions of a match of these bots, with the runtimes and permissions
    that they have, as plain data.
    """
    runtimes = msgspec.to_builtins(runtimes_of(entrants))
    terms = conditions.plain() | ({"runtimes": runtimes} if runtimes else {})
    return terms | {
        key: value for key in ("network", "env") if (value := sorted(getattr(settings, key)))
    }


def match_id(terms: Mapping[str, Any], entrants: Sequence[Bot], seed: bytes) -> str:
    """Return the id of a match that belongs to no event. ``seed``: the secret of its
    deal.
    """
    bots = [(bot.name, bot.identity) for bot in entrants]
    of_all = digest_of({**terms, "bots": bots, "deal": seeds.commitment("match", seed)})
    return seeds.match_id(of_all[: seeds.ID_LENGTH], 0)


def _marks(bot: Bot, settings: Settings) -> tuple[str, ...]:
    flags = {"network": bot.name in settings.network, bot.guest: bot.guest, "kept": bot.kept}
    return tuple(mark for mark in flags if flags[mark])


def stage_all(
    entrants: Sequence[Bot],
    sandbox: Sandbox,
    network: Sequence[str] = (),
    env: Sequence[str] = (),
    link_ms: int = 0,
    *,
    by_function: bool = False,
) -> tuple[Command, ...]:
    """Stage each bot and return the command that starts it, with the permissions given
    to it. Raises BotError.
    """
    commands = []
    for bot in entrants:
        with hinting(bot, sandbox.level):
            command = stage(bot, sandbox.level, by_function=by_function)
        commands.append(with_permissions(command, bot.name, network, env, link_ms))
    return tuple(commands)
