"""The parts of a competition, for commands and the API alike: its settings and its
bots.

Settings come from a file, and from flags or keywords.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec.structs import replace

from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.result import Clock
from khiva_arena.common.say import Say
from khiva_arena.common.setting_row import TABLES
from khiva_arena.common.text import is_text
from khiva_arena.competition.settings import define, permissions
from khiva_arena.competition.settings.file import SettingsFile, by_line, renamed_settings
from khiva_arena.competition.settings.permissions import asking
from khiva_arena.competition.settings.settings import LEAVING_OUT, Settings
from khiva_arena.competition.settings.stages import stages_from
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.entrants import loading as loads
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule import formats
from khiva_arena.records.store.rows import NotPlayed, Why
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.entrants.bot_words import Glob  # few files have globs

T = TypeVar("T")


class CompetitionParts(NamedTuple):
    """The parts of a competition.

    stages: the settings of each stage.
    entrants: the bots that play.
    """

    stages: tuple[Settings, ...]
    entrants: list[Bot]


class Asker(NamedTuple):
    """A question to the user about a settings file, asked before anything happens that
    the file opens.

    file: read once; settings that no file gave open nothing by themselves.
    flags: settings by flags, which win over those of the file.
    say: takes a line for people.
    command: the one that asks at a terminal; "" if it is the one that was typed, which
        has flags for all settings.
    """

    file: SettingsFile
    flags: Mapping[str, Any]
    say: Say
    command: str = ""


def competition_from(
    file: SettingsFile, overrides: Mapping[str, Any], say: Say
) -> CompetitionParts:
    """Return the settings of each stage, and the bots that play.

    overrides: settings that win over those of the file; of a table, those of its keys
        that it names.
    say: takes a line for people, as on a bot that is left out.

    Raises ConfigError with every mistake in settings, bots and stages, by line of the
    file. It is raised too if the user does not agree to an opening of the file. Raises
    GameFault if the game breaks its contract.
    """
    asker = Asker(file, overrides, say)
    file_settings, places = file.settings, file.places
    for line in (*renamed_settings(places), *_globs_in_words(file, overrides)):
        say(line)
    overrides = dict(overrides)
    for key in [
        row.name
        for row in TABLE
        if row.kind in TABLES and isinstance(overrides.get(row.name), Mapping)
    ]:
        table = overrides.pop(key)  # what is not named there stays as the file has it
        places = {
            place: line
            for place, line in places.items()
            if place not in [f"{key}.{name}" for name in table]
        }
        if isinstance(file_settings.get(key, {}), dict):
            overrides[key] = {**file_settings.get(key, {}), **table}
    problems: list[str] = []
    entrants: list[Bot] = []
    try:
        entrants = entrants_named({**file_settings, **overrides}, say)
    except ConfigError as error:
        problems += error.problems

    def playable_stages() -> tuple[Settings, ...]:
        stages = stages_from(file_settings, overrides, places)
        if entrants and (reasons := unplayable(stages, entrants)):
            raise ConfigError(reasons)
        return stages

    stages = with_consent(asker, entrants, problems, playable_stages) or ()
    if problems:
        raise ConfigError(
            by_line(problems, {key: place for key, place in places.items() if key not in overrides})
        )
    for stage in stages:
        stage.game.vet(stage.seats, stage.rules)
    return CompetitionParts(stages, entrants)


def _globs_in_words(file: SettingsFile, overrides: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for each glob of a settings file whose bots play: how many these are,
    and the paths that it does not take.
    """
    for word, glob in _globs_that_play(file, overrides).items():
        # not above: few files have globs
        from khiva_arena.entrants.bot_words import not_taken_in_words

        yield f"{count(len(glob.bots), 'bot')} of {word}"
        yield from not_taken_in_words(word, glob.others)


def _globs_that_play(file: SettingsFile, overrides: Mapping[str, Any]) -> dict[str, "Glob"]:
    words = overrides.get("bots", file.settings.get("bots", ()))
    return {
        word: glob
        for word, glob in file.globs.items()
        if isinstance(words, list | tuple) and set(glob.bots) <= {*words}
    }


def not_taken(file: SettingsFile, overrides: Mapping[str, Any]) -> list[NotPlayed]:
    """Return the files and folders that fit a glob of bots in a settings file and are
    no bots.
    """
    if not file.globs:
        return []
    from khiva_arena.entrants.bot_words import why_not_taken  # not above: few files have globs

    paths = [path for glob in _globs_that_play(file, overrides).values() for path in glob.others]
    return [
        NotPlayed(os.path.basename(path), path, Why.NO_BOT, why_not_taken(path))
        for path in dict.fromkeys(paths)
    ]


def with_consent(
    asker: Asker, entrants: Sequence[Bot], problems: list[str], check: Callable[[], T]
) -> T | None:
    """Return what ``check`` makes of the settings of a file, once the user has agreed
    to all that the file opens.

    ``check`` runs the code of a game that is no game of the arena: if the file names
    one, the user agrees before, else after. Nobody is asked beside other problems.

    problems: the mistakes so far; those of ``check`` are added, and the refusal if the
        user does not agree.
    """
    if asker.file.path is None:
        return _checked(problems, check)
    from khiva_arena.competition.settings import consent  # not above: most runs have no file
    from khiva_arena.display.terminal.question import can_ask

    openings = consent.openings_of(asker.file.settings, asker.flags)
    runs_code = any(opening.row.name == "game" for opening in openings)
    made = None if runs_code else _checked(problems, check)
    if openings and not (problems and can_ask()):
        try:
            rows = consent.listed(openings, entrants, asker.say)
            code = [*consent.programs(openings, entrants), *(row.row for row in rows)]
            digest = consent.digest_of_file(asker.file.path, asker.file.text, code)
            consent.ask(asker.file.path, openings, digest, asker.say, asker.command, rows)
        except ConfigError as error:
            problems += error.problems
    return _checked(problems, check) if runs_code and not problems else made


def _checked(problems: list[str], check: Callable[[], T]) -> T | None:
    try:
        return check()
    except ConfigError as error:
        problems += error.problems
        return None


def entrants_named(settings: Mapping[str, Any], say: Say) -> list[Bot]:
    """Return the bots that settings name, those of an engines.json last. ``bots`` that
    is no list of words gives none.

    say: takes a line on each part of an engines.json that is left out.

    Raises ConfigError with every mistake, SameBots if the only one is a bot that is
    named twice.
    """
    words, engines = settings.get("bots", ()), settings.get("engines")
    broken = any(settings.get(name) is True for name in LEAVING_OUT)
    loading = asking(loads.valid_part_of(settings), say)
    bots: list[Bot] = []
    errors: list[ConfigError] = []
    if isinstance(words, list | tuple) and all(
        isinstance(word, str) and is_text(word) for word in words
    ):
        try:
            bots += bots_of_an_event.load_all(words, loading, with_broken=broken)
        except ConfigError as error:
            errors.append(error)
    if isinstance(engines, str | Path) and is_text(str(engines)):
        from khiva_arena.entrants.engines import load_engines

        try:
            bots += load_engines(Path(engines), say, loading, with_broken=broken)
        except ConfigError as error:
            errors.append(ConfigError([f"--engines {problem}" for problem in error.problems]))
    if errors:
        raise (
            errors[0]
            if len(errors) == 1
            else ConfigError([problem for error in errors for problem in error.problems])
        )
    return bots_of_an_event.mark_kept(
        bots_of_an_event.with_distinct_names(bots), settings.get("kept", ())
    )


def playable(stages: tuple[Settings, ...], entrants: list[Bot]) -> CompetitionParts:
    """Return the parts of a competition. Raises ConfigError with every reason of
    ``unplayable``.
    """
    if problems := unplayable(stages, entrants):
        raise ConfigError(problems)
    return CompetitionParts(stages, entrants)


def unplayable(stages: Sequence[Settings], entrants: Sequence[Bot]) -> list[str]:
    """Return why stages cannot be played with the number of bots that they will have,
    whichever bots these are; [] if they can.

    A line about a stage of several begins with its number: "stage 2: ".
    """
    problems = bots_of_an_event.of_another_game(entrants, stages[0].game.name)
    problems += permissions.mistakes(
        stages[0].network, stages[0].env, [bot.name for bot in entrants]
    )
    problems += define.nobody_to_allow(stages[0], entrants)
    if stages[0].clock is Clock.TICKS:
        least = min(stage.resources.memory for stage in stages)
        problems += [
            *bots_of_an_event.not_modules(entrants),
            *bots_of_an_event.beyond_memory(entrants, least),
        ]
    bots = list(entrants)
    for stage in stages:
        prefix = f"stage {stage.stage}: " if len(stages) > 1 else ""
        if stage.take is not None and stage.take > len(bots):
            problems.append(f"{prefix}take = {stage.take}, but only {len(bots)} bots reach it")
        bots = bots[: stage.take]
        names = [bot.name for bot in entrants]
        unknown_names = [name for name in stage.candidates if name not in names]
        problems += [
            f"{prefix}--candidate: no bot called {name!r}; there are {', '.join(names)}"
            for name in unknown_names
        ]
        if not unknown_names:
            # who comes to a later stage is not known, so neither candidates nor authors
            # can be checked there
            checked_stage = (
                replace(stage, candidates=(), authors_apart=False) if stage.stage > 1 else stage
            )
            try:
                terms = define.definition_of(
                    checked_stage, bots, Sandbox(Level.TRUSTED, stage.resources, stage.ponder)
                ).terms()
                formats.check_terms(terms)
                _check_test(stage, terms)
            except ConfigError as error:
                problems += [f"{prefix}{problem}" for problem in error.problems]
    return problems


def _check_test(settings: Settings, terms: formats.Terms) -> None:
    """Raise ConfigError if the bounds of a sequential test are not possible with so
    many matches on a seed.
    """
    if settings.hypotheses is not None:
        from khiva_arena.rating.ratings.sprt import SequentialTest  # numpy comes with it

        shape = formats.shapes(terms)[0]
        SequentialTest(settings.hypotheses, shape.line_ups * shape.seats)
