"""``make pictures``: the two pictures at the top of README.md and of docs/report.md, taken of a page that is made for them."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from arena import arena_process  # noqa: E402
from browser import browser  # noqa: E402

RUN = ("run", "--shipped", "--trust-bots", "--seats", "3", "--seeds", "15", "--lineups", "auto", "--seed", "pictures")
FOLDER = ROOT / "docs" / "pictures"
MOST_BYTES = 200_000
SIZE = (1200, 900)
VIEWS = {"standings": "", "match": "#match=1/0&step=14"}


def main() -> int:
    """Returns 1 if a picture is too large for a repository."""
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as place, browser() as page:
        folder = Path(place)
        arena_process(*RUN, "--jobs", "2", "--out", "demo", cwd=folder)
        arena_process("report", "demo", "--out", "demo.html", "--title", "Spring cup", cwd=folder)
        page.size(SIZE)
        for name, view in VIEWS.items():
            page.open(folder / "demo.html", view)
            page.until("return document.getAnimations().length === 0")
            picture = page.driver.get_screenshot_as_png()
            (FOLDER / f"{name}.png").write_bytes(picture)
            print(f"docs/pictures/{name}.png: {len(picture):,} bytes")
            if len(picture) > MOST_BYTES:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
