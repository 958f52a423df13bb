"""Run inside a level: read every file of a list twice, with a time between, and print which of them say something else then.

``argv[1]``: a file with the paths, one a line. Prints JSON: changed, a list of paths, and read, how many could be read."""

import json
import sys
import time

SECONDS = 1.5
MOST = 1 << 20


def read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read(MOST)
    except OSError:
        return None


def main() -> None:
    with open(sys.argv[1]) as file:
        paths = file.read().splitlines()
    first = {path: read(path) for path in paths}
    time.sleep(SECONDS)
    changed = [path for path in paths if first[path] is not None and read(path) != first[path]]
    print(json.dumps({"changed": changed, "read": sum(text is not None for text in first.values())}))


if __name__ == "__main__":
    main()
