"""An event in ticks whose modules are doubles of a runner: two of three misbehave in
every match.
"""

import sys
from pathlib import Path

import pytest
from levels import ROOT
from msgspec.structs import replace
from once import made_once
from synthesised import in_no_store, planned

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.result import PRICE_LIST, Clock
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.audit import rerun as audit_rerun
from khiva_arena.competition.audit.rerun import Rerunner
from khiva_arena.competition.playing import jobs
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.records.replay.definition import DefinedBot
from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store.db import EventRow, Store

DOUBLE = ROOT / "tests" / "support" / "double_runner.py"
MODULES = ("honest", "timeout:2", "traps:5")
OF_THE_FIRST = [0, 1, 2, 3]
"""The matches of the first module, of six at 2 seats."""
ALL = list(range(6))


@made_once
def six_in_ticks(folder: Path) -> None:
    """Play the six matches of the event into the store "store"."""
    play(folder / "store", 1, 1)


def event(entrants: tuple[DefinedBot, ...] = ()) -> EventRow:
    """An event of three modules, two of which misbehave in every match; or of other
    ones.
    """
    by_the_wall = planned(seeds=1, entrants=entrants)
    definition = replace(
        by_the_wall.definition,
        clock=Clock.TICKS,
        meter=PRICE_LIST,
        isolation="module",
        ponder=False,
    )
    return in_no_store(definition, by_the_wall.bots)


def commands(*modules: str) -> list[Command]:
    """Return the commands of doubles that do what they are named by."""
    return [
        Command((), "/", module=(what, "00" * 32, sys.executable, str(DOUBLE))) for what in modules
    ]


def play(
    folder: Path,
    slots: int,
    workers: int,
    made: EventRow | None = None,
    modules: tuple[str, ...] = MODULES,
) -> str:
    """Play the event into a store, or another one, and return its run digest. The
    double needs packages that a cell does not have. ``modules``: what doubles do.
    """
    made = made or event()
    patch = pytest.MonkeyPatch()
    patch.setattr(jobs, "best", lambda: Level.TRUSTED)
    with Store.write(folder) as store:
        store.add_event(
            made.id, made.text, made.engines[0], made.commitment, made.secret, made.bots
        )
        row = store.event(made.id)
        assert row
        part = Play(store, row, commands(*modules))
        patch.undo()

        def take(outcome: Outcome) -> None:
            part.record(outcome, last=not outcome.again)

        for draw in part.rounds():
            pool.play(part.jobs(draw), slots, take, workers)
        assert part.complete
        return run_digest(match.digest for match in store.matches(made.id))


def rerunner_of(patch: pytest.MonkeyPatch, *modules: str, say: Say = say_nothing) -> Rerunner:
    """Return what runs doubles again in the seats of the event's bots."""
    patch.setattr(audit_rerun, "best", lambda: Level.TRUSTED)
    rerunner = Rerunner((), (), 1, say)
    of = {
        bot.identity: command
        for bot, command in zip(event().definition.bots, commands(*modules), strict=True)
    }
    patch.setattr(rerunner, "_commands_of", lambda *_: of)
    return rerunner
