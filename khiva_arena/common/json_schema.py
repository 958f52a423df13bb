"""The dialect of the published JSON Schemas, and how a program writes their files."""

import sys
from collections.abc import Mapping
from pathlib import Path

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def write_schemas(texts: Mapping[str, str]) -> None:
    """Write schemas, by file name, into the folder that is the only argument of the
    program.
    """
    for name, text in texts.items():
        path = Path(sys.argv[1], name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
