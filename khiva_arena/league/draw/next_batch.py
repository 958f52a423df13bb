"""The next batch of a league: its place in the chain and its tables, as its definition has them.

The tables are drawn from the chain and from counts, and from results only if the league says so.
"""

from collections.abc import Callable, Iterable, Sequence

from khiva_arena.league.chain.links import Over
from khiva_arena.league.chain.roster import Chain
from khiva_arena.league.draw.certain import MOST_BOTS, Points, worth_of_meetings
from khiva_arena.league.draw.counts import Counts
from khiva_arena.league.draw.draw import Active, BatchShape, draw
from khiva_arena.replay.definition import Batch, Definition
from khiva_arena.replay.record import canonical, digest_of
from khiva_arena.result import Result


class PastResults:
    """The results of a league's batches, which are read and summed once a draw needs them."""

    def __init__(
        self,
        of_event: Callable[[str], tuple[Definition, Iterable[Result]]],
    ) -> None:
        """``of_event``: returns the definition of an event and the results of its recorded matches, by its id."""
        self._of_event = of_event
        self._batches = 0
        self._conditions = b""
        self._points = Points()

    def points(self, overs: Sequence[Over]) -> Points:
        """Return the sums over these batches, which are those of the last call and later ones. Results under other conditions
        than the last batch's don't count, nor do tables that were set aside."""
        for over in overs[self._batches :]:
            definition, results = self._of_event(over.event)
            conditions = conditions_in(definition)
            if conditions != self._conditions:
                self._points, self._conditions = Points(), conditions
            for result in results:
                if (result.seed, result.lineup) not in over.set_aside:
                    self._points.add([definition.bots[bot].identity for bot in result.bots], result.ranks)
            self._batches += 1
        return self._points


def next_batch(chain: Chain, counts: Counts, past: PastResults) -> Batch:
    """Return the place of the next batch in the chain, with its tables drawn. Nothing in it follows from times or texts, which
    the organiser may vary: so they change neither the event's id nor what follows from that.

    chain: up to the newest link.
    counts: over all batches so far.
    past: the results so far.

    Raises ConfigError if the bots cannot fill a table.
    """
    active = active_of(chain)
    shape = BatchShape(chain.terms.seats, chain.terms.most_tables, chain.terms.authors_apart)
    worth = None
    if chain.terms.draw == "certain" and len(active) <= MOST_BOTS:
        worth = worth_of_meetings([bot.identity for bot in active], past.points(chain.overs))
    tables = draw(active, counts, shape, bytes.fromhex(chain.before), worth)
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
    families, authors = ([*dict.fromkeys(ids)] for ids in zip(*((bot.family, bot.author) for bot in active), strict=True))
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
