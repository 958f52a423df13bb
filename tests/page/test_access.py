"""What everybody needs to use a page: no violation that axe-core finds, at two widths, light and dark; and keys alone suffice."""

from collections.abc import Callable
from pathlib import Path

import pytest
from axe import load, violations
from browser import Page
from in_targets import long_but

Made = Callable[[str], tuple[Path, Path]]
MATCH = "#match=1/0&step=5"
VIEWS = {
    "khiva-round-robin": ("", "#bot={bot}", "#matches=all", MATCH, f"{MATCH}&eyes=public"),
    "emira-round-robin": (MATCH,),
    "silk_road-round-robin": (MATCH,),
    **{f"khiva-{form}": ("",) for form in ("knockout", "swiss", "stages", "gauntlet")},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", long_but(VIEWS, VIEWS.keys() - {"khiva-swiss", "khiva-gauntlet"}))  # tables as in stages
def test_axe_finds_nothing(page: Page, made: Made, case: str) -> None:
    page.open(made(case)[1])
    bot = page.js("return new URLSearchParams(document.querySelector('.standings tbody a').hash.slice(1)).get('bot')")
    load(page)
    found: dict[str, list[str]] = {}
    for view in VIEWS[case]:
        page.go(view.format(bot=bot) or "#")
        page.until("return !location.hash.startsWith('#match=1') || document.querySelector('.where')")
        page.js(
            "for (const one of document.querySelectorAll('details')) one.open = true; document.querySelector('.what')?.click()"
        )
        for problem, where in violations(page, view).items():
            found.setdefault(problem, []).extend(where)
    assert not found, "\n".join(f"{problem} {where}" for problem, where in found.items())
