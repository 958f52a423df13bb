"""What a hub says to ``link.py``, which explains it: records with a letter and a length."""

OUT, ERR, EXIT, DEAF = b"o", b"e", b"x", b"i"
LONGEST_NAME = 64


def record(kind: bytes, data: bytes) -> bytes:
    """One of them."""
    return kind + len(data).to_bytes(4, "big") + data


def exited(status: int) -> bytes:
    """The last one: the player's program ended so; negative: by a signal."""
    return record(EXIT, b"%d" % status)
