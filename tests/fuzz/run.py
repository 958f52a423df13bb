"""The fuzzer for as long as one likes: ``python -m tests.tools fuzz`` or

    python tests/fuzz/run.py [--minutes M | --count N] [--seed S]
    python tests/fuzz/run.py --again CASE

Each case comes from its own number, counted up from the seed. Prints how many there
were, how fast, what they came to, the slowest, and the memory that was needed at the
most. A failure is printed with what repeats it; exit 1.
"""

import argparse
import itertools
import resource
import secrets
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import fuzz_checks as checks  # noqa: E402 - found beside this file
import fuzz_grow as grow  # noqa: E402

CONVERSATIONS = 5  # one of so many cases is a whole conversation


def seconds_of(number: int, words: Counter[str]) -> tuple[float, bool]:
    """Check one case; how long it took, and whether all was well."""
    chance = Random(number)
    case: bytes | checks.Program = (
        checks.program(chance) if number % CONVERSATIONS == 0 else grow.payload(chance)
    )
    began = time.perf_counter()
    try:
        word = (
            checks.payload(case) if isinstance(case, bytes) else checks.conversation(case, chance)
        )
    except Exception:  # whatever it is, it is what is being looked for
        traceback.print_exc()
        kind = "payload" if isinstance(case, bytes) else "conversation"
        print(
            f"case {number} failed; once more with: tests/fuzz/run.py --again "
            f"{checks.reproduced(kind, case)}",
            flush=True,
        )
        return time.perf_counter() - began, False
    words[("payload: " if isinstance(case, bytes) else "conversation: ") + word] += 1
    return time.perf_counter() - began, True


def numbers(options: argparse.Namespace) -> Iterator[int]:
    """The numbers of the cases, until time or count is up."""
    ends = time.monotonic() + options.minutes * 60 if options.count is None else float("inf")
    for number in itertools.count(options.seed):
        if number - options.seed == options.count or time.monotonic() > ends:
            return
        yield number


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**40))
    parser.add_argument("--again", metavar="CASE")
    options = parser.parse_args()
    if options.again:
        checks.again(options.again)
        print("no failure")
        return 0
    print(f"seed {options.seed}", flush=True)
    words: Counter[str] = Counter()
    failed, slowest, slowest_number, began = 0, 0.0, 0, time.perf_counter()
    total = 0
    for number in numbers(options):
        took, well = seconds_of(number, words)
        total += 1
        failed += not well
        if took > slowest:
            slowest, slowest_number = took, number
        if failed >= 10:
            break
    took = time.perf_counter() - began
    print(
        f"{total} cases in {took:.0f} s, {total / took:.0f}/s; slowest "
        f"{slowest * 1000:.0f} ms (case {slowest_number})"
    )
    for word, count in sorted(words.items()):
        print(f"  {count:>9} {word}")
    print(
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB; "
        f"{failed} failures"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
