"""An address that may stand on a command line, where every user of the machine can read
it.

It leads to the secret address, once, and only a browser of the arena's own user.
"""

import os
import secrets
import sys
from pathlib import Path

REFUSED = (
    "This address opens the page once, for the person that it was made for: open the one that "
    "khiva-arena printed."
)
_SOCKETS = Path("/proc/net/tcp")
_LOCAL, _REMOTE, _USER = 1, 2, 7
"""Columns of /proc/net/tcp."""


class OnceOnly:
    """An address that leads to a page once.

    path: of the address.
    leads_to: the path of the page.
    """

    def __init__(self) -> None:
        self.path = f"/{secrets.token_urlsafe(24)}/"
        self.leads_to = ""
        self._is_used = False

    def take(self, client: tuple[str, int], port: int) -> bool:
        """Tell whether a connection of ``client`` to our ``port`` may go on to the
        page: only our user's first one may.
        """
        if (
            self._is_used
            or not self.leads_to
            or user_of(client[1], port) not in (None, os.geteuid())
        ):
            return False
        self._is_used = True
        return True


def user_of(port: int, to: int) -> int | None:
    """Return the user whose socket on loopback, at ``port``, is connected ``to``
    another port.

    -1 means that it is not known; None that the system never says (macOS). Browsers are
    not started there by a command line that others can read.
    """
    if sys.platform != "linux":
        return None
    try:
        rows = [line.split() for line in _SOCKETS.read_text().splitlines()[1:]]
    except OSError:
        return -1
    sockets = f"0100007F:{port:04X}", f"0100007F:{to:04X}"
    return next((int(row[_USER]) for row in rows if (row[_LOCAL], row[_REMOTE]) == sockets), -1)
