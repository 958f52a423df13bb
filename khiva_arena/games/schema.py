"""JSON Schemas of what each game's bots get, made from its shapes: ``python -m
khiva_arena.games.schema DIR`` writes them.

Each game gets a folder of three files. ``view.json`` is a view. ``event.json`` is any
of the game's events, each also at ``#/$defs/<type>``. ``decision.json`` is any kind
with its ``legal``, each also at ``#/$defs/<kind>``.

Views and events are closed: a key that is not listed is a mistake. A decision is two of
the keys of a ``decide`` message, so other keys may stand beside them.
"""

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import msgspec

from khiva_arena.common.json_schema import DIALECT, write_schemas
from khiva_arena.errors import InternalError
from khiva_arena.games.base import Game, Shapes
from khiva_arena.games.registry import GAMES


def schemas() -> dict[str, str]:
    """Return the text of every schema by file name, such as "game/view.json"."""
    return {
        f"{game.name}/{name}.json": json.dumps(
            {"$schema": DIALECT, **schema}, indent=1, sort_keys=True
        )
        + "\n"
        for game in GAMES.values()
        for name, schema in of_game(game).items()
    }


def shapes_of(game: Game) -> Shapes:
    """Return ``SHAPES`` of the game's ``shapes.py``, which nothing that plays has to
    load.
    """
    shapes: Shapes = import_module(f"khiva_arena.games.{game.name}.shapes").SHAPES
    return shapes


def of_game(game: Game) -> dict[str, dict[str, Any]]:
    """Return the three schemas of a game, under "view", "event" and "decision"."""
    shapes = shapes_of(game)
    (view,), view_parts = _components([shapes.view])
    _, events = _components(shapes.events)
    decisions = {kind: _decision(kind, entries) for kind, entries in shapes.decisions.items()}
    return {
        "view": {**view, "title": f"A view of {game.title}", "$defs": view_parts},
        "event": {
            "title": f"An event of {game.title}",
            "anyOf": _references(events),
            "$defs": events,
        },
        "decision": {
            "title": f"A decision of {game.title}",
            "anyOf": _references(decisions),
            "$defs": decisions,
        },
    }


def _references(parts: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"$ref": f"#/$defs/{name}"} for name in parts]


def _components(types: Sequence[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return a schema for each type, and the parts that the schemas refer to. Objects
    are closed.
    """
    schemas, parts = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for part in parts.values():
        part["additionalProperties"] = False
    return list(schemas), parts


def _decision(kind: str, entries: Sequence[Any]) -> dict[str, Any]:
    """Return the schema of the ``kind`` and ``legal`` of a request.

    Raises InternalError if an entry of ``legal`` holds a map.
    """
    items, parts = _components(entries)
    if parts:
        raise InternalError(f"{kind}: entries of legal are plain arrays, without maps")
    legal = {
        "type": "array",
        "minItems": 2,
        "items": items[0] if len(items) == 1 else {"anyOf": items},
    }
    properties = {"kind": {"const": kind}, "legal": legal}
    return {
        "title": kind,
        "type": "object",
        "properties": properties,
        "required": ["kind", "legal"],
    }


if __name__ == "__main__":
    write_schemas(schemas())
