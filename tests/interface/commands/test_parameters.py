"""A command's words go to its work by their names: mypy does not see whether both name
them alike.
"""

import importlib
import inspect
from inspect import Parameter, signature

import click
import pytest

from khiva_arena.common import hooks
from khiva_arena.competition.run.options import ModelFlags, PlanFlags, RunOptions
from khiva_arena.competition.settings.table import TABLE, TEST_TABLE
from khiva_arena.interface.cli.command_groups import commands
from khiva_arena.interface.cli.main import cli
from khiva_arena.interface.commands.compare import Typed
from khiva_arena.interface.commands.new import NewWish


def work_of(name: str) -> dict[str, Parameter]:
    """Return the parameters of a command's work: a module in the folder of commands, or
    beside the options of an extension.
    """
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = inspect.unwrap(command.callback or work_of).__module__
    place = options.replace(".cli.", ".commands.").replace("_options", "_command")
    return dict(signature(getattr(importlib.import_module(place), name)).parameters)


def passes_its_words_on(name: str) -> bool:
    """Whether the command's flags become keywords. Some commands pass them on as one
    mapping, which mypy sees.
    """
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.callback is not None
    if "flags" not in signature(command.callback).parameters:
        return False
    return "flags" not in work_of(name) or work_of(name)["flags"].kind is Parameter.VAR_KEYWORD


MADE_VALUES = ("new", "grade")
"""Commands that make a value of their flags, and hand it on whole. Those of an
extension have a test beside it.
"""
PASSED_ON = [name for name in commands() if passes_its_words_on(name) and name not in MADE_VALUES]


def test_there_are_some() -> None:
    assert len(PASSED_ON) >= 6


@pytest.mark.parametrize("name", PASSED_ON)
def test_the_work_takes_the_words_of_its_command(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    words = {param.name for param in command.params if param.expose_value}
    taken = work_of(name)
    named = {
        word
        for key, one in taken.items()
        if one.kind is not Parameter.VAR_KEYWORD and not hooks.why_unknown(key)
        for word in getattr(one.annotation, "_fields", (key,))  # of a value that several words make
    }
    assert named <= words
    takes_more = any(one.kind is Parameter.VAR_KEYWORD for one in taken.values())
    assert named == words or takes_more, f"{sorted(words - named)} are not taken"


def test_the_wish_for_a_new_bot_is_made_of_words_of_new() -> None:
    command = cli.get_command(click.Context(cli), "new")
    assert command is not None
    assert set(NewWish._fields) <= {param.name for param in command.params if param.expose_value}


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("run", (RunOptions, PlanFlags, ModelFlags)),
        ("sprt", (RunOptions, PlanFlags)),
        ("compare", (RunOptions, Typed)),
    ],
)
def test_what_is_no_setting_makes_a_value(name: str, kinds: tuple[type, ...]) -> None:
    """Settings are taken by the rows of their table, which would pass over any other
    word in silence.
    """
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    words = {param.name for param in command.params if param.expose_value}
    assert command.callback is not None
    named = {*work_of(name), *signature(command.callback).parameters}
    fields = {field for kind in kinds for field in kind.__annotations__}
    settings = {name for row in (*TABLE, *TEST_TABLE) for name in (row.parameter, row.old_name)}
    assert words - named - fields - settings == set()
