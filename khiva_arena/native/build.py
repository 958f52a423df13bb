"""Join the rules in C into a header a game, and build the programs in C: ``python
khiva_arena/native/build.py``.

It also finds what was built. It is run by itself while the package is being installed,
so it imports nothing of the package.
"""

import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
_SHIPPED = HERE.parent / "_shipped" / "bots" / "rules"
RULES = _SHIPPED if _SHIPPED.exists() else HERE.parents[1] / "bots" / "rules"
GAMES = ("khiva", "emira", "silk_road")
"""The games whose rules are there in C: a folder each, whose file of the same name
includes the parts in their order.
"""
STRICT = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror")
LIBRARY = (
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-nostdlib",
    "-U_FORTIFY_SOURCE",
    "-fno-stack-protector",
    f"-I{RULES}",
)
"""Options of a library. It names no C library, since it needs of it only what every
process has loaded.
"""
PROGRAMS = {"launch": ("-static",), "rules": LIBRARY}
"""Each program or library with its options."""
SOURCES = {"launch": ("launch.c",), "rules": ("rules.c", "khiva_search.c")}
"""The files that each of them is built of."""
SECONDS = 900
"""A compiler that builds its C library first takes five minutes for both where six
other jobs want each core.
"""
_PART = re.compile(r'#include "(.+)"\n?')


def header(game: str) -> Path:
    """Return where the rules of a game lie as one header."""
    return RULES / f"{game}.h"


def join(game: str) -> str:
    """Return the rules of a game as one header, joined from its parts, each of which
    stands in it once.
    """
    return _with_parts(RULES / game / f"{game}.h", set())


def _with_parts(path: Path, joined: set[Path]) -> str:
    joined.add(path)
    text = ""
    for line in path.read_text("utf-8").splitlines(keepends=True):
        part = (match := _PART.fullmatch(line)) and (path.parent / match[1]).resolve()
        text += line if part is None else "" if part in joined else _with_parts(part, joined)
    return text


def write_headers() -> None:
    """Write the header of each game if its parts are others than when it was
    written.
    """
    for game in GAMES:
        text, path = join(game), header(game)
        if not path.exists() or path.read_text("utf-8") != text:
            unfinished = path.with_name(f".{path.name}.{os.getpid()}")
            unfinished.write_text(text, "utf-8")
            unfinished.replace(path)


def _beginning(name: str, machine: str) -> str:
    """Return how the name of a program or library for a processor begins that is built
    from the sources that are here; its own hash follows.
    """
    sources = "".join((HERE / file).read_text("utf-8") for file in SOURCES[name])
    if name == "rules":
        for header in (HERE / "trainer_calls.h", RULES / "calls" / "calls.h"):
            sources += header.read_text("utf-8")
        sources += "".join(map(join, GAMES))
    return f"{name}-{machine}-{_digest(sources.encode())}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _built(beginning: str) -> list[Path]:
    """Return the programs and libraries whose names begin so, and whose bytes have the
    hash with which their names end.

    A library that was cut would end the process that loads it, and one that was changed
    would give other results.
    """
    paths = [path for path in HERE.glob(f"{beginning}-*") if os.access(path, os.X_OK)]
    return [path for path in paths if path.name.endswith(f"-{_digest(path.read_bytes())}")]


@cache
def program(name: str) -> str:
    """Return the path of a program or library, "" if it was not built when the package
    was set up, or is damaged.
    """
    try:
        paths = _built(_beginning(name, platform.machine()))
    # a tree without the sources, as a bot in a cell sees it; of several libraries none
    # is known to be right
    except OSError:
        paths = _built(f"{name}-{platform.machine()}") if name == "rules" else []
        paths = paths if len(paths) == 1 else []
    return str(paths[0]) if paths else ""


def build(name: str, machine: str = "") -> str:
    """Build a program or library and return its path; "" where no compiler of the
    system, or of ``CC``, can build it.

    ``machine``: the processor that the compiler of ``CC`` builds for, as
        ``platform.machine`` names it; "" for the one here.
    """
    machine = machine or platform.machine()
    compiler, beginning = shlex.split(os.environ.get("CC", "cc")), _beginning(name, machine)
    if paths := _built(beginning):
        return str(paths[0])
    if not sys.platform.startswith("linux") or not compiler or shutil.which(compiler[0]) is None:
        return ""
    unfinished = HERE / f".{beginning}.{os.getpid()}"
    words = [
        *compiler,
        *STRICT,
        *PROGRAMS[name],
        "-o",
        str(unfinished),
        *(str(HERE / file) for file in SOURCES[name]),
    ]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode:
            print(
                f"{name} is not built, and the arena is a little slower: "
                f"{done.stderr.strip()[-300:]}",
                file=sys.stderr,
            )
            return ""
        path = HERE / f"{beginning}-{_digest(unfinished.read_bytes())}"
        for of_another_source in HERE.glob(f"{name}-{machine}-*"):
            of_another_source.unlink(missing_ok=True)
        unfinished.replace(path)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{name} is not built, and the arena is a little slower: {error}", file=sys.stderr)
        return ""
    finally:
        unfinished.unlink(missing_ok=True)
    return str(path)


if __name__ == "__main__":
    write_headers()
    print(*map(build, PROGRAMS), sep="\n")
