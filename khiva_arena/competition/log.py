"""The log of a store: the messages of its runs, as JSON lines with their time."""

import os
from contextlib import suppress
from pathlib import Path

from khiva_arena.store import private
from khiva_arena.store.files import LOG
from khiva_arena.terminal.messages import Message


class StoreLog:
    """The log of the store in ``folder``, open to be added to. Raises OSError if that cannot be."""

    def __init__(self, folder: Path) -> None:
        import structlog  # takes longer than the rest of this room, and only a run that plays needs it

        self._file = os.fdopen(private.open_file(folder / LOG, os.O_WRONLY | os.O_APPEND), "a", encoding="utf-8")
        self._logger = structlog.wrap_logger(
            structlog.WriteLogger(self._file),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.JSONRenderer(sort_keys=True),
            ],
            wrapper_class=structlog.BoundLogger,  # whatever the program that imports us has configured
            context_class=dict,
        )

    def write(self, message: Message) -> None:
        """Add a message. Raises OSError if the disk is full."""
        add = self._logger.warning if message.warning else self._logger.info
        add(message.event, **message.values)

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # what it still holds was tried before
            self._file.close()
