"""A bot that sends itself a message through what is in memory and what is not: at its
first decision it touches pages of FILE (``touches``), or touches as many and tells on
stderr by how much its page faults that read a disk rose (``reads``). Needs no library,
and the zoo's kit on its path.

touching.py touches | reads | leaves FILE
"""

import mmap
import resource
import sys

from talk import Bot, say

EVERY = 32
"""Pages: what the system reads ahead, and maps around, is not touched again."""


def touch(file: str) -> int:
    """How many page faults that read a disk it takes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    with open(file, "rb") as opened:
        area = mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ)
        area.madvise(mmap.MADV_RANDOM)
        for at in range(0, len(area), EVERY * mmap.PAGESIZE):
            area[at]
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before


def main(how: str, file: str) -> None:
    """Play one match."""
    bot, begun = Bot(), False
    bot.hello = bot.read() or {}
    bot.greet()
    while message := bot.read():
        if message["type"] == "decide":
            if not begun and how != "leaves":
                found = touch(file)
                if how == "reads":
                    say(f"rose by {found}")
            begun = True
            bot.answer(message)


if __name__ == "__main__":
    main(*sys.argv[1:])
