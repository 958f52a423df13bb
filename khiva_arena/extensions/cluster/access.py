"""The address of a cluster and the way to it: ``--dask`` and the settings beside it,
checked before all else.
"""

import os
import re
import shlex
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.manual import where
from khiva_arena.common.result import Clock
from khiva_arena.competition.audit.sample import share_of
from khiva_arena.competition.settings.settings import AUTO, Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError

LOCAL = "local:"
FILES = ("ca.pem", "cert.pem", "key.pem")
MOST_LOCAL = 1_000
PORT = 8786
_ADDRESS = re.compile(r"(?:(tls|tcp)://)?([^/\s]+)")


class Access(NamedTuple):
    """A cluster's address, its workers and the certificates for it.

    address: "tls://host:port", "tcp://host:port"; "" for a cluster of our own
    workers: the number of workers of a cluster of our own, else 0
    certificates: the files, in the order of FILES; none for plain tcp, or if Dask's own
        settings name some
    """

    address: str
    workers: int
    certificates: tuple[str, ...]

    @property
    def name(self) -> str:
        """The cluster as messages name it: its address, or "local:N"."""
        return self.address or f"{LOCAL}{self.workers}"

    @property
    def worker_line(self) -> str:
        """The line that starts a worker, to type on its machine; "" for a cluster of
        our own.
        """
        flags = zip(("--tls-ca-file", "--tls-cert", "--tls-key"), self.certificates, strict=False)
        words = [
            "dask",
            "worker",
            self.address,
            "--memory-limit",
            "0",
            *(word for flag in flags for word in flag),
        ]
        return shlex.join(words) if self.address else ""


def access_of(settings: Settings) -> Access:
    """Return the cluster that the settings name. Raises ConfigError at the first
    mistake.
    """
    word = settings.of_extensions["dask"] or ""
    if word.startswith(LOCAL) or word == LOCAL.rstrip(":"):
        number = word.partition(":")[2]
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= MOST_LOCAL):
            raise ConfigError(f"--dask {word}: give a number of workers, as local:4")
        if settings.of_extensions["dask_tls"] is not None:
            raise ConfigError(
                "--dask-tls: a cluster of this machine makes certificates of its own; leave it out"
            )
        return Access("", int(number), ())
    match = _ADDRESS.fullmatch(word)
    if match is None:
        raise ConfigError(
            f"--dask {word}: write the scheduler's address, as tls://HOST:{PORT}, or "
            "local:N for N workers here"
        )
    scheme, place = match[1] or "tls", match[2]
    address = f"{scheme}://{place}" if re.search(r":\d+$", place) else f"{scheme}://{place}:{PORT}"
    if scheme == "tcp":
        if not settings.of_extensions["dask_open_to_all"]:
            raise ConfigError(
                f"--dask {address}: without TLS anyone who reaches the scheduler or a worker runs "
                "programs there as you, and reads the deals; use tls://, or give --dask-open-to-all"
            )
        return Access(address, 0, ())
    return Access(address, 0, _certificates(settings.of_extensions["dask_tls"]))


def _how() -> str:
    return f"{where('many-machines', 'Certificates')} has the two openssl lines that make them"


def _certificates(folder: Path | None) -> tuple[str, ...]:
    if folder is None:
        return ()
    if not folder.is_dir():
        raise ConfigError(
            f"--dask-tls {folder}: no such folder; it has {', '.join(FILES)}; {_how()}"
        )
    files = [folder / name for name in FILES]
    if missing := [file.name for file in files if not file.is_file()]:
        raise ConfigError(f"--dask-tls {folder}: has no {', '.join(missing)}; {_how()}")
    key = files[-1]
    if stat.S_IMODE(key.stat().st_mode) & 0o077:
        raise ConfigError(f"--dask-tls {folder}: others may read key.pem; chmod 600 {key}")
    if not os.access(key, os.R_OK):
        raise ConfigError(f"--dask-tls {folder}: you may not read key.pem")
    if reason := _unusable(*map(str, files)):
        raise ConfigError(f"--dask-tls {folder}: {reason}; {_how()}")
    return tuple(str(file.absolute()) for file in files)


def _unusable(authority: str, certificate: str, key: str) -> str:
    """Say why the contents of the three certificate files cannot be used, "" if they
    can.
    """
    import ssl  # not above: most runs have no cluster

    for file in (authority, certificate):
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
        except ssl.SSLError:
            return f"{Path(file).name} has no certificate in it"
        except OSError as error:
            return f"{Path(file).name} cannot be read: {error.strerror or error}"
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(
            certificate, key, password=""
        )  # which may not be asked for
    except ssl.SSLError as error:
        if "MISMATCH" in str(error):
            return "key.pem is not the key of cert.pem"
        return "key.pem has no private key in it that can be read without a passphrase"
    return ""


def share_to_rerun(settings: Settings) -> float:
    """Return the share of the matches whose bots are run again here, 0 for none. Raises
    ConfigError.
    """
    word = settings.of_extensions["dask_rerun_bots"]
    if word is None:
        if settings.of_extensions["dask_take_unconfirmed"]:
            raise ConfigError(
                "--dask-take-unconfirmed: only with --dask-rerun-bots some match could not "
                "be confirmed; add it"
            )
        return 0.0
    if settings.clock is not Clock.TICKS:
        raise ConfigError(
            "--dask-rerun-bots: what bots thought by the wall clock is not kept; it needs "
            "--clock ticks"
        )
    return share_of(word, "--dask-rerun-bots")


def refuse_what_cannot_go(settings: Settings, entrants: Sequence[Bot], sandbox: Sandbox) -> None:
    """Raise ConfigError for bots that cannot play on a cluster, or that could reach
    it.
    """
    if guests := [bot for bot in entrants if bot.guest]:
        raise ConfigError(
            f"--bot {guests[0].asked_as}: has a seat at this machine, so it cannot play "
            "with --dask; leave one of them out"
        )
    if settings.trust_bots or settings.clock is Clock.TICKS:  # a module reaches nothing
        return
    reach = (
        "could reach the scheduler and the workers, which run anybody's programs; --trust-bots "
        "plays them anyway"
    )
    if (
        not sandbox.level.confines and settings.isolation != AUTO
    ):  # where auto found nothing better, the run says what is missing
        raise ConfigError(f"--dask: at isolation {sandbox.level} bots {reach}")
    if settings.network:
        raise ConfigError(f"--dask, --network: {', '.join(settings.network)} {reach}")
