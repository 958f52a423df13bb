"""The clock of an event: in its settings and its definition."""

from typing import Any

import pytest
from sides import NEEDS_ALL
from wording import sentence

from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common import shipped
from khiva_arena.common.result import PRICE_LIST, Clock
from khiva_arena.competition.settings import define
from khiva_arena.competition.settings.competition import unplayable
from khiva_arena.competition.settings.one_match import settings_and_bots
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import canonical

BOTS = ("shipped:python/random", "shipped:python/naive")
VALUES: dict[str, Any] = {"bots": BOTS, "seats": 2}


def defined(**more: Any) -> Definition:
    settings = settings_from({**VALUES, **more})
    sandbox = Sandbox(Level.TRUSTED, settings.resources, settings.ponder)
    return define.definition_of(settings, bots_of_an_event.load_all(BOTS), sandbox)


def test_the_wall_clock_is_not_written() -> None:
    definition = defined()
    assert not definition.in_ticks
    assert not {"clock", "meter"} & definition.plain().keys()


def test_an_event_in_ticks_says_so_and_has_one_word_for_isolation() -> None:
    definition = defined(clock="ticks", turn="20ms")
    plain = definition.plain()
    assert (plain["clock"], plain["meter"], plain["isolation"], plain["ponder"]) == (
        "ticks",
        PRICE_LIST,
        "module",
        False,
    )
    assert Definition.read(definition.text) == definition
    assert definition.sandbox(Level.BASIC).level is Level.BASIC
    header = definition.header([("a", "x"), ("b", "y")], "m", bytes(32))
    assert (header.format, header.clock, header.meter, header.isolation) == (
        2,
        "ticks",
        PRICE_LIST,
        "module",
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"clock": "wall"},
        {"meter": 0},
        {"isolation": "standard"},
        {"ponder": True},
        {"link_ms": 5},
        {"isolation": "modules"},
    ],
    ids=str,
)
def test_a_definition_in_ticks_that_does_not_fit_together_is_refused(
    changes: dict[str, Any],
) -> None:
    text = canonical({**defined(clock="ticks").plain(), **changes}).decode()
    with pytest.raises(ValueError, match=r"ticks|Expected|written"):
        Definition.read(text)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"ponder": True}, "--ponder: " + sentence("settings", "ticks-ponder")),
        ({"limits": {"cpu": 2}}, "--limit: " + sentence("settings", "ticks-cpu")),
        ({"isolation": "standard"}, "--isolation: " + sentence("settings", "ticks-isolation")),
        pytest.param(
            {"link_allowance": "5ms"},
            "--link-allowance: " + sentence("settings", "ticks-link-allowance"),
            marks=NEEDS_ALL,
        ),
    ],
)
def test_what_ticks_do_not_have_is_refused_in_a_line(given: dict[str, Any], line: str) -> None:
    with pytest.raises(ConfigError) as error:
        settings_from({**VALUES, **given, "clock": "ticks"})
    assert list(error.value.problems) == [line]
    assert settings_from({**VALUES, **given}).clock is Clock.WALL


def test_a_bot_that_is_no_module_is_refused_in_a_line() -> None:
    words = ("shipped:perl/random", "shipped:python/trained")
    lines = [
        f"--bot {words[0]}: " + sentence("entrants", "ticks-no-module"),
        f"--bot {words[1]}: "
        + (
            f"it plays only by the wall clock, since {shipped.why_no_ticks(words[1])}: "
            "name another bot, or take --clock wall"
        ),
    ]
    assert (
        unplayable(
            [settings_from({**VALUES, "bots": words, "clock": "ticks"})],
            bots_of_an_event.load_all(words),
        )
        == lines
    )
    with pytest.raises(ConfigError) as error:
        settings_and_bots({"bots": words, "clock": "ticks"})
    assert list(error.value.problems) == lines


def test_a_short_turn_is_only_short_by_the_wall_clock() -> None:
    assert define.short_turn_warning(defined(turn="1ms"))
    assert not define.short_turn_warning(defined(turn="1ms", clock="ticks"))
