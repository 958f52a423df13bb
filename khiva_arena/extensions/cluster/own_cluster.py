"""The cluster of ``--dask local:N``: a scheduler and N workers of one thread, on
loopback, with their own certificates.

It is a process of its own, ``python -m khiva_arena.extensions.cluster.own_cluster N``,
since interrupts are for the command alone. It ends with its input. It says address,
certificates and dashboard in a line of JSON on stdout, so that no file holds them.
"""

import fcntl
import glob
import json
import logging
import os
import shutil
import signal
import sys
import tempfile
import warnings
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, TextIO

PREFIX, LOCK = "khiva-arena-dask-", "lock"


def main() -> None:
    """Serve until the input ends."""
    workers = int(sys.argv[1])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    _sweep()
    with (
        tempfile.TemporaryDirectory(prefix=PREFIX) as folder,
        open(os.path.join(folder, LOCK), "w") as lock,
    ):  # of mode 700
        fcntl.flock(lock, fcntl.LOCK_EX)
        _serve(workers, folder, out)


def _sweep() -> None:
    """Remove the folders of clusters that were killed: nobody holds their lock any
    more.
    """
    for name in glob.glob(os.path.join(tempfile.gettempdir(), f"{PREFIX}*", LOCK)):
        with suppress(OSError):  # another's, or gone by now
            descriptor = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                if os.fstat(descriptor).st_uid == os.geteuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(os.path.dirname(name), ignore_errors=True)
            finally:
                os.close(descriptor)


def _serve(workers: int, folder: str, out: TextIO) -> None:
    from dask import config
    from distributed import LocalCluster
    from distributed.security import Security

    security = Security.temporary()
    config.set(
        {
            "temporary-directory": folder,
            "distributed.worker.memory.target": False,
            "distributed.worker.memory.spill": False,
        }
    )
    # Dask serves pages at each scheduler and worker, to every user of this machine.
    config.set({f"distributed.{role}.preload": [__spec__.name] for role in ("worker", "scheduler")})
    config.set(
        {"distributed.worker.memory.pause": False, "distributed.worker.memory.terminate": False}
    )
    with LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        host="127.0.0.1",
        protocol="tls://",
        security=security,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        files = (security.tls_ca_file, security.tls_client_cert, security.tls_client_key)
        reply = {
            "address": cluster.scheduler_address,
            "certificates": files,
            "dashboard": _dashboard(cluster.dashboard_link),
        }
        print(json.dumps(reply), file=out, flush=True)
        out.close()
        os.read(0, 1)


def dask_setup(server: Any) -> None:
    """Close the pages of a scheduler or worker that starts, except a dashboard whose
    address is said.
    """
    if not (find_spec("bokeh") and hasattr(server, "workers")):
        server.http_server.stop()


def _dashboard(link: str) -> str:
    """Return the dashboard's address, "" if it cannot be drawn, since bokeh is not
    installed.
    """
    return link if find_spec("bokeh") else ""


if __name__ == "__main__":
    main()
