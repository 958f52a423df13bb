"""The version of this code in words for people. That of code which no release has comes
with its commit, where git is there.

Programs compare only ``khiva_arena.__version__``: a commit is shown, and never
compared.
"""

import os
from functools import cache
from pathlib import Path

from khiva_arena import __version__

_SECONDS = 5
_CHECKOUT = Path(__file__).parents[2]


def is_released() -> bool:
    """Tell whether a release has this version. Code between two releases has the number
    of the next one with ``.dev1`` behind.
    """
    return ".dev" not in __version__


@cache
def shown() -> str:
    """Return the version as people are told it."""
    commit = "" if is_released() else _commit()
    return f"{__version__} (commit {commit})" if commit else __version__


def _commit() -> str:
    """Return the commit of this checkout, with ``-dirty`` behind if files differ from
    it; "" without a checkout or git.
    """
    if not (
        _CHECKOUT / ".git"
    ).exists():  # git would look further up, and find the repository of somebody else
        return ""
    import subprocess  # not above: the page that checks bundles has no such module

    words = [
        "git",
        "-C",
        str(_CHECKOUT),
        "--no-optional-locks",
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ]
    env = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_")
    }  # a hook of git names another one
    try:
        done = subprocess.run(
            words, env=env, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout.strip()
