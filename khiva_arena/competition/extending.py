"""More seeds for an event that is over: a second event with a secret of its own, which names the one that it extends.

Nobody plays a deal of which any secret has been revealed, and all of an event's secrets are once it is over. Its results are
known then, too: whoever extends it has seen them, and so everything that shows an extension says that it is one.
"""

from collections.abc import Mapping, Sequence

from msgspec import structs

from khiva_arena.competition.settings import Settings
from khiva_arena.errors import ConfigError
from khiva_arena.replay import seeds
from khiva_arena.replay.definition import Definition
from khiva_arena.schedule.formats import FORMATS
from khiva_arena.store.db import EventRow, Store

KNOWN = "whose results were known by then"
"""What an extension is marked with."""


def extended(
    store: Store, known: Sequence[EventRow], stage: Settings, wanted: Definition, *, new_event: bool
) -> Definition | None:
    """The definition of the event that brings what is there to as many seeds as are ``wanted``: one that is being played, or the
    next one of a chain whose events are all over. None if nothing is to be extended.

    known: the events of the store.
    new_event: whether another event is asked for beside those that are over.

    Raises ConfigError if the seed that was given gives no more secrets.
    """
    if not can_be_extended(wanted):
        return None
    by_id = {event.id: event for event in known}
    alike = [event for event in known if not event.closed and _fits(chain_of(by_id, event)[0].definition, wanted)]
    if not alike:
        return None
    chain = chain_of(by_id, alike[-1])
    last, total = chain[-1], length_of(chain)
    if len(chain) > 1 and total == wanted.seeds:
        return last.definition if store.conclusion(last.id) is None or not new_event else None
    if new_event or total >= wanted.seeds or any(store.conclusion(event.id) is None for event in chain):
        return None
    return _after(last, stage, wanted, wanted.seeds - total, known)


def can_be_extended(definition: Definition) -> bool:
    """Whether its seeds are all known before, and no stage follows from its results."""
    form = FORMATS[definition.format]
    return not (definition.stage or form.IN_ROUNDS or form.SEQUENTIAL)


def _fits(first: Definition, wanted: Definition) -> bool:
    """Whether an event is what is wanted, except the number of its seeds."""
    return first.extends is None and structs.replace(first, seeds=wanted.seeds) == wanted


def _after(last: EventRow, stage: Settings, wanted: Definition, more: int, known: Sequence[EventRow]) -> Definition:
    seed = None
    if stage.seed is not None:
        if closed := next((event for event in known if event.closed and event.definition.extends == last.id), None):
            raise ConfigError(
                f"--seed: event {closed.number}, which extended event {last.number}, was closed, so what this seed gives next is "
                "revealed: give --new-event and another seed"
            )
        if seeds.is_secret(stage.seed):
            raise ConfigError(
                f"--seed: event {last.number} is over, and these 64 hex digits, its secret, are revealed: give another seed, or "
                "none, for another event"
            )
        seed = seeds.seed_digest(seeds.extension_secret(stage.seed, last.id))
    return structs.replace(wanted, seeds=more, seed=seed, extends=last.id)


def chain_of(known: Mapping[str, EventRow], event: EventRow) -> list[EventRow]:
    """An event with those that it extends, the first one first, as far as they are known."""
    chain = [event]
    while (before := chain[0].definition.extends or "") in known and len(chain) <= len(known):
        chain.insert(0, known[before])
    return chain


def length_of(chain: Sequence[EventRow]) -> int:
    """How many seeds events have in all."""
    return sum(event.definition.seeds for event in chain)


def with_extended(store: Store, ids: Sequence[str]) -> list[str]:
    """Events, each after those that it extends."""
    known = {event.id: event for event in store.events()}
    return list(dict.fromkeys(one.id for event in ids for one in chain_of(known, known[event])))


def said(store: Store, event: EventRow) -> str:
    """That an event is an extension, in a line; "" if it is none."""
    chain = chain_of({one.id: one for one in store.events()}, event)
    if len(chain) < 2:
        return ""
    from_, to = length_of(chain[:-1]), length_of(chain)
    return f"it extends event {chain[-2].number}, {KNOWN}, from {from_} to {to} seeds on deals of its own; one table has them all"
