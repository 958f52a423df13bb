"""The runner of modules: its files, the VM's library, and the words that start it."""

import platform
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from khiva_arena.errors import ConfigError

NEEDS = "modules run in wasmtime, which is not installed: pip install 'khiva-arena[modules]'"
FOLDER = Path(__file__).parent.parent / "bots" / "modules"
START = (
    "import sys; sys.path.append(sys.argv.pop(1)); from runner import main, {room}; "
    "main.main({room}.{work})"
)
"""The program that starts the runner without what Python reads at other
starts. ``work``: a function of its module ``room``.
"""
RUN, TABLE, TABLES, COMPILE = (
    ("main", "run"),
    ("forks", "serve_alone"),
    ("forks", "serve_tables"),
    ("main", "compile_file"),
)


@cache
def library() -> str:
    """Return the path of the VM's library, "" if it is not installed. The VM itself is
    not imported.
    """
    package = find_spec("wasmtime")
    for place in (package.submodule_search_locations or ()) if package else ():
        name = "darwin" if sys.platform == "darwin" else "linux"
        machine = {"arm64": "aarch64"}.get(platform.machine(), platform.machine())
        for path in Path(place, f"{name}-{machine}").glob("_libwasmtime.*"):
            return str(path)
    return ""


def runner(work: tuple[str, str], *words: str) -> tuple[str, ...]:
    """Return the words that start the runner with one of its functions. Raises
    ConfigError if the VM is not installed.
    """
    if not library():
        raise ConfigError(NEEDS)
    return (
        sys.executable,
        "-I",
        "-S",
        "-c",
        START.format(room=work[0], work=work[1]),
        str(FOLDER),
        library(),
        *words,
    )
