"""The program of the host process: one call, whose value or error it writes as JSON."""

import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from khiva_arena.common import shipped
from khiva_arena.competition.run.events_file import EventsFile
from khiva_arena.competition.run.guest_seats import seating_of
from khiva_arena.competition.run.options import RunOptions
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.display.terminal import interrupts
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ArenaError, ConfigError
from khiva_arena.interface.api.host import HostCall, HostReply, is_remote
from khiva_arena.interface.api.keywords import in_keywords, with_tuples
from khiva_arena.records.store.rows import NotPlayed


def main() -> None:
    """Read a request, carry it out, write the reply."""
    interrupts.listen()
    out = os.dup(1)
    os.dup2(2, 1)  # whatever prints is a message
    request = msgspec.json.decode(sys.stdin.buffer.readline(), type=HostCall)
    threading.Thread(target=_end_with_caller, daemon=True).start()
    reply = _reply(request)
    interrupts.listen_no_more()
    with os.fdopen(out, "wb") as file:
        file.write(msgspec.json.encode(reply))
    # or Python would look through all modules for garbage while it ends, and the caller
    # waits
    gc.freeze()


def _end_with_caller() -> None:
    """Interrupt this process when its input ends, which happens when the caller ends in
    any way: then nobody wants the rest.
    """
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)  # which nobody can have made us ignore


def _reply(request: HostCall) -> HostReply:
    try:
        return HostReply(CALLS[request.call](**request.arguments))
    except KeyboardInterrupt:
        return HostReply(interrupted=True)
    except ArenaError as error:
        kinds = [
            kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "khiva_arena.errors"
        ]
        return HostReply(error=kinds[0], problems=in_keywords(error.problems or (str(error),)))
    except Exception:
        say(traceback.format_exc(), end="")
        last = traceback.format_exc().strip().splitlines()[-1]
        return HostReply(
            error="InternalError", problems=[f"this is a bug, please report it: {last}"]
        )


# --- calls ---


def compete(
    config: str | None,
    keywords: dict[str, Any],
    options: dict[str, Any],
    callables: list[str],
    listener: int,
    part: tuple[str, str | None] | None = None,
) -> dict[str, Any]:
    """Play a competition, or a part of a plan.

    config: a settings file.
    keywords: settings by keyword.
    options: the fields of ``RunOptions``.
    callables: the words of bots that are functions of the caller.
    listener: the descriptor that gets the stream of events.
    part: a plan's file and the shard of it that is played, None for all.
    """
    if part is not None:
        from khiva_arena.competition.run.plans import PLANS

        plan, shard = part
        stages, entrants, planned = PLANS.get("from_plan").competition_of_plan(
            Path(plan), shard, with_tuples(keywords), options["any_engine"], say
        )
        return _play(stages, entrants, RunOptions(**options, planned=planned), listener)
    from khiva_arena.competition.settings.competition import competition_from, not_taken
    from khiva_arena.competition.settings.file import read_file

    file, values = read_file(Path(config) if config else None), with_tuples(keywords)
    stages, entrants = competition_from(file, values, say)
    _check_trust([bot.asked_as for bot in entrants], callables, stages[0].trust_bots)
    return _play(stages, entrants, RunOptions(**options), listener, not_taken(file, values))


def test(
    keywords: dict[str, Any], options: dict[str, Any], callables: list[str], listener: int
) -> dict[str, Any]:
    """Play a sequential test."""
    from khiva_arena.competition.playing.sequential import test_of

    (settings,), entrants = test_of(with_tuples(keywords), say)
    _check_trust([bot.asked_as for bot in entrants], callables, settings.trust_bots)
    return _play([settings], entrants, RunOptions(**options), listener)


def _play(
    stages: Sequence[Settings],
    entrants: Sequence[Bot],
    options: RunOptions,
    listener: int,
    others: Sequence[NotPlayed] = (),
) -> dict[str, Any]:
    from khiva_arena.competition.run.run import Run

    stream = EventsFile(listener, fifo=False, name="what the caller sees")
    seating = seating_of(stages[0], entrants, say)
    return Run(stages, entrants, options, say, stream, seating, not_taken=others).play()._asdict()


def match(keywords: dict[str, Any], callables: list[str]) -> dict[str, Any]:
    """Play one match."""
    from khiva_arena.arbiter.pool import play_one
    from khiva_arena.competition.settings.isolation import warn_of_cold_files
    from khiva_arena.competition.settings.one_match import one_match, settings_and_bots
    from khiva_arena.entrants.hints.starts import start_match

    _check_trust(keywords["bots"], callables, keywords.get("trust_bots") is True)
    settings, entrants = settings_and_bots(with_tuples(keywords))
    with seating_of(settings, entrants, say)():
        setup = one_match(settings, entrants, say)
        job = setup.job
        start_match(job, setup.entrants)
        warn_of_cold_files(say)
        outcome = play_one(job)
    if outcome.record is None:
        raise ArenaError(f"the match failed twice on this machine: {outcome.void}")
    return {
        "record": outcome.record.to_json(),
        "secret": job.secret.hex(),
        "faults": [
            [[blame.verdict, blame.step, blame.detail] for blame in seat.faults]
            for seat in outcome.seats
        ],
        "notes": [seat.ending.notes for seat in outcome.seats],
    }


def check(bot: str, games: list[str], quick: bool, keywords: dict[str, Any]) -> Any:
    """Check a bot."""
    from khiva_arena.competition.conformance.whole_check import check as steps_made
    from khiva_arena.interface.api.new_check import new_check

    return msgspec.to_builtins(
        steps_made(new_check(bot, games, quick, with_tuples(keywords), say), bot, lambda step: None)
    )


CALLS: Mapping[str, Callable[..., Any]] = {
    "compete": compete,
    "test": test,
    "match": match,
    "check": check,
}


def _check_trust(words: Sequence[str], callables: Sequence[str], trusted: bool) -> None:
    """Raise ConfigError if a function at the table would give the other bots the
    caller's rights without consent.
    """
    strangers = [
        word
        for word in words
        if word not in callables and not word.startswith(shipped.WORD) and not is_remote((word,))
    ]
    if callables and strangers and not trusted:
        raise ConfigError(
            "bots: a function plays at isolation trusted, and so do all bots at its tables; give "
            f"trust_bots=True if you trust {', '.join(strangers)}"
        )
