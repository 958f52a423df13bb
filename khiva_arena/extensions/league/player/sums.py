"""The data of the batches that are over, kept in a file for each, so that a table of
all of them reads no match again.

A file is derived from the store. It counts if it is whole, and of the very matches that
the chain names; else it is made again.
"""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np

from khiva_arena.competition.events.find import check_rows, uncollected
from khiva_arena.competition.events.pools import results_of
from khiva_arena.competition.events.stored import run_digest_of
from khiva_arena.errors import StoreError
from khiva_arena.extensions.league.folder import SUMS
from khiva_arena.extensions.league.kept import keep, kept
from khiva_arena.rating.report.tally import Collected, EventsData, join_data
from khiva_arena.records.store.db import EventRow, Store

HEAD = b"khiva-sums-1\n"
"""The beginning of a file. Raise the number when other data are collected."""


class BatchData(msgspec.Struct, frozen=True):
    """The data of a batch that is over.

    event: the id of its event.
    run_digest: over its matches.
    data: of its matches.
    """

    event: str
    run_digest: str
    data: EventsData


def data_of(store: Store, batches: Iterable[tuple[EventRow, str]]) -> EventsData:
    """Return the data of batches that are over, each an event with its run digest.

    Raises StoreError if a batch that has to be read anew is damaged.
    """
    return join_data([_kept(store, *batch) or _read_anew(store, *batch) for batch in batches])


def _kept(store: Store, event: EventRow, run_digest: str) -> EventsData | None:
    """Return the data of a batch as they were kept, None if they were not or are
    another batch's.
    """
    with suppress(ValueError, msgspec.MsgspecError):
        if packed := kept(store.folder / SUMS / event.id, HEAD):
            batch = _decode(packed)
            return batch.data if (batch.event, batch.run_digest) == (event.id, run_digest) else None
    return None


def _read_anew(store: Store, event: EventRow, run_digest: str) -> EventsData:
    """Read the matches of a batch, and keep their data."""
    check_rows(store, event)
    if run_digest_of(store, event) != run_digest:
        raise StoreError(
            f"{store.folder}: the matches of event {event.number} are not those that the "
            "chain names; restore a copy"
        )
    with uncollected():
        data = Collected(results_of(store, event)).data()
    keep(store.folder / SUMS / event.id, HEAD, _encode(BatchData(event.id, run_digest, data)))
    return data


def _plain(array: Any) -> tuple[str, tuple[int, ...], bytes]:
    return array.dtype.str, array.shape, array.tobytes()


def _typed(kind: Any, plain: Any) -> Any:
    """Return a value of a type that msgspec does not know: a counter, or an array."""
    if getattr(kind, "__origin__", kind) is Counter:
        return Counter(plain)
    dtype, shape, values = plain
    return np.frombuffer(values, dtype).reshape(shape)


_encode = msgspec.msgpack.Encoder(enc_hook=_plain).encode
_decode = msgspec.msgpack.Decoder(BatchData, dec_hook=_typed).decode
