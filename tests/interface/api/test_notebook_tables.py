"""Rating tables as values: the same numbers that the command prints."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from arena import arena
from printed_tables import bare_tables
from wording import pattern

import khiva_arena
from khiva_arena.errors import ConfigError, StoreError

pytestmark = pytest.mark.slow


def test_they_are_what_the_command_prints(played: Path) -> None:
    tables = khiva_arena.standings(played / "out", sections=["crosstable"])
    assert tables.to_dict() == bare_tables(
        arena("standings", "out", "--json", "--section", "crosstable", cwd=played).stdout
    )
    assert str(tables).split("\n", 1)[1].split()[:5] == ["rank", "bot", "ranks", "elo", "+/-"]


def test_rows_have_attributes(played: Path) -> None:
    (table,) = khiva_arena.standings(played / "out")
    assert table["random"].elo == 0
    assert [row.rank for row in table] == [1, 2, 3]
    assert len(table) == 3
    assert sum(row.matches for row in table.rows) == 12 * 2 + 6 * 3
    with pytest.raises(KeyError):
        table["nobody"]


def test_events_and_anchors_can_be_named(played: Path) -> None:
    first = khiva_arena.standings(played / "out", 1, anchors=["greedy=100"])
    assert first[0]["greedy"].elo == 100
    assert sum(row.matches for row in first.rows) == 24
    with pytest.raises(ConfigError, match=pattern("events", "no-section", name="'x'")):
        khiva_arena.standings(played / "out", sections=["x"])
    with pytest.raises(StoreError, match="no results here"):
        khiva_arena.standings(played)


def test_a_notebook_shows_a_table(played: Path) -> None:
    class Cells(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: list[str] = []
            self.opened: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.opened.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.opened.pop() == tag

        def handle_data(self, data: str) -> None:
            self.found.append(data.strip())

    page = Cells()
    page.feed(khiva_arena.standings(played / "out")._repr_html_())
    assert not page.opened
    assert {"rank", "bot", "elo", "random", "greedy", "naive"} <= set(page.found)


def test_a_name_in_a_table_is_no_markup(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "<b>x</b>"\nrun = "{python} main.py"\n')
    (bot / "main.py").write_text("")
    host = ["--isolation", "trusted", "--trust-bots", "--seeds", "1", "--seats", "2"]
    arena(
        "run", "--bot", "shipped:python/random", "--bot", "bot", *host, cwd=tmp_path, code=2
    )  # it says no hello
    (bot / "main.py").write_text(
        (Path(__file__).parents[3] / "bots/python/random/main.py").read_text()
    )
    (bot / "khiva_kit.py").write_text(
        (Path(__file__).parents[3] / "bots/python/kit/khiva_kit.py").read_text()
    )
    arena("run", "--bot", "shipped:python/random", "--bot", "bot", *host, cwd=tmp_path)
    page = khiva_arena.standings(tmp_path / "results/latest")._repr_html_()
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page


def test_a_table_goes_to_pandas(played: Path) -> None:
    pandas = pytest.importorskip("pandas")
    tables = khiva_arena.standings(played / "out")
    frame = tables.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["name"]) == [row.name for row in tables.rows]
    assert list(frame["elo"]) == [row.elo for row in tables.rows]
    assert list(frame["table"]) == [1, 1, 1]
