"""``run --spend 5.00``: how many line-ups and seeds a cap allows, from the measured
cost of matches.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from msgspec.structs import replace

from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import COST, TOKENS_TOLD
from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.extending import length_of
from khiva_arena.competition.playing.executor import Executor
from khiva_arena.competition.playing.starts import BudgetTrial, Entrants
from khiva_arena.competition.run.budget import (
    Proposal,
    begun_in,
    check_form,
    is_over,
    line_ups_of,
    only_warnings,
    shape_that_fits,
)
from khiva_arena.competition.run.budget_try import TRY_MATCHES, Trial
from khiva_arena.competition.run.expected_errors import BudgetTable, errors_to_expect, table_of
from khiva_arena.competition.run.who_plays import executor_of, players_of
from khiva_arena.competition.settings.define import definition_of
from khiva_arena.competition.settings.isolation import admit, chosen_sandbox
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.display.terminal.interrupts import if_interrupted
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.spending.match_costs import (
    OPTION,
    MatchCost,
    check_one,
    check_reporting,
    currency_named,
    match_cost,
)
from khiva_arena.extensions.spending.recorded_cost import recorded_cost
from khiva_arena.extensions.spending.spend_cap import (
    OWN_LIMIT,
    Cost,
    DearReport,
    KnownCosts,
    SpendCap,
    cost_of_outcome,
    dearest,
    known_costs,
    millionths,
)
from khiva_arena.rating.report.capped import money
from khiva_arena.rating.schedule import formats
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.words import count

_FEW = 4  # matches of a try at least, if the cap allows them
_SHARE = (
    6  # of a cap at most one of so many parts is spent on a try, and the matches under way by then
)
_AGAIN = "the next run tries again, which costs again"


def propose(
    stages: Sequence[Settings], entrants: Sequence[Bot], cap: str, say: Say, *, new_event: bool
) -> Proposal:
    """Return the line-ups and seeds that a cap allows, as ``competition.run.caps.Caps``
    wants them.
    """
    amount = millionths(cap)
    if amount is None:
        raise ConfigError(
            f"{OPTION} {cap}: give an amount with at most 6 digits behind the point, as 5.00"
        )
    check_form(stages, entrants, OPTION)
    check_reporting(entrants)
    first = stages[0]
    sandbox = chosen_sandbox(first)
    executor = executor_of(first, Entrants(tuple(entrants)), sandbox, None, say)
    admit(sandbox, first, say, rated=True)
    with ExitStack() as stack:
        playing = players_of(stages, entrants, sandbox, executor, stack)
        check_reporting(playing.entrants)
        definition = definition_of(first, playing.entrants, sandbox)
        if first.place and not first.leaves_out:
            executor.say = only_warnings(say)  # the run says again who is ready
        playing = playing._replace(commands=stack.enter_context(executor).prepare(playing.entrants))
        currency = None if first.place else currency_named(first, playing, sandbox, say)
        return _Asked(first, playing, sandbox, definition, amount, say).propose(
            executor, currency, new_event=new_event
        )


class _Asked(NamedTuple):
    """A run with a cap, whose bots are ready to play."""

    first: Settings
    playing: Entrants
    sandbox: Sandbox
    definition: Definition
    cap: int
    say: Say

    def propose(self, executor: Executor, currency: str | None, *, new_event: bool) -> Proposal:
        store_exists = Store.check(self.first.out)
        chain = begun_in(self.first, self.definition) if store_exists and not new_event else []
        currency = currency or self._currency_of(chain)
        measure = (
            recorded_cost(self.first.out, self.playing, self.definition, currency)
            if currency
            else None
        )
        # An event that was begun needs no measure, unless only a try tells the
        # currency.
        if measure is None and not (chain and currency):
            currency, measure = self._try(executor, currency)
        assert currency
        known = self._known(chain, currency)
        if chain and (kept := self._kept(chain, known, currency, measure)):
            return kept
        assert measure is not None
        table = table_of(self.first, self.definition) if store_exists else None
        return self._chosen(measure, currency, chain, known, table)

    def _currency_of(self, chain: Sequence[EventRow]) -> str | None:
        """Return the currency of earlier caps on events, or else of the costs in them;
        None if they have neither.
        """
        if not chain:
            return None
        with Store.read(self.first.out) as store:
            of_caps = (row.currency for event in chain for row in store.caps(event.id))
            matches = (
                match for event in chain for match in store.matches(event.id, beside=("spent",))
            )
            of_costs = (
                one.currency
                for match in matches
                for one in match.spent
                if one and COST in one.totals
            )
            return next(filter(None, of_caps), None) or next(filter(None, of_costs), None)

    def _known(self, chain: Sequence[EventRow], currency: str) -> list[KnownCosts]:
        if not chain:
            return []
        with Store.read(self.first.out) as store:
            for event in chain:
                if others := {row.currency for row in store.caps(event.id)} - {currency}:
                    before = ", ".join(map(harmless, sorted(others)))
                    raise ConfigError(
                        f"{OPTION}: event {event.number} was played with a cap in {before}, and "
                        f"the bots now name {harmless(currency)}; --new-event begins another one"
                    )
            return [known_costs(store, event, currency) for event in chain]

    def _kept(
        self,
        chain: Sequence[EventRow],
        known: Sequence[KnownCosts],
        currency: str,
        measure: MatchCost | None,
    ) -> Proposal | None:
        """Return the proposal to go on with an event as it was begun; None if it is
        over, and a higher cap extends it.
        """
        spent = sum(one.spent for one in known) + (measure.tried.amount if measure else 0)
        with Store.read(self.first.out) as store:
            chose = max(
                (row.cap for event in chain for row in store.caps(event.id) if row.number == 0),
                default=0,
            )
        over = is_over(self.first, chain[-1])
        if over and measure and self.cap > chose:
            return None
        seeds, of = length_of(chain), money(self.cap, currency)
        state = "is over" if over else "has been begun"
        next_step = "; a higher one extends it" if over else ""
        told = money(spent, "", any(one.at_least for one in known))
        self.say(
            f"{OPTION}: the {count(seeds, 'seed')} of event {chain[-1].number}, which {state}, "
            f"stay; {told} of {of} spent, by the bots' own word{next_step}"
        )
        same = replace(self.first, seeds=seeds, lineups=line_ups_of(chain[-1]))
        cap = SpendCap(self.cap, currency)
        if measure and measure.tried.amount:
            cap = SpendCap(self.cap, currency, measure.tried, measure.table, chooses=True)
        return Proposal(same, self._trial, limit=cap.begin)

    @property
    def _trial(self) -> BudgetTrial:
        return BudgetTrial(self.sandbox, self.playing)

    # --- the cost of a match ---

    def _try(self, executor: Executor, currency: str | None) -> tuple[str, MatchCost]:
        """Play matches that are not recorded, and return the currency of their costs,
        and what one costs.
        """
        self.say(
            f"{OPTION}: no such match is recorded here yet; a few are played first to "
            "measure their cost, which counts"
        )
        line_ups = formats.shapes(self.definition.terms())[0].line_ups
        most = min(TRY_MATCHES, max(_FEW, line_ups))
        outcomes: list[Outcome] = []
        names: dict[int, list[str]] = {}  # by seat, of each match that was begun
        commands: list[Command] = [
            self.playing.commands[bot.identity] for bot in self.playing.entrants
        ]
        tables = Trial(self.definition, self.sandbox, 0.0, self.say).tables(executor, commands)
        with if_interrupted(self.say, lambda: _how_far(len(names), outcomes), resumes=False):
            while len(names) < most and (at_a_time := self._fitting(outcomes, executor)):
                batch = list(
                    islice(
                        tables, 1 if executor.whole_tables else min(at_a_time, most - len(names))
                    )
                )
                if not batch:
                    break
                names |= {
                    job.ordinal: [seat.name for seat in job.header.seats]
                    for table in batch
                    for job in table
                }
                executor.try_tables(batch, outcomes.append)
        told = [
            (name, seat.spent)
            for one in outcomes
            for name, seat in zip(names[one.ordinal], one.seats, strict=False)
        ]
        if currency is None:
            named: dict[str, set[str]] = {}
            for name, report in told:
                if report and COST in report.totals:
                    named.setdefault(report.currency, set()).add(harmless(name))
            silent = named.pop("", {"they"})
            check_one({name: sorted(bots) for name, bots in named.items()}, sorted(silent))
            currency = next(iter(named))
        of_untold = {name for name, report in told if report and TOKENS_TOLD in report.totals}
        if untold := sorted(map(harmless, of_untold)):
            words = (
                "an API does not tell the tokens of all requests, so the cap cannot count "
                "their cost"
            )
            self.say(f"{OPTION}: {', '.join(untold)}: {words}", warning=True)
        costs = [(outcome, cost_of_outcome(outcome, currency)) for outcome in outcomes]
        tried = Cost()
        for _, cost in costs:
            tried = tried.plus(cost)
        played = [cost.amount for outcome, cost in costs if outcome.record is not None]
        amount = money(tried.amount, harmless(currency), tried.at_least)
        matches = count(len(played), "match", "matches")
        spent = f"the try of {matches} spent {amount}; {_AGAIN}"
        if tried.foreign:
            others = ", ".join(sorted(harmless(name) or "no currency" for name in tried.foreign))
            raise ConfigError(
                f"{OPTION}: a bot reported a cost in {others}, and others in "
                f"{harmless(currency)}; {spent}"
            )
        if not played:
            raise ConfigError(
                f"{OPTION}: no match could be played {executor.trial_words.nowhere} now; {spent}"
            )
        if not tried.amount:
            raise ConfigError(
                f"{OPTION}: no bot reported a cost, so a cap ends nothing; leave it out, "
                "or give each bot its prices"
            )
        source = f"a try of {matches}, which cost {amount}"
        each = (_dearest_of(one, names[one.ordinal], currency) for one in outcomes)
        dear = max(each, key=attrgetter("amount"))
        return currency, match_cost(
            played, self.definition.seats * max(played), source, tried, dear
        )

    # --- the choice ---

    def _fitting(self, outcomes: Sequence[Outcome], executor: Executor) -> int:
        """Return how many matches of a try may begin together: one while no cost is
        known, 0 once they have spent their share.
        """
        told = [_told(outcome) for outcome in outcomes]
        left = self.cap - _SHARE * sum(told)
        if left <= 0:
            return 0
        return max(1, min(executor.at_a_time, left // (_SHARE * max(told)))) if any(told) else 1

    def _chosen(
        self,
        measure: MatchCost,
        currency: str,
        chain: Sequence[EventRow],
        known: Sequence[KnownCosts],
        table: BudgetTable | None,
    ) -> Proposal:
        """Return the line-ups and seeds that the cap allows beside those that are
        played. Raises ConfigError if no seed fits.
        """
        seats, cap = self.first.seats, money(self.cap, harmless(currency))
        before = sum(one.spent for one in known) + measure.tried.amount
        left = self.cap - before - measure.table  # for all tables but the dearest
        room = 1 + int((left - 1) / max(measure.high * seats, 1.0)) if left > 0 else 0
        first = replace(self.first, lineups=line_ups_of(chain[-1])) if chain else self.first
        shape = shape_that_fits(
            first, self.definition, room, table.standings.shared_deals if table else None
        )
        a_seed = shape.line_ups * seats * measure.mean
        spent = f"; {money(before, '', measure.tried.at_least)} are spent" if before else ""
        a_match = (
            f"a match costs {money(round(measure.mean), harmless(currency))}, from {measure.source}"
        )
        if room < shape.line_ups:
            needs = (
                f"one seed of {count(shape.line_ups, 'line-up')} costs about "
                f"{money(round(a_seed), harmless(currency))}"
            )
            self_words = "too little" if not chain else "too little to extend the event"
            again = f"; {_AGAIN}" if measure.tried.amount else ""
            dear = measure.dear
            why = (
                f"; {dear.why_none_fits(self.cap, seats, currency)}"
                if dear.amount >= self.cap
                else ""
            )
            advice = f"give more, or fewer bots{why}"
            raise ConfigError(
                f"{OPTION}: {cap} is {self_words}: {needs}{spent}; {a_match}; {advice}{again}"
            )
        matches = shape.seeds * shape.line_ups * seats
        lines = (
            f"{OPTION}: {a_match}",
            f"{count(shape.seeds, 'seed')} x {count(shape.line_ups, 'line-up')} x {seats} "
            f"rotations = {matches} matches: about "
            f"{money(round(before + matches * measure.mean), '')} of {cap}{spent}; {OWN_LIMIT}",
            errors_to_expect(table, self.definition, shape.seeds, shape.line_ups),
        )
        settings = replace(first, seeds=length_of(chain) + shape.seeds, lineups=shape.named)
        spend_cap = SpendCap(self.cap, currency, measure.tried, measure.table, chooses=True)
        return Proposal(settings, self._trial, lines, limit=spend_cap.begin)


def _told(outcome: Outcome) -> int:
    """Return the costs that a match's bots report, of whatever currency, in
    millionths.
    """
    return sum(seat.spent.totals.get(COST, 0) for seat in outcome.seats if seat.spent)


def _dearest_of(outcome: Outcome, names: Sequence[str], currency: str) -> DearReport:
    return dearest(
        names,
        [seat.spent for seat in outcome.seats],
        f"match {outcome.ordinal} of the try",
        currency,
    )


def _how_far(begun: int, outcomes: Sequence[Outcome]) -> str:
    """Return how far a try came, for a user who interrupts it."""
    spent = money(sum(map(_told, outcomes)), "", at_least=begun > 0).strip()
    return f"a try began {count(begun, 'match', 'matches')} and spent {spent}; {_AGAIN}"
