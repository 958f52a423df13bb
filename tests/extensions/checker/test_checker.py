"""The page that checks bundles, in Node, in Chromium and in Firefox, over the runtime
that it carries.
"""

import re
import subprocess
import tomllib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import javascript
import pytest
from arena import ROOT, arena, bots
from browser import PHONE, WIDE, Page, browser
from bundling import forged, lines_of
from checker import CHECK, STACK, checked, checker, dropped, memory_after, runtime
from firefox import Firefox, firefox
from in_targets import in_long
from module_cup import FORGERIES, HOSTILE, MATCHES, forged_lines, of_kind, play_cup
from module_cup import module_cup as module_cup
from once import made_once
from recursions import few_interpreted_recursions as few_interpreted_recursions
from recursions import interpreted_recursions as interpreted_recursions
from recursions import plain_recursions as plain_recursions
from too_much import MADE as TOO_MUCH
from too_much import too_much_cup as too_much_cup
from wording import sentence

from khiva_arena import __version__
from khiva_arena.extensions.checker import in_page, not_checked
from khiva_arena.extensions.checker.checker import BLOCKS, checker_page
from khiva_arena.extensions.checker.rooms import Rooms

pytestmark = pytest.mark.soak
FIREFOX = pytest.mark.xdist_group("firefox")
WITH_PYTHON = pytest.mark.xdist_group("python")
"""This group has many tests, so it comes early: a fresh checkout builds the
interpreters beside other tests, not at the end.
"""
BROWSERS = ["chromium", pytest.param("other_browser", marks=FIREFOX)]
VERIFIER_PAGE = CHECK.parent / "README.md"
LOADED = """
let load, python;
Object.defineProperty(globalThis, "loadPyodide", {
  set: (value) => { load = value; }, get: () => async (...words) => (python = await load(...words)),
});
const ends = process.exit;
process.exit = (code) => {
  console.error("compiled: " + python.runPython(`
    import sys
    places = [str(getattr(getattr(module, "__spec__", None), "origin", ""))
      for module in sys.modules.values()]
    " ".join(place for place in places if ".zip/" in place and place.endswith(".py"))`));
  ends(code);
};
"""
"""Has a check in Node say at its end which modules of Python it compiled."""
IN_NODE = ("points",)
"""The forgery that is tried in Node each time, as that of a tick is in browsers.
tests/competition/audit has all of them, by the same code, without a page around it.
"""
NO_BUNDLES = {
    "a.png": lambda cup: b"\x89PNG\r\n\x1a\n",
    "empty.khiva": lambda cup: b"",
    "deflated.khiva": lambda cup: zlib.compress(b"no bundle"),
    "a.gz": lambda cup: zlib.compress(b"no bundle", wbits=31),
    "cut.khiva": lambda cup: cup[: len(cup) // 2],
}
EACH_TIME = ("cut.khiva",)
"""The one of them that ``make test-soak`` tries."""
JAVASCRIPT = """
for (let message; (message = khiva.readFrame()); ) {
  if (message.type === "hello") khiva.writeFrame({ type: "hello", proto: 1, name: "js" });
  else if (message.type === "decide") khiva.writeFrame({ type: "act", req: message.req,
    choice: message.legal.length - 1 });
}
"""


@made_once
def interpreted_cup(folder: Path) -> None:
    """Play a bot in JavaScript and two in Python, and write "cup.khiva"."""
    javascript.interpreter("python")
    javascript.payload_folder(folder / "js", {"main.js": JAVASCRIPT.encode()})
    words = ("--clock", "ticks", "--seats", "2", "--seeds", "1", "--seed", "interpreted")
    arena(
        "run",
        *words,
        *bots("js", "shipped:python/naive", "shipped:python/random"),
        "--out",
        "store",
        cwd=folder,
    )
    arena("bundle", "store", "cup.khiva", "--with-modules", cwd=folder)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page in a file."""
    path = tmp_path_factory.mktemp("checker") / "khiva-arena.html"
    path.write_text(checker())
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[Page]:
    """A browser."""
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def other_browser() -> Iterator[Firefox]:
    """Another browser."""
    with firefox() as opened:
        yield opened


def test_the_command_builds_the_same_bytes_and_compares_them(page: Path, tmp_path: Path) -> None:
    words = ("page", "--runtime", str(runtime()))
    said = arena(*words, "--out", "khiva-arena.html", cwd=tmp_path)
    assert "SHA-256 " in said.stdout + said.stderr
    assert (tmp_path / "khiva-arena.html").read_bytes() == page.read_bytes()
    arena(*words, "--check", "khiva-arena.html", cwd=tmp_path)
    with (tmp_path / "khiva-arena.html").open("a") as file:
        file.write("<!-- more -->")
    arena(*words, "--check", "khiva-arena.html", cwd=tmp_path, code=1)


def test_a_page_is_compared_by_the_runtime_that_it_carries_if_that_is_the_pinned_one(
    page: Path, tmp_path: Path
) -> None:
    check = ("page", "--check", "khiva-arena.html")
    copy = tmp_path / "khiva-arena.html"
    copy.write_bytes(page.read_bytes())
    said = arena(*check, "--out", "again.html", cwd=tmp_path)
    assert sha256(page.read_bytes()).hexdigest() in said.stdout + said.stderr
    assert (tmp_path / "again.html").read_bytes() == page.read_bytes()
    copy.write_text(page.read_text().replace("</body>", "<b>sound</b></body>"))
    said = arena(*check, cwd=tmp_path, code=1)
    assert re.search(
        r"khiva-arena.html has the SHA-256 [0-9a-f]{64}, and the page of this version [0-9a-f]{64}",
        said.stderr,
    )
    copy.write_text(
        re.sub(
            r'(id="pyodide.tgz">)[^<]*', rf"\1{b64encode(b'another').decode()}", page.read_text()
        )
    )
    said = arena(*check, "--out", "again.html", cwd=tmp_path, code=1)
    other = f"has another hash than the pinned one: {sha256(b'another').hexdigest()}"
    assert f"khiva-arena.html: pyodide-314.0.7.tgz {other}: " in said.stderr
    copy.write_text(re.sub(r'(id="msgspec.whl">)[^<]*', r"\1A", page.read_text()))
    arena(*check, cwd=tmp_path, code=1)
    assert (
        "--out needs --runtime FILE, which `make page` in a checkout fetches, or --check "
        "FILE, a page that has it"
    ) in arena("page", "--out", "new.html", cwd=tmp_path, code=2).stderr


def test_what_runs_the_page_is_in_it_as_it_was_published(page: Path) -> None:
    blocks = dict(
        re.findall(
            r'<script type="application/base64" id="([^"]+)">([^<]*)</script>', page.read_text()
        )
    )
    editor = re.findall(r'<script id="editor">(.*?)</script>', page.read_text(), re.DOTALL)
    pins = tomllib.loads(
        (ROOT / "khiva_arena" / "extensions" / "checker" / "runtime.toml").read_text()
    )
    assert {*BLOCKS, "editor"} == set(pins)
    assert [sha256(text.encode()).hexdigest() for text in editor] == [pins["editor"]["sha256"]]
    for name, block in BLOCKS.items():
        assert sha256(b64decode(blocks[block])).hexdigest() == pins[name]["sha256"]
    assert "rooms.zip" not in blocks, "the pinned modules are those of this checkout"


def test_a_page_of_other_modules_than_the_pinned_ones_checks_with_its_own(
    module_cup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = Rooms.content
    monkeypatch.setattr(
        Rooms,
        "content",
        lambda self, name: content(self, name).replace(__version__.encode(), b"another"),
    )
    page = tmp_path / "khiva-arena.html"
    page.write_text(checker_page(runtime().read_bytes()))
    (engine,) = of_kind(checked(page, module_cup / "cup.khiva"), "engine")
    assert engine["checks"] == "another"


@pytest.mark.parametrize(
    "name", [*EACH_TIME, *in_long(name for name in NO_BUNDLES if name not in EACH_TIME)]
)
def test_a_file_that_is_no_bundle_or_a_damaged_one_cannot_be_read(
    page: Path, module_cup: Path, chromium: Page, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(NO_BUNDLES[name]((module_cup / "cup.khiva").read_bytes()))
    why = (
        in_page.DAMAGED.format(sentence("store", "file-cut-short"))
        if name == "cut.khiva"
        else in_page.NO_BUNDLE
    )
    assert checked(page, path)[-1] == {
        "kind": "end",
        "verdict": "cannot be read",
        "problems": [],
        "unknown": [why],
    }
    assert dropped(chromium, page, path).startswith("Cannot be read: ")
    assert chromium.texts("[data-what=problems] li") == [why]
    assert "starting" not in chromium.texts("#found")[0]


def test_in_node_an_honest_bundle_is_equal(page: Path, module_cup: Path) -> None:
    events = checked(page, module_cup / "cup.khiva")
    assert events[-1] == {"kind": "end", "verdict": "equal", "problems": [], "unknown": []}
    assert [event["verdict"] for event in of_kind(events, "match")] == ["equal"] * MATCHES


def test_a_terminal_prints_what_the_page_of_the_verifier_shows_and_no_module_of_python_is_compiled(
    page: Path, module_cup: Path
) -> None:
    words = [
        "node",
        STACK,
        "--import",
        f"data:text/javascript,{quote(LOADED)}",
        str(CHECK),
        str(page),
    ]
    done = subprocess.run(
        [*words, str(module_cup / "cup.khiva")],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "compiled: ", (
        "a module stands in none of [bytecode] in runtime.toml"
    )
    (shown,) = re.findall(
        r"^```console\n\$ [^\n]*\n(.*?)^```$",
        VERIFIER_PAGE.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert shape(done.stdout) == shape(shown)


def shape(text: str) -> str:
    """What a check prints, without its counts and digests."""
    return re.sub(r"\b[0-9a-f]{8,}\b(\.{3})?|\b\d+\b", "N", text)


@pytest.mark.parametrize(
    "name", [*IN_NODE, *in_long(name for name in FORGERIES if name not in IN_NODE)]
)
def test_in_node_what_is_forged_is_named(
    page: Path, module_cup: Path, tmp_path: Path, name: str
) -> None:
    lines, said = forged_lines(module_cup / "cup.khiva", name)
    (tmp_path / "forged.khiva").write_bytes(forged(lines))
    end = checked(page, tmp_path / "forged.khiva")[-1]
    assert end["verdict"] == "differs"
    assert any(said in problem for problem in end["problems"]), end


@pytest.mark.long
def test_what_has_been_checked_takes_no_memory(page: Path, tmp_path: Path) -> None:
    play_cup(tmp_path, "--seeds", str(300 // MATCHES))
    after_ten, after_all = memory_after(page, tmp_path / "cup.khiva", (10, 300))
    assert after_all <= 2 * after_ten


def test_in_chromium_an_honest_bundle_is_equal_and_nothing_goes_wrong(
    page: Path, module_cup: Path, chromium: Page, tmp_path: Path
) -> None:
    assert dropped(chromium, page, module_cup / "cup.khiva").startswith("Equal: ")
    assert f"{MATCHES} with every bot run again" in chromium.texts("[data-what=event]")[0]
    assert chromium.texts("[data-what='not checked'] li")[0].startswith("Elo")
    assert HOSTILE in chromium.texts("th .name")
    assert not chromium.js("return window.ran")
    assert chromium.wrong() == []
    for size, dark in ((WIDE, False), (PHONE, True)):
        chromium.size(size, dark)
        assert chromium.js("return document.documentElement.scrollWidth <= innerWidth")


PUBLISHED = ROOT / "tests" / "published"


def test_in_chromium_a_league_is_checked_but_for_its_chain_and_the_page_says_what_it_lacks(
    page: Path, chromium: Page
) -> None:
    assert dropped(chromium, page, PUBLISHED / "league-0.3.0" / "bundle", "#match=1/0").startswith(
        "Equal: "
    )
    assert chromium.texts("[data-what=carries]") == [not_checked.carries()]
    assert not_checked.chain_not_checked() in chromium.texts("[data-what='not checked'] li")
    chromium.until("return document.querySelector('#viewed .board')?.childElementCount")
    assert chromium.wrong() == []


def test_in_chromium_a_game_of_ones_own_is_not_checked_and_the_page_says_which_extension_it_lacks(
    page: Path, chromium: Page
) -> None:
    assert dropped(chromium, page, PUBLISHED / "0.2.0" / "bidding-own-game" / "bundle").startswith(
        "Cannot tell here: "
    )
    assert not_checked.game_not_checked(1, "bidding") in chromium.texts(
        "[data-what='not checked'] li"
    )
    assert chromium.wrong() == []


def test_a_match_of_the_list_opens_in_the_viewer_and_the_address_only_selects(
    page: Path, module_cup: Path, chromium: Page
) -> None:
    assert dropped(chromium, page, module_cup / "cup.khiva", "#match=3").startswith("Equal: ")
    chromium.until("return document.querySelector('#viewed .where')")
    assert chromium.texts("#viewed h2")[0].startswith("Match 1/3")
    assert "step 0 of" in chromium.texts("#viewed .where")[0]
    chromium.keys("End")
    assert chromium.js("return location.hash").startswith("#match=1/3&step=")
    chromium.go("#")
    chromium.until("return !document.querySelector('#viewed').firstChild")
    assert chromium.js("return document.querySelectorAll('.matches tbody th').length") == MATCHES
    chromium.click(".matches tbody tr:nth-child(3) th a")
    chromium.until("return document.querySelector('#viewed .board')?.childElementCount")
    assert chromium.wrong() == []
    for size, dark in ((WIDE, False), (PHONE, True)):
        chromium.size(size, dark)
        assert chromium.js("return document.documentElement.scrollWidth <= innerWidth")


def test_in_chromium_what_is_forged_is_named(
    page: Path, module_cup: Path, chromium: Page, tmp_path: Path
) -> None:
    lines, said = forged_lines(module_cup / "cup.khiva", "tick")
    (tmp_path / "forged.khiva").write_bytes(forged(lines))
    assert dropped(chromium, page, tmp_path / "forged.khiva").startswith("Differs: ")
    assert any(said in line for line in chromium.texts("[data-what=problems] li"))
    assert "Equal" not in chromium.texts("#found")[0]
    assert chromium.wrong() == []


def test_a_bundle_of_hostile_bytes_does_no_harm(
    page: Path, module_cup: Path, chromium: Page, tmp_path: Path
) -> None:
    lines = lines_of(module_cup / "cup.khiva")
    script = (
        "</script><script>window.ran = true; fetch('http://127.0.0.1:9/')</script><img "
        "src=http://127.0.0.1:9/x>"
    )
    lines[0]["engine"] = script
    of_kind(lines, "standings")[0]["table"]["rows"][0]["name"] = script
    (tmp_path / "hostile.khiva").write_bytes(forged(lines))
    assert not dropped(chromium, page, tmp_path / "hostile.khiva").startswith("Equal: ")
    assert not chromium.js("return window.ran")
    assert chromium.wrong() == []


def test_nothing_starts_before_a_bundle_is_chosen_and_a_check_can_be_stopped(
    page: Path, module_cup: Path, chromium: Page
) -> None:
    chromium.visit(page.as_uri())
    chromium.until("return document.querySelector('main')?.childElementCount > 0")
    chromium.js(
        "const start = Worker; window.workers = 0;"
        "Worker = class extends start { constructor(...words) { super(...words); workers++; } }"
    )
    assert chromium.js("return window.workers") == 0
    chromium.choose(module_cup / "cup.khiva")
    chromium.until("return window.workers === 1")
    chromium.click(".takes button")
    assert "Stopped" in chromium.texts("#found")[0]
    assert not chromium.texts("[data-what=verdict]")


@pytest.mark.parametrize(
    ("of", "cup"),
    [
        ("chromium", "plain_recursions"),
        pytest.param("chromium", "few_interpreted_recursions", marks=WITH_PYTHON),
        pytest.param("chromium", "interpreted_recursions", marks=pytest.mark.long),
        pytest.param("other_browser", "plain_recursions", marks=FIREFOX),
        pytest.param("other_browser", "interpreted_recursions", marks=[FIREFOX, pytest.mark.long]),
    ],
)
def test_no_recursion_differs_for_want_of_stack(
    page: Path, request: pytest.FixtureRequest, of: str, cup: str
) -> None:
    browser: Page | Firefox = request.getfixturevalue(of)
    verdict = dropped(browser, page, request.getfixturevalue(cup) / "cup.khiva")
    assert verdict.startswith("Equal: "), browser.texts("[data-what=problems] li")


@pytest.mark.language
@pytest.mark.parametrize("of", BROWSERS)
def test_bots_in_python_and_javascript_are_run_by_the_interpreters_out_of_the_bundle(
    page: Path, interpreted_cup: Path, request: pytest.FixtureRequest, of: str
) -> None:
    browser: Page | Firefox = request.getfixturevalue(of)
    assert dropped(browser, page, interpreted_cup / "cup.khiva").startswith("Equal: ")
    (told,) = browser.texts("[data-what=event]")
    (over,) = of_kind(lines_of(interpreted_cup / "cup.khiva"), "over")
    assert "6 of 6 matches equal by the rules, 6 with every bot run again. " in told
    assert told.endswith(f"Run digest {over['digest']}")


@pytest.mark.parametrize(
    "of", ["chromium", pytest.param("other_browser", marks=[FIREFOX, pytest.mark.long])]
)
def test_modules_that_are_too_much_cannot_be_told_and_the_page_checks_the_next_bundle(
    page: Path, module_cup: Path, too_much_cup: Path, request: pytest.FixtureRequest, of: str
) -> None:
    browser: Page | Firefox = request.getfixturevalue(of)
    assert dropped(browser, page, too_much_cup / "cup.khiva").startswith("Cannot tell here: ")
    assert (
        "12 of 12 matches equal by the rules, 0 with every bot run again, 12 cannot be told here"
        in browser.texts("[data-what=event]")[0]
    )
    lines = browser.texts("[data-what=problems] li")
    assert [what for what in TOO_MUCH if not any(line.endswith(what) for line in lines)] == []
    browser.choose(module_cup / "cup.khiva")
    browser.until(
        "return document.querySelector('[data-what=verdict]')?.textContent.startsWith('Equal: ')"
    )


@FIREFOX
def test_firefox_comes_to_the_same_verdicts(
    page: Path, module_cup: Path, other_browser: Firefox, tmp_path: Path
) -> None:
    assert dropped(other_browser, page, module_cup / "cup.khiva", "#match=3").startswith("Equal: ")
    assert f"{MATCHES} with every bot run again" in other_browser.texts("[data-what=event]")[0]
    other_browser.until("return document.querySelector('#viewed .board')?.childElementCount")
    lines, said = forged_lines(module_cup / "cup.khiva", "tick")
    (tmp_path / "forged.khiva").write_bytes(forged(lines))
    assert dropped(other_browser, page, tmp_path / "forged.khiva").startswith("Differs: ")
    assert any(said in line for line in other_browser.texts("[data-what=problems] li"))
