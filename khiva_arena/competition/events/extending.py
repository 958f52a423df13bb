"""More seeds for an event that is over: a second event with its own secret, naming the
event it extends.

Nobody plays a deal of which any secret has been revealed, and all of an event's secrets
are once it is over. Its results are known then, too. So the person who extends it has
seen them, and everything that shows an extension marks it as one.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.formats import FORMATS
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.words import count

if TYPE_CHECKING:  # who reads a store needs no settings
    from khiva_arena.competition.settings.settings import Settings

KNOWN = "whose results were known by then"
"""The mark of an extension."""


def extended_definition(
    store: Store,
    events: Sequence[EventRow],
    stage: "Settings",
    target: Definition,
    *,
    new_event: bool,
) -> Definition | None:
    """Return the definition of the event that brings the store to as many seeds as are
    ``target``; None if nothing is to be extended.

    That event has done so, or is to do so. Failing both, it is the next one after the
    event with the most seeds.

    events: the events of the store.
    new_event: whether another event is asked for beside those that are over.

    Raises ConfigError if another number of seeds is being played, if there are more
    already, or if the given seed has no more secrets.
    """
    if not can_be_extended(target):
        return None
    by_id = {event.id: event for event in events}
    chains = [chain_of(by_id, event) for event in events if not event.closed]
    alike = [chain for chain in chains if _fits(chain[0].definition, target)]
    open_chains = [chain for chain in alike if store.conclusion(chain[-1].id) is None]
    for chain in reversed([*alike, *open_chains]):  # what is not over comes first
        if (
            len(chain) > 1
            and length_of(chain) == target.seeds
            and (chain in open_chains or not new_event)
        ):
            return chain[-1].definition
    if new_event or not alike:
        return None
    _refuse_other_lengths(store, open_chains, target.seeds)
    longest = max(reversed(alike), key=length_of)  # the newest of several
    last, total = longest[-1], length_of(longest)
    if open_chains or total == target.seeds:
        return None
    if total > target.seeds:
        raise ConfigError(
            f"--seeds {target.seeds}: event {last.number} of these settings is over, and "
            f"with it there are {total} seeds: give "
            f"more to extend it, or --new-event to play {count(target.seeds, 'seed')} beside it"
        )
    return _after(last, stage, target, target.seeds - total, events)


def _refuse_other_lengths(
    store: Store, chains: Sequence[Sequence[EventRow]], seed_count: int
) -> None:
    """Raise ConfigError if an event of these settings has been begun that comes to
    another number of seeds.
    """
    for chain in chains:
        event, total = chain[-1], length_of(chain)
        if len(chain) == 1 and not store.recorded(event.id):  # which is left as it is
            continue
        how_far = (
            f"{len(store.recorded(event.id))} of {bare_timetable(event).matches} matches are "
            "recorded"
        )
        effect = (
            f"it brings event {chain[-2].number} to {total} seeds"
            if len(chain) > 1
            else f"it has {count(total, 'seed')}"
        )
        raise ConfigError(
            f"--seeds {seed_count}: event {event.number} is not over, {how_far}, and "
            f"{effect}: --seeds {total} continues it, "
            "and more seeds extend it once it is over; --new-event begins another one"
        )


def can_be_extended(definition: Definition) -> bool:
    """Tell whether all seeds of a definition are known before it is played, and no
    stage follows from its results.
    """
    form = FORMATS[definition.format]
    return not (definition.stage or form.IN_ROUNDS or form.SEQUENTIAL)


def can_go_on(event: EventRow) -> bool:
    """Tell whether another event may extend this one."""
    return can_be_extended(event.definition) and not event.closed


def extends_one(members: Sequence[EventRow]) -> bool:
    """Tell whether a command that plays more seeds of these events extends one of
    them.
    """
    by_id = {event.id: event for event in members}
    return any(
        can_go_on(event) and chain_of(by_id, event)[0].definition.seed is None for event in members
    )


def _fits(first: Definition, target: Definition) -> bool:
    """Tell whether an event has the wanted definition, except the number of its
    seeds.
    """
    return first.extends is None and structs.replace(first, seeds=target.seeds) == target


def _after(
    last: EventRow,
    stage: "Settings",
    target: Definition,
    seed_count: int,
    events: Sequence[EventRow],
) -> Definition:
    seed = None
    if stage.seed is not None:
        if closed_event := next(
            (event for event in events if event.closed and event.definition.extends == last.id),
            None,
        ):
            raise ConfigError(
                f"--seed: event {closed_event.number}, which extended event {last.number}, "
                "was closed, so what this seed gives "
                "next is revealed: give --new-event and another seed"
            )
        if seeds.is_secret(stage.seed):
            raise ConfigError(
                f"--seed: event {last.number} is over, and these 64 hex digits, its secret, are "
                "revealed: give another seed, or none, for another event"
            )
        seed = seeds.seed_digest(seeds.extension_secret(stage.seed, last.id))
    return structs.replace(target, seeds=seed_count, seed=seed, extends=last.id)


def chain_of(by_id: Mapping[str, EventRow], event: EventRow) -> list[EventRow]:
    """Return an event after those that it extends, the first one first, as far as they
    are known.
    """
    chain = [event]
    while (before := chain[0].definition.extends or "") in by_id and len(chain) <= len(by_id):
        chain.insert(0, by_id[before])
    return chain


def length_of(chain: Sequence[EventRow]) -> int:
    """Return the number of seeds that events have in all."""
    return sum(event.definition.seeds for event in chain)


def ways_to_more(store: Store, event: EventRow) -> str:
    """Return in words which command plays more seeds than those of an event that is
    over; "" if none does.

    An event that was closed is left, and the event that it extended is extended by
    another one.
    """
    if not can_be_extended(event.definition) or (
        event.closed and event.definition.seed is not None
    ):
        return ""
    by_id = {row.id: row for row in store.events()}
    first = by_id.get(event.definition.extends or "") if event.closed else event
    chains = [
        chain
        for row in by_id.values()
        if not row.closed and first in (chain := chain_of(by_id, row))
    ]
    if not chains:
        return ""
    chain = max(chains, key=length_of)
    if store.conclusion(chain[-1].id) is None:
        return (
            f"; --seeds {length_of(chain)} goes on with event {chain[-1].number}, which extends it"
        )
    if event.closed:
        seed_count = max(length_of(chain), length_of(chain_of(by_id, event))) + 1
        return f"; --seeds {seed_count} or more extends event {chain[-1].number}"
    return f"; --seeds {length_of(chain) + 1} or more extends it"


def why_beside(store: Store, target: Definition) -> str:
    """Return a line on why the wanted event is another one beside an event that is
    over; "" if there is no such event.

    Such an event has the same settings, except the number of its seeds, and cannot be
    extended.
    """
    form = FORMATS[target.format]
    for event in store.events():
        same = structs.replace(event.definition, seeds=target.seeds) == target
        if can_be_extended(target) or not same or store.conclusion(event.id) is None:
            continue
        note = (
            "decides from nothing" if form.SEQUENTIAL else "draws its rounds from its own results"
        )
        return (
            f"event {event.number} of these settings is over; a {target.format} is not "
            f"extended: this is another, which {note}"
        )
    return ""


def dealt_before(store: Store, target: Definition, secret: bytes) -> str:
    """Return a warning if an event that is over has the same deals and differs in its
    number of seeds alone; else "".
    """
    for event in store.events():
        same = structs.replace(event.definition, seeds=target.seeds) == target
        if same and event.secret == secret and store.conclusion(event.id) is not None:
            return (
                f"warning: event {event.number} was played with this --seed, so its deals, which "
                "are revealed, are dealt again: another --seed, or none, gives new ones"
            )
    return ""


def with_extended(store: Store, ids: Sequence[str]) -> list[str]:
    """Return the ids of events, each after those that it extends."""
    by_id = {event.id: event for event in store.events()}
    return list(dict.fromkeys(link.id for event in ids for link in chain_of(by_id, by_id[event])))


def extension_line(store: Store, event: EventRow) -> str:
    """Return a line that says that an event is an extension; "" if it is none."""
    chain = chain_of({row.id: row for row in store.events()}, event)
    if len(chain) < 2:
        return ""
    from_, to = length_of(chain[:-1]), length_of(chain)
    return (
        f"it extends event {chain[-2].number}, {KNOWN}, from {from_} to {to} seeds on deals of "
        "its own; one table has them all"
    )
