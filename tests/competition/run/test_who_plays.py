"""Each place where matches can be played has an executor."""

import pytest

from khiva_arena.competition.settings.settings import settings_from


@pytest.mark.parametrize(("settings", "place"), [({}, "")])
def test_a_setting_names_the_place(settings: dict[str, str], place: str) -> None:
    assert settings_from({"bots": ("a", "b"), **settings}).place == place
