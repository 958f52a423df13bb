"""The work of ``khiva-arena sprt``: a sequential test of one bot against others, which
stops once the answer is clear.
"""

import json
from collections.abc import Sequence
from typing import Any

import click

from khiva_arena.common.exit_codes import (
    DONE,
    FORFEITED,
    INTERRUPTED,
    NOT_BETTER,
    VerdictWord,
    code_of,
    in_words,
)
from khiva_arena.common.text import harmless
from khiva_arena.competition.playing.sequential import (
    sprt_of,
    test_of,
    test_of_one_bot,
    test_settings,
)
from khiva_arena.competition.run.guest_seats import seating_of
from khiva_arena.competition.run.options import PlanFlags, RunOptions
from khiva_arena.competition.run.run import Run
from khiva_arena.competition.settings.flags import settings_by_flags, take_fields
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.bots_of_an_event import SameBots
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.run import check_needed_flags, print_commitment
from khiva_arena.rating.report.same_names import under_a_table
from khiva_arena.rating.report.sprt import Sprt, to_json, to_text
from khiva_arena.words import count


def sprt(
    candidate: str,
    opponents: tuple[str, ...],
    accept: frozenset[VerdictWord],
    as_json: bool,
    **flags: Any,
) -> int:
    """Play the test, print it, and return the exit code.

    accept: the verdicts for which the code is 0.
    flags: the fields of ``RunOptions`` and ``PlanFlags``, and settings.
    """
    options, of_plan = take_fields(flags, RunOptions), take_fields(flags, PlanFlags)
    if any(of_plan):
        from khiva_arena.competition.run.plans import PLANS  # not above: it is for this refusal

        flag = f"--{'plan' if of_plan.plan else 'shard' if of_plan.shard else 'from-plan'}"
        raise ConfigError(f"{flag}: {PLANS.get(flag).why_not_in_shards('sprt')}")
    if options.web:
        # not above: most runs are not served
        from khiva_arena.competition.run.live_views import LIVE_VIEWS

        LIVE_VIEWS.get("--web")  # or it is refused, before anything is read
    values = settings_by_flags(flags) | {"bots": (candidate, *opponents)}
    try:
        return _play(values, options, accept, as_json)
    except SameBots as error:
        settings = test_settings(values)
        check_needed_flags(settings)
        test = test_of_one_bot(settings, error)
        return _end(test, accept, (), as_json)


def _play(
    values: dict[str, Any], options: RunOptions, accept: frozenset[VerdictWord], as_json: bool
) -> int:
    """Play the test, print it, and return the exit code. Raises SameBots before
    anything is played.
    """
    (settings,), entrants = test_of(values, say)
    check_needed_flags(settings)
    run = Run([settings], entrants, options, say, seating=seating_of(settings, entrants, say))
    try:
        event_ids, _ = run.play()
    except KeyboardInterrupt:
        if as_json or not run.begun:
            raise
        _print_text(sprt_of(settings.out, run.begun[0]), entrants)
        return INTERRUPTED
    if options.commit:
        print_commitment(settings.out, event_ids[0], as_json)
        return DONE
    return _end(sprt_of(settings.out, event_ids[0]), accept, entrants, as_json)


def _end(test: Sprt, accept: frozenset[VerdictWord], entrants: Sequence[Bot], as_json: bool) -> int:
    """Print a test that is over, or as far as it could be played, and return the exit
    code.
    """
    code = code_of(test.verdict, accept)
    if as_json:
        click.echo(json.dumps(to_json(test, code)))
    else:
        _print_text(test, entrants)
    if code >= NOT_BETTER:
        lost = (
            f"{test.candidate} in {count(test.forfeits, 'match', 'matches')}"
            if code == FORFEITED
            else ""
        )
        say(harmless(in_words(code, "sprt", lost)))
    elif test.verdict is not VerdictWord.BETTER and test.verdict in accept:
        say(f"exit code {code}: --accept names the verdict {test.verdict}")
    return code


def _print_text(test: Sprt, entrants: Sequence[Bot]) -> None:
    click.echo(to_text(test), nl=False)
    if same := under_a_table([entrants], {bot.identity: bot.name for bot in entrants}):
        click.echo(f"\n{same}", nl=False)
