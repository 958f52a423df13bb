"""Build the programs in C, and find the built ones: ``python khiva_arena/native/build.py``.

It is run by itself while the package is being installed, so it imports nothing of the package.
"""

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = ("launch",)
STRICT = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror")
SECONDS = 60


def _file_of(name: str) -> Path:
    """Return where a program lies once it is built from the source that is here."""
    digest = hashlib.sha256((HERE / f"{name}.c").read_bytes()).hexdigest()[:16]
    return HERE / f"{name}-{platform.machine()}-{digest}"


@cache
def program(name: str) -> str:
    """Return the path of a program, "" if it was not built when the package was set up."""
    path = _file_of(name)
    return str(path) if os.access(path, os.X_OK) else ""


def build(name: str) -> str:
    """Build a program and return its path; "" where no compiler of the system, or of ``CC``, can build it."""
    compiler, path = shlex.split(os.environ.get("CC", "cc")), _file_of(name)
    if os.access(path, os.X_OK):
        return str(path)
    if not sys.platform.startswith("linux") or not compiler or shutil.which(compiler[0]) is None:
        return ""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    words = [*compiler, *STRICT, "-static", "-o", str(unfinished), str(HERE / f"{name}.c")]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode:
            print(f"{name} is not built, and the arena is a little slower: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return ""
        for of_another_source in HERE.glob(f"{name}-{platform.machine()}-*"):
            of_another_source.unlink()
        unfinished.replace(path)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{name} is not built, and the arena is a little slower: {error}", file=sys.stderr)
        return ""
    finally:
        unfinished.unlink(missing_ok=True)
    return str(path)


if __name__ == "__main__":
    print(*map(build, PROGRAMS), sep="\n")
