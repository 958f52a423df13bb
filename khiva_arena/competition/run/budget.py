"""``run --budget 8h``: how many line-ups and seeds fit into a time, and which errors to
expect.
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from khiva_arena.common.say import Say
from khiva_arena.common.time_in_words import in_time
from khiva_arena.competition.events.durations import MatchTime, of_store
from khiva_arena.competition.events.extending import can_be_extended, chain_of, length_of
from khiva_arena.competition.events.find import events_of
from khiva_arena.competition.playing.limits import LimitOf
from khiva_arena.competition.playing.starts import BudgetTrial, Entrants
from khiva_arena.competition.run.budget_try import MeasuredTime, Trial
from khiva_arena.competition.run.expected_errors import errors_to_expect, table_of, width_of
from khiva_arena.competition.run.who_plays import executor_of, players_of
from khiva_arena.competition.settings.define import definition_of
from khiva_arena.competition.settings.isolation import admit, chosen_sandbox
from khiva_arena.competition.settings.settings import AUTO, MOST, Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.rating.ratings.sharing import SharedDeals
from khiva_arena.rating.report.shared_deals import LITTLE
from khiva_arena.rating.schedule import coverings, formats
from khiva_arena.records.replay.definition import Definition, spellings
from khiva_arena.records.store.db import FILE, EventRow, Store
from khiva_arena.words import count

FEW_SEEDS = 10
UNASKED = 30 * 60.0
"""The seconds of a budget above which the user is asked: a slip of the pen, as 8h for
8m, would take long.
"""
_MOST_STORES = 20
_ONE_SEED = "little of the budget is left, so one seed is played, which may take longer"
_REST = 2.0
"""Seconds for the work after the choice beside matches: workers start, the table is
worked out and printed.
"""


class Proposal(NamedTuple):
    """A choice of line-ups and seeds that fits into a budget.

    settings: with the line-ups and seeds.
    trial: the bots that were started for it.
    lines: the lines about it for the user; () if an event that was begun is continued
        as it is.
    unusual: the reason to ask the user before it is played; "" for none.
    limit: begins the limit by which the event may end short; None for none.
    """

    settings: Settings
    trial: BudgetTrial
    lines: tuple[str, ...] = ()
    unusual: str = ""
    limit: LimitOf | None = None


def propose(
    stages: Sequence[Settings],
    entrants: Sequence[Bot],
    budget_ms: int,
    say: Say,
    *,
    new_event: bool,
) -> Proposal:
    """Return the line-ups and seeds that fit into a budget. If a try has used it up,
    that is one seed. Raises ConfigError if one seed takes longer than all of it.

    An event of these settings that has been begun with a budget keeps its line-ups and
    seeds, unless ``new_event``.
    """
    began = time.monotonic()
    first, seconds = stages[0], budget_ms / 1000
    check_form(stages, entrants, "--budget")
    sandbox = chosen_sandbox(first)
    executor = executor_of(first, Entrants(tuple(entrants)), sandbox, None, say)
    admit(sandbox, first, say, rated=True)
    with ExitStack() as stack:
        playing = players_of(stages, entrants, sandbox, executor, stack)
        definition = definition_of(first, playing.entrants, sandbox)
        store_exists = Store.check(first.out)
        if store_exists and not new_event and (chain := begun_in(first, definition)):
            say(_kept_line(chain, is_over(first, chain[-1])))
            same = replace(first, seeds=length_of(chain), lineups=line_ups_of(chain[-1]))
            return Proposal(same, BudgetTrial(sandbox, playing))
        trial, is_tried = Trial(definition, sandbox, seconds, say), False
        # Nobody knows on which machines matches of another place were played.
        if not first.place and (took := _recorded_time(first.out, definition)):
            measure = MeasuredTime(took, executor.at_a_time)
        else:
            if first.place and not first.leaves_out:
                executor.say = only_warnings(say)  # the run says again who is ready
            playing = playing._replace(
                commands=stack.enter_context(executor).prepare(playing.entrants)
            )
            is_tried = True
            measure = trial.measure(
                executor, [playing.commands[bot.identity] for bot in playing.entrants]
            )
    before = time.monotonic() - began
    table = table_of(first, definition) if store_exists else None
    deals = table.standings.shared_deals if table else None
    there = _Time(
        seconds,
        before + _REST,
        executor.trial_words.more,
        is_used_up=is_tried and before >= seconds,
    )
    settings, line_ups = _choose(first, definition, measure, there, deals)
    took, at_a_time = measure
    matches = settings.seeds * line_ups * first.seats
    lines = (
        (
            f"--budget: a match takes {took.seconds:.3g} s in all, from {took.source}; "
            f"{in_time(before)} are gone"
        ),
        f"{count(settings.seeds, 'seed')} x {count(line_ups, 'line-up')} x {first.seats} "
        f"rotations = {matches} matches at {count(at_a_time, 'match', 'matches')} at a time: "
        f"{took.of(matches, at_a_time)} of {in_time(seconds)}",
        *([_ONE_SEED] if before + matches * took.high / at_a_time > seconds else []),
        errors_to_expect(table, definition, settings.seeds, line_ups),
    )
    unusual = f"it takes about {in_time(seconds)}" if seconds > UNASKED else ""
    return Proposal(settings, BudgetTrial(sandbox, playing._replace(took=took)), lines, unusual)


def only_warnings(say: Say) -> Say:
    """Return a ``say`` that hands on warnings alone."""

    def warn(text: str, *, warning: bool = False) -> None:
        if warning:
            say(text, warning=True)

    return warn


def _recorded_time(out: Path, definition: Definition) -> MatchTime | None:
    """Return how long a match takes by matches of the same kind in the store, else in
    the newest store beside it that has some; None if there are none.
    """
    for folder in (out, *stores_beside(out)):
        if not (folder / FILE).is_file():
            continue
        try:
            with Store.read(folder) as store:
                took = of_store(store, definition)
        except StoreError:
            if folder == out:
                raise
            continue  # what stands beside it is of no concern
        if took is not None:
            return (
                took
                if folder == out
                else took._replace(source=took.source.replace("this store", str(folder)))
            )
    return None


def stores_beside(out: Path) -> list[Path]:
    """Return the newest stores in the folder in which a store stands, or is to
    stand.
    """
    with suppress(OSError):
        files = [(file.stat().st_mtime, file.parent) for file in out.parent.glob(f"*/{FILE}")]
        return [folder for _, folder in sorted(files, reverse=True) if folder != out][:_MOST_STORES]
    return []


def check_form(stages: Sequence[Settings], entrants: Sequence[Bot], option: str) -> None:
    """Raise ConfigError if an option cannot choose the seeds of what is to be
    played.
    """
    form = formats.FORMATS[stages[0].format]
    if len(stages) > 1 or stages[0].stage or form.IN_ROUNDS:
        raise ConfigError(
            f"{option} chooses the seeds of one round-robin or gauntlet; rounds and stages "
            "follow from results: give --seeds, "
            "and the time that is printed before the start says how long they take"
        )
    if any(bot.guest for bot in entrants):
        raise ConfigError(f"{option} cannot measure people and remote bots; use --seeds")


def begun_in(first: Settings, definition: Definition) -> list[EventRow]:
    """Return the newest event, with those that it extends, that differs from a
    definition only in a budget's choices.

    [] means that there is none.
    """
    with Store.read(first.out) as store:
        events = events_of(store, ())
    by_id = {event.id: event for event in events}
    for event in reversed(events):
        chain = chain_of(by_id, event)
        begun = chain[0].definition
        as_begun = replace(definition, lineups=begun.lineups, draw=begun.draw)
        alike = [as_begun] if first.lineups is None else spellings(definition)
        if (
            not event.closed
            and can_be_extended(begun)
            and begun in [replace(each, seeds=begun.seeds) for each in alike]
        ):
            return chain
    return []


def is_over(first: Settings, event: EventRow) -> bool:
    """Tell whether an event of the settings' store is over."""
    with Store.read(first.out) as store:
        return store.conclusion(event.id) is not None


def line_ups_of(event: EventRow) -> int | str | None:
    """Return the line-ups of an event as they are typed."""
    return AUTO if event.definition.draw else event.definition.lineups


def _kept_line(chain: Sequence[EventRow], is_over: bool) -> str:
    """Return a line: an event of these settings is there, with those that it extends,
    and which flags play more.
    """
    last, seeds = chain[-1], length_of(chain)
    shape = "" if last.definition.lineups is None else f"--lineups {line_ups_of(last)} "
    ways_on = (
        f"{shape}--seeds N instead of --budget extends it, with N above {seeds}, and "
        "--new-event plays another one"
    )
    over, then = ("is over", "") if is_over else ("has been begun", "once that is over, ")
    return (
        f"--budget: the {count(seeds, 'seed')} of event {last.number}, which {over}, stay; "
        f"{then}{ways_on}"
    )


# --- the choice that fits ---


class _Time(NamedTuple):
    """The seconds of a budget.

    seconds: all of them.
    spent: those that go into everything but matches.
    more_at_a_time: the thing to give more of, so that more matches fit.
    is_used_up: whether a try of matches alone has taken all of it.
    """

    seconds: float
    spent: float
    more_at_a_time: str
    is_used_up: bool = False


def _choose(
    first: Settings,
    definition: Definition,
    measure: MeasuredTime,
    there: _Time,
    deals: SharedDeals | None,
) -> tuple[Settings, int]:
    """Return the settings, and how many line-ups they have.

    Matches are counted with the longest time that is foreseen, which is the margin of a
    budget.
    """
    took, at_a_time = measure
    seconds, seconds_before, more_at_a_time, _ = there
    room = int(
        max(0.0, seconds - seconds_before) * at_a_time / max(took.high, 1e-6) / first.seats
    )  # tables
    shape = shape_that_fits(first, definition, room, deals)
    line_ups = shape.line_ups
    if (
        room < line_ups
        and not there.is_used_up
        and line_ups * first.seats * took.seconds > seconds * at_a_time
    ):
        needs = took.of(line_ups * first.seats, at_a_time)
        raise ConfigError(
            f"--budget: {in_time(seconds)} is too little: one seed of "
            f"{count(line_ups, 'line-up')} takes {needs}, and all "
            f"else {in_time(seconds_before)}; give more time, more {more_at_a_time} or fewer bots"
        )
    return replace(first, seeds=shape.seeds, lineups=shape.named), line_ups


class FittingShape(NamedTuple):
    """The shape of an event that fits.

    line_ups: how many are on each seed.
    named: the same as ``--lineups`` takes it.
    seeds: at least 1, even if that is too much.
    """

    line_ups: int
    named: int | str | None
    seeds: int


def shape_that_fits(
    first: Settings, definition: Definition, room: int, deals: SharedDeals | None
) -> FittingShape:
    """Return the line-ups and seeds of so many tables: all line-ups, if that leaves
    enough seeds, else those of ``--lineups auto``.

    ``--lineups auto`` is also taken if the matches on a deal are so much alike that
    more deals make clearly smaller errors.
    """
    terms = definition.terms()
    total = formats.shapes(terms)[0].line_ups
    choices: list[tuple[int, int | str | None]] = [(total, first.lineups)]
    if formats.FORMATS[first.format].AUTO and first.lineups is None:
        few, _ = coverings.auto(len(definition.bots), first.seats, first.copies, terms.authors)
        choices += [(few, AUTO)] if few < total else []
    line_ups, lineups = next(
        (choice for choice in choices if room // choice[0] >= FEW_SEEDS), choices[-1]
    )
    few, few_named = choices[-1]
    if deals is not None and room // few >= FEW_SEEDS:
        widths = [width_of(deals, definition, choice, room // choice) for choice in (few, line_ups)]
        line_ups, lineups = (
            (few, few_named) if widths[0] <= LITTLE * widths[1] else (line_ups, lineups)
        )
    return FittingShape(line_ups, lineups, max(1, min(room // line_ups, MOST["seeds"])))
