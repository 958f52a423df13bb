"""The next batch of a league: its place in the chain and its tables, as its definition has them.

The tables are drawn from the chain and from counts.
"""

from collections.abc import Sequence

from khiva_arena.league.chain.roster import Chain
from khiva_arena.league.draw.counts import Counts
from khiva_arena.league.draw.draw import Active, BatchShape, draw
from khiva_arena.replay.definition import Batch, Definition
from khiva_arena.replay.record import canonical, digest_of


def next_batch(chain: Chain, counts: Counts) -> Batch:
    """Return the place of the next batch in the chain, with its tables drawn. Nothing in it follows from times or texts, which
    the organiser may vary: so they change neither the event's id nor what follows from that.

    chain: up to the newest link.
    counts: over all batches so far.

    Raises ConfigError if the bots cannot fill a table.
    """
    active = active_of(chain)
    shape = BatchShape(chain.terms.seats, chain.terms.most_tables, chain.terms.authors_apart)
    tables = draw(active, counts, shape, bytes.fromhex(chain.before))
    return Batch(
        chain.founded.league,
        chain.batches + 1,
        chain.before,
        roster_digest(active),
        tables,
    )


def active_of(chain: Chain) -> list[Active]:
    """Return the bots that the next batch is drawn from, in the order of its definition."""
    return [Active(bot.identity, bot.family, bot.author) for bot in chain.active]


def roster_digest(active: Sequence[Active]) -> str:
    """Return the digest of the bots that a batch is drawn from. Families and authors count as groups, not by their random ids."""
    families = [*dict.fromkeys(bot.family for bot in active)]
    authors = [*dict.fromkeys(bot.author for bot in active)]
    return digest_of([[bot.identity, families.index(bot.family), authors.index(bot.author)] for bot in active])


def add_batch(counts: Counts, definition: Definition) -> None:
    """Add a batch to the counts. ``definition``: of its event, which names all bots that were active in it."""
    assert definition.batch is not None
    identities = [bot.identity for bot in definition.bots]
    counts.add([[identities[bot] for bot in table] for table in definition.batch.tables], identities)


def conditions_in(definition: Definition) -> bytes:
    """Return the conditions of a definition as canonical text."""
    plain = definition.plain()
    return canonical({key: plain[key] for key in Definition.__base__.__struct_fields__ if key in plain})  # type: ignore[union-attr]
