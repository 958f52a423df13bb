"""Busy processes, which take the cores from what is tried beside them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LOOP = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
"""It ends with the process that started it, however that ends."""


@contextmanager
def busy(count: int, *, elsewhere: bool = False) -> Iterator[None]:
    """That many busy processes, ended at the end. ``elsewhere``: in a pid namespace of
    their own.
    """
    within = (
        ["unshare", *([] if os.geteuid() == 0 else ["-Ur"]), "--pid", "--fork", "--kill-child"]
        if elsewhere
        else []
    )
    started = [
        subprocess.Popen([*within, sys.executable, "-c", LOOP], start_new_session=True)
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()
