"""The next batch of a league: its place in the chain, its tables and its definition.

The tables are drawn from the chain and from counts, and the definition has nothing
beside them that could be varied freely.
"""

from collections.abc import Mapping, Sequence

import msgspec

from khiva_arena.errors import RecordError
from khiva_arena.extensions.league.chain.roster import Chain, RosterBot
from khiva_arena.extensions.league.draw.counts import Counts
from khiva_arena.extensions.league.draw.draw import Active, BatchShape, draw
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.replay.conditions import Conditions
from khiva_arena.records.replay.definition import Batch, DefinedBot, DefinedRuntime, Definition
from khiva_arena.records.replay.record import digest_of


def next_batch(chain: Chain, counts: Counts) -> Batch:
    """Return the place of the next batch in the chain, with its tables drawn. Nothing
    in it follows from times or texts, which the organiser may vary: so they change
    neither the event's id nor what follows from that.

    chain: up to the newest link.
    counts: over all batches so far.

    Raises ConfigError if the bots cannot fill a table.
    """
    active = active_of(chain)
    shape = BatchShape(chain.terms.seats, chain.terms.most_tables, chain.terms.authors_apart)
    tables = draw(active, counts, shape, bytes.fromhex(chain.before))
    return Batch(chain.batches + 1, chain.before, roster_digest(active), tables)


def definition_of(chain: Chain, batch: Batch, runtimes: Mapping[str, DefinedRuntime]) -> Definition:
    """Return the definition of the next batch. It follows from the chain, but for the
    runtimes.

    chain: up to the newest link before the batch.
    runtimes: those that the machine has of the ones that the bots name, by name.

    Raises RecordError for a chain whose terms are no conditions of matches.
    """
    try:
        conditions = msgspec.convert(chain.terms.conditions, Conditions)
    except msgspec.ValidationError as error:
        raise RecordError(
            f"the terms of the league are no conditions of matches: {error}"
        ) from None
    return Definition(
        **{name: getattr(conditions, name) for name in conditions.__struct_fields__},
        format=Format.LEAGUE,
        seats=chain.terms.seats,
        seeds=chain.terms.seeds,
        copies=1,
        lineups=None,
        seed=None,
        anchor=chain.anchor,
        bots=tuple(_defined(bot, in_ticks=conditions.in_ticks) for bot in chain.active),
        runtimes=dict(runtimes),
        batch=batch,
    )


def _defined(bot: RosterBot, *, in_ticks: bool) -> DefinedBot:
    module, payload = bot.parts or ("", "")
    return DefinedBot(
        bot.name, bot.identity, sources=bot.sources * in_ticks, module=module, payload=payload
    )


def active_of(chain: Chain) -> list[Active]:
    """Return the bots that the next batch is drawn from, in the order of its
    definition.
    """
    return [Active(bot.identity, bot.family, bot.author) for bot in chain.active]


def roster_digest(active: Sequence[Active]) -> str:
    """Return the digest of the bots that a batch is drawn from. Families and authors
    count as groups, not by their random ids.
    """
    families = [*dict.fromkeys(bot.family for bot in active)]
    authors = [*dict.fromkeys(bot.author for bot in active)]
    return digest_of(
        [[bot.identity, families.index(bot.family), authors.index(bot.author)] for bot in active]
    )


def add_batch(counts: Counts, definition: Definition) -> None:
    """Add a batch to the counts. ``definition``: of its event, which names all bots
    that were active in it.
    """
    assert definition.batch is not None
    identities = [bot.identity for bot in definition.bots]
    counts.add(
        [[identities[bot] for bot in table] for table in definition.batch.tables], identities
    )
