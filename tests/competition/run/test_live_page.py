"""``run --report``: a page that is kept up to date while matches are played, and takes
nothing from them.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from arena import C, arena, bots
from forked_command import started
from stores import NAIVE
from waiting import until
from wording import sentence

from khiva_arena.competition.run.live_page import NICENESS, LivePage
from khiva_arena.display.page import html

pytestmark = pytest.mark.slow

RUN = ("run", *bots(NAIVE, C), "--seats", "2", "--trust-bots", "--seed", "page", "--out", "out")


class Said(list[str]):
    def __call__(self, text: str, *, warning: bool = False) -> None:
        self.append(f"warning: {text}" if warning else text)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("live")
    arena(*RUN, "--seeds", "1", cwd=place)
    return place / "out"


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def page(store: Path, tmp_path: Path, said: Said) -> Iterator[LivePage]:
    with LivePage(store, tmp_path / "page.html", said) as live:
        yield live


def made_by(live: LivePage) -> subprocess.Popen[bytes]:
    assert live._process._process is not None
    return live._process._process


def test_the_page_is_told_the_settings_file_and_no_folder(
    store: Path, tmp_path: Path, said: Said
) -> None:
    with LivePage(store, tmp_path / "page.html", said, settings="cup.toml") as live:
        live.recorded((), whole_seed=True)
        words = made_by(live).args
    assert isinstance(words, list)
    assert "--settings-file=cup.toml" in words


def test_a_complete_seed_begins_a_page_and_a_match_alone_does_not(
    page: LivePage, tmp_path: Path
) -> None:
    page.recorded((), whole_seed=False)
    assert not page._process.is_there
    page.recorded((), whole_seed=True)
    first = made_by(page)
    assert os.getpriority(os.PRIO_PROCESS, first.pid) == NICENESS
    assert os.getsid(first.pid) != os.getsid(0)
    page.recorded((), whole_seed=True)
    assert made_by(page) is first
    first.wait()
    assert (tmp_path / "page.html").read_bytes().startswith(html.BEGINNING)


def test_a_seed_that_comes_too_early_is_shown_after_the_pause(page: LivePage) -> None:
    page.recorded((), whole_seed=True)
    made_by(page).wait()
    page.recorded((), whole_seed=True)
    assert not page._process.is_there
    assert page._pause_until > time.monotonic()
    page._pause_until = 0.0
    page.recorded((), whole_seed=False)
    made_by(page)


def test_the_end_does_not_wait_for_a_page_that_is_old(
    page: LivePage, tmp_path: Path, said: Said
) -> None:
    page.recorded((), whole_seed=True)
    before = made_by(page)
    page.finish(())
    assert before.returncode == -9
    assert said == [
        sentence("competition", "page-results-open-browser", path=tmp_path / "page.html")
    ]


def test_a_stop_leaves_no_process(store: Path, tmp_path: Path, said: Said) -> None:
    with suppress(KeyboardInterrupt), LivePage(store, tmp_path / "page.html", said) as live:
        live.recorded((), whole_seed=True)
        process = made_by(live)
        raise KeyboardInterrupt
    assert process.returncode == -9
    assert os.listdir(tmp_path) in ([], ["page.html.part"])


def test_a_page_that_cannot_be_written_ends_with_one_warning(
    store: Path, tmp_path: Path, said: Said
) -> None:
    (tmp_path / "page.html").write_text("mine")
    with LivePage(store, tmp_path / "page.html", said) as live:
        live.recorded((), whole_seed=True)
        made_by(live).wait()
        for _ in range(3):
            live.recorded((), whole_seed=True)
        live.finish(())
    assert len(said) == 1
    assert said[0].startswith(
        "warning: the page of results ends early" + f": {tmp_path / 'page.html'}: exists already"
    )
    assert said[0].endswith(f"later: khiva-arena report {store} --out {tmp_path / 'page.html'}")
    assert (tmp_path / "page.html").read_text() == "mine"


@pytest.mark.soak
def test_a_run_writes_one_and_so_does_the_same_command_again(tmp_path: Path) -> None:
    done = arena(*RUN, "--seeds", "2", "--report", "page.html", cwd=tmp_path)
    assert sentence("competition", "page-results-open-browser", path="page.html") in done.stderr
    assert (tmp_path / "page.html").read_bytes().startswith(html.BEGINNING)
    (tmp_path / "page.html").unlink()
    again = arena(*RUN, "--seeds", "2", "--report", "page.html", cwd=tmp_path)
    assert "nothing is played" in again.stderr
    assert (tmp_path / "page.html").exists()


def test_it_is_there_before_the_end(tmp_path: Path) -> None:
    process = started(*RUN, "--seeds", "2000", "--report", "page.html", cwd=tmp_path)
    try:
        assert until(lambda: (tmp_path / "page.html").exists() or process.poll() is not None)
        assert process.poll() is None
    finally:
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert "interrupted" in said
    assert {path.name for path in tmp_path.iterdir()} <= {"out", "page.html", "page.html.part"}


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("missing/page.html", "missing/page.html: cannot be written: no such folder"),
        ("mine.txt", sentence("store", "exists-already-not-changed", path="mine.txt")),
        (
            "out/page.html",
            sentence("settings", "lies-store-name-file", file="--report out/page.html", out="out"),
        ),
    ],
)
def test_a_place_that_is_not_possible_is_said_before_anything_is_played(
    tmp_path: Path, file: str, said: str
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = arena(*RUN, "--seeds", "1", "--report", file, cwd=tmp_path, code=2)
    assert f"khiva-arena: error: {said}" in done.stderr
    assert not (tmp_path / "out").exists()


def test_one_file_cannot_be_the_page_and_the_stream_of_events(tmp_path: Path) -> None:
    done = arena(
        *RUN,
        "--seeds",
        "1",
        "--report",
        "page.html",
        "--events-file",
        "./page.html",
        cwd=tmp_path,
        code=2,
    )
    assert (
        "khiva-arena: error: --report page.html: --events-file names this file, too; name "
        "another one" in done.stderr
    )
    assert os.listdir(tmp_path) == []
