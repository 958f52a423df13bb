"""The arbiter's messages: readable lines on stderr, JSON lines in the store."""

import os
import sys
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TextIO

from khiva_arena.cli.say import say
from khiva_arena.store import private
from khiva_arena.store.files import LOG
from khiva_arena.text import harmless

# structlog looks for rich, to draw tracebacks that we never ask for; to import that takes as long as structlog itself
_rich = sys.modules.setdefault("rich", None)  # type: ignore[arg-type]
try:
    import structlog
finally:
    if _rich is None:
        del sys.modules["rich"]


class Log:
    """Messages of one command. ``folder`` is the store that also keeps them, or None. ``tell`` gets each one with its text and
    whether it is a warning; whoever watches over the terminal may take its place."""

    def __init__(self, folder: Path | None) -> None:
        self.tell: Callable[[str, str, bool], None] = plainly
        self._file: TextIO | None = None
        if folder is not None:
            try:
                descriptor = private.open_file(folder / LOG, os.O_WRONLY | os.O_APPEND)
                self._file = os.fdopen(descriptor, "a", encoding="utf-8", buffering=1)
            except OSError as error:
                say(f"warning: there will be no log: {error}")
        self._stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
        self._json = structlog.processors.JSONRenderer(sort_keys=True)
        self._logger = structlog.wrap_logger(None, processors=[self._both], wrapper_class=structlog.BoundLogger)

    def say(self, event: str, *, warning: bool = False, **values: Any) -> None:
        """One message. On stderr its event and values; in the store the same as JSON, with the time."""
        (self._logger.warning if warning else self._logger.info)(event, **values)

    def _both(self, _logger: Any, method: str, entry: MutableMapping[str, Any]) -> NoReturn:
        if self._file is not None:
            try:
                self._file.write(str(self._json(None, method, self._stamp(None, method, {**entry, "level": method}))) + "\n")
            except OSError as error:
                self._file = None  # the truth is in the database; a log that cannot be written ends nothing
                self.tell("log", harmless(f"the log stops here: {error}"), True)
        event = entry.pop("event")
        values = "  ".join(f"{key}={value}" for key, value in entry.items())
        self.tell(event, harmless(f"{event}{'  ' if values else ''}{values}"), method == "warning")
        raise structlog.DropEvent

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):  # what it still holds was tried before
                self._file.close()


def plainly(_event: str, text: str, warning: bool) -> None:
    """One line on stderr."""
    say(f"{'warning: ' if warning else ''}{text}")
