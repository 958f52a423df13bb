"""make schema: the JSON Schemas of protocol/schema, made from the types of the package.
A change shows in their diff.

Those of messages and events are for authors of bots, those in ``output`` for programs
that read the results of commands. Keys may be added to either in a later version, so
keys that are not listed are allowed; readers ignore keys that they do not know.
"""

import json
import sys
from inspect import cleandoc
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, Literal

import jsonschema
import msgspec
from fill_docs import unwrapped

from khiva_arena.bots.protocol.messages import Act, BotHello, Decide, End, Fault, Hello, Natural
from khiva_arena.common import stream
from khiva_arena.common.json_schema import DIALECT
from khiva_arena.common.result import CURRENCY_MOST, FAULTS, STRIKING, Totals
from khiva_arena.competition.conformance.check_report import CheckReport
from khiva_arena.games import schema as games
from khiva_arena.interface.cli.json_error import ErrorOutput
from khiva_arena.interface.commands import json_shapes
from khiva_arena.rating.report import comparison, plan, shapes, sprt
from khiva_arena.rating.report.columns import COLUMNS
from khiva_arena.rating.report.in_common import InCommon

FOLDER = Path(__file__).parents[2] / "protocol" / "schema"


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the schema of a type. Descriptions do not depend on how a Python version
    keeps the indentation of docstrings.
    """
    schema = msgspec.json.schema(kind)
    for part in schema["$defs"].values():
        if "description" in part:
            part["description"] = unwrapped(part["description"])
    return {"$schema": DIALECT, **schema}


def strict(kind: type) -> jsonschema.Draft202012Validator:
    """Return the schema of a type with every object closed, so that tests find keys
    that it does not list.
    """
    schema = schema_of(kind)
    for part in schema["$defs"].values():
        if "properties" in part:
            part["additionalProperties"] = False
    return jsonschema.Draft202012Validator(schema)


# --- messages, and the events that any game may bring ---


class HelloWithCurrency(BotHello, frozen=True):
    """A hello of a bot that takes up the capability ``spent``.

    currency: of the total ``cost``.
    """

    currency: (
        Annotated[str, msgspec.Meta(min_length=1, max_length=CURRENCY_MOST)] | msgspec.UnsetType
    ) = msgspec.UNSET


class ActWithSpent(Act, frozen=True):
    """An answer of a bot that took up the capability ``spent``.

    spent: totals since its hello, by name.
    """

    spent: Totals | msgspec.UnsetType = msgspec.UNSET


MESSAGES = {
    "hello": Hello,
    "decide": Decide,
    "fault": Fault,
    "end": End,
    "bot-hello": BotHello,
    "act": Act,
}
MESSAGES |= {"bot-hello-with-currency": HelloWithCurrency, "act-with-spent": ActWithSpent}


class Default(msgspec.Struct, tag="default", frozen=True):
    """The default was played for a fault of a seat that stays in.

    seat: whose.
    why: the verdict word.
    strikes: how many the seat has now.
    """

    seat: Natural
    why: Literal[tuple(map(str, STRIKING))]
    strikes: Natural


class Forfeit(msgspec.Struct, tag="forfeit", frozen=True):
    """A seat is out.

    seat: whose.
    why: the verdict word.
    strikes: how many the seat has now.
    """

    seat: Natural
    why: Literal[tuple(map(str, FAULTS))]
    strikes: Natural


def messages() -> dict[str, str]:
    """Return texts by file name: one for each message, and ``event.json``, in which
    each event is at ``#/$defs/<type>``.
    """
    by_name = {name: schema_of(kind) for name, kind in MESSAGES.items()} | {"event": _event()}
    return {
        f"{name}.json": json.dumps(_open(schema), indent=2, sort_keys=True) + "\n"
        for name, schema in by_name.items()
    }


def _event() -> dict[str, Any]:
    parts = {}
    for name, kind in (("default", Default), ("forfeit", Forfeit)):
        (parts[name],) = schema_of(kind)["$defs"].values()
        parts[name]["title"] = name
    anyof = [{"$ref": f"#/$defs/{name}"} for name in parts]
    return {"title": "An event of any game", "anyOf": anyof, "$defs": parts}


def _open(schema: dict[str, Any]) -> dict[str, Any]:
    for part in schema["$defs"].values():
        # Our decoder takes unknown fields down its slow path and ignores them there; so
        # does everyone.
        part.pop("additionalProperties", None)
    return {"$schema": DIALECT, **schema}


# --- what commands print and write ---

_SOME = [(name, list[str] | msgspec.UnsetType, msgspec.UNSET) for name in ("only", "exclude")]
_RULES = ("rules", dict[str, Any] | msgspec.UnsetType, msgspec.UNSET)
_EXTENDS = ("extends", dict[str, str] | msgspec.UnsetType, msgspec.UNSET)
_PLACES = ("places", list[shapes.EventPlaces] | msgspec.UnsetType, msgspec.UNSET)
_PARTIAL = ("partial", list[shapes.Partial] | msgspec.UnsetType, msgspec.UNSET)
_CELLS = ("cells", list[str] | msgspec.UnsetType, msgspec.UNSET)
_NOT_PLAYED = ("not_played", list[shapes.NotPlayedBot] | msgspec.UnsetType, msgspec.UNSET)
_CONTRASTS = ("contrasts", list[shapes.Contrasts] | msgspec.UnsetType, msgspec.UNSET)
_REPORTED = ("reported", list[shapes.ReportedChoices] | msgspec.UnsetType, msgspec.UNSET)
_SENTENCE = ("sentence", str)
_BESIDE = (_PARTIAL, _CONTRASTS, _CELLS, _NOT_PLAYED, _REPORTED)
_OF_A_POOL = (_SENTENCE, ("next", list[str]), _EXTENDS, _RULES, _PLACES, *_SOME, *_BESIDE)


def _tables(
    command: str,
    key: str,
    name: str,
    kind: type[msgspec.Struct],
    *more: tuple[str, Any] | tuple[str, Any, Any],
) -> type:
    """Return the type of a list, under ``key``, of tables of a kind, each with the
    settings that its events share.
    """
    fields = [(field.name, field.type, field.default) for field in msgspec.structs.fields(InCommon)]
    doc = {"__doc__": f"{cleandoc(kind.__doc__ or '')}\n\nWith what its events have in common."}
    table = msgspec.defstruct(
        name, [*fields, *more], bases=(kind,), namespace=doc, frozen=True, kw_only=True
    )
    doc = {
        "__doc__": f"The output of ``khiva-arena {command} --json``.\n\nv: its version.\nsentence: "
        "the answer in words, that of each table in its order."
    }
    fields = [("v", Literal[1]), ("sentence", str), (key, GenericAlias(list, (table,)))]
    return msgspec.defstruct("Output", fields, namespace=doc, frozen=True)


REPORTS: dict[str, type] = {
    "match": json_shapes.MatchOutput,
    "match-from": json_shapes.RematchOutput,
    "match-try": json_shapes.TryOutput,
    "replay": json_shapes.ReplayOutput,
    "replay-lost": json_shapes.LostOutput,
    "doctor": json_shapes.DoctorOutput,
    "new": json_shapes.NewOutput,
    "check-game": json_shapes.GamesOutput,
    "error": ErrorOutput,
    "standings": _tables("standings", "standings", "Pool", shapes.Rated, *_OF_A_POOL),
    "plan": _tables("plan", "plans", "PooledPlan", plan.Plan, _SENTENCE),
    "sprt": sprt.SprtOutput,
    "compare": comparison.CompareOutput,
    "check": CheckReport,
}
"""What ``--json`` prints, by command; some print other things with other flags. An
error is printed on stderr.
"""


def output() -> dict[str, str]:
    """Return the text of each schema of what commands print and write, by file name."""
    texts = {}
    for name, kind in REPORTS.items():
        schema = schema_of(kind)
        for column in COLUMNS if "Standing" in schema["$defs"] else ():
            schema["$defs"]["Standing"]["properties"][column.field]["description"] = column.doc
        texts[f"{name}.json"] = json.dumps(schema, indent=1, sort_keys=True) + "\n"
    lines = json.dumps(schema_of(stream.Any_line), indent=2, sort_keys=True) + "\n"
    return {f"output/{name}": text for name, text in {**texts, "events.json": lines}.items()}


def texts() -> dict[str, str]:
    """Return the text of each schema by its path below ``FOLDER``."""
    return {**messages(), **games.schemas(), **output()}


if __name__ == "__main__":
    if "--write" not in sys.argv:
        sys.exit("nothing is written without --write")
    for place, made in texts().items():
        path = FOLDER / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(made)
