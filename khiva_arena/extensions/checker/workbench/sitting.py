"""A match in a page in which a person sits with modules: the one that ``khiva-arena
play`` plays in ticks.

It is a match of its own, or goes on from a step of a match that the page holds.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from khiva_arena.arbiter.job import Job
from khiva_arena.arbiter.person import Person, names_at, page_of_end
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.competition.settings.alone import MatchAlone
from khiva_arena.entrants.guests import PERSON
from khiva_arena.extensions.checker.workbench.going_on import (
    HeldMatch,
    both_ends,
    module_of,
    number_in,
    past_at,
    refuse_alone,
)
from khiva_arena.extensions.checker.workbench.seats import (
    ModuleSeat,
    PersonSeat,
    PlayedHere,
    played,
)
from khiva_arena.games.base import Plain
from khiva_arena.records.replay.decided import decision_of
from khiva_arena.records.replay.record import WITH_PERSONS, Header, Past, Record, person_called

A_DAY_MS = 86_400_000
"""The person's time for each decision; a page shows no clock then."""


class Sitting:
    """A person's match.

    job: the match
    tell: takes each message to the person's page
    """

    def __init__(self, job: Job, tell: Callable[[dict[str, Plain]], None]) -> None:
        self.job, self._tell, (self._seat,) = job, tell, job.header.persons
        names = [seat.name for seat in job.header.seats]
        self._names = names_at(names, self._seat)
        marks: Sequence[Sequence[str]] = [
            [PERSON] if seat == self._seat else [] for seat in range(len(names))
        ]
        self._person = Person(names[self._seat], self._seat, self._names, marks)
        self._player = PersonSeat(self._person, tell)
        self.hear = self._player.hear

    async def play(self, module_at: Callable[[int], ModuleSeat]) -> PlayedHere:
        """Play the match. Raises HostFault, GameFault. ``module_at``: makes the module
        of a seat.
        """
        return await played(self.job, module_at, {self._seat: self._player})

    def show_end(self, record: Record) -> None:
        """Show the person the match, all hands open."""
        end = page_of_end(record, self.job.secret, self._names, sketches=False)
        for message in self._person.over(end):
            self._tell(message)


def job_alone(alone: MatchAlone) -> Job:
    """Return the job of a match of its own."""
    return _job(alone.header, alone.event.seed_secret(0))


async def take_over(
    page: Any,
    held: HeldMatch,
    request: Mapping[str, Any],
    tell: Callable[[dict[str, Any]], None],
    seats: Callable[[Callable[[Mapping[str, Any]], None]], None],
) -> None:
    """Let a person play a match that a page holds on, from a step, and tell both ends.

    page: what runs modules.
    request: ``step`` and ``seat``, numbers of a page.
    tell: takes what happens.
    seats: is handed what takes the messages of the person, once there is a seat.

    Raises ConfigError as the command does, RecordError for a match that does not
    replay, HostFault, LeftError.
    """
    step, seat = (number_in(request, key) for key in ("step", "seat"))
    refuse_alone(held, besides=seat)
    decision = decision_of(held, step, seat)
    sat = Sitting(
        _job_taken_over(held, step, seat),
        lambda message: tell({"kind": "seat", "message": message}),
    )
    tell({"kind": "seated", "line": "", "seed": ""})
    seats(sat.hear)
    here = await sat.play(lambda seat: module_of(page, held, seat))
    sat.show_end(here.record)
    tell(
        {
            "kind": "stood",
            "digest": here.record.digest,
            "ends": both_ends(held, decision, here.record),
        }
    )


def _job_taken_over(held: HeldMatch, step: int, seat: int) -> Job:
    """Return the job of a match whose seat a person takes over at a step. Raises
    ConfigError, in the words of the command.
    """
    past = replace(past_at(held, step, seat, None), guest=seat, guest_turn_ms=A_DAY_MS)
    header = held.record.header
    seats = list(header.seats)
    seats[seat] = seats[seat]._replace(name=PERSON, bot=person_called(PERSON))
    return _job(replace(header, format=WITH_PERSONS, seats=tuple(seats)), held.secret, past)


def _job(header: Header, secret: bytes, past: Past | None = None) -> Job:
    return Job(
        0,
        1,
        header,
        secret,
        tuple(Command((), "/") for _ in header.seats),
        past=past,
        person_turn_ms=A_DAY_MS,
    )
