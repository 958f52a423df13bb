"""A match in ticks that is an event of its own: ``khiva-arena play`` plays it, and a
page does.

Persons may sit at its table. It is the same event wherever it is played, so that equal
choices give equal records.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from khiva_arena import __version__
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.competition.settings.define import conditions_of, defined, run_secret, runtimes_of
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.entrants.bots import Bot
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import Header, person_called
from khiva_arena.records.store.rows import BotRow, EventRow


class MatchAlone(NamedTuple):
    """A match that is an event of its own.

    event: as it is before the match.
    bots: its bots, in the order of its definition.
    entrants: the same by seat.
    """

    event: EventRow
    bots: list[Bot]
    entrants: list[Bot]

    @property
    def header(self) -> Header:
        """The header of the match."""
        of, secret = self.event.definition, self.event.seed_secret(0)
        return of.header(of.seated(of.table), self.event.match_id(0), secret)


def match_alone(
    settings: Settings, entrants: Sequence[Bot], sandbox: Sandbox, secret: bytes = b""
) -> MatchAlone:
    """Return the match of these bots and persons, given by seat. It is never rated:
    nobody sits in each seat in turn.

    entrants: modules as ``only_modules`` has them, and persons. One that has several
        seats comes several times.
    secret: the run's; b"" for that of the seed that the settings name.
    """
    bots = bots_of_an_event.with_distinct_names(
        list({bot.identity: bot for bot in entrants}.values())
    )
    places = list(dict.fromkeys(bot.identity for bot in entrants))
    table = tuple(places.index(bot.identity) for bot in entrants)
    bots = [
        structs.replace(bot, identity=person_called(bot.name)) if bot.guest else bot for bot in bots
    ]
    conditions = conditions_of(settings, bots, sandbox)
    definition = Definition(
        **{name: getattr(conditions, name) for name in conditions.__struct_fields__},
        format=Format.PLAY,
        seats=len(table),
        seeds=1,
        copies=1,
        lineups=None,
        seed=None if settings.seed is None else seeds.seed_digest(run_secret(settings)),
        anchor=bots[0].name,
        bots=tuple(defined(bot, settings) for bot in bots),
        runtimes=runtimes_of(bots),
        table=table,
    )
    event = event_row(definition, bots, secret or run_secret(settings))
    return MatchAlone(event, bots, [bots[place] for place in table])


def event_row(definition: Definition, bots: Sequence[Bot], secret: bytes) -> EventRow:
    """Return an event as it is before its first match. ``bots``: those of the
    definition. ``secret``: the run's.
    """
    rows = tuple(
        BotRow(
            bot.name,
            bot.identity,
            bot.version,
            bot.complete,
            bot.asked_as,
            bot.folder or str(Path.cwd()),
        )
        for bot in bots
    )
    commitment = seeds.commitment(definition.digest, secret)
    return EventRow(
        seeds.event_id(definition.digest, commitment),
        1,
        definition.text,
        (__version__,),
        "",
        commitment,
        secret,
        rows,
    )
