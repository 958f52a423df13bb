"""The options by which a run begins or continues its events, and the public text of a
draw.

A draw depends on a commitment, which is printed before anything is played, and on a
public text, which is drawn after that.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from khiva_arena.competition.events import stored
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.db import EventRow, Store

if TYPE_CHECKING:
    from khiva_arena.competition.playing.limits import LimitOf
    from khiva_arena.competition.playing.seed_limit import Most  # most runs have no limit
    from khiva_arena.competition.run.events_to_play import EventsToPlay


class RunOptions(msgspec.Struct, frozen=True):
    """The options by which a run begins, continues or ends its events, named as the
    flags.

    any_engine: whether to continue an event that another version began.
    new_event: whether to begin another event.
    commit: whether only to print the commitment.
    public: the public text, None for none.
    web: whether browsers are shown how the run goes.
    fail_on_fault: whether the run ends with an exit code of its own if a bot forfeited
        a match.
    planned: the shard of a plan that is played, None for a run without a plan.
    most: the limit of a comparison, None for none.
    ends_short: begins the limit by which an event ends short, None for none. No flag
        gives it.
    """

    any_engine: bool = False
    new_event: bool = False
    commit: bool = False
    public: str | None = None
    web: bool = False
    fail_on_fault: bool = False
    planned: "EventsToPlay | None" = None
    most: "Most | None" = None
    ends_short: "LimitOf | None" = None

    def __post_init__(self) -> None:
        """Raise ConfigError if flags do not go together, or the public text is not
        valid.
        """
        if self.commit and self.public is not None:
            raise ConfigError(
                "--commit and --public: publish the commitment first, then give the run a "
                "text drawn after that"
            )
        if self.public is not None and (problem := stored.public_problem(self.public)):
            raise ConfigError(f"--public: {problem}")


class PlanFlags(NamedTuple):
    """The flags of plans.

    plan: a plan to write.
    from_plan: the plan that is played.
    shard: the part of it that is played, as 2/5; None for all.
    """

    plan: Path | None = None
    from_plan: Path | None = None
    shard: str | None = None


class ModelFlags(NamedTuple):
    """The flags of language models.

    models: a file of bots, which gives them their permissions.
    spend: a cap on what bots spend, in the currency that they name.
    """

    models: Path | None = None
    spend: str | None = None


def public_to_add(
    store: Store, event: EventRow, public: str | None, before: EventRow | None
) -> str | None:
    """Return the public text that an event is still to get, None for none: ``public``,
    else that of the stage ``before`` it.

    Raises ConfigError if ``public`` comes too late, or is another one than the event
    has.
    """
    attempts = len(store.recorded(event.id)) + len(store.voids(event.id))
    if event.public is not None:
        if public not in (None, event.public):
            raise ConfigError(
                f"--public: event {event.number} has the public text {event.public!r}, "
                "which cannot change; give the same or none"
            )
        return None
    if public is not None and attempts:
        raise ConfigError(
            f"--public: event {event.number} has begun without one ({attempts} matches "
            "were played), and its deals are drawn; "
            "leave it out to continue, or begin another event in another --out"
        )
    return public if public is not None or attempts or before is None else before.public


def check_public_of_past(over: tuple[EventRow, ...], public: str | None) -> None:
    """Raise ConfigError if a public text is given for a competition that was played
    without one, or with another one.
    """
    if public is not None and public not in [event.public for event in over]:
        raise ConfigError(
            "--public: these matches are already recorded, and were played without this "
            "text; leave it out"
        )
