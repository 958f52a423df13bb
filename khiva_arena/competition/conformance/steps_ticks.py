"""The step about ticks: what the decisions of a module cost, by a match of its copies
in which thinking is paid in ticks.
"""

import msgspec

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.live import play_live
from khiva_arena.arbiter.match import Job
from khiva_arena.arbiter.tick_batches import by_function
from khiva_arena.common.result import PRICE_LIST, TICKS_A_MS
from khiva_arena.competition.conformance.context import RunningCheck, Skipped, Warned
from khiva_arena.entrants.hints import interpreted
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.conditions import MODULE
from khiva_arena.records.replay.record import IN_TICKS, Header, RecordedSeat
from khiva_arena.records.replay.ticks import spending

MATCH = seeds.match_id("check", 0)


async def of_a_match(running: RunningCheck) -> str:
    """Play a match of copies of the bot, and return in words what each of them spent.
    It is the same match in every check.

    Raises Warned if a copy is at fault, and Skipped if the match cannot be played here.
    """
    place = running.place("ticks")
    who = [
        (running.bot.name, running.bot.identity, seeds.seat_number(place.secret, MATCH, seat))
        for seat in range(place.seats)
    ]
    header = Header(
        match=MATCH,
        game=place.game.name,
        rules_version=place.game.rules_version,
        rules=place.game.rules({}),
        seats=tuple(RecordedSeat(*seat) for seat in who),
        commit=seeds.commitment(MATCH, place.secret),
        time=msgspec.to_builtins(running.limits),
        policy="lenient",
        isolation=MODULE,
        format=IN_TICKS,
        clock="ticks",
        meter=PRICE_LIST,
    )
    try:
        bot = (
            running.bot.in_ticks
        )  # of an interpreter's functions nobody learns where a bot's own ticks went
        command = stage(bot, running.sandbox.level, by_function=not bot.is_interpreted)
    except ConfigError as error:  # this machine lacks an interpreter, or the VM
        raise Skipped(str(error)) from None
    except BotError as error:
        raise Skipped(
            f"it cannot be compiled so that it counts its ticks by function: {error}"
        ) from None
    job = Job(0, 1, header, place.secret, (command,) * place.seats, running.sandbox)
    async with ForkServers() as servers:
        outcome = await play_live(job, LagMeter(), servers, alone=True)
    if outcome.record is None:
        raise Skipped(f"a match in ticks cannot be played: {outcome.void}")
    for seat, report in enumerate(outcome.seats):
        for blame in report.faults:
            cause = interpreted.hint_of(bot, blame.detail, report.ending.notes)
            raise Warned(
                f"with --clock ticks, seat {seat} is at fault by {blame.verdict} at step "
                f"{blame.step}: {blame.detail}" + (f"; {cause}" if cause else "")
            )
    spent = [f"seat {seat}: {words}" for seat, words in enumerate(spending(outcome.record))]
    where = (
        []
        if bot.is_interpreted
        else ["seat 0 by function:", *by_function(outcome.seats[0].ending.functions)]
    )
    return "\n".join([*spent, f"a turn has {running.limits.turn_ms * TICKS_A_MS:,}", *where])
