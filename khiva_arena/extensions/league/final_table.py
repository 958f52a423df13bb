"""The numbers by which a final seats bots: those of the table of the season, as
``standings`` prints it.

They are worked out from the records when a final is decided on, and once more by
whoever verifies the league.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from khiva_arena.competition.events.conditions import conditions
from khiva_arena.extensions.league.chain.links import RatedThen
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.rating.report.placing import Batches
from khiva_arena.records.store.db import EventRow

if TYPE_CHECKING:
    from khiva_arena.competition.events.source import ResultSource  # numpy comes with it


def batches_of_table(chain: Chain) -> range:
    """Return the numbers of the batches of the table that stands: those over of the
    season in which the newest of them is.
    ``chain``: with a batch that is over.
    """
    return range(chain.batches_in(chain.season_of(chain.over)).start, chain.over + 1)


def rated_at(
    chain: Chain, batches: Batches, source: "ResultSource", season: Sequence[EventRow]
) -> tuple[RatedThen, ...]:
    """Return the numbers of the bots that are active and no anchors, in the order of a
    batch's definition.

    chain: as far as the table goes, with a batch that is over.
    batches: that bots have played in, over all seasons.
    source: the results.
    season: the events of ``batches_of_table``, in order.
    """
    from khiva_arena.competition.events.pools import standings_of  # not above: numpy comes with it
    from khiva_arena.rating.report.standings import in_league_order

    last = conditions(season[-1].definition)
    pooled = [event for event in season if conditions(event.definition) == last]
    table = in_league_order(standings_of(pooled, source.results(*pooled)), batches)
    rows = {row.bot: row for row in table.rows}
    return tuple(
        RatedThen(
            bot.identity,
            rows[bot.identity].elo if bot.identity in rows else None,
            rows[bot.identity].least if bot.identity in rows else None,
            min(batches.of.get(bot.identity, 0), chain.terms.fewest_batches),
        )
        for bot in chain.active
        if bot.author
    )
