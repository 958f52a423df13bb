"""``khiva-arena report``: what it says, what it refuses, and what is never in a page."""

import gzip
import json
import platform
import re
import shutil
import signal
import sqlite3
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest
from arena import arena, bots, wait_for_matches
from forging import forge
from forked_command import started
from once import made_once
from pages import BOTS, FAULTS, ID, ORDINAL, REPLAY, SEED, blocks, films, text
from quick_bots import quick_program
from wording import pattern, sentence

from khiva_arena.competition.pages.authors import file_name
from khiva_arena.display.page import folder as page_folder
from khiva_arena.display.page import html
from khiva_arena.games import registry
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import Store, VoidRow

pytestmark = pytest.mark.slow


SHORT = ("--rule", "max_turns=3")


def whispering(folder: Path, name: str, *how: str) -> Path:
    """A bot in a folder that is named like nothing else, that says on stderr what nobody else does."""
    made = folder / f"lair-of-{name}"
    made.mkdir()
    (made / "bot").write_bytes(quick_program())
    (made / "program").write_text(f"#!/bin/sh\nexec \"${{0%/*}}/bot\" {' '.join(how or ('last', '0'))} 'WHISPER of {name}'\n")
    for program in ("bot", "program"):
        (made / program).chmod(0o755)
    (made / "bot.toml").write_text(f'name = "{name}"\nrun = "./program"\n')
    return made


@made_once
def folder(folder: Path) -> None:
    """A store of three bots, two of one name, and its bundle."""
    one, two = whispering(folder, "ann"), whispering(folder, "bob", "illegal", "2")
    other = whispering(folder, "ann2")
    (other / "bot.toml").write_text('name = "ann"\nrun = "./program"\n')
    words = ["--seats", "2", "--seeds", "3", "--seed", "page", "--isolation", "trusted", *SHORT, "--out", "vault"]
    arena("run", *bots(str(one), str(two), str(other)), *words, cwd=folder)
    arena("bundle", "vault", "b.khiva", cwd=folder)


@made_once
def stopped(folder: Path) -> None:
    """A store whose event was stopped in the middle of a deal, on which 12 matches are played."""
    four = bots(*(str(whispering(folder, name, "illegal", "2")) for name in ("ann", "bob", "cy", "dan")))
    words = ["--seats", "2", "--seeds", "200", "--seed", "stopped", "--isolation", "trusted", *SHORT, "--out", "out"]
    for many in range(16, 200, 8):
        process = started("run", *four, *words, cwd=folder)
        wait_for_matches(folder / "out" / "arena.db", many)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        if min(on_each_deal(folder / "out").values()) < 12:
            return
    raise AssertionError("it was never stopped " + sentence("decode", "middle") + " deal")


def on_each_deal(store: Path) -> Counter[int]:
    """How many matches are recorded, by seed."""
    connection = sqlite3.connect(store / "arena.db")
    seeds = Counter(seed for (seed,) in connection.execute("SELECT seed FROM matches"))
    connection.close()
    return seeds


def test_it_is_written_and_replaced(folder: Path, tmp_path: Path) -> None:
    said = arena("report", str(folder / "vault"), "--out", "page.html", "--title", "Spring cup", cwd=tmp_path)
    assert said.stdout == ""
    assert re.fullmatch(pattern("report", "open-browser-2", out=r"page\.html", kb="[0-9]+ kB") + r"\n", said.stderr)
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
        assert sentence("store", "exists-already-not-changed", path=name) in said.stderr
    assert (tmp_path / "mine.html").read_text() == "<!doctype html>\n<p>mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "nothing"),
        (["{folder}/vault", "7"], "no event '7' here; events here: 1 ("),
        (["{folder}/b.khiva", "1"], "a bundle is shown as a whole: leave out the events"),
        (["{folder}/vault", "--out", "no/such/page.html"], "no/such/page.html: cannot be written: no such folder"),
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


def test_a_match_of_a_store_that_does_not_replay_is_named(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "vault", tmp_path / "out")
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    record = json.loads(connection.execute("SELECT record FROM matches WHERE ordinal = 3").fetchone()[0])
    record["steps"][:2] = reversed(record["steps"][:2])
    connection.execute("UPDATE matches SET record = ? WHERE ordinal = 3", (canonical(record).decode(),))
    forge(connection)
    connection.close()
    said = arena("report", "out", "--out", "page.html", cwd=tmp_path, code=2).stderr
    assert said.startswith("khiva-arena: error: out: match 1/3 is damaged: ")
    assert said.endswith("; `khiva-arena verify out` says more\n")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("source", ["vault", "b.khiva"])
def test_nothing_private_is_in_it(folder: Path, tmp_path: Path, source: str) -> None:
    arena("report", str(folder / source), "--out", "page.html", cwd=tmp_path)
    shown = re.sub(r'(<script type="application/base64"[^>]*>)[^<]*', r"\1", text(tmp_path / "page.html"))  # unpacked behind it
    assert "Elo" in shown
    for word in ("WHISPER", "lair-of", "vault", "b.khiva", str(folder), str(tmp_path), platform.node()):
        assert not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", shown), word


def test_the_folder_of_a_bot_that_cannot_be_started_is_not_in_it(tmp_path: Path) -> None:
    ann, bob = whispering(tmp_path, "ann"), whispering(tmp_path, "bob")
    (ann / "program").write_text(
        f"#!/bin/sh\n[ ! -e {tmp_path}/begun ] || rm -f {ann}/program\ntouch {tmp_path}/begun\nexec {bob}/program\n"
    )
    arena(
        "run",
        *bots(str(ann / "program"), str(bob)),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--isolation",
        "trusted",
        "--out",
        "out",
        cwd=tmp_path,
    )
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    said = [text for row in connection.execute("SELECT faults, notes FROM seats") for text in row if "no such program" in text]
    connection.close()
    assert len(said) == 2
    arena("report", "out", "--out", "page.html", "--notes", "--for-authors", "pages", cwd=tmp_path)
    for page in (tmp_path / "page.html", *(tmp_path / "pages").iterdir()):
        assert "crashed: cannot be started" in text(page)
        assert "no such program" not in text(page)
        assert "lair-of-ann" not in text(page)


def test_each_void_attempt_counts_once_in_a_store_and_in_its_bundle(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "vault", tmp_path / "out")
    with Store.write(tmp_path / "out") as store:
        event = store.events()[0].id
        match = next(one for one in store.matches(event) if one.ordinal == 4)
        sits = [seat.bot for seat in match.seats]
        for attempt in (1, 2):
            store.add_void(VoidRow(event, 4, attempt, match.seed, match.lineup, sits, "the host slept", [0.1, 0.1], "now"))
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    forge(connection, "UPDATE matches SET attempt = 3 WHERE ordinal = 4")
    connection.close()
    arena("bundle", "out", "b.khiva", cwd=tmp_path)
    for source in ("out", "b.khiva"):
        arena("report", source, "--out", "page.html", "--replays", "none", cwd=tmp_path)
        assert blocks(tmp_path / "page.html")["data"]["events"][0]["void"] == 2


def test_how_to_check_it_names_no_folder(folder: Path, tmp_path: Path) -> None:
    for words, verify in (
        (["vault"], "khiva-arena verify STORE"),
        (["vault", "1"], "khiva-arena verify STORE 1"),
        (["b.khiva"], "khiva-arena verify BUNDLE"),
    ):
        arena("report", str(folder / words[0]), *words[1:], "--out", "page.html", "--replays", "none", cwd=tmp_path)
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


def test_notes_are_in_it_if_they_are_asked_for(folder: Path, stopped: Path, tmp_path: Path) -> None:
    arena("report", str(folder / "vault"), "--out", "page.html", "--notes", cwd=tmp_path)
    held = blocks(tmp_path / "page.html")
    for match in held["data"]["matches"]:
        block, place = match[REPLAY]
        names = [held["data"]["events"][0]["bots"][bot]["name"] for bot in match[BOTS]]
        assert held[f"replay-{block}"]["notes"][place] == [f"  WHISPER of {said_by(name)}" for name in names]
    arena("report", str(stopped / "out"), "--out", "page.html", "--notes", cwd=tmp_path)
    assert text(tmp_path / "page.html").count("WHISPER") == 2 * films(tmp_path / "page.html")


def said_by(name: str) -> str:
    """What a bot calls itself; the second of a name is numbered in the event."""
    return {"ann-2": "ann2"}.get(name, name)


def test_a_page_for_an_author_has_the_notes_of_one_bot(folder: Path, tmp_path: Path) -> None:
    said = arena("report", str(folder / "vault"), "--for-authors", "pages", cwd=tmp_path).stderr.splitlines()
    pages = sorted((tmp_path / "pages").iterdir())
    assert sorted(said) == [f"pages/{page.name}: give this page only to the author of this bot" for page in pages]
    assert len(pages) == 3
    for page in pages:
        name, _, identity = page.stem.rpartition("-")
        held = blocks(page)
        own = {bot["name"]: bot["id"] for bot in held["data"]["events"][0]["bots"]}
        assert own[name].startswith(identity)
        assert set(re.findall(r"WHISPER of (\w+)", text(page))) == {said_by(name)}
        assert {times["bot"] for table in held["data"]["tables"] for times in table["times"]} == {own[name]}
        position = list(own).index(name)
        for match in held["data"]["matches"]:
            assert (match[REPLAY] is not None) == (position in match[BOTS])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the page needs a place: give --out FILE, --for-authors DIR, or both"),
        (["--for-authors", "pages", "--notes"], sentence("report", "page-out-file-page", what="--notes")),
        (["--for-authors", "pages", "--matches", "1/0"], sentence("report", "page-out-file-page", what="--matches")),
        (["--for-authors", "pages", "7"], "no event '7' here; events here: 1 ("),
    ],
)
def test_what_pages_for_authors_cannot_be(folder: Path, tmp_path: Path, words: list[str], said: str) -> None:
    assert said in arena("report", str(folder / "vault"), *words, cwd=tmp_path, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_replays_beside_an_author_s_page_go_when_another_takes_its_place(folder: Path, tmp_path: Path) -> None:
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
        sorted(row["elo"] for row in of["tables"][0]["table"]["rows"]) for of in (data, blocks(tmp_path / "before.html")["data"])
    ]
    assert elo[0] == elo[1]
    assert any("Team one" in line for line in blocks(tmp_path / "page.html")["replay-0"]["text"][0])


@pytest.mark.parametrize(
    ("file", "written", "message"),
    [
        ("n.toml", 'bbo = "x"', "--names: no bot 'bbo' here (did you mean bob?); there are ann, ann-2, bob"),
        ("n.toml", 'bob = "x"\nann = "x"', sentence("page", "names-bots-would-called", old="2", new="'x'")),
        (
            "n.toml",
            "bob = 3",
            sentence("page", "name-printable-characters-stands", path="n.toml", value="bob", longest_name="64"),
        ),
        (
            "n.toml",
            'bob = "\\u202e"',
            sentence("page", "name-printable-characters-stands", path="n.toml", value="bob", longest_name="64"),
        ),
        ("n.toml", "bob", "n.toml: not TOML: "),
        ("n.json", "[]", sentence("page", "not-object-names-such", path="n.json")),
        ("n.json", "{", sentence("page", "not-json-can-read", path="n.json") + ": "),
        ("none.toml", None, "none.toml: cannot be read: No such file or directory"),
    ],
)
def test_names_that_cannot_be_taken(folder: Path, tmp_path: Path, file: str, written: str | None, message: str) -> None:
    if written is not None:
        (tmp_path / file).write_text(written)
    said = arena("report", str(folder / "vault"), "--out", "page.html", "--names", file, cwd=tmp_path, code=2)
    assert message in said.stderr
    assert not (tmp_path / "page.html").exists()


def test_the_matches_that_were_chosen_are_in_it(folder: Path, stopped: Path, tmp_path: Path) -> None:
    vault = str(folder / "vault")
    arena("report", vault, "--out", "page.html", "--replays", "none", cwd=tmp_path)
    every = blocks(tmp_path / "page.html")["data"]["matches"]
    arena("report", vault, "--out", "page.html", "--matches", "1/7", "--matches", "12", "--matches", every[3][ID], cwd=tmp_path)
    held = [match[ORDINAL] for match in blocks(tmp_path / "page.html")["data"]["matches"] if match[REPLAY]]
    assert held == [3, 7, 12]
    assert films(tmp_path / "page.html") == 3
    for words, message in (
        (["--matches", "1/18"], sentence("page", "name-event-ordinal-khiva", word="--matches: no recorded match '1/18'")),
        (["--matches", ""], "--matches: 18 matches ''"),
        (["--matches", "1/1", "--replays", "none"], sentence("report", "matches-chooses-replays-replays")),
    ):
        assert message in arena("report", vault, "--out", "other.html", *words, cwd=tmp_path, code=2).stderr
    arena("report", str(stopped / "out"), "--out", "page.html", cwd=tmp_path)
    last = next(f"1/{match[ORDINAL]}" for match in blocks(tmp_path / "page.html")["data"]["matches"] if not match[REPLAY])
    said = arena("report", str(stopped / "out"), "--out", "other.html", "--matches", last, cwd=tmp_path, code=2)
    assert f"--matches: {last}: other matches on its deal are still to be played, so it is not shown yet" in said.stderr
    assert not (tmp_path / "other.html").exists()


def test_all_replays_go_into_pages_beside_it(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_folder, "PAGE_MOST", 1)
    beside = tmp_path / "a page-replays"
    beside.mkdir()
    old = (folder / "b.khiva", "old.html")[1]
    arena("report", str(folder / "vault"), "--out", old, "--replays", "none", cwd=tmp_path)
    for name in ("1-seed-77.html", "mine.html"):
        (beside / name).write_bytes((tmp_path / old).read_bytes())
    (beside / "1-seed-78.html").write_text("mine")
    words = [str(folder / "vault"), "--out", "a page.html", "--replays", "all", "--matches", "1/0", "--notes"]
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
    said = arena("report", str(folder / "vault"), "--out", "b.html", "--replays", "all", "--matches", "1/0", cwd=tmp_path, code=2)
    assert "b-replays: cannot be made: File exists" in said.stderr


@pytest.mark.parametrize("game", registry.NAMES)
def test_script_and_style_of_a_page_stay_below_145_kb(game: str) -> None:
    """Bound what a report pays for tables that are drawn: 45 kB above the 100 kB of diagrams."""
    assert len((html.page_script([game]) + html.page_style([game])).encode()) < 145_000
