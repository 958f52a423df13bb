"""The rows of extensions: each fills its hooks and says what it needs, and the core can
name the owner of each word.
"""

import grimp
import pytest
from sides import LIST, extension_of

from khiva_arena.common import hooks
from khiva_arena.extensions import ROWS


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """All imports of the package, also those in functions and those for types."""
    return grimp.build_graph("khiva_arena", cache_dir=None)


def test_the_list_imports_rows_only(graph: grimp.ImportGraph) -> None:
    imported = graph.find_modules_directly_imported_by(LIST)
    assert {name for name in imported if extension_of(name)} == {
        f"{LIST}.{row.name}.row" for row in ROWS
    }


def test_a_row_says_which_extensions_its_own_imports(graph: grimp.ImportGraph) -> None:
    for row in ROWS:
        own = graph.find_descendants(f"{LIST}.{row.name}") | {f"{LIST}.{row.name}"}
        imported = {
            extension_of(name)
            for one in own
            for name in graph.find_modules_directly_imported_by(one)
        }
        assert set(row.needs) == imported - {row.name, ""}, row.name


def test_each_extension_loads_and_fills_each_hook_once() -> None:
    filled = [one.hook for row in ROWS for one in row.load()]
    assert filled
    assert len({id(hook) for hook in filled}) == len(filled)


def test_the_core_knows_the_owner_of_each_word_of_an_extension() -> None:
    for row in ROWS:
        words = {
            *(command.name for command in row.commands),
            *(flag.parameter for flag in row.flags),
            *(setting.name for setting in row.settings),
        }
        assert words == set(hooks.OWNERS[row.name]), row.name
    assert {row.name for row in ROWS} == set(hooks.OWNERS)
