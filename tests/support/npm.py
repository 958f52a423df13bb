"""What the tests of pages take from npm: pinned in tests/display/page, unpacked there,
and neither shipped nor committed.
"""

import fcntl
import subprocess
from pathlib import Path

from tools import need

PAGE = Path(__file__).parent.parent / "display" / "page"


def packages() -> Path:
    """The folder of the packages. They are installed by the first test that asks, and
    again after the lock file has changed.
    """
    need("npm")
    folder = PAGE / "node_modules"
    lock, installed = PAGE / "package-lock.json", folder / ".installed"
    with open(PAGE / "package.json") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # workers wait for each other
        if not installed.exists() or installed.read_bytes() != lock.read_bytes():
            words = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(
                words, cwd=PAGE, capture_output=True, text=True, timeout=300, check=False
            )
            assert done.returncode == 0, done.stderr
            installed.write_bytes(lock.read_bytes())
    return folder
