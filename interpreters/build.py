"""Build the interpreters from pinned sources to the bytes that a release had: ``make
interpreters``.

Modules, and the licences of what is in them, come into the folder ``build`` beside this
file. It imports nothing of the arena.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.request
import venv
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import cpython

HERE = Path(__file__).parent
RELEASED = HERE.parent / "khiva_arena" / "bots" / "modules" / "released.toml"
"""The hashes of released interpreters, which the arena knows."""
TARGET = (
    "-target",
    "wasm32-wasi",
    "-mcpu=mvp+bulk_memory+sign_ext+nontrapping_fptoint+mutable_globals",
    "-O2",
)
"""Options of the compiler and of the linker: code that protocol/METER.md takes, the
same on every machine.
"""
COMPILE = ("-std=gnu11", "-DNDEBUG", "-ffp-contract=off", "-fno-sanitize=all", "-g0", "-w")
OF_QUICKJS = ("-DEMSCRIPTEN=1", "-DFE_DOWNWARD=0", "-DFE_UPWARD=0")
"""WebAssembly has no jumps to an address, by which quickjs would go from one
instruction to the next, and rounds in one way.
"""
LINK = ("-s", "-Wl,-z,stack-size=262144", "-Wl,--max-memory=16777216", "-Wl,--export-memory")
"""The stack lies below all else, so that who overflows it traps."""
TOOLS = ("toolchain", "host")
"""Packages that build, of which nothing but the C library comes into a module."""
PARTS = ("dtoa", "libregexp", "libunicode")
LICENCES = {
    "zig": "LICENSE",
    "wasi-libc": "lib/libc/wasi/LICENSE",
    "wasi-libc-apache": "lib/libc/wasi/LICENSE-APACHE-LLVM",
    "wasi-libc-mit": "lib/libc/wasi/LICENSE-MIT",
    "musl": "lib/libc/musl/COPYRIGHT",
}
"""Of what the toolchain puts into a module, by the names of their copies."""


class BuildError(Exception):
    """What went wrong, in a line."""


def pins(name: str) -> dict[str, Any]:
    """Return a table of pins.toml."""
    return dict(tomllib.loads((HERE / "pins.toml").read_text())[name])


def requirement(pin: dict[str, Any]) -> str:
    """Return a package as pip takes it, with the hashes of which its file must have
    one.
    """
    return f"{pin['package']}=={pin['version']} " + " ".join(
        f"--hash=sha256:{digest}" for digest in pin["sha256"]
    )


def run(*words: str | Path, cwd: Path = HERE, text: str = "", **variables: str) -> str:
    """Run a program that reads a text. Returns what it prints.

    Raises BuildError with the last lines of what it says if it fails.
    """
    done = subprocess.run(
        words,
        cwd=cwd,
        env=os.environ | variables,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BuildError(f"{' '.join(map(str, words))}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def pip(python: Path, command: str, pin: dict[str, Any], *options: str) -> None:
    """Let pip fetch a pinned package, from sources/ or the index."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(requirement(pin))
        file.flush()
        links = ("--find-links", str(HERE / "sources")) if (HERE / "sources").is_dir() else ()
        run(
            python,
            "-m",
            "pip",
            command,
            "--quiet",
            "--no-deps",
            "--require-hashes",
            *links,
            *options,
            "-r",
            file.name,
        )


def toolchain(folder: Path) -> Path:
    """Return the Python of an environment that has the toolchain, and make it if it is
    not there.
    """
    python, stamp = folder / "bin" / "python", folder / "pinned"
    wanted = "\n".join(requirement(pins(name)) for name in TOOLS)
    if not stamp.exists() or stamp.read_text() != wanted:
        print(
            f"setting up {pins('toolchain')['package']} {pins('toolchain')['version']} (once)",
            file=sys.stderr,
        )
        venv.create(folder, clear=True, with_pip=True)
        for name in TOOLS:
            pip(python, "install", pins(name), "--only-binary=:all:")
        stamp.write_text(wanted)
    return python


def source(name: str, python: Path, folder: Path) -> Path:
    """Return a folder with the sources of an interpreter. Raises BuildError if they
    have another hash than the pinned one.
    """
    pin = pins(name)
    archive = HERE / "sources" / pin["file"]
    if not archive.exists():
        archive = folder / pin["file"]
        if "debian" in pin:
            from_debian(pin, archive)
        else:
            pip(python, "download", pin, "--no-binary=:all:", "--dest", str(folder))
    digest = sha256(archive.read_bytes()).hexdigest()
    if digest not in pin["sha256"]:
        raise BuildError(
            f"{archive} has the hash {digest}, and pins.toml has {', '.join(pin['sha256'])}"
        )
    with tarfile.open(archive) as files:
        files.extraction_filter = getattr(tarfile, "data_filter", None)  # not each 3.11 has it
        files.extractall(folder)
    return folder / str(pin["folder"])


def from_debian(pin: dict[str, Any], archive: Path) -> None:
    """Fetch a file from where this machine's apt takes packages, or from its authors.
    Raises BuildError if neither has it.
    """
    places = (
        run("apt-get", "indextargets", "--format", "$(REPO_URI)").split()
        if shutil.which("apt-get")
        else []
    )
    for address in [*(place + pin["debian"] for place in dict.fromkeys(places)), pin["authors"]]:
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                archive.write_bytes(answer.read())
            return
        except OSError:
            continue  # Ubuntu's archive does not have each version of Debian's
    raise BuildError(
        f"it could not be fetched here: put {pin['authors']} into {HERE / 'sources'} as "
        f"{pin['file']}"
    )


def compiler_in(python: Path, folder: Path) -> Callable[..., str]:
    """Return what runs the compiler in a folder, with its options for modules."""
    cache = {
        name: str(folder / "cache") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")
    }

    def compiler(*words: str | Path) -> str:
        return run(python, "-m", "ziglang", "cc", *TARGET, *words, cwd=folder, **cache)

    return compiler


def build_javascript(python: Path, sources: Path) -> bytes:
    """Return quickjs-ng with the arena's own functions as a module."""
    quickjs = sources / "upstream-quickjs"
    compiler = compiler_in(python, sources)
    units = {
        "main": HERE / "javascript" / "main.c",
        **{part: quickjs / f"{part}.c" for part in PARTS},
    }
    for name, unit in units.items():
        compiler(*COMPILE, *OF_QUICKJS, f"-I{quickjs}", "-c", unit, "-o", f"{name}.o")
    compiler(*LINK, *(f"{name}.o" for name in units), "-o", "javascript.wasm")
    return (sources / "javascript.wasm").read_bytes()


def build_python(python: Path, sources: Path) -> bytes:
    """Return CPython with its library and the arena's rules as a module."""

    def host(*words: str, text: str = "") -> str:
        return run(python, HERE / "host.py", *words, cwd=sources, text=text)

    return cpython.build(
        compiler_in(python, sources), host, sources, HERE / "python", HERE.parent / "khiva_arena"
    )


BUILDS = {"javascript": build_javascript, "python": build_python}


def licences_of(word: str, sources: Path) -> dict[str, str]:
    """Return the licences of the sources of an interpreter, by the names of their
    copies.
    """
    if word == "python":
        return {
            "cpython": (sources / "LICENSE").read_text(),
            "cpython-parts": (sources / "Doc" / "license.rst").read_text(),
        }
    head = re.match(
        r"/\*.*?\*/", (sources / "upstream-quickjs" / "quickjs.c").read_text(), re.DOTALL
    )
    assert head
    return {"quickjs-ng": head[0] + "\n"}


def copy_licences(python: Path, word: str, sources: Path, folder: Path) -> None:
    """Copy the licences of all that is in a module."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in licences_of(word, sources).items():
        (folder / f"{name}.txt").write_text(text)
    (packages,) = python.parent.parent.glob("lib/python*/site-packages/ziglang")
    for name, file in LICENCES.items():
        shutil.copyfile(packages / file, folder / f"{name}.txt")
    shutil.copyfile(HERE.parent / "LICENSE", folder / "khiva-arena.txt")


def released(word: str) -> list[str]:
    """Return the hashes that releases have had for the module of a word, the newest
    last.
    """
    rows = tomllib.loads(RELEASED.read_text()).get("interpreters", [])
    return [row["maxima"]["16"] for row in rows if row["word"] == word]


def is_there(word: str, out: Path) -> bool:
    """Tell whether a folder has the module of the newest release already, with
    licences.
    """
    file = out / f"{word}.wasm"
    return (
        file.exists()
        and (out / "licences").exists()
        and sha256(file.read_bytes()).hexdigest() in released(word)[-1:]
    )


def build(word: str, python: Path, out: Path, *, is_any: bool) -> str:
    """Build an interpreter into a folder. Returns its hash. Raises BuildError if no
    release has it, unless any is wanted.
    """
    file = out / f"{word}.wasm"
    with tempfile.TemporaryDirectory(dir=out) as made:
        sources = source(word, python, Path(made))
        module = BUILDS[word](python, sources)
        copy_licences(python, word, sources, out / "licences")
    digest = sha256(module).hexdigest()
    if digest not in released(word)[-1:] and not is_any:
        file.unlink(missing_ok=True)
        raise BuildError(
            f"{file.name} has the hash {digest}, and {RELEASED.name} another one; "
            "--unreleased keeps it"
        )
    file.write_bytes(module)
    return digest


def main() -> int:
    """Build, compare with the newest release, and say what was made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help=f"which, of {', '.join(BUILDS)}; all if none is named",
    )
    parser.add_argument(
        "--out", type=Path, default=HERE / "build", help="the folder for the modules"
    )
    parser.add_argument(
        "--toolchain",
        type=Path,
        default=HERE / "build" / "toolchain",
        help="the folder for the compiler",
    )
    parser.add_argument(
        "--missing", action="store_true", help="build only what is not there with the newest hash"
    )
    parser.add_argument(
        "--unreleased", action="store_true", help="keep a module that no release had"
    )
    options = parser.parse_args()
    if unknown := sorted({*options.words} - BUILDS.keys()):
        parser.error(f"there is no interpreter {', '.join(unknown)}; there are {', '.join(BUILDS)}")
    out = options.out.absolute()
    try:
        out.mkdir(parents=True, exist_ok=True)
        words = [
            word
            for word in options.words or BUILDS
            if not (options.missing and is_there(word, out))
        ]
        python = toolchain(options.toolchain.absolute()) if words else Path()
        for word in words:
            digest = build(word, python, out, is_any=options.unreleased)
            print(f"{digest}  {os.path.relpath(out / f'{word}.wasm')}", flush=True)
    except (BuildError, OSError, ValueError, subprocess.SubprocessError, tarfile.TarError) as error:
        print(f"interpreters: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
