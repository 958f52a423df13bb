"""The hook that the extension ``serve`` fills: views of runs in a browser."""

from pathlib import Path

from khiva_arena import __version__
from khiva_arena.common.say import Say
from khiva_arena.competition.run.live_views import LIVE_VIEWS, LiveRun
from khiva_arena.display.terminal.viewer import Source
from khiva_arena.errors import ConfigError

NO_REPORT = (
    "Only the progress is shown. To see results, give `khiva-arena watch` the --report of the run."
)

# Each function imports what it needs when it is called: Starlette and the page take
# long.


class _LiveViews:
    """Views of runs, as ``competition.live_views.LiveViews`` wants them."""

    def of_run(self, report: Path | None, say: Say) -> LiveRun:
        from khiva_arena.extensions.serve.live_web import LiveWeb

        return LiveWeb(report, say)

    def of_stream(self, source: Source, report: Path | None, say: Say) -> int:
        from khiva_arena.display.page import html
        from khiva_arena.extensions.serve.served_page import FIRST_SEED, ServedPage
        from khiva_arena.extensions.serve.watching import LiveBoard, run

        if (
            report is not None
            and report.exists()
            and not html.is_ours(report.read_text(errors="replace"))
        ):
            raise ConfigError(
                f"--report {report}: not a page of results of khiva-arena {__version__}; "
                "no other can be served"
            )
        board = LiveBoard(source, ServedPage(report, NO_REPORT if report is None else FIRST_SEED))
        try:
            run(board, lambda address: say(f"in a browser, until Ctrl-C: {address}"), lambda: False)
        except KeyboardInterrupt:
            if board.state.end is None:
                raise
        return 0


EXTENSION = (LIVE_VIEWS.filled(_LiveViews()),)
