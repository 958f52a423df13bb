"""``khiva-arena report`` with choices: notes, authors, other names, chosen matches, all
replays.
"""

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from arena import arena
from pages import BOTS, ID, ORDINAL, REPLAY, SEED, blocks, films, text
from reported import folder, stopped
from wording import sentence

from khiva_arena.competition.pages.authors import file_name
from khiva_arena.display.page import folder as page_folder
from khiva_arena.display.page import html
from khiva_arena.games import registry

__all__ = ["folder", "stopped"]
pytestmark = pytest.mark.slow


def test_notes_are_in_it_if_they_are_asked_for(folder: Path, stopped: Path, tmp_path: Path) -> None:
    arena("report", str(folder / "vault"), "--out", "page.html", "--notes", cwd=tmp_path)
    held = blocks(tmp_path / "page.html")
    for match in held["data"]["matches"]:
        block, place = match[REPLAY]
        names = [held["data"]["events"][0]["bots"][bot]["name"] for bot in match[BOTS]]
        assert held[f"replay-{block}"]["notes"][place] == [
            f"  WHISPER of {said_by(name)}" for name in names
        ]
    arena("report", str(stopped / "out"), "--out", "page.html", "--notes", cwd=tmp_path)
    assert text(tmp_path / "page.html").count("WHISPER") == 2 * films(tmp_path / "page.html")


def said_by(name: str) -> str:
    """What a bot calls itself; the second of a name is numbered in the event."""
    return {"ann-2": "ann2"}.get(name, name)


def test_a_page_for_an_author_has_the_notes_of_one_bot(folder: Path, tmp_path: Path) -> None:
    said = arena(
        "report", str(folder / "vault"), "--for-authors", "pages", cwd=tmp_path
    ).stderr.splitlines()
    pages = sorted((tmp_path / "pages").iterdir())
    assert sorted(said) == [
        f"pages/{page.name}: give this page only to the author of this bot" for page in pages
    ]
    assert len(pages) == 3
    for page in pages:
        name, _, identity = page.stem.rpartition("-")
        held = blocks(page)
        own = {bot["name"]: bot["id"] for bot in held["data"]["events"][0]["bots"]}
        assert own[name].startswith(identity)
        assert set(re.findall(r"WHISPER of (\w+)", text(page))) == {said_by(name)}
        assert {times["bot"] for table in held["data"]["tables"] for times in table["times"]} == {
            own[name]
        }
        position = list(own).index(name)
        for match in held["data"]["matches"]:
            assert (match[REPLAY] is not None) == (position in match[BOTS])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the page needs a place: give --out FILE, --for-authors DIR, or both"),
        (
            ["--for-authors", "pages", "--notes"],
            sentence("report", "page-out-file-page", what="--notes"),
        ),
        (
            ["--for-authors", "pages", "--matches", "1/0"],
            sentence("report", "page-out-file-page", what="--matches"),
        ),
        (["--for-authors", "pages", "7"], "no event '7' here; events here: 1 ("),
    ],
)
def test_what_pages_for_authors_cannot_be(
    folder: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    assert said in arena("report", str(folder / "vault"), *words, cwd=tmp_path, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_replays_beside_an_author_s_page_go_when_another_takes_its_place(
    folder: Path, tmp_path: Path
) -> None:
    words = ["report", str(folder / "vault"), "--for-authors", "pages"]
    arena(*words, "--replays", "all", cwd=tmp_path)
    assert len([path for path in (tmp_path / "pages").iterdir() if path.is_dir()]) == 3
    arena(*words, cwd=tmp_path)
    assert [path.suffix for path in (tmp_path / "pages").iterdir()] == [".html"] * 3


@pytest.mark.parametrize(
    ("names", "file"),
    [
        (("ann", "ann"), "ann-0123456789ab.html"),
        (("../../etc/pass wd", "x"), "_.._etc_pass_wd-0123456789ab.html"),
        (("\u738b", ""), "_-0123456789ab.html"),
        (("-.", ""), "0123456789ab.html"),
        (("a" * 64, ""), f"{'a' * 60}-0123456789ab.html"),
    ],
)
def test_a_file_s_name_is_safe_whatever_a_bot_is_called(names: tuple[str, str], file: str) -> None:
    assert file_name(names[0], "0123456789abcdef") == file
    assert file_name(names[0], "f" * 64) != file


@pytest.mark.parametrize("source", ["vault", "b.khiva"])
@pytest.mark.parametrize("file", ["names.toml", "names.json"])
def test_other_names_are_everywhere(folder: Path, tmp_path: Path, source: str, file: str) -> None:
    arena("report", str(folder / source), "--out", "before.html", "--replays", "none", cwd=tmp_path)
    identity = blocks(tmp_path / "before.html")["data"]["events"][0]["bots"][2]["id"]
    new = {"ann": "Team one", "bob": 'Team "two" \u2603', identity: "Team three"}
    lines = [f"{json.dumps(old)} = {json.dumps(name)}" for old, name in new.items()]
    (tmp_path / file).write_text(json.dumps(new) if file.endswith("json") else "\n".join(lines))
    arena("report", str(folder / source), "--out", "page.html", "--names", file, cwd=tmp_path)
    shown, before = text(tmp_path / "page.html"), text(tmp_path / "before.html")
    for name in ("ann", "ann-2", "bob"):
        assert re.search(rf"\b{name}\b", before)
        assert not re.search(rf"\b{name}\b", shown)
    data = blocks(tmp_path / "page.html")["data"]
    assert [bot["name"] for bot in data["events"][0]["bots"]] == list(new.values())
    assert {row["name"] for row in data["tables"][0]["table"]["rows"]} == set(new.values())
    elo = [
        sorted(row["elo"] for row in of["tables"][0]["table"]["rows"])
        for of in (data, blocks(tmp_path / "before.html")["data"])
    ]
    assert elo[0] == elo[1]
    assert any("Team one" in line for line in blocks(tmp_path / "page.html")["replay-0"]["text"][0])


@pytest.mark.parametrize(
    ("file", "written", "message"),
    [
        (
            "n.toml",
            'bbo = "x"',
            "--names: no bot 'bbo' here (did you mean bob?); there are ann, ann-2, bob",
        ),
        (
            "n.toml",
            'bob = "x"\nann = "x"',
            sentence("page", "names-bots-would-called", old="2", new="'x'"),
        ),
        (
            "n.toml",
            "bob = 3",
            sentence(
                "page",
                "name-printable-characters-stands",
                path="n.toml",
                value="bob",
                longest_name="64",
            ),
        ),
        (
            "n.toml",
            'bob = "\\u202e"',
            sentence(
                "page",
                "name-printable-characters-stands",
                path="n.toml",
                value="bob",
                longest_name="64",
            ),
        ),
        ("n.toml", "bob", "n.toml: not TOML: "),
        ("n.json", "[]", sentence("page", "not-object-names-such", path="n.json")),
        ("n.json", "{", sentence("page", "not-json-can-read", path="n.json") + ": "),
        ("none.toml", None, "none.toml: cannot be read: No such file or directory"),
    ],
)
def test_names_that_cannot_be_taken(
    folder: Path, tmp_path: Path, file: str, written: str | None, message: str
) -> None:
    if written is not None:
        (tmp_path / file).write_text(written)
    said = arena(
        "report", str(folder / "vault"), "--out", "page.html", "--names", file, cwd=tmp_path, code=2
    )
    assert message in said.stderr
    assert not (tmp_path / "page.html").exists()


def test_the_matches_that_were_chosen_are_in_it(
    folder: Path, stopped: Path, tmp_path: Path
) -> None:
    vault = str(folder / "vault")
    arena("report", vault, "--out", "page.html", "--replays", "none", cwd=tmp_path)
    every = blocks(tmp_path / "page.html")["data"]["matches"]
    arena(
        "report",
        vault,
        "--out",
        "page.html",
        "--matches",
        "1/7",
        "--matches",
        "12",
        "--matches",
        every[3][ID],
        cwd=tmp_path,
    )
    held = [
        match[ORDINAL]
        for match in blocks(tmp_path / "page.html")["data"]["matches"]
        if match[REPLAY]
    ]
    assert held == [3, 7, 12]
    assert films(tmp_path / "page.html") == 3
    for words, message in (
        (
            ["--matches", "1/18"],
            sentence(
                "page", "name-event-ordinal-khiva", word="--matches: no recorded match '1/18'"
            ),
        ),
        (["--matches", ""], "--matches: 18 matches ''"),
        (
            ["--matches", "1/1", "--replays", "none"],
            sentence("report", "matches-chooses-replays-replays"),
        ),
    ):
        assert (
            message
            in arena("report", vault, "--out", "other.html", *words, cwd=tmp_path, code=2).stderr
        )
    arena("report", str(stopped / "out"), "--out", "page.html", cwd=tmp_path)
    last = next(
        f"1/{match[ORDINAL]}"
        for match in blocks(tmp_path / "page.html")["data"]["matches"]
        if not match[REPLAY]
    )
    said = arena(
        "report",
        str(stopped / "out"),
        "--out",
        "other.html",
        "--matches",
        last,
        cwd=tmp_path,
        code=2,
    )
    assert (
        f"--matches: {last}: other matches on its deal are still to be played, so it is "
        "not shown yet" in said.stderr
    )
    assert not (tmp_path / "other.html").exists()


def test_all_replays_go_into_pages_beside_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_folder, "PAGE_MOST", 1)
    beside = tmp_path / "a page-replays"
    beside.mkdir()
    old = (folder / "b.khiva", "old.html")[1]
    arena("report", str(folder / "vault"), "--out", old, "--replays", "none", cwd=tmp_path)
    for name in ("1-seed-77.html", "mine.html"):
        (beside / name).write_bytes((tmp_path / old).read_bytes())
    (beside / "1-seed-78.html").write_text("mine")
    words = [
        str(folder / "vault"),
        "--out",
        "a page.html",
        "--replays",
        "all",
        "--matches",
        "1/0",
        "--notes",
    ]
    said = arena("report", *words, cwd=tmp_path).stderr
    assert "a page-replays: 17 pages with the other replays; keep it beside a page.html" in said
    kept = {"mine.html", "1-seed-78.html"}
    names = {path.name for path in beside.iterdir()} - kept
    assert {f"1-seed-{seed}.html" for seed in range(3)} < names
    assert len(names) == 17
    for match in blocks(tmp_path / "a page.html")["data"]["matches"]:
        if match[ORDINAL] == 0:
            assert match[REPLAY] == [0, 0]
            continue
        assert re.fullmatch(rf"a%20page-replays/1-seed-{match[SEED]}(-[2-6])?\.html", match[REPLAY])
        other = blocks(tmp_path / unquote(match[REPLAY]))
        (found,) = [one for one in other["data"]["matches"] if one[ORDINAL] == match[ORDINAL]]
        assert found[:REPLAY] == match[:REPLAY]
        block, place = found[REPLAY]
        assert len(other[f"replay-{block}"]["knows"]) > place
        assert other["data"]["home"] == "../a%20page.html"
    assert [films(beside / name) for name in names] == [1] * 17
    arena("report", str(folder / "vault"), "--out", "a page.html", cwd=tmp_path)
    assert {path.name for path in beside.iterdir()} == kept
    for name in kept:
        (beside / name).unlink()
    arena("report", *words[:-1], "--replays", "all", cwd=tmp_path)
    arena("report", str(folder / "vault"), "--out", "a page.html", cwd=tmp_path)
    assert not beside.exists()
    (tmp_path / "b-replays").write_text("mine")
    said = arena(
        "report",
        str(folder / "vault"),
        "--out",
        "b.html",
        "--replays",
        "all",
        "--matches",
        "1/0",
        cwd=tmp_path,
        code=2,
    )
    assert "b-replays: cannot be made: File exists" in said.stderr


@pytest.mark.parametrize("game", registry.NAMES)
def test_script_and_style_of_a_page_stay_below_145_kb(game: str) -> None:
    """Bound what a report pays for tables that are drawn: 45 kB above the 100 kB of
    diagrams.
    """
    assert len((html.page_script([game]) + html.page_style([game])).encode()) < 145_000
