"""How far a bot is kept from the rest of the machine. So far there is one level: bots are trusted.

trusted: a process group of its own, no inherited descriptors but its three pipes, a bare environment, no core dumps, and
death with the arbiter. It can read what its user can read: only for bots you trust.
"""

import resource
import shutil
from collections.abc import Sequence
from functools import cache

LEVEL = "trusted"


@cache
def _setpriv() -> str | None:
    return shutil.which("setpriv")


def launch(words: Sequence[str]) -> list[str]:
    """The command that starts ``words`` at this level.

    setpriv ties the bot's life to the thread that spawns it. A preexec_fn could do the same, but makes a spawn twenty times
    slower. Where util-linux is missing, a bot whose arbiter is killed ends by the end of its input alone.
    """
    setpriv = _setpriv()
    return [setpriv, "--pdeathsig", "KILL", "--", *words] if setpriv else list(words)


def prepare() -> None:
    """Set, once for each arbiter process, what its bots inherit."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
