"""The log of a store: messages of its runs, a line of JSON each."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from khiva_arena.display.terminal.stream_messages import Message
from khiva_arena.records.store import private
from khiva_arena.records.store.files import LOG


class StoreLog:
    """The log of the store in ``folder``, open to be added to. Raises OSError if it
    cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        # Not above: only a run that plays needs it. It would import rich, to colour
        # tracebacks, which takes as long as all else.
        sys.modules.setdefault("rich", None)  # type: ignore[arg-type]
        import structlog

        if sys.modules["rich"] is None:
            del sys.modules["rich"]

        self._file = os.fdopen(
            private.open_file(folder / LOG, os.O_WRONLY | os.O_APPEND), "a", encoding="utf-8"
        )
        self._logger = structlog.wrap_logger(
            structlog.WriteLogger(self._file),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.JSONRenderer(sort_keys=True),
            ],
            # whatever the program that imports us has configured
            wrapper_class=structlog.BoundLogger,
            context_class=dict,
        )

    def write(self, message: Message) -> None:
        """Add a message. Raises OSError if the disk is full."""
        add = self._logger.warning if message.warning else self._logger.info
        add(message.event, **message.values)

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # its buffer was tried before
            self._file.close()
