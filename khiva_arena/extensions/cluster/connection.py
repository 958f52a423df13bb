"""The connection to a cluster's scheduler, made again if it is lost; with ``local:N``
also the cluster's process.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any

from khiva_arena.bots.sandbox import system
from khiva_arena.bots.sandbox.reap import MARK, end_helper
from khiva_arena.common.say import Say
from khiva_arena.errors import ClusterError
from khiva_arena.extensions.cluster.access import Access
from khiva_arena.extensions.cluster.link import LinkLost, SchedulerLink

FIRST_SECONDS = 10.0
TRY_SECONDS = 5.0
END_SECONDS = 5.0


class OwnCluster:
    """The process of ``own_cluster.py``, from its making to ``close``. Raises LinkLost
    if it cannot be started.

    address: the scheduler's.
    certificates: files to speak to the scheduler with.
    dashboard: the address of the dashboard, "" if there is none.
    """

    def __init__(self, workers: int) -> None:
        words = [sys.executable, "-P", "-m", f"{__package__}.own_cluster", str(workers)]
        pipe = subprocess.PIPE
        # Its mark differs from that of strays that bots leave behind, and a later run
        # ends it if we are dead.
        environment = os.environ | {MARK: f"{os.getpid()}-dask"}
        self._process = subprocess.Popen(
            words,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=environment,
        )
        try:
            self.address, self.certificates, self.dashboard = self._read_reply()
        except BaseException:  # an interrupt, too: it takes a while to start
            self.close()
            raise

    def _read_reply(self) -> tuple[str, tuple[str, ...], str]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise LinkLost("the cluster of this machine cannot be started")
        reply: dict[str, Any] = json.loads(line)
        return (
            str(reply["address"]),
            tuple(str(certificate) for certificate in reply["certificates"]),
            str(reply["dashboard"]),
        )

    def lives(self) -> bool:
        """Tell whether the process still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process."""
        end_helper(self._process, END_SECONDS)


class ClusterConnection:
    """The connection to a cluster, from ``open`` to ``close``.

    link: None while the scheduler is away
    away: the beginning of the error if the scheduler stays away; "" while it is there
    """

    def __init__(self, access: Access, seconds: float, say: Say) -> None:
        self.link: SchedulerLink | None = None
        self.away = ""
        self._access = access
        self._seconds = seconds
        self._say = say
        self._own: OwnCluster | None = None

    def open(self) -> None:
        """Connect to the scheduler, and start the cluster if it is our own. Raises
        ClusterError.
        """
        of = self._access
        if of.workers > system.cores():
            self._say(
                f"--dask {of.name}: this machine has {system.cores()} cores, and plays no "
                "more matches at a time"
            )
        try:
            self._connect(min(FIRST_SECONDS, self._seconds))
        except LinkLost as lost:
            self.close()
            raise ClusterError(f"--dask {of.name}: {lost}") from None
        except BaseException:
            self.close()
            raise

    def _connect(self, seconds: float) -> None:
        of = self._access
        if not of.address and (self._own is None or not self._own.lives()):
            if self._own is not None:
                self._own.close()
            self._own = OwnCluster(of.workers)
            if self._own.dashboard:
                self._say(f"the cluster's dashboard: {self._own.dashboard}")
        address, certificates = (
            (of.address, of.certificates)
            if self._own is None
            else (self._own.address, self._own.certificates)
        )
        self.link = SchedulerLink(address, certificates, seconds)
        self.away = ""

    def lose(self, reason: str) -> None:
        """Close the link to a scheduler that does not answer, and say why."""
        link, self.link = self.link, None
        if link is not None:
            link.close()
        name = self._access.name
        self.away = f"the scheduler of --dask {name} was away"
        self._say(f"the scheduler of --dask {name} is away: {reason}; trying again", warning=True)

    def again(self) -> bool:
        """Try to connect again. Returns whether that worked."""
        began = time.monotonic()
        try:
            self._connect(TRY_SECONDS)
        except LinkLost:
            time.sleep(max(0.0, 1.0 - (time.monotonic() - began)))
            return False
        self._say("the scheduler is back")
        return True

    def forget(self, *keys: str) -> None:
        """Cancel tasks for which nobody waits any more."""
        if self.link is not None:
            self.link.forget(*keys)

    def close(self) -> None:
        """Leave the scheduler, and end the cluster if it is our own."""
        if self.link is not None:
            self.link.close()
            self.link = None
        if self._own is not None:
            self._own.close()
            self._own = None
