"""How long a page of results takes to be made, to open and to scroll: ``python
tests/benchmarks/page.py STORE [FILE]``.
"""

import resource
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "support"))

from browser import WIDE, Page, browser
from pages import page_of

from khiva_arena.competition.pages.write import write_page

NOTE = """
new MutationObserver(() => {
  if (document.querySelector("main")?.childElementCount) window.shown ??= performance.now();
}).observe(document, {childList: true, subtree: true});
"""
SCROLL = """
const box = document.querySelector(".scrolls.tall");
const gaps = [];
let last = 0;
return new Promise((done) => {
  const frame = (now) => {
    if (last) gaps.push(now - last);
    last = now;
    box.scrollTop += box.scrollHeight / 240;
    if (gaps.length < 200) requestAnimationFrame(frame);
    else done(gaps.sort((a, b) => a - b));
  };
  requestAnimationFrame(frame);
});
"""


def made(store: Path, file: Path) -> None:
    """Make the page, and print what that took."""
    began = time.process_time()
    write_page(file, page_of(store))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{file.stat().st_size // 1024} kB, made in {time.process_time() - began:.1f} s of "
        f"CPU, {memory} MiB"
    )


def opened(page: Page, file: Path, view: str) -> None:
    """Print how long after the start of its loading a view stands."""
    page.open(file, view)
    page.until("return window.shown")
    print(f"{view or 'results'}: after {page.js('return Math.round(window.shown)')} ms")


def main() -> None:
    """All of it, three times where the first time may differ."""
    file = Path(sys.argv[2] if len(sys.argv) > 2 else "page.html").resolve()
    made(Path(sys.argv[1]), file)
    with browser() as page:
        page.size(WIDE)
        page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NOTE})
        for view in ("", "#matches=all") * 3:
            opened(page, file, view)
        gaps = page.js(SCROLL)
        print(
            f"scrolling: {gaps[100]:.0f} ms from frame to frame, 95 % below "
            f"{gaps[190]:.0f}, the longest {gaps[-1]:.0f}"
        )


if __name__ == "__main__":
    main()
