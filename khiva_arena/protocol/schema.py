"""JSON Schemas of the messages and of the events that any game may bring, generated from their types.

``python -m khiva_arena.protocol.schema DIR`` writes them.
"""

import json
from typing import Any, Literal

import msgspec

from khiva_arena.json_schema import DIALECT, schema_of, write_schemas
from khiva_arena.protocol.messages import Act, BotHello, Decide, End, Fault, Hello, Natural

NAMES = {"hello": Hello, "decide": Decide, "fault": Fault, "end": End, "bot-hello": BotHello, "act": Act}


class Default(msgspec.Struct, tag="default", frozen=True):
    """The default was played for a fault of a seat that stays in.

    seat: whose.
    why: the verdict word.
    strikes: how many the seat has now.
    """

    seat: Natural
    why: Literal["timeout", "illegal"]
    strikes: Natural


class Forfeit(msgspec.Struct, tag="forfeit", frozen=True):
    """A seat is out.

    seat: whose.
    why: the verdict word.
    strikes: how many the seat has now.
    """

    seat: Natural
    why: Literal["timeout", "illegal", "protocol", "crashed", "flooded", "resource", "start_failed"]
    strikes: Natural


def schemas() -> dict[str, str]:
    """Return texts by file name: one for each message, and ``event.json``, in which each event is at ``#/$defs/<type>``."""
    by_name = {name: schema_of(kind) for name, kind in NAMES.items()} | {"event": _event()}
    return {f"{name}.json": json.dumps(_open(schema), indent=2, sort_keys=True) + "\n" for name, schema in by_name.items()}


def _event() -> dict[str, Any]:
    parts = {}
    for name, kind in (("default", Default), ("forfeit", Forfeit)):
        (parts[name],) = schema_of(kind)["$defs"].values()
        parts[name]["title"] = name
    anyof = [{"$ref": f"#/$defs/{name}"} for name in parts]
    return {"title": "An event of any game", "anyOf": anyof, "$defs": parts}


def _open(schema: dict[str, Any]) -> dict[str, Any]:
    for part in schema["$defs"].values():
        # Our decoder takes unknown fields down its slow path and ignores them there; so does everyone.
        part.pop("additionalProperties", None)
    return {"$schema": DIALECT, **schema}


if __name__ == "__main__":
    write_schemas(schemas())
