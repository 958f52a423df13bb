"""Fetch what runs the arena in a page, by the hashes of
khiva_arena/extensions/checker/runtime.toml, into an archive: ``make page``.

Pyodide then compiles modules of Python and of the arena, and compresses the
interpreters of bots. What it makes has pinned hashes as well, and so has the editor,
which editor.py builds. With ``--pin`` the hashes of what follows from this checkout are
written again. What lies in an older archive with the right hash is not fetched again.
"""

import os
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path
from typing import Any

import editor
from editor import BuildError, run

from khiva_arena.bots.modules.released import newest
from khiva_arena.entrants.interpreters import module_of
from khiva_arena.entrants.runtimes import USUAL_MAXIMUM, Interpreted
from khiva_arena.errors import StagingError
from khiva_arena.extensions.checker.checker import rooms

COMPILES = Path(__file__).with_name("compile_stdlib.py")
MADE = """
import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "./package/pyodide.mjs";
const [compiles, out, made, ...words] = process.argv.slice(2);
const python = await loadPyodide({ env: { PYTHONHASHSEED: "0" } });
python.mountNodeFS("/here", ".");
python.runPython(readFileSync(compiles, "utf8"));
writeFileSync(out, python.globals.get(made)(python.toPy(words)).toJs());
"""
ROOT = Path(__file__).parent.parent
PINS = ROOT / "khiva_arena" / "extensions" / "checker" / "runtime.toml"
INTERPRETERS = ("javascript", "python")
BY_PYODIDE = {"bytecode": "compiled", "rooms": "rooms", **dict.fromkeys(INTERPRETERS, "zipped")}
"""What Pyodide makes, by the function of compile_stdlib.py that it calls."""
STALE = (
    "the pins of {} are older than what the page would carry: .venv/bin/python "
    ".ci/page_runtime.py --pin"
)


def fetch(pins: dict[str, Any], folder: Path) -> None:
    """Fetch or make the files of the runtime that a folder lacks. Raises BuildError if
    one cannot be had.
    """
    pyodide, msgspec = pins["pyodide"], pins["msgspec"]
    lacking = {name for name, pin in pins.items() if not (folder / pin["file"]).is_file()}
    if "pyodide" in lacking:
        run("npm", "pack", "--silent", f"{pyodide['package']}@{pyodide['version']}", folder=folder)
    if "msgspec" in lacking:
        target = (
            "--python-version",
            msgspec["python"],
            "--platform",
            msgspec["platform"],
            "--implementation",
            "cp",
        )
        pip = (
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            *target,
        )
        run(*pip, f"{msgspec['package']}=={msgspec['version']}", folder=folder)
    if lacking & {"editor", "licences"}:
        editor.build(folder, pins["editor"]["file"], pins["licences"]["file"])
    with tarfile.open(_checked(folder, pyodide)) as archive:
        archive.extractall(folder, filter="data")
    (folder / "made.mjs").write_text(MADE)
    for name, made in BY_PYODIDE.items():
        if (
            name in lacking
        ):  # each in a Pyodide of its own: bytecode depends on what was loaded before
            words = pins[name].get("modules") or [f"/here/{_given(name, folder)}"]
            run("node", "made.mjs", str(COMPILES), pins[name]["file"], made, *words, folder=folder)


def _given(name: str, folder: Path) -> str:
    """Write what Pyodide makes a file of into a folder, and return its name there."""
    path = folder / f"{name}.given"
    path.write_bytes(rooms() if name == "rooms" else _interpreter(name))
    return path.name


def _interpreter(word: str) -> bytes:
    """Return the newest release of an interpreter, which is built if it is not here.
    That takes some minutes.
    """
    wish = Interpreted(word, "", pin=newest(word, USUAL_MAXIMUM))
    try:
        return module_of("the page", wish, ROOT)
    except StagingError:
        print(
            f"page runtime: building the interpreter of {word}, which is not installed",
            file=sys.stderr,
        )
        run(sys.executable, str(ROOT / "interpreters" / "build.py"), word, folder=ROOT)
        return module_of("the page", wish, ROOT)


def _checked(folder: Path, pin: dict[str, Any]) -> Path:
    path = folder / pin["file"]
    if not path.is_file():
        raise BuildError(
            f"{path.name} did not come, but "
            f"{', '.join(sorted(one.name for one in folder.iterdir()))}"
        )
    digest = sha256(path.read_bytes()).hexdigest()
    if digest != pin["sha256"]:
        raise BuildError(f"{path.name} has the hash {digest}, and {PINS.name} has {pin['sha256']}")
    return path


def _sources() -> dict[str, str]:
    """Return the hash of what each file is made of that follows from this checkout."""
    made = {
        "rooms": sha256(rooms()).hexdigest(),
        **{word: newest(word, USUAL_MAXIMUM) for word in INTERPRETERS},
    }
    return made | dict.fromkeys(("editor", "licences"), editor.source())


def _keep(archive: Path, pins: dict[str, Any], folder: Path, others: Collection[str]) -> None:
    """Take the files out of an older archive that have the pinned hashes, but for those
    in ``others``.
    """
    with tarfile.open(archive) as files:
        held = {*files.getnames()}
        if pins["pyodide"]["file"] not in held:
            others = {*others, *BY_PYODIDE}  # another one made them
        names = {pin["file"] for name, pin in pins.items() if name not in others} & held
        files.extractall(folder, [files.getmember(name) for name in names], filter="data")
    for pin in pins.values():
        path = folder / pin["file"]
        if path.is_file() and sha256(path.read_bytes()).hexdigest() != pin["sha256"]:
            path.unlink()


def _pinned(pins: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write what follows from this checkout into the pins, and return these."""
    text = PINS.read_text(encoding="utf-8")
    for name, source in _sources().items():
        made = sha256((folder / pins[name]["file"]).read_bytes()).hexdigest()
        text = text.replace(pins[name]["source"], source).replace(pins[name]["sha256"], made)
    PINS.write_text(text, encoding="utf-8")
    return tomllib.loads(text)


def main(out: Path, *, pin: bool) -> int:
    """Write the archive, all of it at once: tests that run side by side make it, and
    read it. ``pin``: and the pins.
    """
    pins = tomllib.loads(PINS.read_text(encoding="utf-8"))
    try:
        stale = {name for name, source in _sources().items() if pins[name]["source"] != source}
        if stale and not pin:
            raise BuildError(STALE.format(", ".join(sorted(stale))))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if out.is_file():
                _keep(out, pins, folder, stale)
            fetch(pins, folder)
            pins = _pinned(pins, folder) if pin else pins
            out.parent.mkdir(parents=True, exist_ok=True)
            whole = out.with_name(f"{out.name}.{os.getpid()}")
            with tarfile.open(whole, "w") as archive:
                for one in pins.values():
                    archive.add(_checked(folder, one), one["file"])
            whole.replace(out)
    except (BuildError, OSError) as error:
        print(f"page runtime: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--pin"]
    sys.exit(
        main(
            Path(words[0]) if words else ROOT / "interpreters" / "build" / "page-runtime.tar",
            pin="--pin" in sys.argv,
        )
    )
