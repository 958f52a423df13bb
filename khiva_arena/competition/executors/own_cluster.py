"""The cluster of ``--dask local:N``: a scheduler and N workers of one thread each, on loopback, with certificates of its own.

A process of its own, ``python -m khiva_arena.competition.executors.own_cluster N``: interrupts are for the command alone,
and it ends with its input. It says address, certificates and dashboard in a line of JSON on stdout, so that no file holds them.
"""

import json
import logging
import os
import signal
import sys
import tempfile
import warnings
from importlib.util import find_spec
from typing import TextIO


def main() -> None:
    """Serve until the input ends."""
    workers = int(sys.argv[1])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="khiva-arena-dask-") as folder:  # of mode 700
        _serve(workers, folder, out)


def _serve(workers: int, folder: str, out: TextIO) -> None:
    from dask import config
    from distributed import LocalCluster
    from distributed.security import Security

    security = Security.temporary()
    config.set(
        {"temporary-directory": folder, "distributed.worker.memory.target": False, "distributed.worker.memory.spill": False}
    )
    config.set({"distributed.worker.memory.pause": False, "distributed.worker.memory.terminate": False})
    with LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        host="127.0.0.1",
        protocol="tls://",
        security=security,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        named = (security.tls_ca_file, security.tls_client_cert, security.tls_client_key)
        said = {"address": cluster.scheduler_address, "certificates": named, "dashboard": _dashboard(cluster.dashboard_link)}
        print(json.dumps(said), file=out, flush=True)
        out.close()
        os.read(0, 1)


def _dashboard(link: str) -> str:
    """Where it is, "" if it cannot be drawn, since bokeh is not installed."""
    return link if find_spec("bokeh") else ""


if __name__ == "__main__":
    main()
