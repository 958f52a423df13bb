"""The rows of extensions: each fills its hooks, and the core can name the owner of each word."""

from khiva_arena.common import hooks
from khiva_arena.extensions import ROWS


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
