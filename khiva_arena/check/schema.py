"""The JSON Schema of the output of ``check --json``: ``python -m khiva_arena.check.schema DIR`` writes it.

Keys may be added in a later version, so keys that are not listed are allowed; readers ignore keys that they do not know.
"""

import sys
from pathlib import Path

from khiva_arena.check.report import CheckReport
from khiva_arena.json_schema import schema_text

NAME = "check.json"


def schema() -> str:
    """Return the file's text."""
    return schema_text(CheckReport)


def main() -> None:
    """Write the schema into the folder that is the only argument."""
    Path(sys.argv[1], NAME).write_text(schema())


if __name__ == "__main__":
    main()
