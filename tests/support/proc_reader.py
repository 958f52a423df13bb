"""Run inside a level: read every file of a list twice, with a time between, and print
which of them say something else then.

``argv[1]``: a file with the paths, one a line. Prints JSON: changed, a list of paths,
and read, how many could be read.
"""

import json
import re
import sys
import time

SECONDS = 1.5
MOST = 1 << 20
# Linux counts these over all network namespaces, and nothing covers a file of a
# process: docs/isolation.md says so. Bots without a network can open no socket that
# would move them.
COUNTED_FOR_ALL = re.compile(rb"(?<= )(orphan|alloc|mem) \d+")


def read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            text = file.read(MOST)
        return COUNTED_FOR_ALL.sub(b"", text) if path.endswith("/net/sockstat") else text
    except OSError:
        return None


def main() -> None:
    with open(sys.argv[1]) as file:
        paths = file.read().splitlines()
    first = {path: read(path) for path in paths}
    time.sleep(SECONDS)
    changed = [path for path in paths if first[path] is not None and read(path) != first[path]]
    print(
        json.dumps({"changed": changed, "read": sum(text is not None for text in first.values())})
    )


if __name__ == "__main__":
    main()
