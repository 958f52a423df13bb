"""A setting that defines the event comes back from a plan."""

from typing import Any

import pytest
from msgspec.structs import replace
from synthesised import planned

from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.result import Clock
from khiva_arena.common.setting_row import Kind, Setting
from khiva_arena.competition.settings import define
from khiva_arena.competition.settings.settings import Settings, settings_from
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.extensions.shards.plan_settings import settings_of
from khiva_arena.records.replay.definition import Definition

VALUES: dict[str, Any] = {"bots": ("shipped:python/random", "shipped:python/naive"), "seats": 2}
PLAIN = [
    row
    for row in TABLE
    if row.kind in (Kind.NUMBER, Kind.SWITCH)
    and row.name in (*Definition.__struct_fields__, "ponder")  # by way of the sandbox
]


def defined(settings: Settings) -> Definition:
    sandbox = Sandbox(Level.TRUSTED, settings.resources, settings.ponder)
    return define.definition_of(settings, bots_of_an_event.load_all(settings.bots), sandbox)


@pytest.mark.parametrize("row", PLAIN, ids=[row.name for row in PLAIN])
def test_a_setting_comes_back(row: Setting) -> None:
    value = 3 if row.kind is Kind.NUMBER else not row.default
    definition = defined(replace(settings_from(VALUES), **{row.name: value}))
    assert settings_of(definition, bytes(32)).get(row.name) == value, (
        f"{row.name} does not come back in extensions/shards/plan.py"
    )


def test_the_clock_comes_back() -> None:
    definition = defined(settings_from({**VALUES, "clock": "ticks"}))
    values = {
        key: value for key, value in settings_of(definition, bytes(32)).items() if value is not None
    }
    again = settings_from({**values, "bots": VALUES["bots"]})
    assert again.clock is Clock.TICKS
    assert define.conditions_of(again, (), definition.sandbox()) == define.conditions_of(
        settings_from({**VALUES, "clock": "ticks"}), (), definition.sandbox()
    )


@pytest.mark.parametrize(("draw", "typed"), [("all-meet", "auto"), ("", 24)])
def test_line_ups_are_auto_where_all_meet(draw: str, typed: object) -> None:
    event = planned(bots=12, seats=3, lineups=24, draw=draw)
    assert settings_of(event.definition, event.secret)["lineups"] == typed
