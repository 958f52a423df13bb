"""Take the pictures at the top of README.md, docs/publish.md and docs/play.md, of pages that are made for them."""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
sys.path.extend(map(str, (ROOT / "tests").glob("**/support")))

from arena import arena_process, started  # noqa: E402
from browser import Page, browser  # noqa: E402
from seat_client import addresses  # noqa: E402

RUN = ("run", "--shipped", "--trust-bots", "--seats", "3", "--seeds", "10", "--lineups", "auto", "--seed", "pictures")
FOLDER = ROOT / "docs" / "pictures"
MOST_BYTES = 200_000
SIZE = (1200, 900)
SEAT_SIZE = (1200, 820)
VIEWS = {"standings": "", "match": "#match=1/0&step=14"}


def main() -> int:
    """Returns 1 if a picture is too large for a repository."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as place, browser() as page:
        folder = Path(place)
        arena_process(*RUN, "--jobs", "2", "--out", "demo", cwd=folder)
        arena_process("report", "demo", "--out", "demo.html", "--title", "Spring cup", cwd=folder)
        page.size(SIZE)
        for name, view in VIEWS.items():
            page.open(folder / "demo.html", view)
            page.until("return document.getAnimations().length === 0")
            take(page, name)
        take_seat(page, folder)
    return int(any(file.stat().st_size > MOST_BYTES for file in FOLDER.glob("*.png")))


def take(page: Page, name: str) -> None:
    picture = page.driver.get_screenshot_as_png()
    (FOLDER / f"{name}.png").write_bytes(picture)
    print(f"docs/pictures/{name}.png: {len(picture):,} bytes")


def take_seat(page: Page, folder: Path) -> None:
    """A person's seat, some turns into a match, with a hint."""
    process = started("play", "--no-open", "--seed", "pictures", cwd=folder)
    page.size(SEAT_SIZE)
    page.driver.get(addresses(process)[0])
    for _ in range(11):  # what happened is between one question and the next
        page.until("const one = document.querySelector('.options button'); one?.click(); return one")
        time.sleep(0.5)  # the others choose, too
    page.until("return document.querySelector('.options button')")
    page.keys("?")
    page.until("return document.querySelector('.options .hinted') && document.getAnimations().length === 0")
    take(page, "seat")
    process.kill()
    process.communicate()


if __name__ == "__main__":
    sys.exit(main())
