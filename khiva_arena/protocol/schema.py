"""JSON Schemas of the messages, generated from their types: ``python -m khiva_arena.protocol.schema DIR`` writes them."""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from khiva_arena.protocol.messages import Act, BotHello, Decide, End, Fault, Hello

NAMES = {"hello": Hello, "decide": Decide, "fault": Fault, "end": End, "bot-hello": BotHello, "act": Act}


def schemas() -> dict[str, str]:
    """File name to text, one for each message."""
    return {f"{name}.json": json.dumps(_schema(kind), indent=2, sort_keys=True) + "\n" for name, kind in NAMES.items()}


def _schema(kind: type) -> dict[str, Any]:
    schema = msgspec.json.schema(kind)
    for part in schema["$defs"].values():
        # Our decoder takes unknown fields down its slow path and ignores them there; so does everyone.
        part.pop("additionalProperties", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def main() -> None:
    """Write the schemas into the folder that is the only argument."""
    for name, text in schemas().items():
        Path(sys.argv[1], name).write_text(text)


if __name__ == "__main__":
    main()
