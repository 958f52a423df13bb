"""docs/command-line.md is current: each setting of the tables, and each command with
its help.
"""

from generated_parts import with_parts
from make_commands_page import PAGE, parts

from khiva_arena.competition.settings.table import TABLE, TEST_TABLE


def test_the_page_is_current() -> None:
    text = PAGE.read_text("utf-8")
    assert text == with_parts(text, parts()), "run `make schema` and read the diff"


def test_each_setting_is_explained_once() -> None:
    settings = PAGE.read_text("utf-8").partition("## Settings\n")[2].partition("\n## ")[0]
    assert [
        row.name for row in (*TABLE, *TEST_TABLE) if settings.count(f"\n- `{row.name}`, `") != 1
    ] == []
