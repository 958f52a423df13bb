"""The numbers by which a final seats bots: those of the table of all batches that are over, as ``standings`` prints it.

They are worked out from the records when a final is decided on, and once more by whoever verifies the league.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from khiva_arena.league.chain.links import RatedThen
from khiva_arena.league.chain.roster import Chain
from khiva_arena.store.db import EventRow

if TYPE_CHECKING:
    from khiva_arena.events.source import ResultSource  # numpy comes with it


def rated_at(chain: Chain, source: "ResultSource", events: Mapping[str, EventRow]) -> tuple[RatedThen, ...]:
    """Return the numbers of the bots that are active and no anchors, in the order of their entry.

    chain: as far as the table goes, with a batch that is over.
    source: the results.
    events: of the batches that are over, by id.
    """
    from khiva_arena.events.pools import conditions, standings_of  # not above: numpy comes with it
    from khiva_arena.events.tables import league_table

    batches = [events[link.event] for link in chain.overs]
    last = conditions(batches[-1].definition)
    pooled = [batch for batch in batches if conditions(batch.definition) == last]
    order = source.league_order(chain.links)
    assert order is not None
    table = league_table(standings_of(pooled, source.results(*pooled)), order, pooled)
    rows = {row.bot: row for row in table.rows}
    active = [bot.identity for bot in chain.active if bot.author]
    sat = order.batches(active)
    return tuple(
        RatedThen(
            bot,
            rows[bot].elo if bot in rows else None,
            rows[bot].least if bot in rows else None,
            sat.of.get(bot, 0),
        )
        for bot in active
    )
