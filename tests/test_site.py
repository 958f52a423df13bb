"""The site that ``make docs`` builds, read as files and in a browser; and what its side
bar is made from.
"""

import re
import runpy
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from arena import ROOT
from tools import lacks

if TYPE_CHECKING:
    from browser import Page

DOCS = ROOT / "docs"
BUILT = DOCS / "_build" / "html"
PAGES = tomllib.loads((DOCS / "pages.toml").read_text("utf-8"))
LINK = re.compile(r"\]\(([^()\s#]+)(?:#[^()\s]*)?\)")
COLUMNS = 80
"""The width of a terminal, and of a code block that is seen whole on the site."""


@pytest.fixture(scope="module")
def site() -> Path:
    """The folder of the site, built since its pages changed."""
    made = BUILT / "docs" / "index.html"
    written = max(
        path.stat().st_mtime
        for path in (*DOCS.glob("*.md"), *DOCS.glob("*.py"), DOCS / "pages.toml")
    )
    if not made.exists() or made.stat().st_mtime < written:
        lacks("the site is not built, or older than its pages; make docs")
    return BUILT


def test_every_page_is_in_the_side_bar_once_and_under_one_kind() -> None:
    listed = [
        entry.file
        for some in runpy.run_path(str(DOCS / "side_bar.py"))["entries"]().values()
        for entry in some
    ]
    assert len(listed) == len(set(listed))
    rooms = (
        "docs/*.md",
        "protocol/*.md",
        "protocol/games/*.md",
        "khiva_arena/games/*/RULES.md",
        "bots/*.md",
        "bots/*/README.md",
    )
    there = {str(path.relative_to(ROOT)) for room in rooms for path in ROOT.glob(room)}
    assert there <= set(listed)
    assert {row["file"] for row in PAGES.values()} <= set(listed)
    assert [name for name in listed if not (ROOT / name).is_file()] == []


def test_a_page_has_one_heading_above_all_others_and_no_page_that_was_replaced_is_there() -> None:
    for row in PAGES.values():
        text = re.sub(
            r"^```.*?^```",
            "",
            (ROOT / row["file"]).read_text("utf-8"),
            flags=re.MULTILINE | re.DOTALL,
        )
        assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1, row["file"]
        assert [name for name in row.get("replaced", []) if (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    "file",
    [
        "README.md",
        *(row["file"] for row in PAGES.values() if row["kind"] in ("start", "tutorials")),
    ],
)
def test_the_commands_of_the_first_pages_are_seen_whole(file: str) -> None:
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (ROOT / file).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert [line for block in blocks for line in block.splitlines() if len(line) > COLUMNS] == []


def test_programs_find_each_page_as_markdown_from_one_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    tools = runpy.run_path(str(DOCS / "for_agents.py"))
    tools["write"](tmp_path)
    listed = re.findall(
        r"^- \[.+\]\((\S+?)\)(?:: .+)?$", (tmp_path / "llms.txt").read_text("utf-8"), re.MULTILINE
    )
    assert sorted(listed) == sorted(
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.md")
    )
    assert {row["file"] for row in PAGES.values()} <= set(listed)
    dead = {
        (name, link)
        for name in listed
        for link in LINK.findall(
            re.sub(
                r"^```.*?^```",
                "",
                (tmp_path / name).read_text("utf-8"),
                flags=re.MULTILINE | re.DOTALL,
            )
        )
        if "://" not in link and not (tmp_path / name).parent.joinpath(link).is_file()
    }
    assert dead == set()
    games = (tmp_path / "docs" / "games.md").read_text("utf-8")
    assert "](../protocol/games/khiva.md)" in games
    assert (DOCS / "games.md").read_text("utf-8").splitlines()[0] == games.splitlines()[0]


@pytest.mark.soak
def test_the_built_site_has_a_list_for_programs(site: Path) -> None:
    assert (site / "llms.txt").read_text("utf-8").startswith("# Khiva Arena\n")
    assert (site / "docs" / "games.md").is_file()


@pytest.mark.soak
def test_formulas_are_drawn_and_the_diagram_is_a_picture(site: Path) -> None:
    source = (DOCS / "how-ratings-work.md").read_text("utf-8")
    made = (site / "docs" / "how-ratings-work.html").read_text("utf-8")
    blocks = len(re.findall(r"^\$\$.*?\$\$$", source, re.MULTILINE | re.DOTALL))
    spans = len(
        re.findall(
            r"\$[^$\n]+\$",
            re.sub(r"^\$\$.*?\$\$$|`[^`]*`", "", source, flags=re.MULTILINE | re.DOTALL),
        )
    )
    assert blocks > 5
    assert spans > 20
    assert (made.count('display="block"'), made.count('display="inline"')) == (blocks, spans)
    assert [
        path.name
        for path in site.rglob("*.html")
        if "$$" in re.sub(r"<pre>.*?</pre>", "", path.read_text(), flags=re.DOTALL)
    ] == []
    assert re.search(
        r'<img[^>]*src="[^"]*session\.svg"', (site / "protocol" / "SPEC.html").read_text()
    )


@pytest.mark.soak
def test_each_page_tells_a_search_engine_what_it_is_for(site: Path) -> None:
    for row in PAGES.values():
        assert (
            '<meta name="description"' in (site / row["file"].replace(".md", ".html")).read_text()
        ), row["file"]


@pytest.mark.soak
def test_the_reference_of_python_has_no_quotes(site: Path) -> None:
    assert "<blockquote" not in (site / "docs" / "python-reference.html").read_text()


@pytest.mark.soak
def test_who_looks_for_install_finds_the_install_page_first(site: Path, page: "Page") -> None:
    page.visit(f"{(site / 'search.html').as_uri()}?q=install")
    page.until("return document.querySelector('#search-results li a')")
    first = str(page.js("return document.querySelector('#search-results li a').href"))
    assert first.partition("?")[0].partition("#")[0].endswith("/docs/install.html")


@pytest.mark.soak
def test_a_table_with_long_cells_is_a_list_on_a_phone(site: Path, page: "Page") -> None:
    """Where a column of such a table would be three words wide, each cell is as wide as
    the page, below its heading.
    """
    wide = [
        path for path in sorted(site.rglob("*.html")) if 'class="narrow-list' in path.read_text()
    ]
    assert wide
    page.size((390, 800))
    for path in wide[:5]:
        page.visit(path.as_uri())
        share = (
            "return Math.min(...[...document.querySelectorAll('table.narrow-list "
            "td')].filter((cell) => cell.textContent)"
        )
        share += (
            ".map((cell) => cell.getBoundingClientRect().width)) / "
            "document.documentElement.clientWidth"
        )
        assert page.js(share) > 0.7, path.name
