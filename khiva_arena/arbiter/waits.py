"""One seat that the arbiter waits for, with its request and its clock."""

import msgspec

from khiva_arena.arbiter.seat import Seat


class Wait(msgspec.Struct, eq=False):
    """The wait for one seat that was asked. Times in seconds of the monotonic clock,
    durations in seconds.

    seat: the seat that was asked
    deadline: when its time is up, the arbiter's lag not counted
    last: when the time that it got back is up, None before it got any
    delay: how long it had no core
    extensions: how often it got time back
    starved: it had no core for a good part of its time
    frames_in_time: how many were sealed when its time was up, None before; later frames
        are not opened for this request
    elapsed: how long it took until then
    """

    seat: Seat
    deadline: float
    last: float | None = None
    delay: float = 0.0
    extensions: int = 0
    starved: bool = False
    frames_in_time: int | None = None
    elapsed: float = 0.0

    @property
    def waiting(self) -> bool:
        """True while the awaited answer cannot be there yet and may still come."""
        return (
            self.frames_in_time is None
            and not self.seat.session.ready
            and not self.seat.output_ended
        )

    def due(self, lag: float) -> float:
        """Return when to give up: the arbiter's own lag is added back."""
        return self.deadline + lag if self.last is None else self.last


def has_answered(wait: Wait) -> bool:
    return wait.seat.session.ready


def never_strayed(seat: Seat) -> bool:
    return not seat.session.strayed
