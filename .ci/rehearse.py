"""Type every line of the pages that installs the arena against the wheels of a release,
each in an empty environment, then the first commands of README and of the page on
leagues: what a stranger does on the day of a release.

The wheels lie at an index on loopback that pip is told of by a variable, so the lines
are typed as they stand.
"""

import argparse
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Container, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

ROOT = Path(__file__).resolve().parents[1]
LINE = "pip install khiva-arena"
INSTALLS = re.compile(
    r"""(?:[\w./-]*pip|pipx) install [^`#\n&;)]*?"""
    r"""'?khiva-arena(?:\[[\w,-]+\])?(?:==[\w.]+)?'?(?=[\s`)]|$)"""
)
COMPILERS = re.compile(r"(?:.*-)?(?:cc|gcc|g\+\+|c\+\+|c89|c99|clang|clang\+\+|tcc)(?:-\d+)?")
FIRST = (
    ("README.md", "## Play a tournament"),
    ("docs/first-bot.md", "## 2. Make, check, play"),
    ("docs/first-league.md", "## 1. Make a league"),
    ("docs/first-league.md", "## 2. Play six batches"),
)
"""The pages and headings whose first block of commands is typed, those of one page in
one folder.
"""
SECONDS = 900


class Typed(NamedTuple):
    """A line that was typed.

    line: as a page has it.
    page: that has it.
    python: the version it was typed with.
    compiler: whether there was one.
    seconds: that it took.
    result: "well", or the last line that it printed; "n/a" and why for one that was not
        typed.
    """

    line: str
    page: str
    python: str
    compiler: str
    seconds: float
    result: str


def main() -> int:
    """Type the lines with each Python that is named, print a table, and return how the
    rehearsal ends: 0 if all went well.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "pythons", nargs="*", default=[sys.executable], help="interpreters to type the lines with"
    )
    parser.add_argument(
        "--without",
        default="",
        help="leave out lines with this package, and say so: for CI, what brings much",
    )
    parser.add_argument(
        "--first",
        action="store_true",
        help="type only README's line and the first commands, without a compiler",
    )
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="the folder of wheels")
    flags = parser.parse_args()
    if not list(flags.dist.glob("khiva_arena-*.whl")):
        print(f"{flags.dist} has no wheel: `make release` builds it", file=sys.stderr)
        return 2
    with (
        served(flags.dist) as index,
        tempfile.TemporaryDirectory(prefix="khiva-rehearsal-") as folder,
    ):
        left_out = [
            line
            for line in lines()
            if (flags.without and flags.without in line) or (flags.first and line != LINE)
        ]
        typed = [
            one
            for python in flags.pythons
            for one in rehearsed(Path(folder), python, index, left_out, flags.first)
        ]
    print(
        tabulate([one._replace(seconds=round(one.seconds)) for one in typed], headers=Typed._fields)
    )
    untyped = sum(one.result.startswith("n/a") for one in typed)
    well = sum(one.result == "well" for one in typed)
    failed = len(typed) - well - untyped
    print(f"{well} lines went well, {failed} failed, {untyped} were not typed")
    return 1 if failed or not well else 0


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the files of a folder on loopback, and return the address as pip takes
    it.
    """

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Print nothing of requests."""

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def lines() -> dict[str, str]:
    """Return each line of the pages that installs the arena, once, with the first page
    that has it.
    """
    pages = [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "bots").rglob("*.md")),
    ]
    listed: dict[str, str] = {}
    for page in pages:
        for match in INSTALLS.finditer(page.read_text("utf-8")):
            listed.setdefault(
                match[0].replace(".arena/bin/", ""), page.relative_to(ROOT).as_posix()
            )
    return listed


def rehearsed(
    folder: Path, python: str, index: str, left_out: Container[str] = (), bare_alone: bool = False
) -> Iterator[Typed]:
    """Type each line in an environment of its own, without a compiler, then the first
    commands, not ``bare_alone`` with one, too. A line that is left out is told, as is a
    Python that is not here.
    """
    if shutil.which(python) is None:
        yield Typed("all lines", "", python, "", 0, "n/a: no such Python on this machine")
        return
    version = subprocess.run(
        [python, "-c", "import platform; print(platform.python_version())"],
        capture_output=True,
        text=True,
    )
    version = version.stdout.strip()
    bare = without_compilers(folder / f"bare-{version}")
    for at, (line, page) in enumerate(lines().items()):
        if line in left_out:
            yield Typed(line, page, version, "", 0, "n/a: left out")
            continue
        env = environment(folder / f"{version}-{at}", python, index, bare)
        yield typed(line, page, version, "no", env, folder)
        if line == LINE:
            for compiler, path in (("no", bare), ("yes", os.environ["PATH"]))[
                : 1 if bare_alone else 2
            ]:
                with_path = {**env, "PATH": f"{env['VIRTUAL_ENV']}/bin:{path}"}
                for name, heading in FIRST:
                    where = folder / f"{version}-{compiler}-{Path(name).stem}"
                    where.mkdir(exist_ok=True)
                    yield typed(commands(name, heading), name, version, compiler, with_path, where)
        shutil.rmtree(env["VIRTUAL_ENV"])


def without_compilers(folder: Path) -> str:
    """Return a PATH that has the programs of the system but its compilers, by links in
    a new folder.
    """
    folder.mkdir()
    for place in ("/usr/bin", "/bin", "/usr/sbin", "/sbin"):
        for name in os.listdir(place):
            if not COMPILERS.fullmatch(name) and not (folder / name).is_symlink():
                (folder / name).symlink_to(f"{place}/{name}")
    return str(folder)


def environment(folder: Path, python: str, index: str, path: str) -> dict[str, str]:
    """Make an empty virtual environment and return the variables of a shell in which it
    is active.
    """
    subprocess.run([python, "-m", "venv", str(folder)], check=True, timeout=SECONDS)
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "SSL_", "LANG", "LC_")) or "_proxy" in name
    }
    mine = {
        "HOME": str(folder),
        "VIRTUAL_ENV": str(folder),
        "PATH": f"{folder}/bin:{path}",
        "PIPX_DEFAULT_PYTHON": python,
    }
    return {
        **kept,
        **mine,
        "PIP_FIND_LINKS": f"{kept.get('PIP_FIND_LINKS', '')} {index}".strip(),
        "PIP_NO_CACHE_DIR": "1",
    }


def commands(page: str, heading: str) -> str:
    """Return the first block of commands below a heading of a page."""
    below = (ROOT / page).read_text("utf-8").split(f"{heading}\n", 1)[1]
    return below.split("```sh\n", 1)[1].split("```", 1)[0]


def typed(
    line: str, page: str, python: str, compiler: str, env: dict[str, str], where: Path
) -> Typed:
    """Type a line, or several, in a folder, and tell how it went."""
    if line.startswith("pipx") and shutil.which("pipx", path=env["PATH"]) is None:
        subprocess.run(["pip", "install", "--quiet", "pipx"], env=env, check=True, timeout=SECONDS)
    began = time.monotonic()
    words = ["bash", "-euo", "pipefail", "-c", line]
    try:
        streams = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT,
            "text": True,
        }
        done = subprocess.run(words, cwd=where, env=env, timeout=SECONDS, check=False, **streams)
        result = (
            "well"
            if done.returncode == 0
            else (done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
        )
    except subprocess.TimeoutExpired:
        result = f"not done after {SECONDS} s"
    return Typed(
        "; ".join(line.strip().splitlines()),
        page,
        python,
        compiler,
        time.monotonic() - began,
        result,
    )


if __name__ == "__main__":
    sys.exit(main())
