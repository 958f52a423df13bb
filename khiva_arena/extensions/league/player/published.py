"""What the links of a league say for its pages, kept at the newest link, so that a
player's start reads no older one.
"""

from collections import Counter
from pathlib import Path

import msgspec
from msgspec import structs

from khiva_arena import __version__
from khiva_arena.competition.events.stored import bare_timetable, damaged, stored_batch
from khiva_arena.extensions.league.chain.links import (
    AnyLink,
    Drawn,
    Entered,
    Final,
    Over,
    StateChanged,
)
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.folder import SUMS
from khiva_arena.extensions.league.kept import keep, kept
from khiva_arena.extensions.league.public_state import NEWEST_BATCHES, PublicBatch, PublicFinal
from khiva_arena.records.store.db import Store

PUBLISHED = "published"
"""The name of the file in the folder of sums."""
HEAD = f"khiva-published-1 {__version__}\n".encode()
"""The beginning of the file. Raise the number when other things are counted."""


class Published(msgspec.Struct):
    """What links say for pages.

    links: how many of them were read.
    digest: of the last of these.
    chain_size, log_size: bytes of the public files with the chain and with the batches.
    batches: the newest ones, the oldest first.
    finals: in order; whether each is over is not known here.
    why: by identity, the reason that the newest change of a bot gives.
    sat, tables, left_out: by identity, as in ``PublicBot``.
    """

    links: int = 0
    digest: str = ""
    chain_size: int = 0
    log_size: int = 0
    batches: list[PublicBatch] = msgspec.field(default_factory=list)
    finals: list[PublicFinal] = msgspec.field(default_factory=list)
    why: dict[str, str] = msgspec.field(default_factory=dict)
    sat: dict[str, int] = msgspec.field(default_factory=dict)
    tables: dict[str, int] = msgspec.field(default_factory=dict)
    left_out: dict[str, int] = msgspec.field(default_factory=dict)

    def read(self, store: Store, chain: Chain, link: AnyLink) -> PublicBatch | None:
        """Take account of the next link. Return the batch that it draws or ends, None
        if it is about none.
        """
        self.links, self.digest = link.number + 1, link.digest
        match link:
            case Drawn():
                self.batches = [*self.batches, self._drawn(store, link)][-NEWEST_BATCHES:]
                return self.batches[-1]
            case Over():
                self.batches[-1] = self._over(store, self.batches[-1], link)
                return self.batches[-1]
            case Final():
                names = tuple(chain.bots[bot].name for bot in link.bots)
                place = (link.number, link.digest, link.at, link.commitment)
                self.finals.append(PublicFinal(link.final, link.event, *place, names, over=False))
            case StateChanged():
                self.why[link.identity] = link.why
            case Entered():
                self.why.update(dict.fromkeys(link.replaces, f"{link.name} plays in its place"))
        return None

    def _drawn(self, store: Store, link: Drawn) -> PublicBatch:
        """Return a batch that is drawn, and count who sits at its tables."""
        event = stored_batch(store, link.event)
        batch, seeds = event.definition.batch, event.definition.seeds
        assert batch is not None
        tables = Counter(event.bots[bot].identity for table in batch.tables for bot in table)
        _add(self.sat, Counter(tables.keys()))
        _add(self.tables, Counter({bot: seeds * often for bot, often in tables.items()}))
        return PublicBatch(
            number=link.batch,
            event=event.id,
            event_number=event.number,
            link=link.number,
            link_digest=link.digest,
            drawn_at=link.at,
            over_at="",
            commitment=event.commitment,
            run_digest="",
            bots=len(event.bots),
            matches=bare_timetable(event).matches,
            set_aside=(),
            revealed=False,
            round=link.round,
        )

    def _over(self, store: Store, batch: PublicBatch, link: Over) -> PublicBatch:
        """Return a batch that is over, and count who sat at tables that were set
        aside.
        """
        lost = []
        if link.set_aside:
            event = stored_batch(store, link.event)
            assert event.definition.batch is not None
            tables = event.definition.batch.tables
            if beyond := [lineup for _, lineup in link.set_aside if lineup >= len(tables)]:
                damaged(
                    store,
                    f"link {link.number} of the league",
                    f"batch {link.batch} has no table {beyond[0]}",
                )
            lost = [[event.bots[bot] for bot in tables[lineup]] for _, lineup in link.set_aside]
            _add(self.left_out, Counter(bot.identity for table in lost for bot in table))
        names = tuple(tuple(bot.name for bot in table) for table in lost)
        return structs.replace(
            batch,
            over_at=link.at,
            run_digest=link.run_digest,
            set_aside=names,
            line=link.public,
        )


def read_published(folder: Path) -> Published:
    """Return what was kept of the league in a folder; as before its first link if
    nothing was.
    """
    try:
        return msgspec.msgpack.decode(kept(folder / SUMS / PUBLISHED, HEAD) or b"", type=Published)
    except msgspec.MsgspecError:
        return Published()


def keep_published(folder: Path, published: Published) -> None:
    """Keep what the links so far say, of the league in a folder. Raises ConfigError or
    Unwritten.
    """
    keep(folder / SUMS / PUBLISHED, HEAD, msgspec.msgpack.encode(published))


def _add(counts: dict[str, int], more: Counter[str]) -> None:
    for key, often in more.items():
        counts[key] = counts.get(key, 0) + often
