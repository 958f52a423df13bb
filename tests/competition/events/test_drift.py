"""What has changed since an event began, in lines."""

import pytest
from msgspec import structs
from synthesised import planned

from khiva_arena.competition.events.drift import differences
from khiva_arena.records.replay.definition import DefinedBot
from khiva_arena.records.store.db import EventRow

OPENED = structs.replace(
    DefinedBot("ann", "a" * 64), network=True, env=("KEY",), author="Ann", remote=True
)


@pytest.fixture
def event() -> EventRow:
    return planned("khiva", entrants=(OPENED, DefinedBot("bob", "b" * 64)))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"network": False}, "bot ann: network was yes, is no"),
        ({"env": ()}, "bot ann: env was KEY, is not set"),
        ({"env": ("KEY", "URL")}, "bot ann: env was KEY, is KEY, URL"),
        ({"author": ""}, "bot ann: author was Ann, is not set"),
        ({"remote": False}, "bot ann: remote was yes, is no"),
        ({"kept": True}, "bot ann: kept was no, is yes"),
        ({"sources": "c" * 40}, f"bot ann: sources was not set, is {'c' * 40}"),
    ],
)
def test_what_a_bot_has_beside_its_identity(
    event: EventRow, changes: dict[str, object], line: str
) -> None:
    """Otherwise nothing would be said of two events that are not alike."""
    what = event.definition
    now = structs.replace(what, bots=(structs.replace(OPENED, **changes), what.bots[1]))
    assert differences(event, now, event.bots) == [line]


def test_every_field_of_a_bot_is_looked_at() -> None:
    """Its module and payload are what the identity is of."""
    names = (
        "name",
        "identity",
        "author",
        "network",
        "env",
        "remote",
        "kept",
        "sources",
        "module",
        "payload",
    )
    assert DefinedBot.__struct_fields__ == names


def test_an_allowance_has_the_name_of_its_setting(event: EventRow) -> None:
    now = structs.replace(event.definition, link_ms=200)
    assert differences(event, now, event.bots) == ["link_allowance was 0 ms, is 200 ms"]


def test_what_is_alike_has_no_differences(event: EventRow) -> None:
    assert differences(event, event.definition, event.bots) == []
