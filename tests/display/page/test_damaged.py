"""A page whose data is damaged, or another's, says so in one sentence."""

import base64
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from browser import Page

from khiva_arena.display.page.html import as_json

Made = Callable[[str], tuple[Path, Path]]
DAMAGED = "This part of the page is damaged: the file was cut short or changed."
MISSING = "This part of the page is missing: the file was cut short or changed."
OTHERS = [
    None,
    [],
    7,
    {},
    {"events": [], "tables": []},
    {"events": [{}], "tables": [{}], "matches": [[9]]},
]


def changed(file: Path, name: str, block: str, folder: Path) -> Path:
    """The page with another block of data."""
    pattern = rf'<script type="application/base64" id="{name}">.*?</script>'
    text, many = re.subn(pattern, lambda _: block, file.read_text(), count=1)
    assert many == 1
    (folder / "page.html").write_text(text)
    return folder / "page.html"


def says(page: Page, file: Path, view: str, sentence: str) -> None:
    page.open(file, view)
    page.until("return document.querySelector('[role=alert]')")
    assert page.texts("[role=alert]") == [sentence]
    assert [line for line in page.wrong() if line.startswith(("error", "rejected", "policy"))] == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "view"), [("data", ""), ("replay-0", "#match=1/0")])
def test_a_block_that_is_cut_or_missing(
    page: Page, made: Made, tmp_path: Path, name: str, view: str
) -> None:
    file = made("khiva-round-robin")[1]
    whole = re.search(rf'id="{name}">(.*?)</script>', file.read_text())
    assert whole
    data = whole[1]
    for cut in (
        data[:401],
        data[:400],
        data[:400] + "*" + data[401:],
        data[:400] + "AAAA" + data[404:],
        "",
    ):
        block = f'<script type="application/base64" id="{name}">{cut}</script>'
        says(page, changed(file, name, block, tmp_path), view, DAMAGED)
    says(page, changed(file, name, "", tmp_path), view, MISSING)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "view"), [("data", ""), ("replay-0", "#match=1/0&step=3")])
def test_a_block_of_something_else(
    page: Page, made: Made, tmp_path: Path, name: str, view: str
) -> None:
    file = made("khiva-round-robin")[1]
    for other in OTHERS:
        data = base64.b64encode(zlib.compress(as_json(other))).decode()
        block = f'<script type="application/base64" id="{name}">{data}</script>'
        says(page, changed(file, name, block, tmp_path), view, DAMAGED)
