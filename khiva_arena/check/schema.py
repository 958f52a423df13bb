"""The JSON Schema of what ``check --json`` prints: ``python -m khiva_arena.check.schema DIR`` writes it.

Keys may be added in a later version, so what is not listed is allowed; readers ignore what they do not know.
"""

import json
import sys
from inspect import cleandoc
from pathlib import Path

import msgspec

from khiva_arena.check.report import Report

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NAME = "check.json"


def schema() -> str:
    """The file's text."""
    made = msgspec.json.schema(Report)
    for part in made["$defs"].values():
        if "description" in part:  # how a docstring is indented differs between Python versions
            part["description"] = cleandoc(part["description"])
    return json.dumps({"$schema": DIALECT, **made}, indent=1, sort_keys=True) + "\n"


def main() -> None:
    """Write the schema into the folder that is the only argument."""
    Path(sys.argv[1], NAME).write_text(schema())


if __name__ == "__main__":
    main()
