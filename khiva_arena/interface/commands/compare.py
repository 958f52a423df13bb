"""The work of ``khiva-arena compare``: two bots play until it is clear which one is
better, or until their time is over.
"""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec.structs import replace

from khiva_arena.arbiter.start_problem import permissions_of
from khiva_arena.common.exit_codes import NOT_BETTER, VerdictWord, code_of, in_words
from khiva_arena.common.setting_row import duration_ms
from khiva_arena.common.shipped import searcher
from khiva_arena.common.text import harmless
from khiva_arena.competition.playing.comparing import (
    OUT,
    answer_of,
    comparison_of,
    comparison_settings,
)
from khiva_arena.competition.playing.seed_limit import Most
from khiva_arena.competition.run.guest_seats import seating_of
from khiva_arena.competition.run.options import RunOptions
from khiva_arena.competition.run.run import Run
from khiva_arena.competition.settings.competition import CompetitionParts, entrants_named
from khiva_arena.competition.settings.define import variables_of
from khiva_arena.competition.settings.flags import flag_words, settings_by_flags, take_fields
from khiva_arena.competition.settings.table import DEFAULTS, TABLE
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.bots_of_an_event import SameBots, named_twice
from khiva_arena.entrants.own_name import own_name
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.run import LONGEST_BUDGET, check_needed_flags
from khiva_arena.rating.report.comparison import (
    ComparedBots,
    ComparedTables,
    sentence,
    to_json,
    to_text,
)
from khiva_arena.rating.report.same_names import namesakes, under_a_table

DEFAULT_TIME, DEFAULT_SEATS = "4m", (2,)
PLAIN_NAME = re.compile(r"[\w.@+-]{1,64}")
OF_ONE = ("bots", "seed", "out", "events_file", "report")
"""The settings that another comparison does not take over."""
LONGEST_WAIT = 60
"""Minutes; nobody is advised to play a comparison for longer."""


class Typed(NamedTuple):
    """The words of a comparison as they were typed.

    new, old, against: of bots.
    seats: the numbers of seats.
    """

    new: str
    old: str
    against: tuple[str, ...]
    seats: tuple[int, ...]


def compare(time: str | None, matches: int | None, as_json: bool, **flags: Any) -> int:
    """Play the comparison, print its answer, and return the exit code.

    time, matches: the most that all numbers of seats have together; None if it was not
        given.
    flags: the fields of ``Typed`` and ``RunOptions``, and settings.
    """
    typed, options, most = (
        take_fields(flags, Typed),
        take_fields(flags, RunOptions),
        _most(time, matches),
    )
    if options.web:
        # not above: most runs are not served
        from khiva_arena.competition.run.live_views import LIVE_VIEWS

        LIVE_VIEWS.get("--web")  # or it is refused, before anything is read
    values = settings_by_flags(flags) | {"bots": (typed.new, typed.old, *typed.against)}
    try:
        return _compare(values, typed, options, most, as_json)
    except SameBots as error:  # in ticks, they may be the same only once they are built
        return _end_of_one_bot(values, typed, error, as_json)


def _compare(
    values: Mapping[str, Any], typed: Typed, options: RunOptions, most: Most, as_json: bool
) -> int:
    """Play the comparison, print its answer, and return the exit code. Raises SameBots
    before anything is played.
    """
    entrants = _by_folders(entrants_named(values, say))
    parts = [comparison_of(values, seats, len(typed.seats), entrants) for seats in typed.seats]
    check_needed_flags(parts[0].stages[0])
    answers = _play(parts, options, most)
    names = [bot.name for bot in entrants]
    compared = ComparedBots(names[0], names[1], tuple(names[2:]), tuple(answers))
    return _end(compared, entrants, _next(compared, typed, parts[0].stages[0].out, values), as_json)


def _by_folders(bots: Sequence[Bot]) -> list[Bot]:
    """Return the bots. Those of one name are called as their folders, since authors
    compare a bot with a copy of its folder. If folders do not tell them apart, their
    names stay numbered.
    """
    names = [bot.name for bot in bots]
    for group in namesakes(names):
        for position in group:
            names[position] = Path(bots[position].asked_as).name
    is_told_apart = len({*names}) == len(names) and all(
        PLAIN_NAME.fullmatch(name) for name in names
    )
    return (
        [replace(bot, name=name) for bot, name in zip(bots, names, strict=True)]
        if is_told_apart
        else list(bots)
    )


def _most(time: str | None, matches: int | None) -> Most:
    if time is not None and matches is not None:
        raise ConfigError("--for and --matches: give one of them")
    if matches is not None:
        return Most(matches=matches)
    try:
        return Most(seconds=duration_ms(time or DEFAULT_TIME, LONGEST_BUDGET) / 1000)
    except ValueError as error:
        raise ConfigError(f"--for: {error}") from None


def _play(
    parts: Sequence[CompetitionParts], options: RunOptions, most: Most
) -> list[ComparedTables]:
    """Play the comparison at each number of seats, one after another, and return the
    answers. Time that one leaves goes to the next ones.
    """
    answers: list[ComparedTables] = []
    for number, ((settings,), entrants) in enumerate(parts):
        of_this = replace(options, most=_share(most, answers, len(parts) - number, settings.jobs))
        run = Run([settings], entrants, of_this, say, seating=seating_of(settings, entrants, say))
        try:
            (event,), _ = run.play()
        except KeyboardInterrupt:
            if run.begun:
                say(
                    "there is no verdict before the comparison ends: the same command goes "
                    "on with it"
                )
            raise
        answers.append(answer_of(settings.out, event, settings.jobs))
    return answers


def _share(most: Most, past: Sequence[ComparedTables], parts: int, jobs: int) -> Most:
    """Return the limit of the next of so many parts. ``past``: what was played
    before.
    """
    seconds, matches = most.seconds, most.matches
    if seconds is not None:
        seconds = max(0.0, seconds - sum(60 * one.minutes for one in past)) / parts
    if matches is not None:
        matches = max(0, matches - sum(one.matches for one in past)) // parts
    return Most(seconds, matches, jobs)


def _end_of_one_bot(values: Mapping[str, Any], typed: Typed, error: SameBots, as_json: bool) -> int:
    """Print that both bots are one, and return the exit code. Raises ``error`` if
    another bot is named twice.
    """
    if (
        len(error.bots) < 2
        or error.bots[0].identity != error.bots[1].identity
        or named_twice(error.bots[1:])
    ):
        raise error
    new, old, *against = _by_folders(error.bots)
    compared = ComparedBots(new.name, old.name, tuple(bot.name for bot in against), ())
    settings = [comparison_settings(values, seats, len(typed.seats)) for seats in typed.seats]
    check_needed_flags(settings[0])
    return _end(compared, (), _next(compared, typed, settings[0].out, values), as_json)


class NextStep(NamedTuple):
    """A step to take next.

    line: a command, or a step in words.
    why: a few words on what it is for, "" if the line says so.
    is_command: whether the line can be typed.
    """

    line: str
    why: str = ""
    is_command: bool = True


def _end(
    compared: ComparedBots, entrants: Sequence[Bot], steps: Sequence[NextStep], as_json: bool
) -> int:
    code = code_of(compared.verdict)
    if as_json:
        click.echo(
            json.dumps(to_json(compared, code, [step.line for step in steps if step.is_command]))
        )
    else:
        click.echo(harmless(to_text(compared), keep="\n"), nl=False)
        if same := under_a_table([entrants], {bot.identity: bot.name for bot in entrants}):
            click.echo(f"\n{same}", nl=False)
        for step in steps:
            click.echo(harmless(f"next: {step.line}{step.why and f' ({step.why})'}"))
    if code:
        say(harmless(in_words(code, "compare", sentence(compared) if code < NOT_BETTER else "")))
    return code


def _next(
    compared: ComparedBots, typed: Typed, out: Path, options: Mapping[str, Any]
) -> list[NextStep]:
    """Return the steps to take next.

    options: the settings that the command was given.
    """
    game = options.get("game", DEFAULTS["game"])
    flag = f" --game {shlex.quote(game)}" if game != DEFAULTS["game"] else ""
    env = variables_of(compared.new, options.get("env", ()))
    open_to = permissions_of(
        own_name(typed.new, compared.new), compared.new in options.get("network", ()), env
    )
    flag_and_permissions = flag + "".join(f" {shlex.quote(word)}" for word in open_to)
    new, lines, searching = shlex.quote(typed.new), list[NextStep](), searcher(game)
    lost = f"khiva-arena replay {shlex.quote(str(out))} --lost {shlex.quote(compared.new)} --bot"
    if sum(one.faults for one in compared.tables):
        lines.append(
            NextStep(
                f"khiva-arena check {new}{flag_and_permissions}",
                f"finds mistakes of {compared.new}",
            )
        )
    match compared.answer:
        case VerdictWord.SAME:
            lines.append(
                NextStep(f"change {typed.new}, and give the same command again", is_command=False)
            )
        case VerdictWord.BETTER if searching and searching not in (
            typed.new,
            typed.old,
            *typed.against,
        ):
            lines.append(
                NextStep(f"khiva-arena compare {new} {searching}{_conditions(typed, options)}")
            )
        case VerdictWord.BETTER:
            lines.append(
                NextStep(
                    f"khiva-arena run --bot {new} --shipped --budget 4m --out "
                    f"results/ladder{flag_and_permissions}"
                )
            )
        case VerdictWord.OPEN if longer := _longer(compared, typed, out):
            lines.append(NextStep(longer + _conditions(typed, options)))
        case VerdictWord.OPEN if searching and searching != typed.new:
            lines.append(
                NextStep(
                    f"{lost} {searching}{flag}",
                    "what a bot that searches chooses in the lost matches",
                )
            )
        case VerdictWord.OPEN | VerdictWord.WORSE:
            lines.append(
                NextStep(
                    f"{lost} {shlex.quote(typed.old)}{flag}",
                    f"where {compared.old} chooses otherwise",
                )
            )
    return lines


def _longer(compared: ComparedBots, typed: Typed, out: Path) -> str:
    """Return the command that plays the same comparison for longer, from the start; ""
    if nobody would wait so long, or if the first bot is not ahead in what is open.
    """
    is_open = [one for one in compared.tables if one.verdict is VerdictWord.OPEN]
    minutes = [one.minutes_to_clear for one in is_open]
    if None in minutes or any((one.elo or 0) <= 0 for one in is_open):
        return ""
    total = len(compared.tables) * max(filter(None, minutes), default=1)
    if total > LONGEST_WAIT:
        return ""
    words = ["khiva-arena", "compare", typed.new, typed.old]
    words += [word for bot in typed.against for word in ("--against", bot)]
    words += ["--for", f"{total}m", "--new-event"]
    words += ["--out", str(out)] if str(out) != OUT else []
    return shlex.join(words)


def _conditions(typed: Typed, options: Mapping[str, Any]) -> str:
    """Return the flags that play another comparison under the same conditions, behind a
    blank; "" if there are none.
    """
    words = ["--seats", ",".join(map(str, typed.seats))] if typed.seats != DEFAULT_SEATS else []
    rows = [row for row in TABLE if row.name in options and row.name not in OF_ONE]
    words += [word for row in rows for word in flag_words(row, options[row.name])]
    return "".join(f" {shlex.quote(word)}" for word in words)
