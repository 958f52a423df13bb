"""A setting that defines the event reaches its definition."""

import pytest
from msgspec.structs import replace

from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.setting_row import Kind, Setting
from khiva_arena.competition.settings.define import definition_of
from khiva_arena.competition.settings.settings import Settings, settings_from
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.records.replay.definition import Definition

BOTS = ("shipped:python/random", "shipped:python/naive")
PLAIN = [
    row
    for row in TABLE
    if row.kind in (Kind.NUMBER, Kind.SWITCH)
    and row.name in (*Definition.__struct_fields__, "ponder")  # by way of the sandbox
]


def defined(settings: Settings) -> Definition:
    sandbox = Sandbox(Level.TRUSTED, settings.resources, settings.ponder)
    return definition_of(settings, bots_of_an_event.load_all(settings.bots), sandbox)


def test_there_are_some() -> None:
    assert {"seats", "seeds", "copies", "rounds", "rate_kept"} <= {row.name for row in PLAIN}


@pytest.mark.parametrize("row", PLAIN, ids=[row.name for row in PLAIN])
def test_a_setting_that_defines_the_event_reaches_its_definition(row: Setting) -> None:
    settings = settings_from({"bots": BOTS, "seats": 2})
    value = 3 if row.kind is Kind.NUMBER else not row.default
    definition = defined(replace(settings, **{row.name: value}))
    assert getattr(definition, row.name) == value, (
        f"{row.name} is no argument in competition/settings/define.py"
    )
