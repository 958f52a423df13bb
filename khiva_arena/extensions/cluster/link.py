"""The link to a scheduler by Dask's client: its workers, tasks out and results in.
Nothing else knows Dask here.

If a scheduler cannot be reached, a line for the user says who, the fault and the
remedy, and in brackets the library's own words.
"""

import logging
import socket
import ssl
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from dask import config
from distributed import Client, Future
from distributed.security import Security

from khiva_arena.common.manual import where
from khiva_arena.extensions.cluster.task import work
from khiva_arena.extensions.cluster.worker_messages import FIRST, RESOURCE, Sealed, SeenWorker

COLLECTORS = 4
COLLECT_SECONDS = 20.0
CALL_SECONDS = 20.0
QUIET = (
    "distributed",
    "distributed.client",
    "distributed.core",
    "distributed.comm",
    "distributed.batched",
    "tornado.application",
)

NO_CERTIFICATES = (
    "there are no certificates; --dask-tls FOLDER gives those that the scheduler was started with"
)
_SAME = "give --dask-tls the folder with which it and its workers were started"


class LinkLost(Exception):
    """A scheduler that cannot be reached, or not any more. The text says why."""


TakeResult = Callable[[str, "bytes | str"], None]
"""A function that gets a task's key and its result, or the words for why there is none;
it is called in some thread.
"""


class SchedulerLink:
    """A client of a scheduler, until ``close``. Raises LinkLost.

    certificates: the authority's, our own, and our key, as files or their contents;
        none: Dask's own settings name them
    """

    def __init__(self, address: str, certificates: Sequence[str], seconds: float) -> None:
        for name in QUIET:  # SchedulerLink says errors in a line
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._futures: dict[str, Future] = {}
        self._collectors = ThreadPoolExecutor(COLLECTORS, "khiva-arena-collector")
        # Nothing of ours is a graph, and no line of the caller's source goes along.
        config.set(
            {
                "distributed.diagnostics.computations.max-history": 0,
                "distributed.diagnostics.computations.nframes": 0,
            }
        )
        try:
            with warnings.catch_warnings(action="ignore"):
                self._client = Client(
                    address,
                    security=_security(address, certificates),
                    timeout=seconds,
                    set_as_default=False,
                )
        except (OSError, ValueError, TypeError, ssl.SSLError, RuntimeError) as error:
            self._collectors.shutdown(wait=False)
            raise LinkLost(explain(error, address)) from None

    def workers(self) -> dict[str, SeenWorker]:
        """Return the workers that the scheduler knows, by address. Raises LinkLost."""
        if self._client.status != "running":
            raise LinkLost("the connection was lost")
        try:
            with warnings.catch_warnings(action="ignore"):
                descriptions: dict[str, Any] = self._client.scheduler_info()["workers"]
        except Exception as error:  # whatever the client raises here, it is of no use any more
            raise LinkLost(_in_a_line(error)) from None
        return workers_seen(descriptions)

    def submit(self, key: str, worker: str, payload: bytes, take: TakeResult) -> None:
        """Have one certain worker do a task. Raises LinkLost."""
        try:
            with warnings.catch_warnings(action="ignore"):
                task = (_first, payload) if key.startswith(FIRST) else (work, Sealed(payload))
                # No other worker and no retries: this run decides who plays a table
                # again, and Dask must not play it twice.
                future = self._client.submit(
                    *task,
                    key=key,
                    workers=[worker],
                    allow_other_workers=False,
                    pure=False,
                    retries=0,
                )
                self._futures[key] = future
                future.add_done_callback(
                    lambda ended: self._collectors.submit(self._collect, key, ended, take)
                )
        except Exception as error:  # the client is of no use any more
            raise LinkLost(_in_a_line(error)) from None

    def _collect(self, key: str, future: Future, take: TakeResult) -> None:
        try:
            if future.status == "finished":
                result = future.result(timeout=COLLECT_SECONDS)
                data = result.data if isinstance(result, Sealed) else result
                take(key, data if isinstance(data, bytes | str) else "it answered something else")
            elif future.status == "error":
                take(key, _in_a_line(future.exception(timeout=COLLECT_SECONDS)))
            else:
                take(key, "it was cancelled")
        # a worker that ends while its result is fetched has as many errors as Dask has
        # layers
        except Exception as error:
            take(key, _in_a_line(error))
        finally:
            self._futures.pop(key, None)
            future.release()

    def forget(self, *keys: str) -> None:
        """Cancel tasks for which nobody waits any more."""
        futures = [self._futures.pop(key) for key in keys if key in self._futures]
        if futures and self._client.status == "running":
            with suppress(Exception):  # then the scheduler is gone, and they with it
                self._client.cancel(futures, force=True)

    def close(self) -> None:
        """Leave the scheduler, which cancels all tasks that it still has of this
        client.
        """
        self.forget(*self._futures)
        with suppress(Exception), warnings.catch_warnings(action="ignore"):
            self._client.close(timeout=CALL_SECONDS)
        self._collectors.shutdown(wait=False, cancel_futures=True)


def workers_seen(descriptions: Mapping[str, Any]) -> dict[str, SeenWorker]:
    """Return workers as a scheduler describes them.

    A worker that was started with the resource of our name takes no more matches at a
    time than that says, none if it says 0.
    """
    workers = {}
    for address, facts in descriptions.items():
        threads = int(facts["nthreads"])
        slots = int(min(threads, (facts.get("resources") or {}).get(RESOURCE, threads)))
        workers[address] = SeenWorker(
            str(facts.get("name", address)), max(0, slots), float(facts["last_seen"])
        )
    return workers


def _first(payload: bytes) -> bytes | str:
    """Do a task on a worker that may have no khiva-arena, or an old one.

    Such a worker would end if it got a task that it cannot unpack, so this function
    travels as code.
    """
    try:
        from khiva_arena.extensions.cluster.task import work
        from khiva_arena.extensions.cluster.worker_messages import Sealed
    except ImportError as error:
        return f"{type(error).__name__}: {error}"
    return work(Sealed(payload)).data


_first.__module__ = "__main__"  # so that it travels as code, and not as the name of a module


def _security(address: str, certificates: Sequence[str]) -> Security | None:
    if address.startswith("tcp://"):
        return None
    options = (
        dict(zip(("tls_ca_file", "tls_client_cert", "tls_client_key"), certificates, strict=True))
        if certificates
        else {}
    )
    security = Security(require_encryption=True, **options)
    if not (security.tls_ca_file and security.tls_client_cert):
        raise ValueError(NO_CERTIFICATES)
    return security


def _in_a_line(error: BaseException | None) -> str:
    """Return an error in a line, without the part that shows a task."""
    text = (
        str(error).strip().split("\n")[0]
        if isinstance(error, OSError | ImportError | AttributeError)
        else ""
    )
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def explain(error: BaseException, address: str) -> str:
    """Explain in a line the error that a client of Dask raised when it connected."""
    causes = list(_causes(error))
    texts = [str(cause).strip().partition("\n")[0] for cause in causes]
    words = " ".join(texts)
    if NO_CERTIFICATES in words:
        return NO_CERTIFICATES
    innermost = next((text for text in reversed(texts) if text), type(causes[-1]).__name__)
    if isinstance(
        error, ssl.SSLError | FileNotFoundError
    ):  # before anything was sent; the files of --dask-tls were checked
        return (
            "the certificates that Dask's own settings name cannot be used; --dask-tls FOLDER "
            f"gives others ({innermost})"
        )
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return (
            f"the scheduler shows a certificate that your ca.pem does not vouch for; {_SAME} "
            f"({innermost})"
        )
    if "WRONG_VERSION_NUMBER" in words:
        page = where("many-machines", "Certificates")
        return (
            f"the scheduler there speaks no TLS; start it and its workers with certificates: {page}"
        )
    if "_ALERT_" in words:
        return f"the scheduler does not take your certificate; {_SAME} ({_alert(texts)})"
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return (
            "no machine of that name is known here; write the address that `dask scheduler` "
            f"says ({innermost})"
        )
    if (
        any(isinstance(cause, ConnectionResetError) for cause in causes)
        or type(error).__name__ == "CommClosedError"
    ):
        advice = "if it was started with certificates, write tls:// and give --dask-tls"
        return (
            "the scheduler closed the connection; "
            f"{advice if address.startswith('tcp:') else _SAME} ({innermost})"
        )
    running = "is `dask scheduler` running on that machine, at that port, with no firewall between?"
    return f"nobody answers there; {running} ({innermost})"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and its causes."""
    ids: set[int] = set()
    while error is not None and id(error) not in ids:
        ids.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _alert(texts: list[str]) -> str:
    """Return the text of the TLS alert, which follows the addresses of both ends."""
    text = next(line for line in texts if "_ALERT_" in line)
    return text.rpartition("SSLError: ")[2]
