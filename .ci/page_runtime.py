"""Fetch what runs the arena in a page, by the hashes of khiva_arena/extensions/checker/runtime.toml, into an archive: ``make
page``.

Pyodide then compiles Python's own modules, to bytes that have a pinned hash as well. So has the editor, which editor.py builds.
"""

import os
import sys
import tarfile
import tempfile
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

import editor
from editor import BuildError, run

COMPILES = Path(__file__).with_name("compile_stdlib.py")
COMPILED = """
import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "./package/pyodide.mjs";
const [compiles, out, ...modules] = process.argv.slice(2);
const python = await loadPyodide({ env: { PYTHONHASHSEED: "0" } });
python.runPython(readFileSync(compiles, "utf8"));
writeFileSync(out, python.globals.get("compiled")(python.toPy(modules)).toJs());
"""
PINS = Path(__file__).parent.parent / "khiva_arena" / "extensions" / "checker" / "runtime.toml"


def fetch(pins: dict[str, Any], folder: Path) -> list[Path]:
    """Fetch or make the files of the runtime in a folder. Raises BuildError if one cannot be had, or has another hash."""
    pyodide, msgspec, bytecode = pins["pyodide"], pins["msgspec"], pins["bytecode"]
    run("npm", "pack", "--silent", f"{pyodide['package']}@{pyodide['version']}", folder=folder)
    target = ("--python-version", msgspec["python"], "--platform", msgspec["platform"], "--implementation", "cp")
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *target)
    run(*pip, f"{msgspec['package']}=={msgspec['version']}", folder=folder)
    fetched = [_checked(folder, pin) for pin in (pyodide, msgspec)]
    with tarfile.open(fetched[0]) as archive:
        archive.extractall(folder, filter="data")
    (folder / "compiled.mjs").write_text(COMPILED)
    run("node", "compiled.mjs", str(COMPILES), bytecode["file"], *bytecode["modules"], folder=folder)
    editor.build(folder, pins["editor"]["file"], pins["licences"]["file"])
    return [*fetched, *(_checked(folder, pins[name]) for name in ("bytecode", "editor", "licences"))]


def _checked(folder: Path, pin: dict[str, Any]) -> Path:
    path = folder / pin["file"]
    if not path.is_file():
        raise BuildError(f"{path.name} did not come, but {', '.join(sorted(one.name for one in folder.iterdir()))}")
    digest = sha256(path.read_bytes()).hexdigest()
    if digest != pin["sha256"]:
        raise BuildError(f"{path.name} has the hash {digest}, and {PINS.name} has {pin['sha256']}")
    return path


def main(out: Path) -> int:
    """Write the archive, all of it at once: tests that run side by side make it, and read it."""
    pins = tomllib.loads(PINS.read_text(encoding="utf-8"))
    try:
        with tempfile.TemporaryDirectory() as folder:
            paths = fetch(pins, Path(folder))
            out.parent.mkdir(parents=True, exist_ok=True)
            whole = out.with_name(f"{out.name}.{os.getpid()}")
            with tarfile.open(whole, "w") as archive:
                for path in paths:
                    archive.add(path, path.name)
            whole.replace(out)
    except (BuildError, OSError) as error:
        print(f"page runtime: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
