"""What axe-core finds in a page: whatever keeps somebody from using it."""

from browser import PHONE, WIDE, Page
from npm import packages

ALL = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}
OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""The rules that a page can break in the dark alone: tests/display/page/test_access.py
makes sure that only colours change there.
"""
AUDIT = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: arguments[0], resultTypes: ["violations"]}).then(
  ({violations}) => done(violations.flatMap(({id, help, nodes}) =>
    nodes.slice(0, 3).map(({html, any, all}) =>
      `${id}: ${help}: ${html.slice(0, 160)} ${[...any, ...all][0]?.message ?? ""}`))),
  (error) => done([String(error)]));
"""


def load(page: Page) -> None:
    """Once after a page was opened."""
    page.js(f"{(packages() / 'axe-core' / 'axe.min.js').read_text()}; window.axe = axe")


def violations(page: Page, view: str) -> dict[str, list[str]]:
    """By problem, where it is, at two widths, light and dark. ``view``: what it is
    called there.
    """
    found: dict[str, list[str]] = {}
    for size in (WIDE, PHONE):
        for dark in (False, True):
            page.size(size, dark)
            page.until(
                "return new Promise((done) => requestAnimationFrame(() => "
                "requestAnimationFrame(() => done(true))))"
            )
            for problem in page.driver.execute_async_script(AUDIT, OF_COLOURS if dark else ALL):
                found.setdefault(problem, []).append(
                    f"{view} {size[0]} {'dark' if dark else 'light'}"
                )
    return found
