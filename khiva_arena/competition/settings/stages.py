"""Stages of a competition: events one after another, each with the bots that did best
in the one before.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from khiva_arena.common.setting_row import number_mistake
from khiva_arena.competition.settings.line_up_settings import (
    OF_LINE_UPS,
    line_ups_mistake,
    only_for,
)
from khiva_arena.competition.settings.settings import ALL_SETTINGS, Settings, settings_from
from khiva_arena.competition.settings.table import DEFAULTS, TABLE
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.names import OF_SOME, Format
from khiva_arena.words import nearest

OF_A_STAGE = tuple(row.name for row in TABLE if row.of_a_stage)
"""The settings that a ``[[stage]]`` may have of its own; it has ``name`` and ``take``
besides.
"""
MOST_STAGES = 20


def stages_from(
    file_settings: Mapping[str, Any], flags: Mapping[str, Any], places: Mapping[str, str]
) -> tuple[Settings, ...]:
    """Return the settings of a competition's events: one, or one for each ``[[stage]]``
    table of ``file_settings``.

    file_settings: settings; the values of a stage win over those beside it.
    flags: settings that win over both.
    places: where each value of ``file_settings`` stands.

    Raises ConfigError with every mistake in every stage.
    """
    places = {key: place for key, place in places.items() if key not in flags}
    base = {key: value for key, value in file_settings.items() if key != "stage"}
    if "stage" not in file_settings:
        return (settings_from({**base, **flags}, places),)
    tables = file_settings["stage"]
    if (
        not isinstance(tables, list)
        or not tables
        or not all(isinstance(table, Mapping) for table in tables)
    ):
        raise ConfigError(f"{places.get('stage', 'stage')}: write each stage as a [[stage]] table")
    if len(tables) > MOST_STAGES:
        raise ConfigError(
            f"{places.get('stage', 'stage')}: {MOST_STAGES} stages at most, not {len(tables)}"
        )
    stages: list[Settings] = []
    problems: list[str] = []
    for number, table in enumerate(tables):
        own = {key: value for key, value in table.items() if key in OF_A_STAGE}
        own_places = places | {
            key: places.get(f"stage.{number}.{key}", "") for key in own if key not in flags
        }
        problems += _shape_of(number, table, places)
        try:
            settings = settings_from({**base, **_stage_over_base(own, base, flags)}, own_places)
        except ConfigError as error:
            problems += error.problems
        else:
            stages.append(
                replace(
                    settings,
                    stage=number + 1,
                    name=table.get("name", f"stage {number + 1}"),
                    take=table.get("take"),
                )
            )
    problems += _named_twice(tables, places)
    if problems:
        raise ConfigError(
            list(dict.fromkeys(problems))
        )  # what is wrong beside the stages is so for each of them
    return tuple(stages)


def _stage_over_base(
    own: Mapping[str, Any], base: Mapping[str, Any], flags: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a stage's values over the common ones, flags over both. Common values that
    only other formats have are dropped.
    """
    values = {**own, **flags}
    form = values.get("format", base.get("format", DEFAULTS["format"]))
    passing = [key for key in base if key not in own]
    resets = {key: DEFAULTS[key] for key in OF_SOME if key in passing and form not in only_for(key)}
    if form in tuple(Format):
        resets |= {
            key: DEFAULTS[key]
            for key in OF_LINE_UPS
            if key in passing and line_ups_mistake(key, base[key], form)
        }
    return {**resets, **values}


def _named_twice(tables: Sequence[Mapping[str, Any]], places: Mapping[str, str]) -> list[str]:
    names = [table.get("name") for table in tables]
    return [
        f"{places.get(f'stage.{number}.name', 'stage')}: another stage is called {name!r}, too"
        for number, name in enumerate(names)
        if name is not None and name in names[:number]
    ]


def _shape_of(number: int, table: Mapping[str, Any], places: Mapping[str, str]) -> list[str]:
    def where(key: str) -> str:
        return places.get(
            f"stage.{number}.{key}", places.get(f"stage.{number}", f"stage {number + 1}")
        )

    keys = ("name", "take", *OF_A_STAGE)
    problems = [
        (
            f"{where(key)}: unknown setting {key!r} of a stage{nearest(key, keys)}; "
            f"{ALL_SETTINGS}, and which a stage may have"
        )
        for key in table
        if key not in keys
    ]
    name, take = table.get("name", "stage"), table.get("take")
    if take is not None and "candidates" in table:
        problems.append(
            f"{where('candidates')}: the bots of a stage with take are not known; leave "
            "candidates out to have the best one"
        )
    if not (isinstance(name, str) and name.isprintable() and 1 <= len(name) <= 64):
        problems.append(f"{where('name')}: a name has 1 to 64 printable characters")
    if take is not None and (mistake := number_mistake(take)):
        problems.append(f"{where('take')}: {mistake}")
    elif take is not None and number == 0:
        problems.append(
            f"{where('take')}: the first stage has all bots; there is no stage before it "
            "to take the best of"
        )
    return problems
