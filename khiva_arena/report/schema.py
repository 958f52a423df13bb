"""JSON Schemas of what the reports print: ``python -m khiva_arena.report.schema DIR`` writes them, one file for a command.

Keys may be added in a later version, so what is not listed is allowed; readers ignore what they do not know.
"""

import json
import sys
from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec

from khiva_arena.report import plan, shapes, sprt

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NAMES = {"standings": shapes.Output, "plan": plan.Output, "sprt": sprt.Output}


def schema_of(kind: type) -> dict[str, Any]:
    """The schema of one output."""
    return {"$schema": DIALECT, **described(msgspec.json.schema(kind))}


def described(schema: dict[str, Any]) -> dict[str, Any]:
    """The same, with descriptions that do not depend on how a Python version keeps the indentation of docstrings."""
    for part in schema["$defs"].values():
        if "description" in part:
            part["description"] = cleandoc(part["description"])
    return schema


def schemas() -> dict[str, str]:
    """File name to text."""
    return {f"{name}.json": json.dumps(schema_of(kind), indent=1, sort_keys=True) + "\n" for name, kind in NAMES.items()}


def main() -> None:
    """Write the schemas into the folder that is the only argument."""
    for name, text in schemas().items():
        Path(sys.argv[1], name).write_text(text)


if __name__ == "__main__":
    main()
