"""One match that belongs to no competition: who sits where, with which deals, under which id."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from khiva_arena.arbiter.match import Job
from khiva_arena.competition.define import conditions_of, runtimes_of
from khiva_arena.competition.isolation import keep_apart, sandbox_of
from khiva_arena.competition.opened import mistakes, opened
from khiva_arena.competition.settings import settle
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import ConfigError
from khiva_arena.replay import seeds
from khiva_arena.replay.record import digest_of
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Sandbox


class OneMatch(NamedTuple):
    """A match that is ready to be played.

    job: what the arbiter needs.
    words: how each bot was named, by seat.
    drawn: the secret that was drawn for the deals, 32 bytes; None if a seed was given.
    """

    job: Job
    words: tuple[str, ...]
    drawn: bytes | None


def one_match(given: Mapping[str, Any]) -> OneMatch:
    """A match of settings with as many seats as bots, which sit in the order given. Its bots are staged.

    Raises ConfigError with every mistake, BotError if a bot cannot be built, GameFault if the game breaks its contract.
    """
    seated = {"seats": len(given["bots"])} if given.get("bots") else {}
    settings = settle({**given, **seated}, {"seats": "--bot"}, seats="bots")
    entrants = [bot_files.load(word, loading=settings.loading) for word in settings.bots]
    problems = bot_files.of_another_game(entrants, settings.game.name)
    if problems := [*problems, *mistakes(settings.network, settings.env, [bot.name for bot in entrants])]:
        raise ConfigError(problems)
    settings.game.vet(settings.seats, settings.rules)
    sandbox = sandbox_of(settings, rated=False)
    drawn = secrets.token_bytes(seeds.SECRET_BYTES) if settings.seed is None else None
    seed = seeds.seed_secret(drawn or seeds.run_secret(settings.seed or ""), 0)
    conditions = conditions_of(settings, sandbox)
    who = [(bot.name, bot.identity) for bot in entrants]
    runtimes = msgspec.to_builtins(runtimes_of(entrants))
    played = conditions.plain() | ({"runtimes": runtimes} if runtimes else {})
    played |= {key: value for key in ("network", "env") if (value := sorted(getattr(settings, key)))}
    name = seeds.match_id(digest_of({**played, "bots": who, "deal": seeds.commitment("match", seed)})[: seeds.ID_LENGTH], 0)
    commands = staged(entrants, sandbox, settings.network, settings.env)
    keep_apart(entrants, commands, sandbox)
    job = Job(0, 1, conditions.header(who, name, seed), seed, commands, sandbox)
    return OneMatch(job, tuple(bot.asked_as for bot in entrants), drawn)


def staged(
    entrants: Sequence[Bot], sandbox: Sandbox, network: Sequence[str] = (), env: Sequence[str] = ()
) -> tuple[Command, ...]:
    """How each bot is started, now that it is staged, with what is opened to it. Raises BotError."""
    return tuple(opened(stage(bot, sandbox.level), bot.name, network, env) for bot in entrants)
