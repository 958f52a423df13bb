"""Play by the rules in C as other machines would, by qemu, and compare each step with
this machine.

It needs qemu-user and the compilers of MACHINES; where one is missing, it names the
packages of Debian and Ubuntu.
"""

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from rules_in_c import GAMES
from traced_rules import HERE, records, traced


class Machine(NamedTuple):
    """A kind of processor.

    compiler, emulator: the programs.
    packages: what brings them on Debian.
    """

    title: str
    compiler: str
    emulator: str
    packages: str


MACHINES = (
    Machine(
        "32 bits, the highest byte first (PowerPC)",
        "powerpc-linux-gnu-gcc",
        "qemu-ppc",
        "gcc-powerpc-linux-gnu qemu-user",
    ),
    Machine(
        "64 bits, the highest byte first (s390x)",
        "s390x-linux-gnu-gcc",
        "qemu-s390x",
        "gcc-s390x-linux-gnu qemu-user",
    ),
    Machine(
        "32 bits, the lowest byte first (Arm)",
        "arm-linux-gnueabihf-gcc",
        "qemu-arm",
        "gcc-arm-linux-gnueabihf qemu-user",
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    differ = compared = 0
    with tempfile.TemporaryDirectory() as name:
        for game in GAMES:
            folder = Path(name)
            tried = b"".join(
                records(game, random.Random(f"{game.name} {options.seed}"), options.matches)
            )
            expected = traced(game, tried, folder, HERE)
            sound = sum(line.startswith("0 0 ") for line in expected)
            for machine in MACHINES:
                if not all(map(shutil.which, (machine.compiler, machine.emulator))):
                    print(f"{game.name}, {machine.title}: n/a: apt install {machine.packages}")
                    continue
                found = traced(game, tried, folder, (machine.compiler, "-static"), machine.emulator)
                differ, compared = differ + (found != expected), compared + sound
                same = "equal" if found == expected else "DIFFER"
                print(
                    f"{game.name}, {machine.title}: {len(expected):,} matches and "
                    f"{sound:,} views {same}",
                    flush=True,
                )
    if not compared:
        print("nothing was compared: install the packages above", file=sys.stderr)
    return 1 if differ or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
