"""End an event in its store, and say so in words."""

from collections.abc import Sequence
from typing import NamedTuple

from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.run.run_events import RunEvents
from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store.db import EventRow, Store


class RunResult(NamedTuple):
    """The result of a run.

    events: the ids of its events so far; with ``RunOptions.commit`` the id of the event
        that would be played now.
    complete: whether all of them are recorded.
    """

    events: list[str]
    complete: bool


def and_extended(store: Store, ids: Sequence[str]) -> list[str]:
    """Return events, each after those that it extends."""
    if all(event.definition.extends is None for event in store.events()):
        return list(ids)
    # not above: most events extend none
    from khiva_arena.competition.events.extending import with_extended

    return with_extended(store, ids)


def over_in_words(over: Sequence[EventRow]) -> str:
    """Return which events are over, or that the last one was closed before it was."""
    numbers = [str(event.number) for event in over]
    if closing_time := over[-1].closed:
        return (
            f"event {numbers[-1]} was closed at {closing_time}, before it was over, and is "
            "never continued"
        )
    subject = (
        f"event {numbers[0]} is over"
        if len(numbers) == 1
        else f"events {', '.join(numbers)} are over"
    )
    return f"{subject}; no other event of these settings is left to play"


def _what_is_left(play: Play) -> str:
    again = "the same command tries them again"
    if not play.set_aside:
        return (
            f"{play.planned - len(play.done)} matches were not played, since every match tried "
            f"was void at once; {again}"
        )
    tables = ", ".join(f"seed {k} line-up {lineup}" for k, lineup in sorted(play.set_aside))
    return f"set aside, since they stayed void: {tables}; {again}"


def conclude(log: RunEvents, store: Store, play: Play) -> str | None:
    """Say how an event ended, and return its run digest, None for a shard alone."""
    ended = play.limit.ended if play.limit else ""
    if not play.complete and (play.set_aside or not ended):
        log.say(_what_is_left(play), warning=True)
    if ended:
        log.say(ended, warning=True)
    if play.part and store.conclusion(play.event.id) is None:
        state = "complete" if play.complete else "not complete"
        log.say(f"this shard is {state}; `khiva-arena merge` joins it with the others")
        return None
    digest = run_digest(store.digests(play.event.id))
    log.say(f"run digest {digest}")
    return digest
