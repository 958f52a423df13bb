"""A runtime that an organiser might name: a virtual environment with a package that the
arena's own interpreter lacks.
"""

import os
import subprocess
from pathlib import Path

import msgpack

PACKAGE = "khiva_numbers"


def make_runtime(folder: Path, python: str, version: str = "1.5") -> Path:
    """A virtual environment of ``python`` in ``folder``, which has msgpack and the
    package.
    """
    subprocess.run(
        [python, "-m", "venv", "--without-pip", str(folder)], check=True, capture_output=True
    )
    (site,) = folder.glob("lib/python3*/site-packages")
    source = Path(msgpack.__file__).parent
    (site / "msgpack").mkdir()
    for path in source.glob("*.py"):
        (site / "msgpack" / path.name).write_text(path.read_text())
    (site / f"{PACKAGE}.py").write_text("SEVEN = 7\n")
    set_version(folder, version)
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            os.chmod(path, path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
    return folder


def set_version(folder: Path, version: str) -> None:
    """As if another version of the package were installed."""
    (site,) = folder.glob("lib/python3*/site-packages")
    for old in site.glob(f"{PACKAGE}-*.dist-info"):
        old.rmdir()
    (site / f"{PACKAGE}-{version}.dist-info").mkdir()
