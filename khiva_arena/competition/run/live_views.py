"""Live views: the hook of an extension that shows browsers how a run goes."""

from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from khiva_arena.common.hooks import Hook
from khiva_arena.common.say import Say
from khiva_arena.competition.run.events_file import EventsFile
from khiva_arena.display.terminal.viewer import Source


class LiveRun(Protocol):
    """A run that browsers are shown within its ``with`` block.

    page: the page of results that is shown, which another process writes.
    listener: the file to which the stream of events is written.
    """

    page: Path
    listener: EventsFile

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class LiveViews(Protocol):
    """Views of runs in a browser of this machine."""

    def of_run(self, report: Path | None, say: Say) -> LiveRun:
        """Return the view of a run that begins. ``report``: the page of results that it
        writes.

        Raises OSError if there is no room for its files.
        """

    def of_stream(self, source: Source, report: Path | None, say: Say) -> int:
        """Show a stream of events until Ctrl-C. Returns 0 if the run was seen to its
        end by then. Raises ConfigError if ``report`` is no page of results,
        KeyboardInterrupt before the end.
        """


LIVE_VIEWS: Hook[LiveViews] = Hook("serve")
