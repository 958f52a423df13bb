"""A program that stands for a player who is elsewhere: it joins its pipes to the hub's
socket.

``link.py SOCKET NAME`` is a script with nothing but the standard library, since one is
started for each match. The hub gets a line with the name, then all bytes of stdin, and
their end as an end. The hub sends records, each a letter, a u32 big-endian length and
that many bytes:

    o   for stdout; with no bytes: the player has closed it
    e   for stderr
    i   the player has closed its input
    x   the player's program has ended: its exit status in digits, negative for a
        signal. The last record
    f   the hub itself has failed at this seat. The last record

If the hub's side ends without an ``x``, the link is lost. Then this process ends with
LOST, which the arbiter reads as that. It ends with GONE, which is no player's fault,
after an ``f``, and if there is no hub any more.
"""

import os
import select
import socket
import sys

LOST, GONE = 75, 74
CHUNK = 65_536
LOOK_SECONDS = 0.2
HEADER = 5


def main() -> int:
    """Join this process's pipes to the hub. Returns the exit status."""
    path, name = sys.argv[1:3]
    hub = socket.socket(socket.AF_UNIX)
    try:
        hub.connect(path)
        hub.sendall(name.encode() + b"\n")
    except OSError as error:
        print(f"the hub cannot be reached: {error.strerror}", file=sys.stderr)
        return GONE
    buffer = bytearray()
    sources = {0, hub.fileno()}
    while True:
        readable = select.select(sources, (), ())[0]
        if 0 in readable:
            _forward(hub, sources)
        if hub.fileno() in readable:
            try:
                data = hub.recv(CHUNK)
            except OSError:
                data = b""
            if not data:
                return LOST if _is_there(path) else GONE
            buffer += data
            status = _write_records(buffer)
            if status is not None:
                return status


def _is_there(path: str) -> bool:
    """Tell whether the hub still takes players. A dying hub may take this connection,
    but does not wait for its name.
    """
    with socket.socket(socket.AF_UNIX) as again:
        again.settimeout(LOOK_SECONDS)
        try:
            again.connect(path)
            again.recv(1)
        except TimeoutError:
            return True
        except OSError:
            pass
        return False


def _forward(hub: socket.socket, sources: set[int]) -> None:
    """Send the bytes of stdin to the hub. A hub that takes no more may have sent
    records before, which are still to be read.
    """
    data = os.read(0, CHUNK)
    try:
        if data:
            hub.sendall(data)
        else:
            sources.discard(0)
            hub.shutdown(socket.SHUT_WR)
    except OSError:
        sources.discard(0)


def _write_records(buffer: bytearray) -> int | None:
    """Write all whole records, and remove them from ``buffer``. Returns the exit status
    if a record says it, else None.
    """
    while len(buffer) >= HEADER:
        size = int.from_bytes(buffer[1:HEADER], "big")
        if len(buffer) < HEADER + size:
            break
        kind, data = buffer[0], bytes(buffer[HEADER : HEADER + size])
        del buffer[: HEADER + size]
        if kind == ord("x"):
            return _end_as(int(data))
        if kind == ord("f"):
            return GONE
        if data or kind == ord("e"):
            _write(1 if kind == ord("o") else 2, data)
        else:
            _close(1 if kind == ord("o") else 0)
    return None


def _close(descriptor: int) -> None:
    """Close a descriptor, as the player has: the arbiter sees the same. Nothing that is
    opened later gets its number.
    """
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor)
    os.close(null)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _end_as(status: int) -> int:
    """End as the player's program did: by its signal, or by returning its exit
    status.
    """
    if status < 0:
        os.kill(os.getpid(), -status)
    return status & 0xFF


if __name__ == "__main__":
    os._exit(main())  # nothing is left to be cleaned up, and that takes longer
