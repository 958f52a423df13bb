"""What ``import khiva_arena`` offers: lazily, typed, and without losing a name to a
room.
"""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sides import NEEDS_ALL

import khiva_arena
from khiva_arena.bots.protocol import messages

ROOM = Path(khiva_arena.__file__).parent
OF_OTHERS = {"Any", "DataFrame", "Iterator", "Mapping", "None", "Path", "Self", "Sequence"}
"""Names in annotations that are Python's."""


@NEEDS_ALL
def test_the_types_are_of_the_names_that_there_are() -> None:
    stub = ast.parse((ROOM / "__init__.pyi").read_text())
    found = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = {name: f"khiva_arena.{home}.{name}" for name, home in khiva_arena._HOMES.items()}
    homes |= {
        name: f"{getattr(khiva_arena, name).__module__}.{name}"
        for name in khiva_arena._OF_EXTENSIONS
    }
    assert found == {
        **{name: f"khiva_arena.{name}" for name in ("env", "errors", "games")},
        **homes,
    }
    assert set(khiva_arena.__all__) == set(found)
    assert (ROOM / "py.typed").is_file()


@NEEDS_ALL
def test_each_name_is_there_and_says_what_it_is() -> None:
    for name in khiva_arena.__all__:
        assert getattr(khiva_arena, name).__doc__, name
    assert [name for name in dir(khiva_arena) if not name.startswith("__")] == sorted(
        khiva_arena.__all__
    )


@NEEDS_ALL
def test_each_class_that_a_function_returns_has_a_name_here() -> None:
    """What methods of a game return is in khiva_arena.games, which is public, too."""
    offered = {name: getattr(khiva_arena, name) for name in khiva_arena.__all__}
    functions = {name: one for name, one in offered.items() if inspect.isfunction(one)}
    for name in (
        "Competition",
        "PlayedMatch",
        "RunningTest",
        "TableList",
        "Table",
        "AuditResult",
        "Merged",
        "LocalTable",
    ):
        for key, one in vars(offered[name]).items():
            if not key.startswith("_") and (isinstance(one, property) or inspect.isfunction(one)):
                functions[f"{name}.{key}"] = one.fget if isinstance(one, property) else one
    words = {
        (name, word)
        for name, one in functions.items()
        for word in re.findall(r"(?<![\w.])[A-Z]\w+", _annotation(one))
        if word not in khiva_arena.__all__
    }
    assert {word for _, word in words} <= OF_OTHERS, words


def _annotation(function: Any) -> str:
    """Return what a function is said to return, as names without their modules."""
    told = inspect.signature(function).return_annotation
    return re.sub(
        r"(?:\w+\.)+(?=\w)", "", told if isinstance(told, str) else inspect.formatannotation(told)
    )


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(
        AttributeError, match="module 'khiva_arena' has no attribute 'no_such_name'"
    ):
        khiva_arena.no_such_name  # type: ignore[attr-defined]  # noqa: B018


def test_no_folder_has_the_name_of_a_function() -> None:
    """An import of the folder would put it where the function is."""
    folders = {path.parent.name for path in ROOM.glob("*/__init__.py")}
    assert not folders & {name for name in khiva_arena.__all__ if name not in ("env", "games")}


def test_the_import_alone_loads_nothing_heavy() -> None:
    code = (
        "import sys, khiva_arena; print(*[name for name in sys.modules if "
        "name.startswith('khiva_arena')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert done == ["khiva_arena"]


def test_games_are_found_by_name() -> None:
    assert list(khiva_arena.games.GAMES) == ["khiva", "emira", "silk_road"]
    game = khiva_arena.games.get("khiva")
    assert isinstance(game, khiva_arena.Game)
    state, events = game.new(3, game.rules({}), bytes(32))
    assert isinstance(state, khiva_arena.State)
    assert events


def test_the_types_of_a_bot_function_are_what_it_gets() -> None:
    told: list[tuple[khiva_arena.BotRequest, khiva_arena.BotMatch]] = []

    def choose(decide: khiva_arena.BotRequest, match: khiva_arena.BotMatch) -> int:
        told.append((decide, match))
        return len(decide["legal"]) - 1

    khiva_arena.local([choose, choose], deals=1)
    decide, match = told[0]
    assert set(decide) == set(khiva_arena.BotRequest.__annotations__)
    assert set(match) == set(khiva_arena.BotMatch.__annotations__)
    assert set(match) - {"type"} == set(messages.Hello.__struct_fields__)
