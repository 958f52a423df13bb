"""The launcher in C for tests, compiled as they need it."""

import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest
from levels import ROOT
from tools import need

WAYS = pytest.mark.parametrize("built", [True, False], ids=["launcher", "no launcher"])
"""Whether the launcher in C is built."""


def compiled_launcher(folder: Path, *flags: str) -> str:
    """The path of the launcher, compiled into a folder that every user may read."""
    need("cc")
    path = folder / "launch"
    path.write_bytes(_compiled(flags))
    path.chmod(0o755)
    return str(path)


@cache
def _compiled(flags: tuple[str, ...]) -> bytes:
    """The launcher, compiled once by a process."""
    source = ROOT / "khiva_arena" / "native" / "launch.c"
    with tempfile.NamedTemporaryFile() as made:
        subprocess.run(
            ["cc", "-static", *flags, "-o", made.name, str(source)], check=True, timeout=60
        )
        return Path(made.name).read_bytes()


def with_launcher(path: str, code: str) -> str:
    """Code of which each process starts bots by this launcher; "" is for none."""
    return f"from khiva_arena.native import build; build.program = lambda name: {path!r}\n{code}"
