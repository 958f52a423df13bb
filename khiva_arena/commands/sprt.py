"""The work of ``khiva-arena sprt``: a sequential test of one bot against others, which stops once the answer is clear."""

import json
from typing import Any

import click

from khiva_arena.commands.run import check_cluster_flags, print_commitment
from khiva_arena.competition.options import PlanFlags, RunOptions
from khiva_arena.competition.run import Run
from khiva_arena.errors import ConfigError
from khiva_arena.playing.sequential import sprt_of, test_of
from khiva_arena.report.same_names import under_a_table
from khiva_arena.report.sprt import to_json, to_text
from khiva_arena.seats.guests import seating_of
from khiva_arena.settings.flags import settings_by_flags, take_fields
from khiva_arena.terminal.console import say

UNDECIDED = 1


def sprt(candidate: str, opponents: tuple[str, ...], as_json: bool, **flags: Any) -> int:
    """Play the test, print it, and return the exit code.

    flags: the fields of ``RunOptions`` and ``PlanFlags``, and settings.
    """
    options, of_plan = take_fields(flags, RunOptions), take_fields(flags, PlanFlags)
    if any(of_plan):
        from khiva_arena.shards.plan import why_not_in_shards  # not above: it is for this refusal

        raise ConfigError(
            f"--{'plan' if of_plan.plan else 'shard' if of_plan.shard else 'from-plan'}: {why_not_in_shards('sprt')}"
        )
    if options.web:
        from khiva_arena.web.needed import check_installed  # not above: most runs are not served

        check_installed()
    values = settings_by_flags(flags) | {"bots": (candidate, *opponents)}
    (settings,), entrants = test_of(values, say)
    check_cluster_flags(settings)
    event_ids, complete = Run([settings], entrants, options, say, seating=seating_of(settings, entrants, say)).play()
    if options.commit:
        print_commitment(settings.out, event_ids[0], as_json)
        return 0
    test = sprt_of(settings.out, event_ids[0])
    click.echo(json.dumps(to_json(test)) if as_json else to_text(test), nl=as_json)
    if not as_json and (same := under_a_table([entrants], {bot.identity: bot.name for bot in entrants})):
        click.echo(f"\n{same}", nl=False)
    return 0 if complete and test.report.decision else UNDECIDED
