"""Build the editor of the page from the packages of .ci/editor/package-lock.json, each
by its hash: a part of ``make page``.

The bytes follow from the lock file: it pins the packages, and esbuild, which joins
them.
"""

import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = HERE / "editor"
LICENCES = HERE / "licences"
NAMES = ("package.json", "package-lock.json", "editor.js")
JOINED = (
    "--bundle",
    "--minify",
    "--format=iife",
    "--global-name=KhivaEditor",
    "--target=es2022",
    "--legal-comments=none",
)


class BuildError(Exception):
    """What went wrong, in a line."""


def run(*words: str, folder: Path) -> None:
    """Run a program in a folder. Raises BuildError, with what it said, if it is not
    here or fails.
    """
    if shutil.which(words[0]) is None:
        raise BuildError(f"{words[0]} is not here: the runtime of the page comes from it")
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{' '.join(words)}: {done.stderr.strip()[-2000:]}")


def source() -> str:
    """Return a hash of all that the editor and the licences are made of."""
    paths = [Path(__file__), *(SOURCES / name for name in NAMES), *sorted(LICENCES.glob("*.txt"))]
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def build(folder: Path, editor: str, licences: str) -> None:
    """Write the editor into a folder, and the licences of all that the page has of
    others. Raises BuildError.
    """
    own = folder / "editor"
    own.mkdir()
    for name in NAMES:
        shutil.copy(SOURCES / name, own)
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=own)
    run(
        "node",
        "node_modules/esbuild/bin/esbuild",
        "editor.js",
        *JOINED,
        f"--outfile={folder / editor}",
        folder=own,
    )
    names: dict[str, list[str]] = {}
    for path in [*LICENCES.glob("*.txt"), *own.glob("node_modules/**/LICENSE")]:
        name = (
            path.stem
            if path.parent == LICENCES
            else f"{path.parent.relative_to(own / 'node_modules').as_posix()}, of the editor"
        )
        if "esbuild" not in name:  # which builds, and of which nothing comes into the page
            names.setdefault(path.read_text("utf-8").strip(), []).append(name)
    parts = sorted(
        "\n".join([*(f"== {name} ==" for name in sorted(of_text)), "", text])
        for text, of_text in names.items()
    )
    (folder / licences).write_text("\n\n".join(parts), "utf-8")
