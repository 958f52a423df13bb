"""``run --probation``: each bot plays a trial match before the event, and a bot that
forfeits it is left out.

The event is defined afterwards, by the bots that passed. So trials are in no
definition, no record and no digest. Their results are kept beside the event, each as
soon as it is known: a resumed run takes them, and plays the same event.

A bot may be late because of something else on this machine, such as other trials or its
own first start. So a bot that fails only by time is tried once more with no other trial
beside it, and the second result counts. In ticks both would be the same.
"""

import json
import os
import secrets
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from khiva_arena.arbiter.stderr import for_its_author, last_line
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.bots.sandbox.limits import DEFAULT as DEFAULT_RESOURCES
from khiva_arena.common.result import Clock
from khiva_arena.common.setting_row import duration_ms
from khiva_arena.common.text import harmless
from khiva_arena.competition.playing.executor import Executor
from khiva_arena.competition.playing.leaving_out import those_left
from khiva_arena.competition.playing.starts import Entrants
from khiva_arena.competition.playing.trial_starts import LINE_SHOWN
from khiva_arena.competition.playing.trials import TrialMatch, TriedMatch, play_trials
from khiva_arena.competition.settings.define import conditions_of
from khiva_arena.competition.settings.one_match import match_id, terms_of
from khiva_arena.competition.settings.settings import ROWS, Settings
from khiva_arena.competition.settings.table import DEFAULTS, TIMES
from khiva_arena.display.terminal.passing import FIRST_SECONDS, PassingLine
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.bots_of_an_event import of_another_game, with_distinct_names
from khiva_arena.entrants.sources import outside_of
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import digest_of
from khiva_arena.records.store import trial_results
from khiva_arena.records.store.rows import NotPlayed, Why
from khiva_arena.records.store.trial_results import TrialKey, TrialResult
from khiva_arena.words import count

OPPONENT = "shipped:python/random"
COPY = "a copy of the bot"
"""The opponent of a trial, in its conditions, where no bot that comes with the arena
plays the game.
"""
_SEED_BYTES = 8
_REPORT_NOTES = 2_000
"""Characters of a bot's last words on stderr that its report has."""


class _Candidate(NamedTuple):
    """A bot that is to be tried.

    bot: the bot.
    key: of its result.
    table: the bots at the table, the bot first.
    seed: the text that determines the deal.
    """

    bot: Bot
    key: TrialKey
    table: tuple[Bot, ...]
    seed: str


def on_probation(
    stages: Sequence[Settings], playing: Entrants, sandbox: Sandbox, executor: Executor
) -> Entrants:
    """Try the bots that no result is kept of, and return those that passed. A bot on
    another machine is not tried.

    playing: the bots that start.

    Raises ConfigError if too few are left, StoreError if results cannot be kept, and
    what ``executor`` raises.
    """
    first = stages[0]
    opponent = _opponent(first, playing.entrants)
    candidates = [
        _candidate(first, bot, opponent, sandbox) for bot in playing.entrants if not bot.guest
    ]
    results = trial_results.read(first.out)
    if any(each.key not in results for each in candidates):
        with trial_results.writing(first.out):
            results = dict(trial_results.read(first.out))  # another run may have added some
            _try_all(
                first,
                [each for each in candidates if each.key not in results],
                opponent,
                sandbox,
                executor,
                results,
            )
    out: dict[str, NotPlayed] = {}
    told: dict[str, str] = {}
    passed: list[TrialResult] = []
    for bot, key, table, _ in candidates:
        result = results[key]
        if result.passed:
            passed.append(result)
            if result.void:
                executor.say(
                    f"{bot.name}: its trial match was void, so it plays: {result.void}",
                    warning=True,
                )
            continue
        fault = f"{result.verdict} {_where(result.step)}"
        out[bot.identity] = NotPlayed(
            bot.name, bot.asked_as, Why.FORFEITED, result.line, result.report, fault
        )
        told[bot.identity] = (
            f"{Why.FORFEITED}: {result.line}; next: {_same_deal(first, table, result.seed)}"
        )
    left = those_left(stages, playing.entrants, told, executor.say)
    return playing._replace(
        entrants=left, left_out=(*playing.left_out, *out.values()), trials=tuple(passed)
    )


def _opponent(first: Settings, entrants: Sequence[Bot]) -> Bot | None:
    """Return the bot that sits at the other seats of a trial; None for copies of the
    bot on trial.

    In ticks it would need an interpreter, which not every machine has. It has the name
    of no other bot, or it would have the permissions of that bot.
    """
    if first.game.outside or first.clock is Clock.TICKS:
        return None
    bot = load(OPPONENT)
    if of_another_game([bot], first.game.name):
        return None
    return with_distinct_names(
        [*(each for each in entrants if each.identity != bot.identity), bot]
    )[-1]


def _candidate(first: Settings, bot: Bot, opponent: Bot | None, sandbox: Sandbox) -> _Candidate:
    table = (bot, *[opponent or bot] * (first.seats - 1))
    terms = terms_of(_of_this_bot(first, bot), conditions_of(first, table, sandbox), table)
    against = opponent.identity if opponent else COPY
    key = TrialKey(bot.identity, digest_of({**terms, "seats": first.seats, "opponent": against}))
    return _Candidate(bot, key, table, secrets.token_hex(_SEED_BYTES))


def _of_this_bot(first: Settings, bot: Bot) -> Settings:
    """Return the settings without the permissions of other bots."""
    env = tuple(word for word in first.env if word.rpartition("=")[0] == bot.name)
    return structs.replace(
        first, network=tuple(name for name in first.network if name == bot.name), env=env
    )


def _try_all(
    first: Settings,
    candidates: Sequence[_Candidate],
    opponent: Bot | None,
    sandbox: Sandbox,
    executor: Executor,
    results: dict[TrialKey, TrialResult],
) -> None:
    """Try bots, and add each result to ``results``, and to those that are kept, as soon
    as it is known.
    """
    if not candidates:
        return
    against = f"{opponent.name}, which comes with the arena" if opponent else "copies of itself"
    executor.say(
        f"--probation: {count(len(candidates), 'trial match', 'trial matches')}, one for "
        f"each bot, against {against}"
    )
    bots = [each.bot for each in candidates]
    known = {bot.identity for bot in bots}
    commands = executor.prepare(
        [*bots, *([opponent] if opponent and opponent.identity not in known else [])]
    )
    conditions = conditions_of(first, bots, sandbox)
    late: list[_Candidate] = []
    line = PassingLine(after=FIRST_SECONDS)

    def keep(candidate: _Candidate, tried: TriedMatch) -> None:
        result = _result(first, candidate, tried)
        trial_results.add(first.out, result)
        results[candidate.key] = result

    def tries(some: Sequence[_Candidate], *, once_more: bool) -> None:
        over = 0

        def ended(number: int, tried: TriedMatch) -> None:
            nonlocal over
            over += 1
            line.clear()
            line.say(
                f"--probation: {over} of "
                f"{count(len(some), 'trial match is', 'trial matches are')} over"
            )
            if tried.is_only_late and once_more:
                late.append(some[number])
            else:
                keep(some[number], tried)

        trials = [_trial(first, each, sandbox) for each in some]
        try:
            played = play_trials(
                trials,
                conditions,
                commands,
                sandbox,
                lambda tables, take: executor.try_tables(tables, take, is_trial=True),
                ended,
            )
        finally:
            line.clear()
        for candidate, tried in zip(some, played, strict=True):
            if (
                candidate.key not in results and candidate not in late
            ):  # no match of it could be begun
                keep(candidate, tried)

    tries(candidates, once_more=first.clock is Clock.WALL)
    for candidate in late:
        executor.say(
            f"--probation: {candidate.bot.name} was late; it is tried once more, with no "
            "other trial beside it"
        )
        tries([candidate], once_more=False)


def _trial(first: Settings, candidate: _Candidate, sandbox: Sandbox) -> TrialMatch:
    """Return the trial of a bot: the match that ``khiva-arena match --seed`` plays, so
    that the user can play it again.
    """
    bot, _, table, seed = candidate
    secret = seeds.seed_secret(seeds.run_secret(seed), 0)
    terms = terms_of(_of_this_bot(first, bot), conditions_of(first, table, sandbox), table)
    return TrialMatch(table, match_id(terms, table, secret), secret)


def _result(first: Settings, candidate: _Candidate, tried: TriedMatch) -> TrialResult:
    """Return a trial's result as it is kept."""
    bot, key, table, seed = candidate
    outcome, forfeiter = tried.outcome, tried.forfeiter
    times = [seconds for report in tried.reports for seconds in report.times.values()]
    result = TrialResult(
        *key,
        name=bot.name,
        seed=seed,
        seconds=round(outcome.seconds, 6),
        steps=len(outcome.record.steps) if outcome.record else 0,
        decisions=len(times),
        mean=round(sum(times) / len(times), 6) if times else 0.0,
        slowest=round(max(times, default=0.0), 6),
        void="" if outcome.record else outcome.void,
    )
    if forfeiter is None:
        return result
    verdict, detail, step = forfeiter.faults[-1]
    notes = for_its_author(forfeiter.ending.notes).strip()
    line = f"{verdict} {_where(step)}: {detail}"
    last = (
        "" if detail in last_line(notes) else last_line(notes)[:LINE_SHOWN]
    )  # a kit repeats each fault that it is told
    said = f"; it wrote last: {last}" if last else ""
    report = [f"step {blame.step}: {blame.verdict}: {blame.detail}" for blame in forfeiter.faults]
    report += [
        "its stderr:" if notes else "its stderr: nothing",
        *(f"  {row}" for row in notes[-_REPORT_NOTES:].splitlines()),
    ]
    report += [f"the same deal again: {_same_deal(first, table, seed)}"]
    return structs.replace(
        result,
        verdict=str(verdict),
        step=step,
        line=harmless(line + said),
        report=harmless("\n".join(report), keep="\n"),
    )


def _where(step: int) -> str:
    return f"at step {step}" if step else "at its start"


def _same_deal(first: Settings, table: Sequence[Bot], seed: str) -> str:
    """Return the command that plays a trial's deal again."""
    bot = table[0]
    words = [
        "khiva-arena",
        "match",
        *(word for seated in table for word in ("--bot", seated.asked_as)),
        "--seed",
        seed,
    ]
    for name, value in (
        ("game", first.game.word),
        ("policy", first.policy),
        ("clock", first.clock),
        ("isolation", first.isolation),
    ):
        words += [ROWS[name].option, str(value)] if value != DEFAULTS[name] else []
    for name, field in TIMES.items():
        milliseconds = getattr(first.limits, field)
        words += (
            [ROWS[name].option, f"{milliseconds}ms"]
            if milliseconds != duration_ms(DEFAULTS[name])
            else []
        )
    words += [] if first.ponder else ["--no-ponder"]
    words += [
        word
        for runtime in bot.runtimes
        for word in ("--runtime", f"{runtime.name}={runtime.program}")
    ]
    words += ["--allow-include"] if _takes_files_beside(bot.original or bot) else []
    words += ["--network", bot.name] if bot.name in first.network else []
    words += [
        word
        for variable in first.env
        if variable.rpartition("=")[0] == bot.name
        for word in ("--env", variable)
    ]
    for rule, value in _changed_rules(first).items():
        words += ["--rule", f"{rule}={value if isinstance(value, str) else json.dumps(value)}"]
    usual = asdict(DEFAULT_RESOURCES)
    for limit, amount in asdict(first.resources).items():
        words += ["--limit", f"{limit}={amount}"] if amount != usual[limit] else []
    return shlex.join(words)


def _takes_files_beside(bot: Bot) -> bool:
    """Tell whether a bot has files outside of its folder, for which a command needs the
    user's consent.
    """
    return bool(
        bot.root and outside_of(Path(os.path.realpath(bot.root)), [path for _, path in bot.sources])
    )


def _changed_rules(first: Settings) -> dict[str, Any]:
    try:
        usual = first.game.rules({})
    except ConfigError:  # a rule has to be given
        usual = {}
    return {
        rule: value
        for rule, value in first.rules.items()
        if rule not in usual or usual[rule] != value
    }
