"""The door to the rules in C: each argument that comes from outside is checked here,
once, before C sees it.
"""

from operator import index
from typing import Any

from khiva_arena.rng import SECRET_BYTES

WHOLE = range(-(1 << 63), 1 << 63)
"""The whole numbers where every one has a meaning."""
BITS = range(1 << 64)
"""The numbers of 64 bits without a sign."""


def checked(name: str, value: Any, allowed: range | type) -> Any:
    """Return an argument as C takes it: a whole number of a range, or an object of a
    type.

    name: of the argument, for the message.

    Raises ValueError for a number beyond the range, TypeError for what is no whole
    number, or of another type.
    """
    if type(allowed) is range and type(value) is int and value in allowed:
        return value
    if not isinstance(allowed, range):
        if not isinstance(value, allowed):
            raise TypeError(f"{name}: {value!r:.200} is no {allowed.__name__}")
        return value
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r:.200} is no whole number") from None
    if number not in allowed:
        raise ValueError(f"{name}: {number} is none of {allowed.start} to {allowed.stop - 1}")
    return number


def checked_secret(secret: Any) -> bytes:
    """Return the secret of a match or a stream. Raises TypeError for what is no bytes,
    ValueError for another size than 32.
    """
    given: bytes = checked("secret", secret, bytes)
    if len(given) != SECRET_BYTES:
        raise ValueError(f"secret: {len(given)} bytes, but a secret has {SECRET_BYTES}")
    return given
