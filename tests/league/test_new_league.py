"""A new league: its settings file, each option of which has one place, and a folder that is there whole or not at all."""

from khiva_arena.league.settings import NOT_IN_A_LEAGUE
from khiva_arena.settings.table import TABLE


def test_a_league_says_why_it_lacks_a_setting_of_competitions() -> None:
    assert set(NOT_IN_A_LEAGUE) == {row.name for row in TABLE if not row.of_a_league} | {"stage"}
