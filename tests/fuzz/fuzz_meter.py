"""Throw mutated modules at the meter and compare it with wasmtime's validator: ``python
-m tests.tools fuzz-meter``, or

    python tests/fuzz/fuzz_meter.py [--minutes M | --count N] [--seed S]

Prints what the cases came to, and each failure with its number; exit 1 if there was
one.
"""

import argparse
import itertools
import resource
import secrets
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import meter_fuzz
import wasm_vm


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**40))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    engine, words, slowest = wasm_vm.engine(), Counter[str](), 0.0
    ends = time.monotonic() + options.minutes * 60
    for number in itertools.count(options.seed):
        if number - options.seed == options.count or (
            options.count is None and time.monotonic() > ends
        ):
            break
        began = time.process_time()
        try:
            words[meter_fuzz.check(engine, number)] += 1
        except Exception:  # whatever it is, it is what is being looked for
            traceback.print_exc()
            print(f"once more with: tests/fuzz/fuzz_meter.py --seed {number} --count 1", flush=True)
            words["failed"] += 1
        slowest = max(slowest, time.process_time() - began)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{words.total()} modules: {dict(words)}; slowest {slowest * 1000:.0f} ms; "
        f"{memory} MB at the most"
    )
    return 1 if words["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
