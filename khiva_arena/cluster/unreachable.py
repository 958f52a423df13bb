"""The reasons why a scheduler cannot be reached, in a line for the user.

A line says who, the fault and the remedy, and in brackets the library's own words.
"""

import socket
import ssl
from collections.abc import Iterator

from khiva_arena.shipped import folder

NO_CERTIFICATES = "there are no certificates; --dask-tls FOLDER gives those that the scheduler was started with"
_SAME = "give --dask-tls the folder with which it and its workers were started"


def explain(error: BaseException, address: str) -> str:
    """Explain in a line the error that a client of Dask raised when it connected."""
    causes = list(_causes(error))
    texts = [str(cause).strip().partition("\n")[0] for cause in causes]
    words = " ".join(texts)
    if NO_CERTIFICATES in words:
        return NO_CERTIFICATES
    innermost = next((text for text in reversed(texts) if text), type(causes[-1]).__name__)
    if isinstance(error, ssl.SSLError | FileNotFoundError):  # before anything was sent; the files of --dask-tls were checked
        return f"the certificates that Dask's own settings name cannot be used; --dask-tls FOLDER gives others ({innermost})"
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return f"the scheduler shows a certificate that your ca.pem does not vouch for; {_SAME} ({innermost})"
    if "WRONG_VERSION_NUMBER" in words:
        page = folder("docs") / "cluster.md"
        return f"the scheduler there speaks no TLS; start it and its workers with certificates, see {page}"
    if "_ALERT_" in words:
        return f"the scheduler does not take your certificate; {_SAME} ({_alert(texts)})"
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return f"no machine of that name is known here; write the address that `dask scheduler` says ({innermost})"
    if any(isinstance(cause, ConnectionResetError) for cause in causes) or type(error).__name__ == "CommClosedError":
        advice = "if it was started with certificates, write tls:// and give --dask-tls"
        return f"the scheduler closed the connection; {advice if address.startswith('tcp:') else _SAME} ({innermost})"
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
