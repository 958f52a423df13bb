"""The work of ``khiva-arena sprt``: a sequential test of one bot against others, which stops once the answer is clear."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from khiva_arena.competition.playing.sequential import sprt_of, test_of
from khiva_arena.competition.run.guest_seats import seating_of
from khiva_arena.competition.run.options import PlanFlags, RunOptions
from khiva_arena.competition.run.run import Run
from khiva_arena.competition.settings.flags import settings_by_flags, take_fields
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.interrupts import INTERRUPTED
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.run import check_needed_flags, print_commitment
from khiva_arena.rating.report.same_names import under_a_table
from khiva_arena.rating.report.sprt import to_json, to_text

UNDECIDED = 1


def sprt(candidate: str, opponents: tuple[str, ...], as_json: bool, **flags: Any) -> int:
    """Play the test, print it, and return the exit code.

    flags: the fields of ``RunOptions`` and ``PlanFlags``, and settings.
    """
    options, of_plan = take_fields(flags, RunOptions), take_fields(flags, PlanFlags)
    if any(of_plan):
        from khiva_arena.competition.run.plans import PLANS  # not above: it is for this refusal

        flag = f"--{'plan' if of_plan.plan else 'shard' if of_plan.shard else 'from-plan'}"
        raise ConfigError(f"{flag}: {PLANS.get(flag).why_not_in_shards('sprt')}")
    if options.web:
        from khiva_arena.competition.run.live_views import LIVE_VIEWS  # not above: most runs are not served

        LIVE_VIEWS.get("--web")  # or it is refused, before anything is read
    values = settings_by_flags(flags) | {"bots": (candidate, *opponents)}
    (settings,), entrants = test_of(values, say)
    check_needed_flags(settings)
    run = Run([settings], entrants, options, say, seating=seating_of(settings, entrants, say))
    try:
        event_ids, complete = run.play()
    except KeyboardInterrupt:
        if as_json or not run.begun:
            raise
        _print(settings.out, run.begun[0], entrants, as_json=False)
        return INTERRUPTED
    if options.commit:
        print_commitment(settings.out, event_ids[0], as_json)
        return 0
    is_decided = _print(settings.out, event_ids[0], entrants, as_json=as_json)
    return 0 if complete and is_decided else UNDECIDED


def _print(folder: Path, event: str, entrants: Sequence[Bot], *, as_json: bool) -> bool:
    """Print a test as far as it is played, and return whether it is decided."""
    test = sprt_of(folder, event)
    click.echo(json.dumps(to_json(test)) if as_json else to_text(test), nl=as_json)
    if not as_json and (same := under_a_table([entrants], {bot.identity: bot.name for bot in entrants})):
        click.echo(f"\n{same}", nl=False)
    return bool(test.report.decision)
