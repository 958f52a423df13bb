"""A run in browsers: its progress, as its stream grows, and its page of results
whenever one is written.

``run --web`` starts this as a process of its own, by ``python -m`` with a descriptor of
the stream and the paths of the page and of a folder. The folder is removed at the end.
The process prints the address and ends with its stdin. Nobody waits for a reader: each
is sent the newest state alone, when it has taken the one before.
"""

import json
import os
import select
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from khiva_arena.common.stream import Begin, MatchRecorded, NotAStream, Round
from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.ratings_so_far import MatchesSoFar
from khiva_arena.display.terminal.state import STOPS_ITSELF, RunState, heading, rate, state_after
from khiva_arena.display.terminal.stream_messages import difference_text
from khiva_arena.display.terminal.viewer import Source
from khiva_arena.extensions.serve.served_page import ServedPage
from khiva_arena.extensions.serve.serving import address, new_token, serve

NICENESS = 10
PAUSE = 0.25
"""Seconds between two looks at the stream and the page, and between two states that a
reader is sent.
"""
ALIVE_SECONDS = 15.0
"""The time after which a reader that is sent nothing else gets an empty line, which
shows whether it is still there.
"""
FAREWELL_SECONDS = 2.0
"""The time that readers have, at the end, to fetch the last page."""


class LiveBoard:
    """The state that readers are shown, and how many readers there are.

    source: of the lines
    page: the newest page
    readers: how many there are
    closed: whether the address closes now
    """

    def __init__(self, source: Source, page: ServedPage) -> None:
        self.source, self.page = source, page
        self.state = RunState()
        self.readers = 0
        self.closed = False
        self._matches: MatchesSoFar | None = None
        self._change = trio.Event()

    def look(self) -> bool:
        """Read lines that have come, and look for a newer page. Returns whether more
        may be there. Raises NotAStream.
        """
        lines = self.source.take()
        for line, _ in lines:
            self.state = state_after(self.state, line)
            if isinstance(line, Begin):
                self._matches = MatchesSoFar(line)
            elif isinstance(line, MatchRecorded) and self._matches:
                self._matches.add(line)
            elif isinstance(line, Round) and self._matches:
                self._matches.add_round(line)
        if self.page.look() or lines:
            self.tell()
        return self.source.more

    def tell(self) -> None:
        """Wake the readers that wait for news."""
        self._change.set()
        self._change = trio.Event()

    async def wait(self) -> None:
        """Wait for something new."""
        await self._change.wait()

    def data(self) -> dict[str, Any]:
        """Return the state for readers. Names that others chose are in the title and
        the marks alone.
        """
        state, began = self.state, self.state.began
        time_left = rate(state, state.t).left
        title = (
            ""
            if began is None
            else ", ".join([*([harmless(began.stage, 64)] if began.stage else []), heading(began)])
        )
        llr, difference = state.llr, state.difference
        return {
            "title": title,
            "recorded": state.recorded,
            "matches": began.matches if began else 0,
            "at_most": bool(began and began.format == STOPS_ITSELF),
            "seeds": self._matches.seeds if self._matches else 0,
            "of_seeds": began.seeds if began else 0,
            "seconds": state.end.seconds if state.end else state.t,
            "left": time_left,
            "faults": state.faults,
            "voids": state.voids,
            "set_aside": state.set_aside,
            "marks": harmless(
                "; ".join(f"{name}: {', '.join(own)}" for name, own in began.marked().items())
            )
            if began
            else "",
            "llr": (
                f"{llr.llr:.2f}, between {llr.low:.2f} and {llr.high:.2f}, after {llr.seeds} seeds"
            )
            if llr
            else "",
            "difference": difference_text(difference) if difference else "",
            "how": state.end.how if state.end else "",
            "page": self.page.number,
            "closed": self.closed,
        }


class ProgressEvents(Response):
    """Server-sent events to one reader, until it goes or the address closes. ``board``:
    the state that is shown.
    """

    def __init__(self, board: LiveBoard) -> None:
        self._board = board

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        self._board.readers += 1
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_until_gone, receive, nursery.cancel_scope)
                await send(
                    {
                        "type": "http.response.start",
                        "status": 200,
                        "headers": [(b"content-type", b"text/event-stream")],
                    }
                )
                await self._tell(send)
        finally:
            self._board.readers -= 1
            self._board.tell()

    async def _tell(self, send: Send) -> None:
        board, last = self._board, ""
        while True:
            data, closed = json.dumps(board.data()), board.closed
            text = "\n" if data == last else f"data: {data}\n\n"
            await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
            last = data
            if closed:
                await trio.sleep_forever()  # it goes when it has the last page
            await trio.sleep(PAUSE)
            with trio.move_on_after(ALIVE_SECONDS):
                while json.dumps(board.data()) == last:
                    await board.wait()


async def _until_gone(receive: Receive, scope: trio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def show(board: LiveBoard, say: Callable[[str], None], gone: Callable[[], bool]) -> None:
    """Serve until the command that plays is ``gone``, and a moment longer. Raises
    NotAStream. ``say``: takes the address.
    """

    async def page(_request: Request) -> Response:
        return board.page.response()

    async def events(_request: Request) -> Response:
        return ProgressEvents(board)

    token = new_token()
    async with trio.open_nursery() as nursery:
        port = await nursery.start(
            partial(serve, [Route("/", page), Route("/events", events)], token=token)
        )
        say(address(port, token))
        while True:
            ends = gone()  # asked before reading: lines that came until then are to be shown
            more = board.look()
            if ends and not more:
                break
            await trio.sleep(0 if more else PAUSE)
        board.closed = True
        board.tell()
        with trio.move_on_after(FAREWELL_SECONDS):
            while board.readers:
                await board.wait()
        nursery.cancel_scope.cancel()


def run(board: LiveBoard, say: Callable[[str], None], gone: Callable[[], bool]) -> None:
    """Serve as ``show`` does, for a caller that does not run trio. Raises NotAStream,
    and KeyboardInterrupt.
    """
    try:
        # An interrupt that hits in a task of a connection would end that one alone:
        # Hypercorn logs it and goes on.
        trio.run(show, board, say, gone, restrict_keyboard_interrupt_to_checkpoints=True)
    except BaseExceptionGroup as group:
        for kind in (NotAStream, KeyboardInterrupt):
            if errors := group.subgroup(kind):
                raise _first(errors) from None
        raise


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


def _stdin_ended() -> bool:
    """Tell whether the command has ended: it holds the other end of stdin and never
    writes to it.
    """
    return bool(select.select([0], [], [], 0)[0])


def main() -> int:
    """Serve one run. Returns 1 if the descriptor holds no stream."""
    descriptor, page, folder = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    os.nice(NICENESS)  # bots come first
    try:
        run(
            LiveBoard(Source(descriptor), ServedPage(page)),
            partial(print, flush=True),
            _stdin_ended,
        )
    except NotAStream:
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # its owner may have been killed
    return 0


if __name__ == "__main__":
    sys.exit(main())
