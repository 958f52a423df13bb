"""The talk of an author with a league elsewhere, by HTTP over TLS.

The other side is trusted with nothing: its answers are bounded in size, form and time.
No redirect is followed, so that a token goes to the address that its owner typed and
nowhere else.
"""

import http.client
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from socket import SHUT_RDWR, socket
from typing import Annotated, NamedTuple, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from khiva_arena import __version__
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.errors import ConfigError

SECONDS = 30.0
"""The most that one step of a connection may take."""
WHOLE_SECONDS = 600.0
"""The most that sending and the answer may take together."""
MOST_ANSWER = 8 * 2**20  # bytes
NEWEST = re.compile(r"\blink (\d{1,9}) ([0-9a-f]{64})\b")
AGENT = f"khiva-arena/{__version__}"
NOT_ITS_WAY = "answers as no league of khiva-arena does"
TERMS = "/api/terms"
"""The path of what an author has to agree to."""
AGREED = "agreed"
"""The parameter of an upload whose author agreed to that."""
Hex64 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class ToldLink(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a league, as each of its answers tells it.

    league: its name; "" before it is founded.
    link, digest: the newest link of its chain; None before it is founded.
    commitment: of the newest batch; None before one is drawn.
    """

    league: str = ""
    link: Annotated[int, msgspec.Meta(ge=0, lt=10**9)] | None = None
    digest: Hex64 | None = None
    commitment: Hex64 | None = None


class ToldTerms(ToldLink, frozen=True, kw_only=True):
    """The answer to the question what an author has to agree to.

    publish_bots: whether bundles of the league may hold its bots.
    """

    publish_bots: bool


class Sent(ToldLink, frozen=True, kw_only=True):
    """The answer to a bot that was sent.

    entry: its number in the league's queue.
    state: of the entry, which is another one than waiting if the same bot was sent
        before.
    """

    entry: Annotated[int, msgspec.Meta(ge=0)]
    state: str = "waiting"


class SentEntry(msgspec.Struct, frozen=True):
    """A bot that was sent, as the league has it now.

    entry: its number.
    bot: its name.
    state: waiting, refused, accepted or entered.
    report: why, in words.
    """

    entry: int
    bot: str
    state: str
    report: str = ""


class SentEntries(ToldLink, frozen=True, kw_only=True):
    """The answer to the question what became of all that an author has sent.

    entries: in order of arrival.
    """

    entries: list[SentEntry]


class _Refusal(msgspec.Struct, frozen=True):
    error: str


_Form = TypeVar("_Form", bound=msgspec.Struct)


class Unanswered(ConfigError):
    """A league that cannot be reached, or not now: the same question may be answered
    later.
    """


class Site(NamedTuple):
    """The address of a league.

    url: as it was typed, without a slash at its end.
    host, port: ``port`` is None for that of the scheme.
    path: before that of each request.
    tls: None for a plain connection within this machine.
    """

    url: str
    host: str
    port: int | None
    path: str
    tls: ssl.SSLContext | None

    @property
    def file_name(self) -> str:
        """A name for a file about the league: one for each address."""
        return (
            quote(self.url.partition("://")[2], safe="[]").replace("%3A", "_").replace("%2F", "_")
        )


def site_of(url: str, ca: Path | None) -> Site:
    """Return the address that a user typed. ``ca``: a file with certificates to trust.
    Raises ConfigError.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError(f"--to {url}: {error}") from None
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if (
        parts.scheme not in ("https", "http")
        or not host
        or not is_plain
        or "@" in parts.netloc
        or parts.query
        or parts.fragment
    ):
        raise ConfigError(f"--to {url}: write the address as https://HOST or https://HOST:PORT")
    if parts.scheme == "http" and not _is_loopback(host):
        raise ConfigError(f"--to {url}: a token goes over TLS only; write https://")
    try:
        tls = (
            ssl.create_default_context(cafile=str(ca) if ca else None)
            if parts.scheme == "https"
            else None
        )
    except OSError as error:  # which an SSLError is
        raise ConfigError(f"--ca {ca}: {error.strerror or error}") from None
    return Site(url.rstrip("/"), host, port, parts.path.rstrip("/"), tls)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def terms(site: Site) -> ToldTerms:
    """Return what an author has to agree to, without a token. Raises ConfigError, and
    Unanswered if the league cannot be reached.
    """
    return _asked(site, "GET", TERMS, "", None, ToldTerms)


def send(site: Site, token: str, name: str, packed: bytes, *, agreed: bool = False) -> Sent:
    """Send a bot. Raises ConfigError if the league does not take it, Unanswered if it
    cannot be reached.

    agreed: whether its author agreed to what the league publishes.
    """
    words = f"name={quote(name, safe='')}" + (f"&{AGREED}=1" if agreed else "")
    return _asked(site, "POST", f"/api/submit?{words}", token, packed, Sent)


def entries(site: Site, token: str) -> SentEntries:
    """Return all that an author has sent. Raises ConfigError, and Unanswered if the
    league cannot be reached.
    """
    return _asked(site, "GET", "/api/entries", token, None, SentEntries)


def newest(site: Site) -> ToldLink:
    """Return the newest link of a league, as its badge names it to everybody. Raises
    ConfigError if it names none, Unanswered if the league cannot be reached.
    """
    link = NEWEST.search(
        _read(site, "GET", "/badge.svg", {"User-Agent": AGENT}, None).decode(errors="replace")
    )
    if link is None:
        raise ConfigError(
            f"{site.url}: names no link: it has not begun, or is no league of khiva-arena"
        )
    return ToldLink(link=int(link[1]), digest=link[2])


def _asked(
    site: Site,
    method: str,
    path: str,
    token: str,
    body: bytes | None,
    form: type[_Form],
) -> _Form:
    headers = {"User-Agent": AGENT, "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if body is not None:
        headers["Content-Type"] = "application/octet-stream"
    data = _read(site, method, path, headers, body)
    try:
        return msgspec.json.decode(data, type=form)
    except (msgspec.MsgspecError, RecursionError):
        raise ConfigError(f"{site.url}: {NOT_ITS_WAY}; is that its address?") from None


def _read(site: Site, method: str, path: str, headers: dict[str, str], body: bytes | None) -> bytes:
    """Return the body of a league's answer. Raises ConfigError for a refusal or an
    answer that is too long.
    """
    with _explained(site), _connected(site) as connection:
        with suppress(
            BrokenPipeError, ConnectionResetError
        ):  # it may have answered before it has read all
            connection.request(method, site.path + path, body, headers)
        answer = connection.getresponse()
        data = answer.read(MOST_ANSWER + 1)
    if 200 <= answer.status < 300 and len(data) <= MOST_ANSWER:
        return data
    raise _refusal(site, answer, data)


def _refusal(site: Site, answer: http.client.HTTPResponse, data: bytes) -> ConfigError:
    """Return the error for an answer that is none."""
    if 300 <= answer.status < 400:
        place = harmless(answer.headers.get("Location", "nowhere"), LONGEST)
        return ConfigError(
            f"{site.url}: leads on to {place}, which is not followed; if that is the "
            "league, name it with --to",
        )
    try:
        why = msgspec.json.decode(data, type=_Refusal).error
    except (msgspec.MsgspecError, RecursionError):
        why = f"{NOT_ITS_WAY}: status {answer.status}"
    kind = Unanswered if answer.status >= 500 else ConfigError
    return kind(f"{site.url}: {harmless(why, LONGEST)}")


@contextmanager
def _connected(site: Site) -> Iterator[http.client.HTTPConnection]:
    """Yield a connection that is cut once the whole time is up, however slowly the
    other side talks.
    """
    if site.tls:
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            site.host, site.port, timeout=SECONDS, context=site.tls
        )
    else:
        connection = http.client.HTTPConnection(site.host, site.port, timeout=SECONDS)
    connection.connect()
    is_late = threading.Event()

    def cut() -> None:
        is_late.set()
        with suppress(OSError):
            socket.shutdown(
                connection.sock, SHUT_RDWR
            )  # below TLS, which would wait for the other side

    timer = threading.Timer(WHOLE_SECONDS, cut)
    timer.daemon = True
    timer.start()
    try:
        yield connection
    except (OSError, http.client.HTTPException):
        if is_late.is_set():
            raise TimeoutError(f"it took longer than {WHOLE_SECONDS:.0f} s") from None
        raise
    finally:
        timer.cancel()
        connection.close()


@contextmanager
def _explained(site: Site) -> Iterator[None]:
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        why = (
            f"its certificate is not trusted ({error.verify_message}); --ca FILE names another "
            "one to trust"
        )
        raise ConfigError(f"{site.url}: {why}") from None
    except OSError as error:
        raise Unanswered(
            f"{site.url}: cannot be reached: {harmless(str(error.strerror or error), LONGEST)}"
        ) from None
    except (http.client.HTTPException, ValueError) as error:
        raise Unanswered(f"{site.url}: {NOT_ITS_WAY}: {harmless(type(error).__name__)}") from None
