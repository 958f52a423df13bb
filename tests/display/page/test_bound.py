"""A page of many matches on one deal: it keeps its bound, holds few replays in memory,
and replays each match once.
"""

import base64
import re
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from once import made_once
from pages import ORDINAL, REPLAY, blocks, films, page_of
from synthesised import planned, play_event

from khiva_arena.competition.events import points
from khiva_arena.competition.pages.write import write_page
from khiva_arena.display.page import box, folder
from khiva_arena.records.replay import frames

pytestmark = pytest.mark.slow
MATCHES = 90
BLOCK = re.compile(r'<script type="application/base64" id="replay-[0-9]+">([^<]*)</script>\n?')


@made_once
def one_deal(folder: Path) -> None:
    """Play in "out" an event of ten bots, all on one deal."""
    play_event(folder / "out", planned(bots=10, seeds=1))


def has_replays(page: Path) -> list[bool]:
    """Return whether each match of a page has its replay there, in the order of the
    schedule.
    """
    matches = sorted(blocks(page)["data"]["matches"], key=lambda match: match[ORDINAL])
    return [isinstance(match[REPLAY], list) for match in matches]


@pytest.mark.parametrize("most", [10_000, 40_000, 80_000])
def test_replays_of_one_deal_keep_the_bound(one_deal: Path, tmp_path: Path, most: int) -> None:
    page = tmp_path / "page.html"
    write_page(page, page_of(one_deal / "out", replays=most))
    assert most / 2 < sum(len(block[0]) for block in BLOCK.finditer(page.read_text())) <= most
    shown = has_replays(page)
    assert shown == sorted(shown, reverse=True), "the first matches"
    assert len(shown) == MATCHES
    assert 0 < sum(shown) == films(page) < MATCHES


def test_what_one_page_has_no_room_for_goes_into_the_next(
    one_deal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "PAGE_MOST", 30_000)
    page, beside = tmp_path / "page.html", tmp_path / "page-replays"
    write_page(page, page_of(one_deal / "out", replays=20_000, folder=folder.ReplayFolder(page)))
    in_folder = [
        beside / ("1-seed-0.html" if number == 1 else f"1-seed-0-{number}.html")
        for number in range(1, 99)
    ]
    pages = [path for path in in_folder if path.exists()]
    assert len(pages) > 2
    assert sorted(beside.iterdir()) == sorted(pages)
    for path in pages:
        assert sum(len(block[0]) for block in BLOCK.finditer(path.read_text())) <= 30_000
        assert all(has_replays(path))
    assert films(page) + sum(map(films, pages)) == MATCHES
    named = Counter(
        str(match[REPLAY])
        for match in blocks(page)["data"]["matches"]
        if isinstance(match[REPLAY], str)
    )
    assert named == {f"page-replays/{path.name}": films(path) for path in pages}
    write_page(page, page_of(one_deal / "out", replays=0, folder=folder.ReplayFolder(page)))
    assert sum(map(films, beside.iterdir())) == MATCHES, "pages of the report before are replaced"


def test_replays_are_compressed_as_they_come(
    one_deal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box, "AT_ONCE", 50_000)
    page = tmp_path / "page.html"
    write_page(page, page_of(one_deal / "out"))
    lengths = [
        len(zlib.decompress(base64.b64decode(block[1])))
        for block in BLOCK.finditer(page.read_text())
    ]
    assert films(page) == MATCHES
    longest = max(lengths) * len(lengths) / MATCHES * 2  # a match takes this much at most
    assert max(lengths) < 50_000 + longest
    assert min(lengths[:-1]) > 50_000


def test_each_match_of_a_page_is_replayed_once(
    one_deal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed: Counter[str] = Counter()

    def counted(verify: Any) -> Any:
        def replay(record: Any, *rest: Any) -> Any:
            replayed[record.header.match] += 1
            return verify(record, *rest)

        return replay

    for module in (frames, points):
        monkeypatch.setattr(module, "verify", counted(module.verify))
    with_films = page_of(one_deal / "out")
    assert replayed.total() == len(replayed) == MATCHES
    replayed.clear()
    without = page_of(one_deal / "out", replays=0)
    assert 0 < replayed.total() == len(replayed)
    tables = [
        zlib.decompress(base64.b64decode(re.findall(r'id="data">([^<]*)<', page)[0]))
        for page in (with_films, without)
    ]
    of_points = [re.findall(rb'"points":\{"matches":.*?"rows".*?\]\}', table) for table in tables]
    assert of_points[0] == of_points[1] != []
