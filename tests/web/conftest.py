"""The browser of the tests of pages."""

from collections.abc import Iterator

import pytest
from browser import WIDE, Page, browser


@pytest.fixture(scope="session")
def _browser() -> Iterator[Page]:
    with browser() as page:
        yield page


@pytest.fixture
def page(_browser: Page) -> Page:
    """A wide, light window."""
    _browser.size(WIDE)
    _browser.wrong()
    return _browser
