"""The JSON Schema of the output of ``check --json``: ``python -m khiva_arena.check.schema DIR`` writes it.

Keys may be added in a later version, so keys that are not listed are allowed; readers ignore keys that they do not know.
"""

from khiva_arena.check.report import CheckReport
from khiva_arena.json_schema import schema_text, write_schemas

NAME = "check.json"


def schema() -> str:
    """Return the file's text."""
    return schema_text(CheckReport)


if __name__ == "__main__":
    write_schemas({NAME: schema()})
