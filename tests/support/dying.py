"""A bot that ends itself by signal NUMBER at its first decision (0: it plays on), and
makes FILE before; or one that tells on stderr which of SIGHUP, SIGINT and SIGTERM it
found blocked and ignored. Needs no library, and the zoo's kit on its path.

dying.py NUMBER [FILE] | signals
"""

import os
import signal
import sys

from talk import Bot, say

STOPS = sum(1 << (number - 1) for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM))


def dies(number: int, file: str) -> None:
    """At once."""
    if file:
        with open(file, "x"):
            pass
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def tell() -> None:
    """What the system says of our signals."""
    with open("/proc/self/status") as file:
        found = dict(line.rstrip().split(":\t") for line in file if line.startswith("Sig"))
    say(
        " ".join(
            f"{word} {int(found[key], 16) & STOPS:x}"
            for word, key in (("blocked", "SigBlk"), ("ignored", "SigIgn"))
        )
    )


def main(how: str, file: str = "") -> None:
    """Play one match."""
    bot, begun = Bot(), False
    if how == "signals":
        tell()
    bot.hello = bot.read() or {}
    bot.greet()
    while message := bot.read():
        if message["type"] == "decide":
            if not begun and how not in ("signals", "0"):
                dies(int(how), file)
            begun = True
            bot.answer(message)


if __name__ == "__main__":
    main(*sys.argv[1:])
