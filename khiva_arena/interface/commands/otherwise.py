"""The work of ``khiva-arena match --from ... --choice``: another choice is put into a
stored match, and the live bots go on.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec.structs import replace

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.pool import play as play_all
from khiva_arena.common.exit_codes import BAD_RESULT, INTERRUPTED
from khiva_arena.common.text import harmless
from khiva_arena.common.time_in_words import in_time
from khiva_arena.competition.settings.isolation import warn_of_cold_files
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.tty import list_width
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.starts import start_match
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.choices import ALL
from khiva_arena.interface.commands.decision import decision_of
from khiva_arena.interface.commands.json_shapes import (
    VERSION,
    RecordedEnd,
    TriedEnd,
    TryOutput,
    printed,
)
from khiva_arena.interface.commands.result_words import ends
from khiva_arena.interface.commands.stored_table import StoredTable, named, seated, stored_table
from khiva_arena.interface.commands.traced import (
    MatchEnd,
    Tracing,
    forfeiters,
    play,
    print_aside,
    say_faults,
)
from khiva_arena.rating.report.text import listing
from khiva_arena.records.replay.conditions import kept_at
from khiva_arena.records.replay.decided import (
    THIS_DEAL,
    StoredDecision,
    choice_meant,
    end_of,
    listed,
)
from khiva_arena.records.replay.past import past_of
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.story import points_lines
from khiva_arena.records.replay.verify import verify
from khiva_arena.words import count

ENDS_MOST = 50
"""The most ends of tried matches that are said while they come, unless all are asked
for; the table has each.
"""
SENT_AGAIN = (
    "each bot is sent the recorded steps again, and its answers there are not used: one that "
    "remembers its own choices may be confused"
)


class OtherChoice(NamedTuple):
    """A choice that is put into a stored match, as the flags of these names say; None
    without the flag.

    step: the number of the step.
    seat: the seat that was asked there.
    choice: an index or words.
    tries: "all" for each choice in turn, or the numbers of some, as "14,48".
    """

    step: int | None
    seat: int | None
    choice: str | None
    tries: str | None


def play_otherwise(
    folder: Path,
    word: str,
    other: OtherChoice,
    flags: dict[str, Any],
    tracing: Tracing,
    as_json: bool,
) -> MatchEnd:
    """Play a stored match on from a decision, and print its end beside the recorded
    one.
    """
    if other.step is None or other.seat is None:
        raise ConfigError(
            "--choice and --try need the decision: add --step N and --seat S, as "
            "`khiva-arena replay` numbers them"
        )
    table = stored_table(folder, word, flags)
    decision = decision_of(table, other.step, other.seat)
    if (other.choice is None) == (other.tries is None):
        raise ConfigError(
            f"--choice K, --try all or --try 0,1: give one of them; {listed(decision)}"
        )
    if (
        other.tries is not None
        and tracing[:-1] != Tracing(trace=False, capture=None, notes=False)[:-1]
    ):
        raise ConfigError(
            "--try plays several matches: --trace, --capture, --notes and --by-function go "
            "with --choice"
        )
    choices = (
        _tried(decision, other.tries or "")
        if other.choice is None
        else [choice_meant(decision, other.choice)]
    )
    entrants, job = seated(table, flags, by_function=tracing.by_function)
    if flags["bots"]:
        job = replace(job, header=named(job.header, [bot.name for bot in entrants]))
    words = [bot.asked_as for bot in entrants]
    if not job.in_ticks:
        say(SENT_AGAIN)
    jobs = [_job(table, decision, job, choice) for choice in choices]
    if other.tries is not None:
        outcomes, code = _play_each(
            jobs, entrants, table, decision, 1 if tracing.is_full else ceil(len(jobs) / ENDS_MOST)
        )
    else:
        outcome, code = play(jobs[0], tracing, entrants)
        outcomes = [outcome]
    records = {outcome.ordinal: outcome.record for outcome in outcomes if outcome.record}
    if other.choice is not None and not records:
        say(_end_in_words(table, decision, outcomes[0]))
    if as_json:
        click.echo(printed(_output(table, decision, records)))
    elif records:
        if outcomes[0].cell:
            click.echo(kept_at(outcomes[0].cell))
        for line in [
            _title(table, decision),
            *(_ends if other.tries is None else _ranking)(table, decision, records),
            THIS_DEAL,
        ]:
            click.echo(harmless(line))
    if other.tries is None and records:
        print_aside(outcomes[0], [seat.name for seat in job.header.seats], tracing)
        say_faults(outcomes[0], job, words, tracing)
    code = code if code or len(records) == len(jobs) else BAD_RESULT
    return MatchEnd(code, forfeiters(outcomes, jobs[0]))


def _tried(decision: StoredDecision, word: str) -> Sequence[int]:
    """Return the choices to try, each once. Raises ConfigError for a word that is
    neither "all" nor numbers of choices.
    """
    if word == ALL:
        return range(len(decision.texts))
    parts = [part.strip() for part in word.split(",")]
    if all(
        part.isascii() and part.isdigit() and int(part[:9]) < len(decision.texts) for part in parts
    ):
        return list(dict.fromkeys(map(int, parts)))
    raise ConfigError(
        f"--try {word}: give all, or choices by their numbers, as --try 0,1; {listed(decision)}"
    )


def _job(table: StoredTable, decision: StoredDecision, job: Job, choice: int) -> Job:
    return replace(
        job,
        ordinal=choice,
        past=past_of(table.record, table.details, decision.step, decision.seat, choice),
    )


class TriedChoices(NamedTuple):
    """The matches of several choices.

    outcomes: of those that were played.
    exit_code: 130 if the user stopped before the last one, else 0.
    """

    outcomes: list[Outcome]
    exit_code: int


def _play_each(
    jobs: Sequence[Job],
    entrants: Sequence[Bot],
    table: StoredTable,
    decision: StoredDecision,
    each: int,
) -> TriedChoices:
    """Play the match of each choice, one after another, since they share bots and a
    deal. Ends are said as they come: every ``each``-th of them, and the last one.
    """
    say(_estimate(len(jobs), table.row.seconds))
    start_match(jobs[0], entrants)
    warn_of_cold_files(say)
    outcomes: list[Outcome] = []

    def take(outcome: Outcome) -> None:
        if outcome.record is None and outcome.again:
            return
        outcomes.append(outcome)
        if len(outcomes) % each == 0 or len(outcomes) == len(jobs):
            say(f"{len(outcomes)} of {len(jobs)}: {_end_in_words(table, decision, outcome)}")

    try:
        play_all(jobs, 1, take)
    except KeyboardInterrupt:
        say(
            f"interrupted: {count(len(outcomes), 'choice was', 'choices were')} played; "
            "--try takes the numbers of others"
        )
        return TriedChoices(outcomes, INTERRUPTED)
    return TriedChoices(outcomes, 0)


def _estimate(matches: int, seconds: float | None) -> str:
    """Return how many matches are played, and how long they take if each takes as long
    as the recorded one.
    """
    text = f"{count(matches, 'match', 'matches')}, one for each choice"
    if not seconds:
        return text
    return (
        f"{text}; at most about {in_time(matches * seconds)}, since the recorded one took "
        f"{in_time(seconds)}"
    )


def _end_in_words(table: StoredTable, decision: StoredDecision, outcome: Outcome) -> str:
    """Return how the match of a choice ended for its seat."""
    if outcome.record is None:
        return harmless(
            f"choice {outcome.ordinal}: the match failed twice on this machine: {outcome.void}"
        )
    return harmless(
        f"choice {outcome.ordinal}, {decision.texts[outcome.ordinal]}: "
        f"{ends(outcome.record)[decision.seat]}"
    )


# --- as text ---


def _title(table: StoredTable, decision: StoredDecision) -> str:
    name = table.record.header.seats[decision.seat].name
    hand = f"; hand {decision.hand}" if decision.hand else ""
    return (
        f"match {table.name}, step {decision.step}, seat {decision.seat} ({name}), "
        f"{decision.kind}{hand}"
    )


def beside(then: Record, now: Record, secret: bytes, head: Sequence[str] = ()) -> list[str]:
    """Return two ends of one match beside each other, a line a seat, and under them
    where the points of each come from.

    secret: of the deal, 32 bytes.
    head: a row before them.
    """
    seats = enumerate(zip(then.header.seats, now.header.seats, strict=True))
    names = [
        f"{old.name}#{at}" + ("" if new.name == old.name else f", now {new.name}")
        for at, (old, new) in seats
    ]
    rows = [
        ["", "then", "now"],
        *([list(head)] if head else []),
        *zip(names, ends(then), ends(now), strict=True),
    ]
    lines = listing(rows, list_width())
    for when, record in (("then", then), ("now", now)):
        of_seats = [f"{seat.name}#{at}" for at, seat in enumerate(record.header.seats)]
        lines += points_lines(record, of_seats, verify(record, secret).points_by_source, when=when)
    return lines


def _ends(table: StoredTable, decision: StoredDecision, records: Mapping[int, Record]) -> list[str]:
    ((choice, record),) = records.items()
    then, now = (f"{at}: {decision.texts[at]}" for at in (decision.choice.choice, choice))
    return beside(table.record, record, table.secret, ["choice", then + _default(decision), now])


def _ranking(
    table: StoredTable, decision: StoredDecision, records: Mapping[int, Record]
) -> list[str]:
    """Return the end of the match of each choice, a line a choice, the best for the
    seat first.
    """
    seats = [
        decision.seat,
        *(seat for seat in range(len(table.record.ranks)) if seat != decision.seat),
    ]
    header = next(iter(records.values())).header
    rows = [[*(f"{header.seats[seat].name}#{seat}" for seat in seats), "choice"]]
    for choice in _best_first(decision, records):
        of_seats = ends(records[choice])
        mark = f"  as recorded{_default(decision)}" if choice == decision.choice.choice else ""
        rows.append(
            [*(of_seats[seat] for seat in seats), f"{choice}: {decision.texts[choice]}{mark}"]
        )
    lines = listing(rows, list_width())
    again = records.get(decision.choice.choice)
    if again and again.scores != table.record.scores and not decision.choice.why:
        then = ", ".join(ends(table.record))
        lines.append(
            f"the recorded choice ended otherwise then: {then}; these bots do not repeat themselves"
        )
    return lines


def _best_first(decision: StoredDecision, records: Mapping[int, Record]) -> list[int]:
    """Return the choices that were tried, the best end for their seat first."""
    return sorted(
        records,
        key=lambda at: (records[at].ranks[decision.seat], -records[at].scores[decision.seat], at),
    )


def _default(decision: StoredDecision) -> str:
    return f" (the default, for {decision.choice.why})" if decision.choice.why else ""


# --- as JSON ---


def _output(
    table: StoredTable, decision: StoredDecision, records: Mapping[int, Record]
) -> TryOutput:
    then, texts = decision.choice, decision.texts
    return TryOutput(
        v=VERSION,
        sentence=_sentence(table, decision, records),
        match=table.record.header.match,
        step=decision.step,
        seat=decision.seat,
        kind=decision.kind,
        hand=decision.hand,
        then=RecordedEnd(
            choice=then.choice,
            words=texts[then.choice],
            why=then.why,
            **end_of(table.record, table.secret),
        ),
        now=[
            TriedEnd(choice=at, words=texts[at], **end_of(record, table.secret))
            for at, record in records.items()
        ],
        note=THIS_DEAL,
    )


def _sentence(table: StoredTable, decision: StoredDecision, records: Mapping[int, Record]) -> str:
    """Return which choice ended best for its seat, beside the recorded one."""
    then = (
        f"choice {decision.choice.choice}, {decision.texts[decision.choice.choice]}: "
        f"{ends(table.record)[decision.seat]}"
    )
    if not records:
        return harmless(f"no match was played to its end; as recorded, {then}")
    best = _best_first(decision, records)[0]
    now = f"choice {best}, {decision.texts[best]}: {ends(records[best])[decision.seat]}"
    return harmless(
        f"{'best of ' * (len(records) > 1)}{count(len(records), 'choice')}: {now}; as "
        f"recorded, {then}"
    )
