"""Who a request comes from: the wrong tokens of an address, and the authors who have signed in."""

import ipaddress
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from hashlib import sha256

WRONG_MOST = 10
"""The wrong tokens of an address in ``WRONG_SECONDS``; then it has to wait."""
WRONG_SECONDS = 60.0
ADDRESSES_MOST = 10_000
"""The addresses that are remembered; the one that was longest silent is forgotten first."""
SESSION_SECONDS = 12 * 3_600.0
SESSIONS_MOST = 4_096
LONGEST = 200  # characters of a token
SecondsNow = Callable[[], float]


class WrongTokens:
    """The wrong tokens that came from each address lately."""

    def __init__(self, clock: SecondsNow = time.monotonic) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def too_many(self, address: str) -> bool:
        """Tell whether an address has to wait."""
        times = self._wrong.get(network_of(address), deque())
        while times and times[0] <= self._clock() - WRONG_SECONDS:
            times.popleft()
        return len(times) >= WRONG_MOST

    def add(self, address: str) -> None:
        """Note a wrong token."""
        network = network_of(address)
        self._wrong.setdefault(network, deque(maxlen=WRONG_MOST)).append(self._clock())
        self._wrong.move_to_end(network)
        if len(self._wrong) > ADDRESSES_MOST:
            self._wrong.popitem(last=False)


def network_of(address: str) -> str:
    """Return what stands for an address: of IPv6 its network, since one customer has billions of addresses."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


class Sessions:
    """The authors who have signed in: each has a random word, in a cookie, that stands for the token."""

    def __init__(self, clock: SecondsNow = time.monotonic) -> None:
        self._clock = clock
        self._tokens: OrderedDict[bytes, tuple[float, str]] = OrderedDict()

    def begin(self, token: str) -> str:
        """Begin a session, and return its word."""
        word = secrets.token_urlsafe(32)
        self._tokens[_key(word)] = self._clock() + SESSION_SECONDS, token
        if len(self._tokens) > SESSIONS_MOST:
            self._tokens.popitem(last=False)
        return word

    def token(self, word: str) -> str | None:
        """Return the token of a session, None if there is no such session or it is over."""
        ends, token = self._tokens.get(_key(word), (0.0, ""))
        return token if self._clock() < ends else None

    def end(self, word: str) -> None:
        """End a session."""
        self._tokens.pop(_key(word), None)


def _key(word: str) -> bytes:
    """Return what a word is looked up by: how long that takes tells nothing of words that are like it."""
    return sha256(word.encode(errors="replace")).digest()


def bearer(header: str) -> str:
    """Return the token in the value of an Authorization header, "" if there is none."""
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def is_one(token: str) -> bool:
    """Tell whether a text could be a token."""
    return 0 < len(token) <= LONGEST and token.isascii() and token.isprintable()
