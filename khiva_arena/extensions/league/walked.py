"""A league as far as its player has followed it: its chain, and counts over its
batches, for the next draw and for tables.

The player keeps all at the newest link, so that nobody but `verify` walks a long chain
again: from there on only newer links are followed. What was kept counts if the store
has the link at which it was, by number and digest.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from khiva_arena import __version__
from khiva_arena.competition.events.league_order import seated_in
from khiva_arena.competition.events.stored import stored_batch
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.chain.follow import begin, follow
from khiva_arena.extensions.league.chain.links import AnyLink, Drawn, Over
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import links_of, sound
from khiva_arena.extensions.league.draw.counts import Counts, CountsSoFar
from khiva_arena.extensions.league.draw.next_batch import add_batch
from khiva_arena.extensions.league.folder import SUMS
from khiva_arena.extensions.league.kept import keep, kept
from khiva_arena.rating.report.placing import Batches
from khiva_arena.records.store.db import EventRow, Store

WALKED = "walked"
"""The name of the file in the folder of sums."""
HEAD = f"khiva-walked-3 {__version__}\n".encode()
"""The beginning of the file. Raise the number when chain or counts hold other
things.
"""


class LeagueSoFar(NamedTuple):
    """A league up to a link.

    chain: up to the link.
    counts: over the batches that are drawn by then.
    batches: that bots have played in, and who is retired, as the newest batch that is
        over left them; so later links do not change the order of its table.
    """

    chain: Chain
    counts: Counts
    batches: Batches


class _Kept(msgspec.Struct, frozen=True):
    """A league as it is kept."""

    chain: Chain
    counts: CountsSoFar
    batches: Batches


def founded(chain: Chain) -> LeagueSoFar:
    """Return a league of one link."""
    return LeagueSoFar(chain, Counts(), Batches({}, chain.terms.fewest_batches))


def with_batch(batches: Batches, chain: Chain, event: EventRow) -> Batches:
    """Return the batches that bots have played in with one more, which is over.

    chain: up to the link that ends it.
    event: of it, with the tables that were set aside.
    """
    of = dict(batches.of)
    for bot in seated_in(event):
        of[bot] = of.get(bot, 0) + 1
    retired = frozenset(bot.identity for bot in chain.bots.values() if bot.state == "retired")
    return Batches(of, chain.terms.fewest_batches, retired)


def walked(store: Store) -> LeagueSoFar | None:
    """Return a league up to its newest link, None if no league was founded in the
    store.

    Raises StoreError if a link or event that was read is damaged, ConfigError if there
    are more events than batches.
    """
    before = _kept(store)
    if before is None or store.newest_number() < before.chain.batches:
        links = links_of(store)
        if not links:
            _refuse_others(store, 0)
            return None
        with sound(store):
            before, links = founded(begin(links[0])), links[1:]
    else:
        links = links_of(store, before.chain.links)
    now = _followed(store, before, links)
    _refuse_others(store, now.chain.batches)
    return now


def _refuse_others(store: Store, batches: int) -> None:
    """Raise ConfigError if a store has more events than the batches of its league."""
    if store.newest_number() > batches:
        raise ConfigError(
            f"{store.folder}: event {batches + 1} is no batch of the league; move it to a "
            "store of its own"
        )


def keep_walked(store: Store, now: LeagueSoFar) -> None:
    """Keep a league as it is at its newest link. Raises ConfigError or Unwritten."""
    keep(
        store.folder / SUMS / WALKED,
        HEAD,
        _encode(_Kept(now.chain, now.counts.so_far(), now.batches)),
    )


def is_link(store: Store, links: int, digest: str) -> bool:
    """Tell whether a store has so many links or more, and the last of these has this
    digest.
    """
    rows = links_of(store, links - 1, links) if links else []
    return [link.digest for link in rows] == [digest]


def _kept(store: Store) -> LeagueSoFar | None:
    """Return a league as it was kept, None if nothing was, or of another chain."""
    if (packed := kept(store.folder / SUMS / WALKED, HEAD)) is None:
        return None
    try:
        then = _decode(packed)
    except msgspec.MsgspecError:
        return None
    if not is_link(store, then.chain.links, then.chain.digest):
        return None
    chain = structs.replace(then.chain, bots=MappingProxyType(then.chain.bots))
    return LeagueSoFar(chain, Counts(then.counts), then.batches)


def _followed(store: Store, before: LeagueSoFar, links: Iterable[AnyLink]) -> LeagueSoFar:
    """Return a league up to a later link. ``links``: those since. The counts are added
    to those of ``before``.
    """
    chain, batches = before.chain, before.batches
    for link in links:
        with sound(store):
            chain = follow(chain, link)
        if isinstance(link, Drawn):
            add_batch(before.counts, stored_batch(store, link.event).definition)
        elif isinstance(link, Over):
            batches = with_batch(batches, chain, stored_batch(store, link.event))
    return LeagueSoFar(chain, before.counts, batches)


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a read-only mapping, which msgspec does not know, as a plain one."""
    return dict(value)


_encode = msgspec.msgpack.Encoder(enc_hook=_plain).encode
_decode = msgspec.msgpack.Decoder(_Kept).decode
