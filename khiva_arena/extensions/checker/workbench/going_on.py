"""Going on from a step of a match that a page holds: another choice is put there, and
the modules of the page play on.

The steps before are played again with the modules at the table, as ``khiva-arena match
--from`` does it, and by its words.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from khiva_arena.arbiter.job import Job
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.entrants import guests
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.checker.in_page import BY_THE_WALL, NO_MODULE, pages_of
from khiva_arena.extensions.checker.not_checked import game_not_checked
from khiva_arena.extensions.checker.plain_values import film_of, shown
from khiva_arena.extensions.checker.workbench.seats import ModuleSeat, module_in, played
from khiva_arena.games.registry import HASHED
from khiva_arena.records.replay.decided import (
    THIS_DEAL,
    StoredDecision,
    choice_meant,
    decision_of,
    end_of,
)
from khiva_arena.records.replay.definition import DefinedBot, Definition, ModuleFile
from khiva_arena.records.replay.past import past_of
from khiva_arena.records.replay.record import Past, Record
from khiva_arena.records.replay.ticks import refuse_unspoken


class HeldMatch(NamedTuple):
    """A match that a page holds, with its event.

    name: EVENT/ORDINAL.
    record: its record.
    secret: of its deal, 32 bytes.
    definition: of its event.
    files: the modules and payloads that the page holds.
    is_revealed: whether the deal is over, as in each match of a bundle or of a page's
        own.
    """

    name: str
    record: Record
    secret: bytes
    definition: Definition
    files: frozenset[ModuleFile]
    is_revealed: bool = True

    @property
    def seated(self) -> list[DefinedBot]:
        """The bots by seat. Raises ConfigError if one is none of its event."""
        bots = {bot.identity: bot for bot in self.definition.bots}
        try:
            return [bots[seat.bot] for seat in self.record.header.seats]
        except KeyError:
            raise ConfigError(
                f"match {self.name}: a seat has none of the bots of its event"
            ) from None


def refuse_alone(held: HeldMatch, besides: int | None = None) -> None:
    """Raise ConfigError, with the words of the command or the check, if this page
    cannot play a match on.

    besides: a seat that needs no module, since a person takes it over.
    """
    definition, event = held.definition, int(held.name.partition("/")[0])
    if not definition.in_ticks:
        raise ConfigError(BY_THE_WALL.format(event))
    if HASHED in definition.rules_version:
        raise ConfigError(game_not_checked(event, definition.game))
    refuse_unspoken(definition.meter)
    for seat, bot in enumerate(held.seated):
        if bot.person and seat != besides:
            raise ConfigError(f"--bot person:{bot.name}: {guests.NOT_HERE[guests.PERSON]}")
        if seat != besides and not {*bot.files} <= held.files:
            raise ConfigError(NO_MODULE.format(bot.name))


def past_at(held: HeldMatch, step: int, seat: int, choice: int | None) -> Past:
    """Return the past of a match up to a step; there the seat chooses so, or with None
    a person takes it over.
    """
    return past_of(held.record, [{} for _ in held.record.header.seats], step, seat, choice)


async def played_on(page: Any, held: HeldMatch, job: Job) -> Record:
    """Play the past of a job, and on to the end. Raises HostFault if this browser
    cannot.

    page: what runs modules.
    """
    return (await played(job, lambda seat: module_of(page, held, seat))).record


def module_of(page: Any, held: HeldMatch, seat: int) -> ModuleSeat:
    """Return the module of a seat. Raises HostFault. ``page``: what runs modules."""
    bot, number = held.seated[seat], held.record.header.seats[seat].number
    return module_in(
        page,
        (bot.files[0].digest, bot.payload),
        pages_of(held.definition),
        number.to_bytes(8, "big"),
    )


async def go_on(page: Any, held: HeldMatch, request: Mapping[str, Any]) -> dict[str, Any]:
    """Put another choice into a match and play it on. Return both ends and the match,
    as plain values.

    request: ``step``, ``seat`` and ``choice``, numbers of a page.

    Raises ConfigError as the command does, RecordError for a match that does not
    replay, HostFault.
    """
    step, seat, choice = (number_in(request, key) for key in ("step", "seat", "choice"))
    refuse_alone(held)
    decision = decision_of(held, step, seat)
    choice = choice_meant(decision, str(choice))
    header = held.record.header
    commands: Sequence[Command] = [Command((), "/")] * len(header.seats)
    job = Job(
        choice, 1, header, held.secret, tuple(commands), past=past_at(held, step, seat, choice)
    )
    record = await played_on(page, held, job)
    return both_ends(held, decision, record)


def both_ends(held: HeldMatch, decision: StoredDecision, record: Record) -> dict[str, Any]:
    """Return both ends of a match that went on from a decision, as plain
    values. ``record``: of the new one.
    """
    then = decision.choice
    (choice,) = (one.choice for one in record.steps[decision.step - 1] if one.seat == decision.seat)
    return {
        "name": held.name,
        "step": decision.step,
        "seat": decision.seat,
        "then": {
            "choice": then.choice,
            "words": shown(decision.texts[then.choice]),
            "why": then.why,
            **end_of(held.record, held.secret),
        },
        "now": {
            "choice": choice,
            "words": shown(decision.texts[choice]),
            "why": "",
            **end_of(record, held.secret),
        },
        "note": THIS_DEAL,
        "faults": [
            [one.seat, one.why, at, ""]
            for at, row in enumerate(record.steps, 1)
            for one in row
            if one.why
        ],
        **film_of(record, held.secret),
    }


def number_in(request: Mapping[str, Any], key: str) -> int:
    """Return a number of a request. Raises ConfigError for anything else."""
    value = request.get(key)
    if type(value) is not int or value < 0:
        raise ConfigError(f"--{key} is a number from 0 on")
    return value
