"""Where the files that come with the arena are: beside the package in a checkout, inside it in a wheel."""

from pathlib import Path

import khiva_arena


def folder(name: str) -> Path:
    """The shipped folder "bots" or "protocol"."""
    package = Path(khiva_arena.__file__).parent
    inside = package / "_shipped" / name
    return inside if inside.is_dir() else package.parent / name
