"""The work of ``khiva-arena run``: a whole competition, from bots to a rating table."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from msgspec.structs import replace

from khiva_arena.common.exit_codes import (
    BAD_RESULT,
    DONE,
    FORFEITED,
    INTERRUPTED,
    in_words,
    with_forfeit,
)
from khiva_arena.common.setting_row import duration_ms
from khiva_arena.common.text import harmless
from khiva_arena.competition.events import stored
from khiva_arena.competition.playing.starts import BudgetTrial, trial_problems, way_on
from khiva_arena.competition.run.guest_seats import seating_of
from khiva_arena.competition.run.options import ModelFlags, PlanFlags, RunOptions
from khiva_arena.competition.run.run import Run
from khiva_arena.competition.settings.competition import (
    CompetitionParts,
    competition_from,
    not_taken,
)
from khiva_arena.competition.settings.file import SettingsFile, read_file
from khiva_arena.competition.settings.flags import settings_by_flags, take_fields
from khiva_arena.competition.settings.settings import OF_EXTENSIONS, ROWS, Settings
from khiva_arena.competition.settings.table import DEFAULTS
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.interrupts import if_interrupted
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import BotError, ConfigError, GameFault, StagingError
from khiva_arena.interface.commands.bots import ready_bots
from khiva_arena.records.store.db import Store
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.competition.run.budget import Proposal

KEPT_BY_A_FILE = {"seeds", "jobs", "report"}
"""The flags beside a settings file with which it stands for the event: the same file
with another --seeds extends it.
"""
LONGEST_BUDGET = 365 * 86_400_000  # milliseconds


def check_needed_flags(first: Settings) -> None:
    """Raise ConfigError for flags of an extension that need another one, if that is not
    given.

    A file or the environment may hold their values for other runs.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return
    unused: dict[str, list[str]] = {}
    for row in OF_EXTENSIONS:
        is_typed = (
            row.needs and context.get_parameter_source(row.parameter) is ParameterSource.COMMANDLINE
        )
        if is_typed and first.of_extensions[row.needs] is None:
            unused.setdefault(row.needs, []).append(row.option)
    if unused:
        needed = [
            (", ".join(flags), ROWS[name].option, ROWS[name].of) for name, flags in unused.items()
        ]
        raise ConfigError([f"{flags}: needs {option}, {what}" for flags, option, what in needed])


def run(
    config: Path | None, shipped: bool, budget: str | None, yes: bool, as_json: bool, **flags: Any
) -> int:
    """Play the competition, print its table, and return the exit code.

    flags: the fields of ``RunOptions``, ``PlanFlags`` and ``ModelFlags``, and settings.
    """
    options, of_plan = take_fields(flags, RunOptions), take_fields(flags, PlanFlags)
    models, spend = take_fields(flags, ModelFlags)
    plan, from_plan, shard = of_plan
    if plan or from_plan or shard:
        from khiva_arena.competition.run.plans import PLANS  # not above: most runs have none

        plans = PLANS.get("--plan, --from-plan and --shard")
        plans.check_together(of_plan, config, options, shipped=shipped)
    if options.web:
        # not above: most runs are not served
        from khiva_arena.competition.run.live_views import LIVE_VIEWS

        LIVE_VIEWS.get("--web")  # or it is refused, before anything is read
    flag_settings = settings_by_flags(flags)
    if yes and budget is None and models is None:
        raise ConfigError("--yes needs --budget or --models; nothing else asks")
    file = read_file(config)
    if models is not None:
        _add_listed(models, file, flag_settings, yes=yes)
    if shipped:
        _add_shipped(file, flag_settings)
    if from_plan is not None:
        if budget is not None:
            raise ConfigError(
                "--from-plan and --budget: the plan says what is played; give --budget to "
                "the run that writes it"
            )
        if spend is not None:
            raise ConfigError(
                "--from-plan and --spend: the plan says what is played, and its machines "
                "cannot keep a cap"
            )
        stages, entrants, planned = plans.competition_of_plan(
            from_plan, shard, flag_settings, options.any_engine, say
        )
        options = replace(options, planned=planned)
    else:
        stages, entrants = _competition_from(file, flag_settings, is_plan=plan is not None)
    check_needed_flags(stages[0])
    trial: BudgetTrial | None = None
    if shard is not None and from_plan is None:
        plans.refuse_shard(stages)
    if chooses := [
        option for option, value in (("--budget", budget), ("--spend", spend)) if value is not None
    ]:
        if len(chooses) > 1:
            raise ConfigError("--budget and --spend: each chooses the seeds; give one of them")
        if "seeds" in flag_settings:
            raise ConfigError(
                f"{chooses[0]} chooses the seeds: leave --seeds out, or give it without "
                f"{chooses[0]}"
            )
    if spend is not None:
        if plan is not None:
            raise ConfigError(
                "--plan and --spend: machines know nothing of each other, so none can keep "
                "a cap; give --seeds"
            )
        proposal = _capped(spend, stages, entrants, new_event=options.new_event)
        options = replace(options, ends_short=proposal.limit)
        stages, trial = (proposal.settings,), proposal.trial
    if budget is not None:
        if plan is not None:
            plans.check_plannable(plan, stages, entrants)  # before a try takes its time
        fitting = _within(
            budget, stages, entrants, yes=yes, new_event=options.new_event or plan is not None
        )
        if fitting is None:
            say("nothing was played")
            return DONE
        stages, trial = (fitting.settings,), fitting.trial
    if plan is not None:
        plans.print_plan(plan, stages, entrants, as_json)
        return DONE
    name = config.name if config and flag_settings.keys() <= KEPT_BY_A_FILE else ""
    seating, others = seating_of(stages[0], entrants, say), not_taken(file, flag_settings)
    competition = Run(
        stages,
        entrants,
        options,
        say,
        seating=seating,
        trial=trial,
        settings_file=name,
        not_taken=others,
    )
    try:
        event_ids, complete = competition.play()
    except KeyboardInterrupt:
        if as_json or not competition.begun:
            raise
        # numpy comes with it: not before the matches have been played
        from khiva_arena.interface.commands.standings import print_run

        print_run(stages[0].out, competition.begun, so_far=True)
        return INTERRUPTED
    except StagingError:
        raise
    except BotError as error:
        problems = error.problems or (str(error),)
        error.problems = (
            *problems,
            *(way_on(len(entrants), len(problems)) if from_plan is None else ()),
        )
        raise
    if options.commit:
        print_commitment(stages[0].out, event_ids[0], as_json)
        return DONE
    with if_interrupted(
        say, lambda: "all matches are recorded" if complete else "some matches are not recorded"
    ):
        # as above
        from khiva_arena.interface.commands.standings import (
            WITH_SOURCES,
            print_run,
            print_standings,
        )

        if as_json:
            print_standings(stages[0].out, event_ids, WITH_SOURCES, as_json=True)
        else:
            print_run(stages[0].out, event_ids, str(config) if name else "")
    code = DONE if complete else BAD_RESULT
    return _with_forfeits(code, stages[0].out, event_ids) if options.fail_on_fault else code


def _with_forfeits(code: int, folder: Path, events: Sequence[str]) -> int:
    """Return the exit code of a run that fails if a bot forfeited a match, and say
    which bots did.
    """
    # not above: most runs do not fail on faults
    from khiva_arena.competition.events.forfeits import forfeits

    with Store.read(folder) as store:
        rows = [stored.stored_event(store, event) for event in events]
        matches = Counter[str]()
        for row in rows:
            matches.update(
                {row.bots[bot].name: times for bot, times in forfeits(store, row.id).items()}
            )
    if with_forfeit(code, bool(matches)) == code:
        return code
    names = ", ".join(
        f"{name} in {count(times, 'match', 'matches')}" for name, times in matches.most_common()
    )
    say(harmless(in_words(FORFEITED, "run", names)))
    return FORFEITED


def _competition_from(
    file: SettingsFile, flag_settings: Mapping[str, Any], *, is_plan: bool
) -> CompetitionParts:
    """Return the settings of each stage and the bots. Raises ConfigError with every
    mistake, bots that do not start included.

    is_plan: whether a plan is written.
    """
    try:
        return competition_from(file, flag_settings, say)
    except GameFault:
        raise
    except ConfigError as error:
        problems = list(error.problems)
        with if_interrupted(say, lambda: "no match was begun"):
            typed = {**file.settings, **flag_settings}
            if is_plan:
                typed["skip_broken"] = True  # a plan leaves nobody out, so that this is no way on
            raise ConfigError(
                [*problems, *(trial_problems(typed) if typed.get("bots") else [])]
            ) from None


def _within(
    budget: str, stages: Sequence[Settings], entrants: Sequence[Bot], *, yes: bool, new_event: bool
) -> "Proposal | None":
    """Return the proposal for a budget, None if the user does not agree. Raises
    ConfigError.
    """
    from khiva_arena.competition.run.budget import propose  # not above: numpy comes with it
    from khiva_arena.display.terminal.question import agreed

    try:
        milliseconds = duration_ms(budget, LONGEST_BUDGET)
    except ValueError as error:
        raise ConfigError(f"--budget: {error}") from None
    with if_interrupted(say, lambda: "no match was begun"):
        proposal = propose(stages, entrants, milliseconds, say, new_event=new_event)
        for line in proposal.lines:
            say(line)
        return (
            proposal
            if not proposal.unusual or agreed(f"{proposal.unusual}: play this?", yes)
            else None
        )


def _capped(
    cap: str, stages: Sequence[Settings], entrants: Sequence[Bot], *, new_event: bool
) -> "Proposal":
    """Return the proposal for a cap on what bots spend. Raises ConfigError."""
    from khiva_arena.competition.run.caps import CAPS  # not above: few runs have one

    caps = CAPS.get("--spend")
    with if_interrupted(say, lambda: "no match was begun"):
        proposal = caps.propose(stages, entrants, cap, say, new_event=new_event)
        for line in proposal.lines:
            say(line)
        return proposal


def _add_listed(path: Path, file: SettingsFile, flags: dict[str, Any], *, yes: bool) -> None:
    """Add the bots of a list, and their permissions, to the flags. ``yes``: the user
    agrees to these. Raises ConfigError.

    They come first: of bots with one name, the first keeps it, and permissions go by
    names.
    """
    from khiva_arena.entrants.bot_lists import BOT_LISTS  # not above: most runs have no list

    if hidden := [
        name for name in ("network", "env") if name in file.settings and name not in flags
    ]:
        raise ConfigError(
            [
                (
                    f"--models sets {ROWS[name].option}, which wins over {file.path}; type "
                    "that of the file as a flag"
                )
                for name in hidden
            ]
        )
    listed = BOT_LISTS.get("--models").settings(path, say, yes=yes)
    for name, words in listed.items():
        given = {**file.settings, **flags}.get(name, ())
        flags[name] = (*words, *given) if isinstance(given, list | tuple) else given


def _add_shipped(file: SettingsFile, flags: dict[str, Any]) -> None:
    """Add the bots that come with the arena to the named ones, from flags or else the
    file, if these are a list.
    """
    values = {**file.settings, **flags}
    words = values.get("bots", ())
    if isinstance(words, list | tuple):
        flags["bots"] = (*words, *ready_bots(values.get("game") or DEFAULTS["game"]))


def print_commitment(folder: Path, event: str, as_json: bool) -> None:
    """Print the values of an event to publish before its first match."""
    with Store.read(folder) as store:
        row = stored.stored_event(store, event)
        done, planned = len(store.recorded(event)), stored.bare_timetable(row).matches
    definition = row.definition.digest
    if as_json:
        values = {
            "event": row.id,
            "number": row.number,
            "definition": definition,
            "commitment": row.commitment,
        }
        click.echo(
            json.dumps({**values, "public": row.public, "recorded": done, "planned": planned})
        )
        return
    click.echo(f"event {row.number} ({row.id}): {done} of {planned} matches are recorded")
    click.echo(f"definition {definition}")
    click.echo(f"commitment {row.commitment}")
    if not done:
        say(
            "next: publish the commitment; the same command without --commit plays, with "
            "--public TEXT if a text is drawn then"
        )
