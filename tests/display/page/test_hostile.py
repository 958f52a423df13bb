"""Names, versions, details, rules and titles that want to be more than text: the page
shows them, and does nothing else.
"""

import base64
import json
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import PHONE, WIDE, Page
from forging import add_strikes, forge, rewrite_records
from pages import page_of
from published import published

from khiva_arena.competition.events import stored
from khiva_arena.competition.pages.write import write_page
from khiva_arena.display.page.html import as_json
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import canonical

pytestmark = pytest.mark.xdist_group("hostile")  # one worker makes the pages

RUN = "window.ran=true"
EVIL = (
    f"</script><script>{RUN}</script>",
    f'"><img src=x onerror="{RUN}"><a href=https://example.org>x</a>',
    f"javascript:{RUN}//\u202egnp.\u2066end\u2028",
    f"a\0b\u05d0\u05d1\u05d2 '><svg onload={RUN}></svg>\x1b[31m",
    "W" * 1_000_000,
)
TITLE = f"</title><script>{RUN}</script>\u202e\0\udcff\ud800 {'W' * 300}"
VIEWS = (
    "",
    "#matches=all",
    "#match=1/0",
    "#match=1/0&step=5",
    "#bot={bot}",
    f"#match={EVIL[0]}",
    f"#bot={EVIL[1]}",
)
# Pieces of text that lie on each other, as far as they show. On a board pieces stand on
# places; the controls stick to a phone.
OVERLAPS = """
const shown = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() ||
    element.closest(".board-svg, .controls, script, noscript, .skip, option")) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const {left, top, right, bottom} of range.getClientRects()) {
    let box = {left, top, right, bottom};
    for (let around = element; around; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.visibility === "hidden") box.right = box.left;
      if (style.overflowX === "visible" && !(around instanceof SVGSVGElement)) continue;
      const cut = around.getBoundingClientRect();
      box = {left: Math.max(box.left, cut.left), top: Math.max(box.top, cut.top),
             right: Math.min(box.right, cut.right), bottom: Math.min(box.bottom, cut.bottom)};
    }
    if (box.right - box.left > 1 && box.bottom - box.top > 1)
      shown.push({...box, node, text: node.data.slice(0, 40)});
  }
}
shown.sort((a, b) => a.top - b.top);
const found = [];
for (let i = 0; i < shown.length; i += 1) {
  for (let j = i + 1; j < shown.length && shown[j].top < shown[i].bottom; j += 1) {
    const [a, b] = [shown[i], shown[j]];
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (a.node !== b.node && wide > 2 && tall > 4)
      found.push(`${a.text} | ${b.text} | ${Math.round(wide)}x${Math.round(tall)}`);
  }
}
return found.slice(0, 10);
"""


def forged(game: str, folder: Path) -> Path:
    """The page of a store whose rows and records a forger has written. The arena's own
    checks of names and definitions are left out, so that nothing but the page stands in
    the way.
    """
    store = published(f"{game}-round-robin", folder)
    connection = sqlite3.connect(store / "arena.db")
    what = json.loads(connection.execute("SELECT definition FROM events").fetchone()[0])
    evil_names = {bot["name"]: evil for bot, evil in zip(what["bots"], EVIL, strict=True)}

    def rename(_: int, record: dict[str, Any]) -> None:
        for seat in record["header"]["seats"]:
            seat[0] = evil_names[seat[0]]

    rewrite_records(connection, rename)
    for position, (bot, evil) in enumerate(zip(what["bots"], EVIL, strict=True)):
        bot["name"] = evil
        connection.execute(
            "UPDATE bots SET name = ?, version = ? WHERE position = ?", (evil, evil, position)
        )
    what["anchor"] = EVIL[0]
    what["rules"] |= {EVIL[0]: EVIL[1], "x": EVIL[2], "y": [{EVIL[3]: EVIL[4]}]}
    connection.execute("UPDATE events SET definition = ?", (canonical(what).decode(),))
    add_strikes(
        connection, [*EVIL[:2], EVIL[2] + EVIL[3], EVIL[4]]
    )  # a fifth would have to forfeit
    connection.execute("UPDATE seats SET notes = ? WHERE ordinal = 0", ("\n".join(EVIL),))
    forge(connection)
    connection.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored, "check_stored", lambda event: None)
        patch.setattr(Definition, "_check", lambda self: None)
        write_page(folder / "page.html", page_of(store, title=TITLE))
    return folder / "page.html"


def renamed(page: Path, folder: Path) -> Path:
    """A page whose bots have other names in its data, though no arena would write them
    there.
    """
    text = page.read_text()
    block = text.partition('id="data">')[2].partition("<")[0]
    data = json.loads(zlib.decompress(base64.b64decode(block)))
    for bot, evil in zip(data["events"][0]["bots"], EVIL, strict=True):
        bot["name"] = evil
    (folder / "page.html").write_text(
        text.replace(block, base64.b64encode(zlib.compress(as_json(data))).decode())
    )
    return folder / "page.html"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return forged("khiva", tmp_path_factory.mktemp("hostile"))


def stays_text(page: Page, file: Path, view: str) -> None:
    """Opened at a view, in both widths, a page runs, loads and links nothing, and no
    text leaves its place.
    """
    page.open(file, view)
    page.until("return !location.hash.startsWith('#match=1') || document.querySelector('.where')")
    page.js("for (const one of document.querySelectorAll('details')) one.open = true")
    for size in (WIDE, PHONE):
        page.size(size)
        page.until(
            "return new Promise((done) => requestAnimationFrame(() => "
            "requestAnimationFrame(() => done(true))))"
        )
        assert page.js("return document.documentElement.scrollWidth") <= size[0], (view, size)
        assert page.js(OVERLAPS) == [], (view, size)
    assert page.js("return window.ran") is False
    assert page.wrong() == [], view
    assert page.js("return performance.getEntriesByType('resource').length") == 0
    foreign = (
        "img, iframe, a:not([href^='#']), svg[onload], [onerror], [onclick], "
        "script:not([type]) ~ script:not([type])"
    )
    assert page.js("return document.querySelectorAll(arguments[0]).length", foreign) == 0


@pytest.mark.slow
def test_text_of_others_stays_text(page: Page, hostile: Path) -> None:
    page.open(hostile)
    bot = page.js(
        "return new URLSearchParams(document.querySelector('.standings tbody "
        "a').hash.slice(1)).get('bot')"
    )
    for view in VIEWS:
        stays_text(page, hostile, view.format(bot=bot))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["emira", "silk_road"])
def test_names_stay_text_on_every_drawn_table(
    page: Page, made: Callable[[str], tuple[Path, Path]], tmp_path: Path, game: str
) -> None:
    stays_text(page, renamed(made(f"{game}-round-robin")[1], tmp_path), "#match=1/0&step=5")


@pytest.mark.slow
def test_no_mark_turns_what_stands_beside_it(page: Page, hostile: Path) -> None:
    """Marks of direction are shown as their escapes; a name in letters written from
    right to left is isolated.
    """
    for view in ("", "#matches=all", "#match=1/0&step=5"):
        page.open(hostile, view)
        page.until(
            "return !location.hash.startsWith('#match=1') || document.querySelector('.where')"
        )
        words = page.js("return document.title + document.body.innerText")
        assert not set(words) & set(
            "\0\x1b\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067"
        ), view
        bare = page.js(
            "const walker = document.createTreeWalker(document.querySelector('main'), "
            "NodeFilter.SHOW_TEXT); const found = [];"
            "for (let node = walker.nextNode(); node; node = walker.nextNode()) "
            "found.push(node.data); return found"
        )
        for text in bare:
            for piece in text.split("\u2069")[:-1]:
                assert "\u2068" in piece, text
            assert not any(
                "\u0590" <= letter <= "\u05ff"
                for letter in text.split("\u2069")[-1].split("\u2068")[0]
            ), text
            assert text.count("\u2068") == text.count("\u2069"), text
    assert "\\u202e" in words


@pytest.mark.slow
def test_a_long_name_is_cut_with_the_whole_at_hand(page: Page, hostile: Path) -> None:
    page.open(hostile)
    cut = page.js(
        "return [...document.querySelectorAll('main *')].filter((one) => one.scrollWidth > "
        "one.clientWidth + 1 && getComputedStyle(one).textOverflow === 'ellipsis' && "
        "!one.closest('[title]')).map((one) => one.textContent.slice(0, 60))"
    )
    assert cut == []
    assert hostile.stat().st_size < 3_000_000
