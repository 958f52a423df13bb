"""Write formats.json, what each format of docs/policy.md is under its number: `python
tests/together/make_formats.py`.

A schema that is another one under its number is refused, with what to raise. If files
of that number are read as before, as where keys were added to the stream of events,
remove the format's row from formats.json first, and say so in the commit.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.extend(map(str, Path(__file__).parents[1].glob("**/support")))

from published_formats import FORMATS, digests, formats, kept, unraised


def main() -> int:
    """Write the file, unless a number is to be raised first, and return the exit
    code.
    """
    with tempfile.TemporaryDirectory() as place:
        found = formats(Path(place))
        if problems := unraised(found, kept()):
            print("\n".join(problems), file=sys.stderr)
            return 1
        FORMATS.write_text(json.dumps(digests(found), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
