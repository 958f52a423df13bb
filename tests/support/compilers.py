"""The launcher in C for tests, compiled as they need it."""

import subprocess
from pathlib import Path

from levels import ROOT
from tools import need


def compiled_launcher(folder: Path, *flags: str) -> str:
    """The path of the launcher, compiled into a folder that every user may read."""
    need("cc")
    path = folder / "launch"
    source = ROOT / "khiva_arena" / "native" / "launch.c"
    subprocess.run(["cc", "-static", *flags, "-o", str(path), str(source)], check=True, timeout=60)
    path.chmod(0o755)
    return str(path)
