"""``khiva-arena report``: what it says, what it refuses, and what is never in a page."""

import gzip
import platform
import re
import signal
import sqlite3
import sys
from collections import Counter
from pathlib import Path

import pytest
from arena import ROOT, arena, bots, started, wait_for_matches
from once import made_once
from pages import FAULTS, REPLAY, SEED, blocks, films, text

pytestmark = pytest.mark.slow

BOT = """#!{python}
import sys
sys.stderr.write("WHISPER of {name}\\n")
sys.argv[1:] = {faults}
"""


def bot(folder: Path, name: str, *faults: str) -> Path:
    """A bot in a folder that is named like nothing else, that says on stderr what nobody else does."""
    made = folder / f"lair-of-{name}"
    made.mkdir()
    program = made / "program"
    head = BOT.format(python=sys.executable, name=name, faults=list(faults or ("honest", "0")))
    program.write_text(head + (ROOT / "tests" / "support" / "faulty.py").read_text())
    program.chmod(0o755)
    (made / "bot.toml").write_text(f'name = "{name}"\nrun = "./program"\n')
    return made


@made_once
def folder(folder: Path) -> None:
    """A store of three bots, two of one name, and its bundle."""
    one, two = bot(folder, "ann"), bot(folder, "bob", "illegal", "2")
    other = bot(folder, "ann2")
    (other / "bot.toml").write_text('name = "ann"\nrun = "./program"\n')
    words = ["--seats", "2", "--seeds", "3", "--seed", "page", "--isolation", "trusted", "-j", "2", "--out", "vault"]
    arena("run", *bots(str(one), str(two), str(other)), *words, cwd=folder)
    arena("bundle", "vault", "b.khiva", cwd=folder)


@made_once
def stopped(folder: Path) -> None:
    """A store whose event was stopped in the middle of a deal, on which 12 matches are played."""
    four = bots(*(str(bot(folder, name, "illegal", "2")) for name in ("ann", "bob", "cy", "dan")))
    words = ["--seats", "2", "--seeds", "30", "--seed", "stopped", "--isolation", "trusted", "-j", "1", "--out", "out"]
    for many in range(16, 200, 8):
        process = started("run", *four, *words, cwd=folder)
        wait_for_matches(folder / "out" / "arena.db", many)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        if min(on_each_deal(folder / "out").values()) < 12:
            return
    raise AssertionError("it was never stopped in the middle of a deal")


def on_each_deal(store: Path) -> Counter[int]:
    """How many matches are recorded, by seed."""
    connection = sqlite3.connect(store / "arena.db")
    seeds = Counter(seed for (seed,) in connection.execute("SELECT seed FROM matches"))
    connection.close()
    return seeds


def test_it_is_written_and_replaced(folder: Path, tmp_path: Path) -> None:
    said = arena("report", str(folder / "vault"), "--out", "page.html", "--title", "Spring cup", cwd=tmp_path)
    assert said.stdout == ""
    assert re.fullmatch(r"page\.html: [0-9]+ kB; open it in a browser\n", said.stderr)
    first = blocks(tmp_path / "page.html")
    assert first["data"]["title"] == "Spring cup"
    assert films(tmp_path / "page.html") == len(first["data"]["matches"]) == 18
    arena("report", str(folder / "vault"), "--out", "page.html", "--replays", "none", cwd=tmp_path)
    assert films(tmp_path / "page.html") == 0
    assert [match[:REPLAY] for match in blocks(tmp_path / "page.html")["data"]["matches"]] == [
        match[:REPLAY] for match in first["data"]["matches"]
    ]


def test_a_file_that_is_no_page_stays(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("<!doctype html>\n<p>mine")
    (tmp_path / "link.html").symlink_to(tmp_path / "mine.html")
    for name in ("mine.html", "link.html"):
        said = arena("report", str(folder / "vault"), "--out", name, cwd=tmp_path, code=2)
        assert f"{name}: exists already, and is not changed; give another name, or remove it first" in said.stderr
    assert (tmp_path / "mine.html").read_text() == "<!doctype html>\n<p>mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "nothing"),
        (["{folder}/vault", "7"], "no event '7' here; there are 1 ("),
        (["{folder}/b.khiva", "1"], "a bundle is shown as a whole: leave out the events"),
        (["{folder}/vault", "--out", "no/such/page.html"], "no/such/page.html: cannot be written: No such file or directory"),
        (["{folder}/lair-of-ann/program"], "program: "),
    ],
)
def test_what_cannot_be_shown(folder: Path, tmp_path: Path, words: list[str], message: str) -> None:
    given = [word.format(folder=folder) for word in words]
    said = arena("report", *given, *([] if "--out" in given else ["--out", "page.html"]), cwd=tmp_path, code=2)
    assert message in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_that_was_changed_is_not_shown(folder: Path, tmp_path: Path) -> None:
    lines = gzip.decompress((folder / "b.khiva").read_bytes()).decode().splitlines(keepends=True)
    (tmp_path / "changed").write_bytes(gzip.compress("".join(line for line in lines if '"ordinal":3,' not in line).encode()))
    said = arena("report", "changed", "--out", "page.html", cwd=tmp_path, code=1)
    assert "changed: not sound: " in said.stderr
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("source", ["vault", "b.khiva"])
def test_nothing_private_is_in_it(folder: Path, tmp_path: Path, source: str) -> None:
    arena("report", str(folder / source), "--out", "page.html", cwd=tmp_path)
    shown = text(tmp_path / "page.html")
    for word in ("WHISPER", "lair-of", "vault", "b.khiva", str(folder), str(tmp_path), platform.node()):
        assert not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", shown), word


def test_how_to_check_it_names_no_folder(folder: Path, tmp_path: Path) -> None:
    for words, verify in (
        (["vault"], "khiva-arena verify STORE"),
        (["vault", "1"], "khiva-arena verify STORE 1"),
        (["b.khiva"], "khiva-arena verify BUNDLE"),
    ):
        arena("report", str(folder / words[0]), *words[1:], "--out", "page.html", cwd=tmp_path)
        assert blocks(tmp_path / "page.html")["data"]["verify"] == verify


def test_of_a_deal_that_is_not_over_only_results_are_in_it(stopped: Path, tmp_path: Path) -> None:
    arena("report", str(stopped / "out"), "--out", "page.html", "--replays", "all", cwd=tmp_path)
    matches = blocks(tmp_path / "page.html")["data"]["matches"]
    deals = on_each_deal(stopped / "out")
    over = {seed for seed, many in deals.items() if many == 12}
    assert {match[SEED] for match in matches} == set(deals) > over
    for match in matches:
        assert (match[REPLAY] is not None) == (match[SEED] in over)
        details = [detail for _, _, _, detail in match[FAULTS]]
        assert details
        assert all(details) == any(details) == (match[SEED] in over)
    assert films(tmp_path / "page.html") == 12 * len(over)
    (event,) = blocks(tmp_path / "page.html")["data"]["events"]
    assert (event["over"], event["secret"], event["digest"]) == (False, "", "")
