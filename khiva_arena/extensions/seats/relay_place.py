"""A name for which a relay is expected, with its round trips and absences over all
connections so far.
"""

import time
from collections import deque
from itertools import islice
from statistics import median, quantiles
from typing import Any

import trio

from khiva_arena.arbiter import round_trip
from khiva_arena.extensions.seats.hub_messages import tell
from khiva_arena.extensions.seats.links import Link
from khiva_arena.extensions.seats.relay_life import Life

AGAIN_SECONDS = 0.5
"""The time between two arrivals of a relay."""
PINGS_KEPT = 1_001
RECENT = 9
"""The number of round trips whose median the arbiter gets: one that was held up counts
for nothing.
"""


class RelayPlace:
    """A place for a relay. Its news go to the command by ``tell``.

    name: as in remote:NAME.
    token: the secret that its relay must prove to know.
    kept: whether one process of its bot may play many matches.
    life: the relay that is there, or was there and may come back.
    arrived: set when a relay comes, and replaced then.
    arrived_at: when a relay came last, on trio's clock.
    over: nobody is expected any more.
    """

    def __init__(self, name: str, token: str, kept: bool, trips: str, waits: float) -> None:
        """Wait for a first relay.

        trips: the file for the round trip, see arbiter/round_trip.py
        waits: the seconds for which a seat waits for a relay
        """
        self.name, self.token, self.kept = name, token, kept
        self.life: Life | None = None
        self.arrived = trio.Event()
        self.arrived_at = -AGAIN_SECONDS
        self.over = False
        self._trips_file = trips
        self._waits = waits
        self._round_trips: deque[float] = deque(maxlen=PINGS_KEPT)
        self._left_at: float | None = None
        self._was_away: tuple[float, bool] | None = None
        self._away = 0
        self._away_s = 0.0

    async def seated(self, link: Link) -> None:
        """Serve a match, or the trial start before it. If this returns without an exit
        of the program, the link is lost.
        """
        with trio.move_on_after(self._waits):
            while self.life is None or self.life.connection is None:
                await self.arrived.wait()
        life = self.life
        if life is None or life.connection is None:
            return
        session = life.open(link)
        try:
            await session.play()
        finally:
            life.close(session)

    def note_trip(self, seconds: float) -> None:
        """Note a round trip, and write the median of the recent ones for the
        arbiter.
        """
        self._round_trips.append(seconds)
        round_trip.put(self._trips_file, median(islice(reversed(self._round_trips), RECENT)))

    # --- coming and going ---

    def note_arrival(self, *, resumed: bool) -> None:
        """Note that a relay is connected. ``resumed``: it is the relay that was there
        before, and goes on.
        """
        if self._left_at is not None:
            self._was_away = (time.monotonic() - self._left_at, resumed)
            self._left_at = None
        self.arrived.set()
        self.arrived = trio.Event()

    def tell_arrival(self) -> None:
        """Tell the command that a relay came, now that its round trips are known."""
        seconds, resumed = self._was_away or (0.0, False)
        state = "here" if self._was_away is None else "back" if resumed else "again"
        keeps = self.life is not None and self.life.keeps
        tell(
            {"here": self.name, "what": state, "seconds": seconds, "kept": keeps, **self.figures()}
        )

    def note_loss(self, reason: str) -> None:
        """Note that the connection is lost. ``reason``: the forbidden message that the
        relay sent, if that is why, else "".
        """
        if self.over:
            return
        self._left_at = time.monotonic()
        self._away += 1
        tell({"away": self.name, "why": reason})

    async def wait_for(self, life: Life, since: float, seconds: float) -> None:
        """End a life that does not come back within ``seconds`` seconds."""
        with trio.move_on_after(seconds):
            while life.connection is None and not life.gone.is_set():
                await self.arrived.wait()
        self._away_s += time.monotonic() - since
        if life.connection is None:
            if not life.gone.is_set() and not self.over:
                tell({"lost": self.name, "seconds": seconds})
            life.end()
            if self.life is life:
                self.life = None

    def figures(self) -> dict[str, Any]:
        """Return figures of all connections so far: round trips in ms, how often the
        relay was away, and for how many seconds.
        """
        trips = [1000 * trip for trip in self._round_trips]
        high = quantiles(trips, n=20)[-1] if len(trips) > 1 else None
        half = median(trips) if trips else None
        return {
            "relay": self.name,
            "rtt_ms": half,
            "rtt_high_ms": high,
            "away": self._away,
            "away_s": self._away_s,
        }
