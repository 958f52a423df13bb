"""A real scheduler and real workers of Dask on loopback, with mutual TLS, that tests
may stop, kill and start again.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tools import need

END_SECONDS = 20.0
QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
}
"""Dask watches itself a hundred times a second, which is most of what a process that
waits does.
"""
MAKE = (
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "30",
)


def certificates(folder: Path) -> Path:
    """As docs/many-machines.md makes them."""
    need("openssl")
    folder.mkdir()
    words = [*MAKE, "-subj", "/CN=khiva", "-keyout", "key.pem", "-out", "ca.pem"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    shutil.copy(folder / "ca.pem", folder / "cert.pem")
    (folder / "key.pem").chmod(0o600)
    return folder


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class DaskCluster:
    """Its processes by name; what they say is in a file of that name in ``folder``."""

    def __init__(self, folder: Path, scheme: str = "tls") -> None:
        self.folder = folder
        self.port, self.dashboard = free_port(), free_port()
        self.address = f"{scheme}://127.0.0.1:{self.port}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.tls = certificates(folder / "tls") if scheme == "tls" else None

    @property
    def flags(self) -> list[str]:
        """How a command of ours finds it."""
        known = ["--dask-tls", str(self.tls)] if self.tls else ["--dask-open-to-all"]
        return ["--dask", self.address, *known]

    def _tls_words(self) -> list[str]:
        if self.tls is None:
            return []
        names = {"--tls-ca-file": "ca.pem", "--tls-cert": "cert.pem", "--tls-key": "key.pem"}
        return [word for flag, name in names.items() for word in (flag, str(self.tls / name))]

    def start_scheduler(self) -> None:
        words = [
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--dashboard-address",
            f"127.0.0.1:{self.dashboard}",
        ]
        protocol = [] if self.tls is None else ["--protocol", "tls"]
        self._start(
            "scheduler", "distributed.cli.dask_scheduler", *words, *protocol, *self._tls_words()
        )

    def start_worker(self, name: str, *words: str, threads: int = 1, **environment: str) -> None:
        """``environment``: more of it, such as a cache of its own."""
        shape = [
            "--nthreads",
            str(threads),
            "--no-nanny",
            "--no-dashboard",
            "--host",
            "127.0.0.1",
            "--name",
            name,
        ]
        place = ["--local-directory", str(self.folder / f"{name}.d")]
        self._start(
            name,
            "distributed.cli.dask_worker",
            self.address,
            *shape,
            *place,
            *self._tls_words(),
            *words,
            **environment,
        )

    def _start(self, name: str, module: str, *words: str, **environment: str) -> None:
        environment = QUIET | {"KHIVA_ARENA_CACHE": str(self.folder / "cache")} | environment
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", module, *words],
                cwd=self.folder,
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def log(self, name: str) -> str:
        """What a process has said so far."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Signal a process; one that this ends is waited for."""
        process = self.processes[name]
        with suppress(ProcessLookupError):
            process.send_signal(number)
        if number is signal.SIGKILL:
            process.wait(END_SECONDS)

    def lives(self, name: str) -> bool:
        return name in self.processes and self.processes[name].poll() is None

    def close(self) -> None:
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                process.kill()
            process.wait(END_SECONDS)


@contextmanager
def dask_cluster(scheme: str = "tls") -> Iterator[DaskCluster]:
    """A scheduler without workers. Not below pytest's own folder, which is closed to
    others: root's bots run as other users.
    """
    with tempfile.TemporaryDirectory(prefix="khiva-dask-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        cluster = DaskCluster(Path(folder), scheme)
        try:
            cluster.start_scheduler()
            yield cluster
        finally:
            cluster.close()
