"""Play the first matches of many_modules.py, with arbiter, meter and runner in whatever
Python this is started in.

``argv[1]``: how many, ``argv[2]``: a folder for modules. Each line of stdout is a
record, as JSON.
"""

import sys
from pathlib import Path

import msgspec
from many_modules import matches, stage_modules

from khiva_arena.arbiter.pool import play_one

for job in matches(int(sys.argv[1]), stage_modules(Path(sys.argv[2]))):
    print(msgspec.json.encode(play_one(job).record).decode())
