"""A cap on what the bots of an event spend, while it is played, and the amounts that a
store knows.
"""

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from khiva_arena.arbiter.match import Outcome
from khiva_arena.common.result import COST, TOKENS_TOLD, Spent
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.extending import chain_of
from khiva_arena.competition.playing.limits import TablePlace
from khiva_arena.extensions.spending.cap_law import CapLaw
from khiva_arena.rating.report.capped import money
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.reads import HIGHEST
from khiva_arena.records.store.rows import CapRow

MICRO = 1_000_000
_UNDER_WAY = (
    -1
)  # as the number of recorded matches, in a row that says that a run has begun to play
OWN_LIMIT = "set your provider's own limit, too: a bot that reports too little passes any cap"


class Cost(NamedTuple):
    """The cost of matches, by their bots' own word.

    amount: in millionths of the currency.
    at_least: whether more may have been spent: a bot ended without its last totals or
        does not know them, or the arena lost them.
    foreign: the names of other currencies in which a bot reported a cost; "" is a name.
    reported: whether a bot reported a cost at all.
    """

    amount: int = 0
    at_least: bool = False
    foreign: frozenset[str] = frozenset()
    reported: bool = False

    def plus(self, other: "Cost") -> "Cost":
        """Return the sum of both."""
        return Cost(
            self.amount + other.amount,
            self.at_least or other.at_least,
            self.foreign | other.foreign,
            self.reported or other.reported,
        )


def cost_of(reports: Sequence[Spent | None], currency: str) -> Cost:
    """Return the cost of an attempt at a match. ``reports``: by seat."""
    told = [report for report in reports if report is not None]
    costs = [report for report in told if COST in report.totals]
    return Cost(
        sum(report.totals[COST] for report in costs if report.currency == currency),
        any(
            report.decisions and (not report.whole or TOKENS_TOLD in report.totals)
            for report in told
        ),
        frozenset(
            report.currency
            for report in costs
            if report.currency != currency and report.totals[COST]
        ),
        bool(costs),
    )


def cost_of_outcome(outcome: Outcome, currency: str) -> Cost:
    """Return the cost of an attempt that has just ended. A worker that was lost takes
    the reports with it.
    """
    cost = cost_of([seat.spent for seat in outcome.seats], currency)
    return cost if outcome.seats or not outcome.begun else cost._replace(at_least=True)


class DearReport(NamedTuple):
    """The dearest report of a bot in a match.

    bot: its name.
    match: its name, in words.
    amount: in millionths of the currency.
    """

    bot: str
    match: str
    amount: int

    def why_none_fits(self, cap: int, per_table: int, currency: str) -> str:
        """Return why no table of such matches fits into a cap; "" if one
        does. ``per_table``: matches.
        """
        if self.amount * per_table < cap:
            return ""
        cost = money(self.amount, harmless(currency))
        such = "," if self.amount >= cap else f", and {per_table} such matches cost"
        return (
            f"{harmless(self.bot)} reports {cost} in {self.match}{such} as much as the cap or "
            "more: if that is wrong, leave this bot out and give --new-event"
        )


NOTHING_DEAR = DearReport("", "", 0)


class KnownCosts(NamedTuple):
    """The costs that a store knows of an event.

    tables: of each table, void attempts included.
    matches: of each recorded match.
    tried: the tries before it began.
    dearest: the most that a table was known to cost when a cap chose its seeds; 0 if
        none did.
    at_least, foreign, reported: as of ``Cost``, of all.
    dear: the dearest report of a bot.
    """

    tables: dict[TablePlace, int]
    matches: list[int]
    tried: int
    dearest: int
    at_least: bool
    foreign: frozenset[str]
    reported: bool
    dear: DearReport

    def dearest_table(self, per_table: int) -> int:
        """Return the most that a table cost, or would cost if all its matches cost as
        much as the dearest.
        """
        return max(self.dearest, per_table * max(self.matches, default=0), *self.tables.values())

    @property
    def spent(self) -> int:
        """All that was spent."""
        return self.tried + sum(self.tables.values())


def known_costs(
    store: Store,
    event: EventRow,
    currency: str,
    among: Collection[str] | None = None,
) -> KnownCosts:
    """Return the costs that a store knows of an event. ``among``: identities; matches
    of other bots do not count.
    """
    tables: dict[TablePlace, int] = {}
    matches: list[int] = []
    whole, dear = Cost(), NOTHING_DEAR
    for attempt in attempts(store, event):
        bots = [event.bots[bot] for bot in attempt.bots]
        if among is not None and not all(bot.identity in among for bot in bots):
            continue
        cost = cost_of(attempt.reports, currency)
        whole, table = whole.plus(cost), attempt.table
        tables[table] = tables.get(table, 0) + cost.amount
        if attempt.is_recorded:
            matches.append(cost.amount)
        names, match = [bot.name for bot in bots], f"match {event.number}/{attempt.ordinal}"
        dear = max(dear, dearest(names, attempt.reports, match, currency), key=_amount)
    caps = [row for row in store.caps(event.id) if row.currency == currency]
    first = next((row for row in caps if row.number == 0), None)
    at_least = whole.at_least or any(row.at_least for row in caps)
    tried, dearest_tried = (first.spent, first.dearest) if first else (0, 0)
    if among is not None and not all(bot.identity in among for bot in event.bots):
        dearest_tried = 0  # the table may have been one of the others
    return KnownCosts(
        tables, matches, tried, dearest_tried, at_least, whole.foreign, whole.reported, dear
    )


def dearest(
    names: Sequence[str], reports: Sequence[Spent | None], match: str, currency: str
) -> DearReport:
    """Return the dearest report of a match. ``names``: of the bots by seat. ``match``:
    its name, in words.
    """
    each = (
        DearReport(name, match, cost_of([report], currency).amount)
        for name, report in zip(names, reports, strict=False)
    )
    return max(each, key=_amount, default=NOTHING_DEAR)


def _amount(report: DearReport) -> int:
    return report.amount


class Attempt(NamedTuple):
    """An attempt at a match.

    ordinal, table: its place in the schedule.
    bots, reports: by seat: numbers of bots, and what they reported.
    is_recorded: it was not void.
    """

    ordinal: int
    table: TablePlace
    bots: Sequence[int]
    reports: Sequence[Spent | None]
    is_recorded: bool


def attempts(store: Store, event: EventRow) -> Iterator[Attempt]:
    """Yield the attempts at an event's matches that a store has."""
    for match in store.matches(event.id, beside=("spent",)):
        yield Attempt(
            match.ordinal,
            (match.seed, match.lineup),
            [seat.bot for seat in match.seats],
            match.spent,
            True,
        )
    for void in store.voids(event.id):
        yield Attempt(void.ordinal, (void.seed, void.lineup), void.bots, void.spent, False)


def millionths(word: str) -> int | None:
    """Return an amount such as 5.00 in millionths, None for a word that is no amount
    above 0.
    """
    whole, _, part = word.partition(".")
    if not (
        word.isascii() and (whole + part).isdigit() and whole and len(part) <= 6 and len(whole) <= 9
    ):
        return None
    return int(Decimal(word) * MICRO) or None


class SpendCap(NamedTuple):
    """The cap of a run.

    cap: in millionths of the currency.
    currency: its name.
    tried: what tries before it cost.
    dearest: the most that a table is known to cost.
    chooses: whether it has chosen the seeds of a new event.
    """

    cap: int
    currency: str
    tried: Cost = Cost()
    dearest: int = 0
    chooses: bool = False

    def begin(self, store: Store, event: EventRow) -> "CapOfEvent":
        """Begin the limit of an event: the events that it extends count, too."""
        if self.chooses and not store.caps(event.id):
            tried = _state(self, self.tried.amount, self.tried.at_least, self.dearest)
            store.add_cap(CapRow(event.id, 0, *tried, recorded=0))
        return CapOfEvent(
            self, store, event, chain_of({row.id: row for row in store.events()}, event)
        )


def _state(
    cap: SpendCap, spent: int, at_least: bool, dearest: int
) -> tuple[int, str, int, bool, int]:
    """Return what a row says of a cap: amounts as far as a store can hold them."""
    at_least = at_least or spent > HIGHEST
    return cap.cap, cap.currency, min(spent, HIGHEST), at_least, min(dearest, HIGHEST)


def _was_interrupted(store: Store, event: EventRow) -> bool:
    """Tell whether matches may have been under way when an earlier run of an event
    ended: nobody knows what those cost.
    """
    ended = [row.recorded for row in store.caps(event.id) if row.number]
    recorded = len(store.recorded(event.id))
    was_begun = recorded or ended or store.voids(event.id)
    return bool(was_begun) and ended[-1:] != [recorded]


class CapOfEvent:
    """The cap while an event is played, as ``playing.limits.PlayLimit`` wants it."""

    def __init__(
        self, cap: SpendCap, store: Store, event: EventRow, events: Sequence[EventRow]
    ) -> None:
        """``events``: those that it extends, and itself."""
        self._cap, self._store, self._event, self._events = cap, store, event, events
        chain = [known_costs(store, row, cap.currency) for row in events]
        own = chain[-1]
        before = own.tried + sum(known.spent for known in chain[:-1])
        per_table = event.definition.seats  # as many rotations
        dearest = max(cap.dearest, *(known.dearest_table(per_table) for known in chain))
        self._law = CapLaw(cap.cap, per_table, before, dearest, own.tables)
        self._at_least = any(known.at_least for known in chain) or _was_interrupted(store, event)
        self._foreign = frozenset[str]().union(*(known.foreign for known in chain))
        self._refused: TablePlace | None = None
        self._is_begun = False  # a row says so
        self._is_halted = False  # a table that had been let begin was refused
        self._noted = self._noted_before = 0

    @property
    def ended(self) -> str:
        """How the cap ended the event; "" if it did not."""
        if self._refused is None:
            return ""
        number, currency = self._event.number, harmless(self._cap.currency)
        if self._foreign:
            others = ", ".join(sorted(harmless(name) or "no currency" for name in self._foreign))
            return (
                f"event {number} is not over, and no more of it is played: {self._first_foreign()} "
                f"reported a cost in {others}, which a cap in {currency} cannot count; let it "
                f"report in {currency}, and give --new-event, or give --seeds instead of --spend "
                "to go on without a cap"
            )
        reached = (
            f"ended event {number} short"
            if self._noted
            else f"is reached, and event {number} is not over"
        )
        spent = money(self._law.spent, currency, self._at_least)
        return (
            f"the cap of {money(self._cap.cap, currency)} {reached}: {spent} spent, by the bots' "
            f"own word; a higher --spend goes on{self._why_none_fits()}; {OWN_LIMIT}"
        )

    def _first_foreign(self) -> str:
        """Return the name of a bot that reported another currency, and its match."""
        for event in self._events:
            for attempt in attempts(self._store, event):
                for bot, report in zip(attempt.bots, attempt.reports, strict=False):
                    if cost_of([report], self._cap.currency).foreign:
                        return (
                            f"{harmless(event.bots[bot].name)} in match "
                            f"{event.number}/{attempt.ordinal}"
                        )
        return "a bot"

    def _why_none_fits(self) -> str:
        """Return the report that leaves no room for another table, in words behind a
        sentence; "" if there is none.
        """
        dear = max(
            (known_costs(self._store, row, self._cap.currency).dear for row in self._events),
            key=_amount,
        )
        why = dear.why_none_fits(self._cap.cap, self._event.definition.seats, self._cap.currency)
        return why and f"; {why}"

    def may_begin(self, table: TablePlace, matches: int) -> bool:
        if self._foreign or not self._law.fits(table):
            self._refused = table
            return False
        if not self._is_begun:
            self._add_row(
                _UNDER_WAY
            )  # the last one if this run is killed, even before it has recorded a match
            self._is_begun = True
        self._law.begin(table, matches)
        return True

    def still_may_begin(self, table: TablePlace) -> bool:
        if self._law.has_begun(table) or (
            not self._is_halted and not self._foreign and self._law.holds
        ):
            return True
        self._is_halted = True
        self._refused = min(table, self._refused or table)
        return False

    def note(self, table: TablePlace, outcome: Outcome) -> None:
        cost = cost_of_outcome(outcome, self._cap.currency)
        self._noted += 1
        self._at_least = self._at_least or cost.at_least
        self._foreign |= cost.foreign
        self._law.add(table, cost.amount, is_recorded=outcome.record is not None)

    def goes_on(self) -> bool:
        self._law.none_under_way()
        is_new, self._noted_before = self._noted > self._noted_before, self._noted
        if (
            self._refused is None
            or self._foreign
            or not is_new
            or not self._law.fits(self._refused)
        ):
            return False
        self._refused, self._is_halted = None, False
        return True

    def end(self, recorded: int) -> None:
        if self._refused is not None and not self._foreign:
            self._add_row(recorded)

    def _add_row(self, recorded: int) -> None:
        """Add the state to the store as its next row, unless the last one says the
        same.
        """
        rows = self._store.caps(self._event.id)
        state = _state(self._cap, self._law.spent, self._at_least, self._law.dearest)
        number = max((row.number for row in rows), default=0)
        if not number or rows[-1] != CapRow(self._event.id, number, *state, recorded=recorded):
            self._store.add_cap(CapRow(self._event.id, number + 1, *state, recorded=recorded))
