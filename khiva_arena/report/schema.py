"""The JSON Schemas of reports: ``python -m khiva_arena.report.schema DIR`` writes one file for a command.

Keys may be added in a later version, so keys that are not listed are allowed; readers ignore keys that they do not know.
"""

import json
from inspect import cleandoc
from types import GenericAlias
from typing import Any

import msgspec

from khiva_arena.json_schema import schema_of, write_schemas
from khiva_arena.report import plan, shapes, sprt
from khiva_arena.report.columns import COLUMNS
from khiva_arena.report.in_common import InCommon

_SOME = [(name, list[str] | msgspec.UnsetType, msgspec.UNSET) for name in ("only", "exclude")]
_RULES = ("rules", dict[str, Any] | msgspec.UnsetType, msgspec.UNSET)
_EXTENDS = ("extends", dict[str, str] | msgspec.UnsetType, msgspec.UNSET)
_PLACES = ("places", list[shapes.EventPlaces] | msgspec.UnsetType, msgspec.UNSET)
_PARTIAL = ("partial", list[shapes.Partial] | msgspec.UnsetType, msgspec.UNSET)
_CELLS = ("cells", list[str] | msgspec.UnsetType, msgspec.UNSET)
_NOT_PLAYED = ("not_played", list[shapes.NotPlayedBot] | msgspec.UnsetType, msgspec.UNSET)
_CONTRASTS = ("contrasts", list[shapes.Contrasts] | msgspec.UnsetType, msgspec.UNSET)
_OF_A_POOL = (_EXTENDS, _RULES, _PLACES, *_SOME, _PARTIAL, _CONTRASTS, _CELLS, _NOT_PLAYED)


def _tables(command: str, key: str, name: str, kind: type[msgspec.Struct], *more: tuple[str, Any, Any]) -> type:
    """Return the type of a list, under ``key``, of tables of a kind, each with the settings that its events share."""
    fields = [(field.name, field.type, field.default) for field in msgspec.structs.fields(InCommon)]
    doc = {"__doc__": f"{cleandoc(kind.__doc__ or '')}\n\nWith what its events have in common."}
    table = msgspec.defstruct(name, [*fields, *more], bases=(kind,), namespace=doc, frozen=True, kw_only=True)
    doc = {"__doc__": f"What ``khiva-arena {command} --json`` prints."}
    return msgspec.defstruct("Output", [(key, GenericAlias(list, (table,)))], namespace=doc, frozen=True)


NAMES: dict[str, type] = {
    "standings": _tables("standings", "standings", "Pool", shapes.Rated, *_OF_A_POOL),
    "plan": _tables("plan", "plans", "PooledPlan", plan.Plan),
    "sprt": sprt.SprtOutput,
}


def _with_texts(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with a description of each field of a row."""
    if "Standing" in schema["$defs"]:
        for column in COLUMNS:
            schema["$defs"]["Standing"]["properties"][column.field]["description"] = column.doc
    return schema


def schemas() -> dict[str, str]:
    """Return the text of each schema by file name."""
    return {
        f"{name}.json": json.dumps(_with_texts(schema_of(kind)), indent=1, sort_keys=True) + "\n" for name, kind in NAMES.items()
    }


if __name__ == "__main__":
    write_schemas(schemas())
