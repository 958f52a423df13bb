"""What everybody needs to use a page: no violation that axe-core finds, at two widths, light and dark; and keys alone suffice."""

from collections.abc import Callable
from pathlib import Path

import pytest
from browser import PHONE, WIDE, Page
from npm import packages

Made = Callable[[str], tuple[Path, Path]]
TAGS = ("wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice")
AUDIT = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: {type: "tag", values: arguments[0]}, resultTypes: ["violations"]}).then(
  ({violations}) => done(violations.flatMap(({id, help, nodes}) =>
    nodes.slice(0, 3).map(({html, any, all}) => `${id}: ${help}: ${html.slice(0, 160)} ${[...any, ...all][0]?.message ?? ""}`))),
  (error) => done([String(error)]));
"""
MATCH = "#match=1/0&step=5"
VIEWS = {
    "khiva-round-robin": ("", "#bot={bot}", "#matches=all", MATCH, f"{MATCH}&eyes=public"),
    "emira-round-robin": (MATCH,),
    "silk_road-round-robin": (MATCH,),
    **{f"khiva-{form}": ("",) for form in ("knockout", "swiss", "stages", "gauntlet")},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", VIEWS)
def test_axe_finds_nothing(page: Page, made: Made, case: str) -> None:
    axe = (packages() / "axe-core" / "axe.min.js").read_text()
    page.open(made(case)[1])
    bot = page.js("return new URLSearchParams(document.querySelector('.standings tbody a').hash.slice(1)).get('bot')")
    page.js(f"{axe}; window.axe = axe")
    found: dict[str, list[str]] = {}
    for view in VIEWS[case]:
        page.go(view.format(bot=bot) or "#")
        page.until("return !location.hash.startsWith('#match=1') || document.querySelector('.where')")
        page.js(
            "for (const one of document.querySelectorAll('details')) one.open = true; document.querySelector('.what')?.click()"
        )
        for size in (WIDE, PHONE):
            for dark in (False, True):
                page.size(size, dark)
                page.until("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
                for problem in page.driver.execute_async_script(AUDIT, TAGS):
                    found.setdefault(problem, []).append(f"{view} {size[0]} {'dark' if dark else 'light'}")
    assert not found, "\n".join(f"{problem} {where}" for problem, where in found.items())
