"""The JSON Schemas of printed and written data, as the text of a file."""

import json
import sys
from collections.abc import Mapping
from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the schema of a type. Descriptions do not depend on how a Python version keeps the indentation of docstrings."""
    schema = msgspec.json.schema(kind)
    for part in schema["$defs"].values():
        if "description" in part:
            part["description"] = cleandoc(part["description"])
    return {"$schema": DIALECT, **schema}


def schema_text(kind: Any, indent: int = 1) -> str:
    """Return the schema of a type as the text of a file."""
    return json.dumps(schema_of(kind), indent=indent, sort_keys=True) + "\n"


def write_schemas(texts: Mapping[str, str]) -> None:
    """Write schemas, by file name, into the folder that is the only argument of the program."""
    for name, text in texts.items():
        path = Path(sys.argv[1], name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
