"""The check of an event that extends another one: equal settings, and a secret of its
own.
"""

from collections.abc import Mapping

from msgspec import structs

from khiva_arena.competition.audit.audit_report import EventReport
from khiva_arena.errors import RecordError, StoreError
from khiva_arena.records.store.db import EventRow


def check_chain(before: Mapping[str, EventRow], event: EventRow, report: EventReport) -> None:
    """Note in the report which event an event extends. ``before``: the events that were
    read before it, by id.

    Raises RecordError if it has other settings than the extended event, or its secret,
    which was revealed by then. An extended event that was closed before it was over
    raises RecordError, too.
    """
    try:
        definition = event.definition
    except StoreError:
        return  # which is a problem already
    if definition.extends is None:
        return
    report.extends = definition.extends
    first = before.get(definition.extends)
    if first is None:
        return
    report.extends_number = first.number
    if first.closed:
        raise RecordError(f"it extends event {first.number}, which was closed before it was over")
    try:
        same = structs.replace(
            first.definition, seeds=definition.seeds, seed=definition.seed, extends=first.id
        )
    except StoreError:
        return
    if same != definition:
        raise RecordError(f"it extends event {first.number}, which has other settings")
    if event.secret and event.secret == first.secret:
        raise RecordError(f"its secret is that of event {first.number}, which was revealed before")
