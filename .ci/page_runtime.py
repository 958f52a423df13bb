"""Fetch what runs the arena in a page, by the hashes of khiva_arena/page/runtime.toml, into an archive: ``make page``."""

import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

PINS = Path(__file__).parent.parent / "khiva_arena" / "page" / "runtime.toml"


class FetchError(Exception):
    """What went wrong, in a line."""


def _run(*words: str, folder: Path) -> None:
    if shutil.which(words[0]) is None:
        raise FetchError(f"{words[0]} is not here: the runtime of the page comes from it")
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FetchError(f"{' '.join(words)}: {done.stderr.strip()[-2000:]}")


def fetch(pins: dict[str, Any], folder: Path) -> list[Path]:
    """Fetch the files of the runtime into a folder. Raises FetchError if one cannot be had, or has another hash."""
    pyodide, msgspec = pins["pyodide"], pins["msgspec"]
    _run("npm", "pack", "--silent", f"{pyodide['package']}@{pyodide['version']}", folder=folder)
    target = ("--python-version", msgspec["python"], "--platform", msgspec["platform"], "--implementation", "cp")
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *target)
    _run(*pip, f"{msgspec['package']}=={msgspec['version']}", folder=folder)
    paths = [folder / pin["file"] for pin in (pyodide, msgspec)]
    for path, pin in zip(paths, (pyodide, msgspec), strict=True):
        if not path.is_file():
            raise FetchError(f"{path.name} did not come, but {', '.join(sorted(one.name for one in folder.iterdir()))}")
        digest = sha256(path.read_bytes()).hexdigest()
        if digest != pin["sha256"]:
            raise FetchError(f"{path.name} has the hash {digest}, and {PINS.name} has {pin['sha256']}")
    return paths


def main(out: Path) -> int:
    """Write the archive unless it is there with all that is pinned."""
    pins = tomllib.loads(PINS.read_text(encoding="utf-8"))
    try:
        with tempfile.TemporaryDirectory() as folder:
            paths = fetch(pins, Path(folder))
            out.parent.mkdir(parents=True, exist_ok=True)
            with tarfile.open(out, "w") as archive:
                for path in paths:
                    archive.add(path, path.name)
    except (FetchError, OSError) as error:
        print(f"page runtime: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
