"""What a draw hangs on: a commitment that is printed before anything is played, and a public text that is drawn after that."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from khiva_arena.cli import event as events
from khiva_arena.cli.say import say
from khiva_arena.errors import ConfigError
from khiva_arena.replay.record import digest_of
from khiva_arena.store.db import EventRow, Store

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class How:
    """How an event is begun or gone on with, as the flags of the same names."""

    any_engine: bool = False
    new_event: bool = False
    commit: bool = False
    public: str | None = None

    def __post_init__(self) -> None:
        """Raises ConfigError for what does not go together, or is no public text."""
        if self.commit and self.public is not None:
            raise ConfigError("--commit and --public: publish the commitment first, then give the run a text drawn after that")
        if self.public is not None and (problem := events.public_problem(self.public)):
            raise ConfigError(f"--public: {problem}")


def draw_options(command: F) -> F:
    """``--commit`` and ``--public``."""
    public = click.option(
        "--public",
        metavar="TEXT",
        help="A text drawn in public after the commitment was published, such as a lottery's numbers: mixed into schedule and "
        "deals, kept with the event. Before its first match only.",
    )
    commit = click.option("--commit", is_flag=True, help="Store the event and print its commitment; play nothing.")
    return commit(public(command))


def public_to_add(store: Store, event: EventRow, given: str | None, before: EventRow | None) -> str | None:
    """The public text that an event is still to get, None for none: ``given``, else that of the stage ``before`` it.

    Raises ConfigError where ``given`` comes too late, or is another one than the event has.
    """
    begun = len(store.fixed(event.id)) + len(store.voids(event.id))
    if event.public is not None:
        if given not in (None, event.public):
            raise ConfigError(
                f"--public: event {event.number} has the public text {event.public!r}, which stays; give that or none"
            )
        return None
    if given is not None and begun:
        raise ConfigError(
            f"--public: event {event.number} has begun without one ({begun} matches were played), and its deals are drawn; "
            "leave it out to go on, or begin another event in another --out"
        )
    return given if given is not None or begun or before is None else before.public


def check_public_of_what_is_over(over: tuple[EventRow, ...], given: str | None) -> None:
    """Raise ConfigError where a public text is given to a competition that was played with none, or with another one."""
    if given is not None and given not in [event.public for event in over]:
        raise ConfigError("--public: what these settings define is over, and was played without this text; leave it out")


def print_commitment(folder: Path, event: str, as_json: bool) -> None:
    """Print what is to be published of an event before its first match."""
    with Store.read(folder) as store:
        row = events.stored(store, event)
        done, planned = len(store.fixed(event)), events.bare_timetable(row).matches
    definition = digest_of(row.definition)
    if as_json:
        said = {"event": row.id, "number": row.number, "definition": definition, "commitment": row.commitment}
        click.echo(json.dumps({**said, "public": row.public, "recorded": done, "planned": planned}))
        return
    click.echo(f"event {row.number} ({row.id}): {done} of {planned} matches are recorded")
    click.echo(f"definition {definition}")
    click.echo(f"commitment {row.commitment}")
    if not done:
        say("next: publish the commitment; the same command without --commit plays, with --public TEXT if a text is drawn then")
