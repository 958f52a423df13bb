"""The conditions of an event: seats, limits, isolation, as its definition fixes
them.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import structs

from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import Resources
from khiva_arena.common.result import Clock, Policy
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import IN_TICKS, WITH_PERSONS, Header, RecordedSeat

NO_KEY = bytes(seeds.SECRET_BYTES)
Count = Annotated[int, msgspec.Meta(ge=1)]
Index = Annotated[int, msgspec.Meta(ge=0)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0)]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
FileKind = Literal["module", "payload"]
MODULE = "module"
"""The word for isolation of events in ticks: what keeps bots apart is the module,
whatever cell is around its runner.
"""
Isolation = Annotated[str, msgspec.Meta(pattern=f"^({'|'.join((*Level, MODULE))})$")]
MARKS = ("network", "remote", "kept", "person")
"""Advantages that a bot may have over others at its table, by the field of
``DefinedBot``; ``rating.report.columns`` has the meaning of each.
"""


def kept_at(level: str) -> str:
    """Return in a line how an event in ticks isolates bots, and the level of the cell
    around their runner.
    """
    return f"isolation {MODULE}; the runner is kept at {level}"


class TimeLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time that bots may take, in milliseconds.

    startup_ms: from the bot's start to its hello.
    turn_ms: for each decision.
    bank_ms: for everything that decisions take beyond their turns; it never refills.
    """

    startup_ms: Milliseconds
    turn_ms: Milliseconds
    bank_ms: Milliseconds

    @property
    def startup(self) -> float:
        """Seconds to the bot's hello."""
        return self.startup_ms / 1000

    @property
    def turn(self) -> float:
        """Seconds for each decision."""
        return self.turn_ms / 1000


class Conditions(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """The conditions under which matches are played: results of equal conditions may be
    rated together.

    game, rules_version: the game.
    rules: the game's whole rules map.
    time: the time that bots may take.
    policy: the cost of a fault.
    isolation: the level of the sandbox, or ``MODULE`` in ticks.
    limits: of the resources that each bot may use.
    ponder: whether bots may think while it is not their turn.
    link_ms: the part of the round trip that a bot on another machine gets back for each
        decision; 0 if there is no such bot.
    clock: by which bots pay for their time; in ticks, a millisecond of ``time`` is
        ``TICKS_A_MS`` of them.
    meter: the number of the price list of ticks; 0 by the wall clock.
    """

    game: str
    rules_version: str
    rules: dict[str, Any]
    time: TimeLimits
    policy: Policy
    isolation: Isolation
    limits: Resources
    ponder: bool
    link_ms: Milliseconds = 0
    clock: Clock = Clock.WALL
    meter: Index = 0

    def plain(self) -> dict[str, Any]:
        """Return the conditions as plain values, for JSON.

        Keys stand in the order of the canonical text, on which readers of printed JSON
        may rely.
        """
        values: dict[str, Any] = msgspec.to_builtins(self, order="sorted")
        return values

    @property
    def in_ticks(self) -> bool:
        """True if bots are modules and pay in ticks."""
        return self.clock is Clock.TICKS

    def sandbox(self, level: Level = Level.TRUSTED) -> Sandbox:
        """Return the sandbox that bots are kept in.

        level: of the cell around the runner of an event in ticks, which its definition
            does not name.
        """
        return Sandbox(level if self.in_ticks else Level(self.isolation), self.limits, self.ponder)

    def header(self, seats: Sequence[tuple[str, str]], match: str, secret: bytes) -> Header:
        """Return the header of a match.

        who: name and identity by seat.
        match: id of the match.
        secret: of the seed.
        """
        header = Header(
            match=match,
            game=self.game,
            rules_version=self.rules_version,
            rules=self.rules,
            seats=tuple(
                RecordedSeat(name, bot, seeds.seat_number(secret, match, i))
                for i, (name, bot) in enumerate(seats)
            ),
            commit=seeds.commitment(match, secret),
            time=msgspec.to_builtins(self.time),
            policy=str(self.policy),
            isolation=self.isolation,
        )
        if not self.in_ticks:
            return header
        return structs.replace(
            header,
            format=WITH_PERSONS if header.persons else IN_TICKS,
            clock="ticks",
            meter=self.meter,
        )
