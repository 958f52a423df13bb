"""The seats of a match that took more of the processor than their share while another
seat, or the arbiter, had no core. ``gather`` says when each is out, and when it only
pauses.
"""

from collections.abc import Mapping, Sequence, Set

from khiva_arena.arbiter.fairness import CpuSample, over_cpu_share
from khiva_arena.arbiter.seat import Seat
from khiva_arena.arbiter.wire import Wire
from khiva_arena.common.result import Verdict


class HeldBack:
    """The seats that are held back in a step.

    asked_seats: those that were asked in it
    blames: of those that are out, whatever they answered
    paused_seats: those that pause until their next turn
    ever_paused: whether any has paused in this match
    """

    def __init__(self, wire: Wire, seats: Sequence[Seat]) -> None:
        self._wire, self._seats = wire, seats
        self.asked_seats: Set[int] = frozenset()
        self.blames: dict[int, tuple[Verdict, str]] = {}
        self.paused_seats: set[int] = set()
        self.ever_paused = False

    def __bool__(self) -> bool:
        return bool(self.blames or self.paused_seats)

    def begin(self, asked_seats: Set[int]) -> None:
        """Begin a step in which nobody is held back yet."""
        self.asked_seats = asked_seats
        self.blames = {}
        self.paused_seats.clear()

    def hold_back_for(
        self, late_seat: int, delay: float, before: CpuSample, after: CpuSample
    ) -> None:
        """Hold back seats that took more than their share while this one had no core
        for ``delay`` seconds.
        """
        when = f"while seat {late_seat} had no core for {delay:.1f} s of its time"
        self.hold_back(over_cpu_share(before, after, self.playing()), when, self.asked_seats)

    def playing(self) -> dict[int, bool]:
        """Return the seats that are in the match, True for one that was asked."""
        return {
            seat.number: seat.number in self.asked_seats for seat in self._seats if seat.playing
        }

    def hold_back(
        self, cpu_seconds: Mapping[int, float], when: str, blamed_seats: Set[int]
    ) -> None:
        """Blame seats that took too much of the processor and are among
        ``blamed_seats``: they are out, whatever they answered. Stop the others until
        their next turn, since thinking in the others' time is allowed.

        cpu_seconds: what each such seat used
        when: a word for its author
        """
        for number, seconds in cpu_seconds.items():
            if number in self.blames:
                continue
            if number in blamed_seats:
                self.blames[number] = (Verdict.RESOURCE, f"CPU time: used {seconds:.1f} s {when}")
                self._wire.stop(number)
            elif number not in self.paused_seats:
                self.ever_paused = True
                self.paused_seats.add(number)
                self._seats[number].paused += 1
                self._wire.rest(number)
