"""The wheel as pip installs it, away from the checkout: made once for all tests that
ask for it.
"""

import subprocess
import sys
from pathlib import Path

from arena import ROOT
from once import made_once


@made_once
def wheel(folder: Path) -> None:
    """What pip installs of the wheel, in "site"; what it depends on is that of the
    tests.
    """
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (made,) = folder.glob("*.whl")
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-index",
    ]
    install += ["--no-compile", "--target", str(folder / "site"), str(made)]
    subprocess.run(install, check=True, capture_output=True, timeout=120)
