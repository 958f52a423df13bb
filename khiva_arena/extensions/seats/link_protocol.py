"""The records from a hub to ``link.py``, which explains them: a letter, a length and
bytes.
"""

OUT, ERR, EXIT, DEAF, FAILED = b"o", b"e", b"x", b"i", b"f"
LONGEST_NAME = 64


def record(kind: bytes, data: bytes) -> bytes:
    """Encode one record."""
    return kind + len(data).to_bytes(4, "big") + data


def exited(status: int) -> bytes:
    """Encode the last record: the player's program ended with this status; negative: by
    a signal.
    """
    return record(EXIT, b"%d" % status)
