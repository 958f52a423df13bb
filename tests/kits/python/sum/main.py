"""The sum of a value: for tests of what the kit makes of bytes."""

import signal

from khiva_kit import play

M = 2147483647


def fold(start: int, parts) -> int:
    for part in parts:
        start = (start * 31 + part) % M
    return start


def total(value) -> int:
    if value is None:
        return 1
    if isinstance(value, bool):
        return 3 if value else 2
    if isinstance(value, int):
        return fold(4, [value])
    if isinstance(value, str):
        return fold(5, value.encode())
    if isinstance(value, list):
        return fold(6, map(total, value))
    return (6 + sum(total(key) * 31 + total(item) for key, item in value.items())) % M


def choose(decide, match) -> int:
    print(f"noise {decide['req']}")
    decide["req"] = 5
    return total(decide["view"]["value"])


signal.signal(signal.SIGUSR1, lambda *_: None)
play("süm", choose)
