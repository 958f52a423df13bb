"""A bot with files whose names no archive can hold is not sent to a league."""

import pytest
from cases import cases
from odd_names import ODD, folder

from khiva_arena.entrants import packing
from khiva_arena.entrants.bots import load
from khiva_arena.errors import ConfigError


@cases(("name", "why"), ODD.items())
def test_such_a_bot_is_not_sent_to_a_league(
    name: bytes, why: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bot = load(str(folder(tmp_path_factory.mktemp("bot") / "odd", 'run = "true"', name)))
    with pytest.raises(ConfigError) as raised:
        packing.pack(bot)
    assert str(raised.value) == why
