"""Who a request comes from: its token, and the authors who have signed in."""

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256

SESSION_SECONDS = 12 * 3_600.0
SESSIONS_MOST, OF_A_TOKEN_MOST = 4_096, 64
"""The sessions at a time, and those of them that one token began, so that no author
ends the sessions of others.
"""
LONGEST = 200  # characters of a token
SecondsNow = Callable[[], float]


class Sessions:
    """The authors who have signed in: each has a random word, in a cookie, that stands
    for the token.
    """

    def __init__(self, clock: SecondsNow = time.monotonic) -> None:
        self._clock, self._secret = clock, secrets.token_bytes(32)
        self._tokens: OrderedDict[bytes, tuple[float, str]] = OrderedDict()

    def begin(self, token: str) -> str:
        """Begin a session, and return its word."""
        word = secrets.token_urlsafe(32)
        own = [key for key, (_, of) in self._tokens.items() if of == token]
        if len(own) >= OF_A_TOKEN_MOST:
            del self._tokens[own[0]]
        self._tokens[_key(word)] = self._clock() + SESSION_SECONDS, token
        if len(self._tokens) > SESSIONS_MOST:
            self._tokens.popitem(last=False)
        return word

    def token(self, word: str) -> str | None:
        """Return the token of a session, None if there is no such session or it is
        over.
        """
        ends, token = self._tokens.get(_key(word), (0.0, ""))
        return token if self._clock() < ends else None

    def form_token(self, word: str) -> str:
        """Return what the forms of a session have in them, which pages of others cannot
        read.
        """
        return hmac.new(self._secret, word.encode(errors="replace"), sha256).hexdigest()

    def end(self, word: str) -> None:
        """End a session."""
        self._tokens.pop(_key(word), None)


def _key(word: str) -> bytes:
    """Return what a word is looked up by: how long that takes tells nothing of words
    that are like it.
    """
    return sha256(word.encode(errors="replace")).digest()


def bearer(header: str) -> str:
    """Return the token in the value of an Authorization header, "" if there is none."""
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def is_one(token: str) -> bool:
    """Tell whether a text could be a token."""
    return 0 < len(token) <= LONGEST and token.isascii() and token.isprintable()
