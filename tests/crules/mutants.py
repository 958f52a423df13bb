"""Change the rules in C in small ways, one at a time, and see whether a comparison with
the engine notices.

``python tests/crules/mutants.py khiva --mutants 20 --seed 1``. Prints a line a mutant,
then how many were killed. One that survives is read by hand: it may mean the same.
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

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from rules_in_c import play_alike

from khiva_arena import crules
from khiva_arena.games import registry
from khiva_arena.native import build

TURNED = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "+": "-",
    "-": "+",
    "&&": "||",
    "||": "&&",
}
SIGN = re.compile(r" (<=|>=|==|!=|<|>|\+|-|&&|\|\|) ")
NUMBER = re.compile(r"(?<=[ (\[])(\d)(?=[ ;,)\]])")
MATCHES, SECONDS = 60, 120
ROOT = Path(__file__).parents[2]


class Mutant(NamedTuple):
    """A part of a header with one change in it.

    where: file and line.
    before, after: the line.
    """

    where: str
    text: str
    before: str
    after: str


def mutants(part: Path) -> Iterator[Mutant]:
    """Yield each change of one sign or number of a part, outside of comments,
    declarations and constants.
    """
    lines = part.read_text("utf-8").splitlines(keepends=True)
    for at, line in enumerate(lines):
        code = line.partition("/*")[0]
        if (
            not line.startswith("    ")
            or not re.search("[=(]|return", code)
            or "static const" in code
        ):
            continue
        changes = [(match.span(1), TURNED[match[1]]) for match in SIGN.finditer(code)]
        changes += [(match.span(1), str(int(match[1]) + 1)) for match in NUMBER.finditer(code)]
        for (begin, end), new in changes:
            other = line[:begin] + new + line[end:]
            yield Mutant(
                f"{part.name}:{at + 1}",
                "".join([*lines[:at], other, *lines[at + 1 :]]),
                line.strip(),
                other.strip(),
            )


def survives(game: str, part: Path, mutant: Mutant) -> bool:
    """Tell whether a library with the mutant in it plays like the engine. One that does
    not compile is killed, too.
    """
    with tempfile.TemporaryDirectory() as folder:
        for copied in (build.RULES, build.RULES.parent / "c" / "kit", build.HERE):
            shutil.copytree(
                copied,
                Path(folder, copied.relative_to(ROOT)),
                ignore=shutil.ignore_patterns("*-*-*", "__pycache__"),
            )
        Path(folder, part.relative_to(ROOT)).write_text(mutant.text, "utf-8")
        words = [sys.executable, str(Path(folder, build.HERE.relative_to(ROOT), "build.py"))]
        library = subprocess.run(
            words, capture_output=True, text=True, check=True
        ).stdout.splitlines()[-1]
        if not library:
            return False
        try:
            again = [sys.executable, __file__, game, "--library", library]
            return (
                subprocess.run(again, capture_output=True, timeout=SECONDS, check=False).returncode
                == 0
            )
        except subprocess.TimeoutExpired:
            return False


def compare(game: str, library: str) -> None:
    """Compare a library with the engine. Raises at the first difference."""
    build.program = lambda _: library
    one = registry.get(game)
    for number in range(MATCHES):
        play_alike(one, one.seats[number % len(one.seats)], f"mutants {number}", views=0.2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=crules.GAMES)
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--library", help="compare this one with the engine, and do nothing else")
    options = parser.parse_args()
    if options.library:
        compare(options.game, options.library)
        return 0
    possible = [
        (part, mutant)
        for part in sorted((build.RULES / options.game).glob("*.h"))
        if part.stem
        # the engine has no playouts that learn, so a comparison with it sees no change
        # there
        != "habits"
        for mutant in mutants(part)
    ]
    killed = 0
    for part, mutant in random.Random(options.seed).sample(possible, options.mutants):
        survived = survives(options.game, part, mutant)
        killed += not survived
        print(
            f"{'SURVIVED' if survived else 'killed'} {mutant.where}: {mutant.before}  ->  "
            f"{mutant.after}",
            flush=True,
        )
    print(
        f"{options.game}: {killed} of {options.mutants} mutants killed, of {len(possible)} "
        "possible ones"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
