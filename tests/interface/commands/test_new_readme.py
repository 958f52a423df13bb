"""``README.md`` of a new bot: its links lead somewhere, and it names the game that the
bot is for.
"""

import re
from pathlib import Path

import pytest

from khiva_arena.common import shipped
from khiva_arena.games.registry import NAMES
from khiva_arena.interface.commands.new_readme import readme_of

KITS = shipped.languages()


@pytest.mark.parametrize("name", KITS)
def test_all_links_lead_to_files(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", readme_of(KITS[name], NAMES[0]))
    files = [link for link in links if not link.startswith("https://")]
    assert files
    assert [link for link in files if not (Path(link).is_absolute() and Path(link).exists())] == []


def test_it_leads_to_the_page_of_the_game_that_was_typed() -> None:
    page = readme_of(KITS["python"], "silk_road")
    assert "protocol/games/silk_road.md)" in page
    assert "protocol/games/khiva.md" not in page
    assert "Silk Road" in page.split("\n")[1]
