"""A server on loopback that greets everybody who connects."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def greeting(text: bytes) -> Iterator[int]:
    """Gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    guest, _ = server.accept()
                except OSError:
                    return  # the test is over
                with guest:
                    guest.sendall(text)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
