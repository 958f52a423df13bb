"""Change the meter and the runner of protocol/verifier in small ways, and list the
changes that all vectors let pass.

Each change is a way to misread METER.md: a number that is one off, another comparison,
a statement that is left out. What is listed at the end either changes nothing, or has
no vector.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
FILES = ("prices.js", "sections.js", "walk.js", "pieces.js", "meter.js", "runner.js")
SECONDS = 60
SWAPS = {
    " < ": " <= ",
    " <= ": " < ",
    " > ": " >= ",
    " >= ": " > ",
    " === ": " !== ",
    " !== ": " === ",
    " + ": " - ",
    " - ": " + ",
    " && ": " || ",
    " || ": " && ",
    "true": "false",
    "false": "true",
}
TOKENS = re.compile("|".join(map(re.escape, SWAPS)) + r"|(?<![\w.])(?:0x[0-9a-f]+|\d[\d_]*)n?\b")
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
STATEMENT = re.compile(r"^\s+(?!const |let |return|import|for |constructor)[a-zA-Z].*;$")
CONDITION = re.compile(r"^\s+if \((.*)\) (?:return|refuse|throw)[^;]*;$")


class Mutant(NamedTuple):
    """A change: the file, the number of the line, and the line as it would be."""

    file: str
    line: int
    text: str


def changed(token: str) -> list[str]:
    """Return what may stand in the place of an operator, or of a number."""
    if token in SWAPS:
        return [SWAPS[token]]
    big = token.endswith("n")
    value = int(token.removesuffix("n").replace("_", ""), 0)
    return [f"{other}{'n' if big else ''}" for other in (value + 1, value - 1) if other >= 0]


def of_line(line: str) -> Iterator[str]:
    """Yield the ways in which a line is changed."""
    code = line.partition("//")[0].rstrip()
    if code.startswith(("import", "}")) or " from " in code:
        return
    bare = QUOTED.sub(lambda quoted: " " * len(quoted[0]), code)
    for found in TOKENS.finditer(bare):
        for other in changed(found[0]):
            yield code[: found.start()] + other + code[found.end() :]
    if STATEMENT.match(code) or CONDITION.match(code):
        yield ""


def mutants(folder: Path) -> list[Mutant]:
    """Return all changes of all files."""
    return [
        Mutant(file, number, text)
        for file in FILES
        for number, line in enumerate((folder / file).read_text("utf-8").splitlines())
        for text in of_line(line)
    ]


def passes(folder: Path) -> bool:
    """Say whether all vectors pass in a copy of protocol/."""
    words = ["node", "--stack-size=1800", str(folder / "verifier" / "vectors.js"), "--stop"]
    try:
        return (
            subprocess.run(words, capture_output=True, timeout=SECONDS, check=False).returncode == 0
        )
    except subprocess.TimeoutExpired:
        return False


def lives(folder: Path, mutant: Mutant) -> bool:
    """Say whether all vectors pass a change, which is taken back."""
    path = folder / "verifier" / mutant.file
    text = path.read_text("utf-8")
    lines = text.splitlines()
    lines[mutant.line] = mutant.text
    path.write_text("\n".join(lines) + "\n", "utf-8")
    try:
        return passes(folder)
    finally:
        path.write_text(text, "utf-8")


def main() -> int:
    """Try the changes, and print those that live."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=0, help="how many are drawn; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", default="", help="the only file that is changed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "protocol"
        shutil.copytree(ROOT / "protocol", folder)
        if not passes(folder):
            sys.exit("vectors fail without any change")
        drawn = [one for one in mutants(folder / "verifier") if options.file in ("", one.file)]
        if options.mutants:
            drawn = random.Random(options.seed).sample(drawn, min(options.mutants, len(drawn)))
        living = [one for one in drawn if tell(folder, one)]
    print(f"{len(living)} of {len(drawn)} changes pass all vectors")
    return 0


def tell(folder: Path, mutant: Mutant) -> bool:
    """Try a change, and print it if it lives."""
    if alive := lives(folder, mutant):
        before = (
            (folder / "verifier" / mutant.file).read_text("utf-8").splitlines()[mutant.line].strip()
        )
        print(
            f"{mutant.file}:{mutant.line + 1}: {before}\n    {mutant.text.strip() or '(left out)'}",
            flush=True,
        )
    return alive


if __name__ == "__main__":
    sys.exit(main())
