"""One request to an OpenAI-compatible endpoint, bounded in time and size, whatever is at the other end."""

import errno
import json
import socket
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from queue import Empty, SimpleQueue
from threading import Thread, active_count
from urllib.parse import urlsplit

from settings import Settings

MOST_BYTES = 1 << 20
"""Of an answer."""
MOST_THREADS = 8
"""A name server that hangs keeps a thread busy that nobody can end."""
MOST_SHOWN = 200
SHORTEST_KEY = 6
"""What is shorter stands in other words, too, and keeps nobody out."""
MOST_TOKENS = 10**9
WAITS = (408, 409, 425, 429)
"""Besides those from 500 on: it may work a little later."""


NO_NETWORK = (errno.EAFNOSUPPORT, errno.EPERM, errno.EACCES, errno.ENETUNREACH)
"""What a socket says where bots have no network."""


class Reply:
    """What a model said.

    text: its answer; "" if there is none.
    refusal: why it gave none, if the API says so.
    tokens: in and out; None if the API does not say.
    cached: of those in, how many the API had read before.
    """

    def __init__(self, text: str, refusal: str, tokens: tuple[int, int] | None, cached: int) -> None:
        self.text, self.refusal, self.tokens, self.cached = text, refusal, tokens, cached


class Failed(Exception):
    """No answer was to be had.

    again: whether another try may help.
    wait: seconds that the API asks for before it; None if it does not say.
    """

    def __init__(self, what: str, again: bool = True, wait: float | None = None) -> None:
        super().__init__(what)
        self.again, self.wait = again, wait


def ask(settings: Settings, messages: list[dict], seconds: float) -> Reply:
    """The answer of the model, in no more than so many seconds. Raises Failed."""
    if active_count() > MOST_THREADS:
        raise Failed(f"{MOST_THREADS} requests hang already", again=False)
    body = {"model": settings.model, "messages": messages}
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    # The time-out of a socket is for each read alone, and looking up a host has none: so another thread does it all.
    talk = _Talk(settings, json.dumps(body).encode(), seconds)
    Thread(target=talk.run, daemon=True).start()
    try:
        done = talk.done.get(timeout=seconds)
    except Empty:
        talk.give_up()
        raise _late(seconds) from None
    if isinstance(done, Failed):
        raise done
    return done


def _late(seconds: float) -> Failed:
    return Failed(f"no answer in {seconds:.1f} s", again=False)


class _Talk:
    """A request in a thread of its own."""

    def __init__(self, settings: Settings, body: bytes, seconds: float) -> None:
        self.done: SimpleQueue[Reply | Failed] = SimpleQueue()
        self._settings, self._body, self._seconds = settings, body, seconds
        self._socket: socket.socket | None = None

    def give_up(self) -> None:
        """End it, as far as that is possible from outside."""
        if self._socket is not None:
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # TLS would wait for the other end

    def run(self) -> None:
        try:
            self.done.put(self._exchange())
        except Failed as failed:
            self.done.put(failed)
        except TimeoutError:  # the socket's, which may be a moment before ours
            self.done.put(_late(self._seconds))
        except (OSError, HTTPException, ValueError) as error:
            closed = isinstance(error, OSError) and error.errno in NO_NETWORK
            hint = "; bots have no network unless --network opens it" if closed else ""
            self.done.put(Failed(f"{type(error).__name__}: {error}{hint}", again=not closed))

    def _exchange(self) -> Reply:
        url = urlsplit(self._settings.url)
        connects = HTTPSConnection if url.scheme == "https" else HTTPConnection
        connection = connects(url.hostname or "", url.port, timeout=self._seconds)
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if self._settings.key:
            headers["Authorization"] = f"Bearer {self._settings.key}"
        try:
            connection.connect()
            self._socket = connection.sock
            connection.request("POST", f"{url.path}/chat/completions", self._body, headers)
            response = connection.getresponse()
            data = bytearray()
            while len(data) <= MOST_BYTES and (piece := response.read1(65_536)):
                data += piece
        finally:
            connection.close()
        if len(data) > MOST_BYTES:
            raise Failed(f"an answer of more than {MOST_BYTES:,} bytes")
        return _read(response, bytes(data), self._settings.key)


def without(key: str, text: str) -> str:
    """A text that the other end sent, which may repeat the key. This is taken out before anything is cut: one that is cut is not
    known again."""
    return text.replace(key, "[key]") if len(key) >= SHORTEST_KEY else text


def _read(response: HTTPResponse, data: bytes, key: str) -> Reply:
    text, status = data.decode(errors="replace"), response.status
    if 300 <= status < 400:
        raise Failed(f"status {status}: redirects are not followed; name the address itself", again=False)
    if status != 200:
        said = _shown(text, key)
        again = status in WAITS or status >= 500
        raise Failed(f"status {status}: {said}", again, _retry_after(response.headers.get("Retry-After", "")))
    try:
        answer = json.loads(text)
        message = answer["choices"][0]["message"]
        content, refusal = message.get("content"), message.get("refusal")
        stopped = answer["choices"][0].get("finish_reason")
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise Failed(f"not an answer of the API: {_shown(text, key)!r}") from None
    if isinstance(content, list):  # some servers send parts
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if not refusal and stopped == "content_filter":
        refusal = "stopped by a content filter"
    why = without(key, str(refusal or ""))[:MOST_SHOWN]
    return Reply(content if isinstance(content, str) else "", why, *_usage(answer.get("usage")))


def _shown(text: str, key: str) -> str:
    """The beginning, in a line."""
    return " ".join(without(key, text).split())[:MOST_SHOWN]


def _usage(usage: object) -> tuple[tuple[int, int] | None, int]:
    """Tokens in and out, and how many of those in were cached; what a server says of it may be anything."""
    if not isinstance(usage, dict):
        return None, 0
    details = usage.get("prompt_tokens_details")
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
    counts.append(details.get("cached_tokens") if isinstance(details, dict) else 0)
    whole = [count if type(count) is int and 0 <= count <= MOST_TOKENS else None for count in counts]
    if whole[0] is None or whole[1] is None:
        return None, 0
    return (whole[0], whole[1]), min(whole[2] or 0, whole[0])


def _retry_after(value: str) -> float | None:
    """Seconds; the header has them, or a date."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        from email.utils import parsedate_to_datetime
        from time import time

        try:
            seconds = parsedate_to_datetime(value).timestamp() - time()
        except (ValueError, TypeError, OverflowError, OSError):
            return None
    return seconds if seconds >= 0 else 0.0  # also of a number that is none
