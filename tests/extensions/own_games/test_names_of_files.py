"""A game whose files have names that no archive can hold is refused."""

from pathlib import Path

import pytest
from odd_names import folder
from wording import sentence

from khiva_arena.errors import ConfigError
from khiva_arena.extensions.own_games.game_source import source_of


def test_a_game_whose_files_have_such_names_is_refused(tmp_path: Path) -> None:
    place = folder(tmp_path / "own", "", b"bad\xff.txt")
    (place / "__init__.py").write_text("GAME = None\n")
    with pytest.raises(ConfigError) as raised:
        source_of(str(place))
    assert str(raised.value) == sentence("outside", "name-no-utf-8", path=place / "bad\\xff.txt")
