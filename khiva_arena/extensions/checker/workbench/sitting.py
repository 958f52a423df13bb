"""A match in a page in which a person sits with modules: the one that ``khiva-arena play`` plays in ticks."""

from collections.abc import Callable, Sequence

from khiva_arena.arbiter.job import Job
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.competition.settings.alone import match_alone
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.display.page.person import Person, names_at, page_of_end
from khiva_arena.entrants.bots import Bot
from khiva_arena.extensions.checker.workbench.seats import Module, PersonSeat, PlayedHere, played
from khiva_arena.extensions.checker.workbench.typed import sandbox_of
from khiva_arena.games.base import Plain
from khiva_arena.records.replay.record import Record

A_DAY_MS = 86_400_000
"""The person's time for each decision; a page shows no clock then."""


class Sitting:
    """A person's match.

    entrants: modules and the person, by seat
    tell: takes each message to the person's page
    """

    def __init__(self, settings: Settings, entrants: Sequence[Bot], tell: Callable[[dict[str, Plain]], None]) -> None:
        alone = match_alone(settings, entrants, sandbox_of(settings))
        commands = tuple(Command((), "/") for _ in entrants)
        self.job = Job(0, 1, alone.header, alone.event.seed_secret(0), commands, person_turn_ms=A_DAY_MS)
        self._bots, self._tell, (self._seat,) = alone.entrants, tell, alone.header.persons
        self._names = names_at([bot.name for bot in alone.entrants], self._seat)
        marks = [[bot.guest] if bot.guest else [] for bot in alone.entrants]
        self._person = Person(self._bots[self._seat].name, self._seat, self._names, marks)
        self._player = PersonSeat(self._person, tell)
        self.hear = self._player.hear

    async def play(self, module: Callable[[Bot, int], Module]) -> PlayedHere:
        """Play the match. Raises HostFault, GameFault. ``module``: returns that of a bot with its seat's own number."""
        of = self.job.header.seats
        return await played(self.job, lambda seat: module(self._bots[seat], of[seat].number), {self._seat: self._player})

    def show_end(self, record: Record) -> None:
        """Show the person the match, all hands open."""
        end = page_of_end(record, self.job.secret, self._names, sketches=False)
        for message in self._person.over(end):
            self._tell(message)
