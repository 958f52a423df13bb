"""What everybody needs to use a page: no violation that axe-core finds, at two widths,
light and dark; and keys alone suffice.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe import load, violations
from browser import PHONE, WIDE, Page
from in_targets import long_but

import khiva_arena

PACKAGE = Path(khiva_arena.__file__).parent
Made = Callable[[str], tuple[Path, Path]]
MATCH = "#match=1/0&step=5"
VIEWS = {
    "khiva-round-robin": ("", "#bot={bot}", "#matches=all", MATCH, f"{MATCH}&eyes=public"),
    "emira-round-robin": (MATCH,),
    "silk_road-round-robin": (MATCH,),
    **{f"khiva-{form}": ("",) for form in ("knockout", "swiss", "stages", "gauntlet")},
}

DARK = re.compile(r"prefers-color-scheme|light-dark\(")
PALETTE = "display/page/browser/palette.css"
IN_THE_DARK = re.compile(
    r"@media screen and \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}\s*\}", re.DOTALL
)
COLOUR = re.compile(r"--[a-z0-9]+: (#[0-9a-f]{3,6}|\d+ \d+ \d+)")


def test_in_the_dark_nothing_but_colours_changes() -> None:
    text = (PACKAGE / PALETTE).read_text()
    (changed,) = IN_THE_DARK.findall(text)
    assert len(DARK.findall(text)) == 1
    assert [
        line for line in map(str.strip, changed.split(";")) if line and not COLOUR.fullmatch(line)
    ] == []


def test_only_the_palette_knows_of_the_dark() -> None:
    files = [
        path for kind in ("css", "js", "mjs", "py", "html") for path in PACKAGE.rglob(f"*.{kind}")
    ]
    assert {
        path.relative_to(PACKAGE).as_posix()
        for path in files
        if DARK.search(path.read_text("utf-8"))
    } == {PALETTE}


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", long_but(VIEWS, VIEWS.keys() - {"khiva-swiss", "khiva-gauntlet"})
)  # tables as in stages
def test_axe_finds_nothing(page: Page, made: Made, case: str) -> None:
    page.open(made(case)[1])
    bot = page.js(
        "return new URLSearchParams(document.querySelector('.standings tbody "
        "a').hash.slice(1)).get('bot')"
    )
    load(page)
    found: dict[str, list[str]] = {}
    for view in VIEWS[case]:
        page.go(view.format(bot=bot) or "#")
        page.until(
            "return !location.hash.startsWith('#match=1') || document.querySelector('.where')"
        )
        page.js(
            "for (const one of document.querySelectorAll('details')) one.open = true; "
            "document.querySelector('.what')?.click()"
        )
        for problem, where in violations(page, view).items():
            found.setdefault(problem, []).extend(where)
    assert not found, "\n".join(f"{problem} {where}" for problem, where in found.items())


CUT = """
const found = [];
const focusable = 'a[href], button, select, input, summary, [tabindex="0"]';
for (const one of document.querySelectorAll(focusable)) {
  one.focus({ focusVisible: true });
  const { outlineStyle, outlineOffset, outlineWidth } = getComputedStyle(one);
  if (document.activeElement !== one || outlineStyle === 'none') continue;
  const beside = parseFloat(outlineOffset) + parseFloat(outlineWidth);
  const left = one.getBoundingClientRect().left - beside;
  for (let over = one.parentElement; over !== document.body; over = over.parentElement) {
    if (getComputedStyle(over).overflowX === 'visible' || over.scrollLeft) continue;
    if (left < over.getBoundingClientRect().left + over.clientLeft - 0.5)
      found.push(one.outerHTML.slice(0, 120));
  }
}
return found;
"""
"""What has a ring, while it has the focus, that goes beyond the left edge of what would
cut it there.
"""


@pytest.mark.slow
def test_no_ring_around_what_has_the_focus_is_cut_at_the_left(page: Page, made: Made) -> None:
    for size in (WIDE, PHONE):
        page.size(size)
        for view in ("", "#matches=all", MATCH):
            page.open(made("khiva-round-robin")[1], view)
            page.until(
                "return !location.hash.startsWith('#match=1') || document.querySelector('.where')"
            )
            page.keys("Tab")
            assert page.js(CUT) == [], (size, view)
