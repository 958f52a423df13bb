"""Take the pictures at the top of README.md, docs/publish.md and docs/play.md, of pages
that are made for them.

With --all, take three moments of a match of each game, on a desk and on a phone, light
and dark, and sheets of the symbols, into build/pictures: for the eyes of those who
change a drawing.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
sys.path.extend(map(str, (ROOT / "tests").glob("**/support")))

from arena import arena_process, started  # noqa: E402
from browser import Page, browser  # noqa: E402
from seat_client import addresses  # noqa: E402

from khiva_arena.display.page import html  # noqa: E402
from khiva_arena.games import registry  # noqa: E402

RUN = (
    "run",
    "--shipped",
    "--trust-bots",
    "--seats",
    "3",
    "--seeds",
    "10",
    "--lineups",
    "auto",
    "--seed",
    "pictures",
)
FOLDER = ROOT / "docs" / "pictures"
MOST_BYTES = 240_000
SIZE = (1200, 900)
SEAT_SIZE = (1200, 820)
VIEWS = {"standings": "", "match": "#match=1/0&step=14"}
ALL = ROOT / "build" / "pictures"
WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
MOMENTS = {"early": 0.15, "middle": 0.55, "end": 1.0}
GO = """
const last = Number(document.querySelector('.controls input').max);
location.hash = `#match=1/0&step=${Math.round(last * arguments[0])}`;
"""
OF_KHIVA = """
const { SHAPES, thing, camel } = _symbols_khiva;
const coloured = [0, 1, 2, 3, 4].map((colour) => [`camel-${colour}`,
  (size) => camel(colour, size)]);
const others = () => [];
"""
OF_SILK_ROAD = """
const { SHAPES, thing, jewel, bale, laden } = _symbols_silk_road;
const five = [0, 1, 2, 3, 4];
const coloured = [...five.map((colour) => ["", (size) => jewel(colour, 0, 0, size)]),
  ...five.map((good) => ["", (size) => bale(good, 0, 0, size / 2 - 1)]),
  ...five.map((good) => ["", (size) => laden(good, good, size * 0.9)])];
const others = () => [];
"""
OF_EMIRA = """
const { SHAPES, thing, room, banner } = _symbols_emira;
const coloured = [];
const sheik = (colour, size) => {
  const made = [room(colour, thing("princess", 20, 47, 23, "veil-palace")), banner(colour)];
  made[0].style.width = `${size / 1.5}px`;
  made[0].style.height = `${size}px`;
  return made;
};
const others = (size) =>
  ["green", "white", "red", "blue", "black"].flatMap((colour) => sheik(colour, size));
"""
SHEETS = {"khiva": OF_KHIVA, "emira": OF_EMIRA, "silk_road": OF_SILK_ROAD}
"""By game, what it has beside its shapes: things in their colours."""
SHEET = """
const sizes = [16, 24, 48, 96];
const shown = (name, size) => _dom.picture(size, size, name,
  [thing(name, size / 2, size / 2, size)]);
const in_colour = (kind, draw, size) => {
  const one = _dom.s("g", { transform: `translate(${size / 2},${size / 2})` }, draw(size));
  return _dom.picture(size, size, "in its colour", [one], { class: kind });
};
const row = (size) => [...Object.keys(SHAPES).map((name) => shown(name, size)),
  ...coloured.map(([kind, draw]) => in_colour(kind, draw, size)), ...others(size)];
for (const kind of ["light", "dark", "grey", "protan", "deutan", "black"]) {
  const rows = sizes.map((size) => _dom.h("p", {}, row(size)));
  document.querySelector("main").append(_dom.h("section", { class: `GAME ${kind}` },
    _dom.h("h3", {}, kind), rows));
}
"""
SEEN = """
svg { display: inline-block; margin: 4px; } :where(section) { --on: #2b2118; }
:where(.thing) { --fill: #c98a4a; }
[class*=camel-] .thing, [class*=jewel-] .thing { --fill: inherit; }
:is(.khiva, .emira, .silk-road) { color-scheme: only light; border: 0; box-shadow: none; }
main { max-width: none; }
.dark { --table: #1f1b17; --pen: #efe6d8; --soft: #b7a994; --sand: #3a3229; }
.grey { filter: grayscale(1); }
.protan { filter: url(#protan); } .deutan { filter: url(#deutan); }
.black path { fill: #000; stroke: #000; }
"""
FILTERS = {
    "protan": ".567 .433 0 0 0 .558 .442 0 0 0 0 .242 .758 0 0 0 0 0 1 0",
    "deutan": ".625 .375 0 0 0 .7 .3 0 0 0 0 .3 .7 0 0 0 0 0 1 0",
}
"""How those see who lack the cones for red, or for green."""


def main() -> int:
    """Returns 1 if a picture is too large for a repository."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="every game, into build/pictures")
    if parser.parse_args().all:
        take_all()
        return 0
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


def take_all() -> None:
    ALL.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place, browser() as page:
        folder = Path(place)
        for game in registry.NAMES:
            words = (
                "--game",
                game,
                "--shipped",
                "--trust-bots",
                "--seats",
                "3",
                "--seeds",
                "1",
                "--seed",
                "pictures",
            )
            arena_process("run", *words, "--out", game, cwd=folder)
            arena_process("report", game, "--out", f"{game}.html", cwd=folder)
            for width, size in WIDTHS.items():
                for dark in (False, True):
                    take_moments(
                        page,
                        folder / f"{game}.html",
                        f"{game}-{width}-{'dark' if dark else 'light'}",
                        size,
                        dark,
                    )
        for game in SHEETS:
            take_sheet(page, folder / "sheet.html", game)


def take_moments(page: Page, file: Path, name: str, size: tuple[int, int], dark: bool) -> None:
    """A match early, in its middle and at its end: the whole table, and the story
    beside or below it.
    """
    page.size(size, dark)
    page.open(file, "#match=1/0")
    page.until("return document.querySelector('.where')")
    for moment, part in MOMENTS.items():
        page.js(GO, part)
        page.until(
            "return document.querySelector('.where') && document.getAnimations().length === 0"
        )
        high = page.js(
            "return Math.ceil(document.querySelector('.stage').getBoundingClientRect().bottom + "
            "scrollY + 60)"
        )
        page.size((size[0], max(high, size[1])), dark)
        page.until("return document.getAnimations().length === 0")
        take(page, f"{name}-{moment}", ALL)
        page.size(size, dark)


def take_sheet(page: Page, file: Path, game: str) -> None:
    """All symbols of a game in four sizes, light, dark, grey, as colour-blind eyes see
    them, and black.
    """
    sources = {
        path.name.removesuffix(".js"): path.read_text()
        for path in html._folder().iterdir()
        if path.name.endswith(".js")
    }
    symbols = f"symbols_{game}"
    sources[symbols] = (ROOT / f"khiva_arena/games/{game}/symbols.js").read_text()
    filters = "".join(
        f'<filter id="{name}"><feColorMatrix values="{matrix}"/></filter>'
        for name, matrix in FILTERS.items()
    )
    drawn = SHEETS[game] + SHEET.replace("GAME", game.replace("_", "-"))
    style, script = html.page_style([game]) + SEEN, html.script_of(sources, "dom", symbols) + drawn
    head = f"<!doctype html><style>{style}</style><svg width=0 height=0>{filters}</svg>"
    file.write_text(f"{head}<main></main><script>{script}</script>")
    page.visit(file.as_uri())
    page.size((1300, page.js("return document.documentElement.scrollHeight")))
    take(page, f"symbols-{game.replace('_', '-')}", ALL)


def take(page: Page, name: str, folder: Path = FOLDER) -> None:
    picture = page.driver.get_screenshot_as_png()
    file = folder / f"{name}.png"
    file.write_bytes(picture)
    print(f"{file.relative_to(ROOT)}: {len(picture):,} bytes")


def take_seat(page: Page, folder: Path) -> None:
    """A person's seat, some turns into a match, with a hint."""
    process = started("play", "--no-open", "--seed", "pictures", cwd=folder)
    page.size(SEAT_SIZE)
    page.driver.get(addresses(process)[0])
    for _ in range(11):  # what happened is between one question and the next
        page.until(
            "window.chosen = document.querySelector('.options button'); chosen?.click(); "
            "return chosen"
        )
        page.until("return !chosen.isConnected")  # the others choose, too
    page.until("return document.querySelector('.options button')")
    page.keys("?")
    page.until(
        "return document.querySelector('.options .hinted') && document.getAnimations().length === 0"
    )
    take(page, "seat")
    process.kill()
    process.communicate()


if __name__ == "__main__":
    sys.exit(main())
