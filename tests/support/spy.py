"""Run inside a level: touch pages of a file, and tell by which of them had to come from
the disk what is in memory.

``argv[1]``: the file; ``argv[2]``: the numbers of the pages, with commas between.
Prints how many major faults each one cost.
"""

import mmap
import resource
import sys


def faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt


def main() -> None:
    with open(sys.argv[1], "rb") as file:
        seen = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    seen.madvise(mmap.MADV_RANDOM)  # or the system reads what lies around as well
    costs = []
    for page in map(int, filter(None, sys.argv[2].split(","))):
        before = faults()
        seen[page * mmap.PAGESIZE]
        costs.append(faults() - before)
    print(*costs)


if __name__ == "__main__":
    main()
