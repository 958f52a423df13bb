"""A new league: its settings file, each option of which has one place, and a folder
that is there whole or not at all.
"""

import ast
import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from count_code import modules
from msgspec import structs
from parsed import nodes_of

from khiva_arena.competition.settings.table import TABLE
from khiva_arena.extensions.league.commands import league as league_commands
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.settings import NOT_IN_A_LEAGUE, league_text


@pytest.mark.parametrize("step", ["league_text", "new_file", "remember_maker"])
def test_a_new_league_that_fails_at_any_step_leaves_nothing_behind(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_words: object) -> None:
        raise KeyError(step)

    monkeypatch.setattr(league_commands, step, fails)
    with pytest.raises(KeyError, match=step):
        league_commands.new(tmp_path / "spring", "khiva", 2, "wall", None)
    assert not (tmp_path / "spring").exists()


def test_a_new_league_has_all_of_each_option() -> None:
    """Each line that is only an example is one that a league takes."""
    text = league_text({"bots": []})
    own = tomllib.loads(
        re.sub(r"^#(?=\w+ = )", "", text.partition("\n[league]\n")[2], flags=re.MULTILINE)
    )
    assert set(own) == set(LeagueOptions.__struct_fields__)
    assert structs.asdict(msgspec.convert(own, LeagueOptions)) == own


def test_code_reads_each_option() -> None:
    """As ``options.name``, or as a property of the options does."""
    nodes = (
        node for file in modules() for node in nodes_of(file) if isinstance(node, ast.Attribute)
    )
    read = {
        node.attr
        for node in nodes
        if getattr(node.value, "id", getattr(node.value, "attr", "")) in ("options", "self")
    }
    assert set(LeagueOptions.__struct_fields__) <= read


def test_a_league_says_why_it_lacks_a_setting_of_competitions() -> None:
    assert set(NOT_IN_A_LEAGUE) == {row.name for row in TABLE if not row.of_a_league} | {"stage"}
