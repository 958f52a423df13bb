"""``khiva-arena bundle`` and ``verify FILE``: what is in the file, what is refused, and
that no change to it goes unnoticed.
"""

import copy
import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from arena import arena, bots
from bundling import forged, lines_of
from disks import fill, small_disk
from forging import forge
from printed_tables import bare_tables
from quick_bots import SOURCE
from sound_bundle import EVENT, RUN_SECRET, THREE, Lines, command, folder, sound, verified
from stores import GREEDY, NAIVE, RANDOM, STRIKES, TRUSTED
from wording import sentence

from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import digest_of

__all__ = ["folder", "sound"]

pytestmark = pytest.mark.slow

# --- what is in it ---


def test_a_stranger_verifies_it_without_store_and_bots(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes((folder / "b.khiva").read_bytes())
    said = arena("verify", "b", cwd=tmp_path).stdout
    assert "12 of 12 matches are sound" in said
    assert sentence("verify", "standings-those-records-give") in said
    digest = json.loads(arena("verify", str(folder / "out"), "--json", cwd=tmp_path).stdout)[
        "events"
    ][0]["digest"]
    report = json.loads(arena("verify", "b", "--json", cwd=tmp_path).stdout)
    assert report["file"] == []
    assert report["events"][0]["digest"] == digest
    assert report["events"][0]["sound_matches"] == list(range(12))
    assert report["bundle"] in said


def test_it_holds_all_that_was_published_and_nothing_else(folder: Path, sound: Lines) -> None:
    assert [line["kind"] for line in sound] == [
        "khiva-bundle",
        "event",
        *["reveal"] * 3,
        *["match"] * 12,
        "over",
        "standings",
    ]
    stored = sqlite3.connect(folder / "out" / "arena.db")
    records = [row[0] for row in stored.execute("SELECT record FROM matches ORDER BY ordinal")]
    created, commitment, secret = stored.execute(
        "SELECT created, commitment, secret FROM events"
    ).fetchone()
    stored.close()
    assert [json.loads(record) for record in records] == [
        line["record"] for line in sound if line["kind"] == "match"
    ]
    assert (sound[EVENT]["commitment"], sound[RUN_SECRET]) == (
        commitment,
        {"kind": "reveal", "seed": -1, "secret": secret.hex()},
    )
    text = gzip.decompress((folder / "b.khiva").read_bytes()).decode()
    for private in (str(folder), SOURCE.name, created[:13], "finished", "req_start", "9999 of"):
        assert private not in text


def test_its_standings_are_those_of_the_command(folder: Path, sound: Lines, tmp_path: Path) -> None:
    said = bare_tables(arena("standings", str(folder / "out"), "--json", cwd=tmp_path).stdout)[
        "standings"
    ]
    for table in said:
        for row in table["rows"]:
            row["cpu_s"] = row["paused"] = row["caused"] = row["page_faults"] = row[
                "links_lost"
            ] = None
            assert row.pop("spent") is None
    assert [line["table"] for line in sound if line["kind"] == "standings"] == said


def test_equal_events_give_equal_bytes(folder: Path, tmp_path: Path) -> None:
    arena(
        "run",
        *THREE,
        "--seats",
        "2",
        "--seeds",
        "2",
        "--seed",
        "demo",
        "-j",
        "2",
        "--out",
        "elsewhere",
        cwd=tmp_path,
    )
    arena("bundle", "elsewhere", "again", cwd=tmp_path)
    assert (tmp_path / "again").read_bytes() == (folder / "b.khiva").read_bytes()


def test_several_events_and_one_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    three = bots(RANDOM, NAIVE, GREEDY)
    arena("run", *three, "--seats", "2", "--seeds", "1", "--out", "out", cwd=tmp_path)
    arena(
        "run", *three, "--seats", "3", "--seeds", "1", "--turn", "2s", "--out", "out", cwd=tmp_path
    )
    assert command(capsys, "bundle", tmp_path / "out", tmp_path / "both")[0] == 0
    assert command(capsys, "bundle", tmp_path / "out", tmp_path / "second", "2", "2")[0] == 0
    code, said, _ = command(capsys, "verify", tmp_path / "both")
    assert code == 0
    assert "6 of 6 matches are sound" in said
    assert "event 2" in said
    assert "3 of 3 matches are sound" in said
    both, second = lines_of(tmp_path / "both"), lines_of(tmp_path / "second")
    assert [line["kind"] for line in both].count("standings") == 2
    assert second[1] == [line for line in both if line["kind"] == "event"][1]
    assert "3 of 3 matches are sound" in command(capsys, "verify", tmp_path / "second")[1]


VOID_OF_THE_LAST = """
INSERT INTO voids SELECT event, ordinal, 1, seed, lineup,
  (SELECT json_group_array(bot) FROM seats WHERE (seats.event, seats.ordinal) = (m.event,
    m.ordinal)), 'load', '[]', '', ''
FROM matches AS m WHERE ordinal = (SELECT max(ordinal) FROM matches);
UPDATE matches SET attempt = 2 WHERE ordinal = (SELECT max(ordinal) FROM matches);
"""


@pytest.mark.parametrize("form", ["gauntlet", "swiss", "knockout"])
def test_every_format(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*bots(RANDOM, NAIVE, GREEDY, STRIKES), *TRUSTED, "--rule", "max_turns=6"]
    arena(
        "run",
        *words,
        "--format",
        form,
        "--seats",
        "2",
        "--seeds",
        "1",
        "--out",
        "out",
        cwd=tmp_path,
    )
    with closing(sqlite3.connect(tmp_path / "out" / "arena.db")) as store:
        forge(store, VOID_OF_THE_LAST)  # whose round is not drawn yet where a bundle tells the void
    command(capsys, "bundle", tmp_path / "out", tmp_path / "b")
    assert command(capsys, "verify", tmp_path / "b")[0] == 0
    lines = lines_of(tmp_path / "b")
    places = lines[-1]["table"].get("places", [])
    (told,) = json.loads(arena("standings", "out", "--json", cwd=tmp_path).stdout)["standings"]
    assert told.get("places", []) == places
    assert lines[-1]["table"]["rules"] == told["rules"] != {}
    assert [(table["format"], len(table["rows"])) for table in places] == (
        [(form, 4)] if form != "gauntlet" else []
    )
    if places:
        places[0]["rows"][0]["name"] = "other"
        assert (
            "standings 1: places.0.rows.0.name is other"
            in verified(forged(lines), tmp_path, capsys)[1]
        )
        first = next(place for place, line in enumerate(lines) if line["kind"] == "match")
        lost = [*lines[:first], *lines[first + 1 :]]
        assert (
            "its round cannot be drawn: results of a round before it are missing or not sound"
            in verified(forged(lost), tmp_path, capsys)[1]
        )


@pytest.mark.soak
def test_a_sequential_test_ends_with_its_decision(
    decided: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command(capsys, "bundle", decided / "out", tmp_path / "b")
    lines = lines_of(tmp_path / "b")
    matches = [place for place, line in enumerate(lines) if line["kind"] == "match"]
    code, out, _ = verified((tmp_path / "b").read_bytes(), tmp_path, capsys)
    assert code == 0
    assert f"{len(matches)} of {len(matches)} matches are sound" in out
    too_few = [line for place, line in enumerate(lines) if place not in matches[-2:]]
    assert (
        "matches are missing, and only complete events are bundled"
        in verified(forged(too_few), tmp_path, capsys)[1]
    )
    untested = copy.deepcopy(lines)
    del untested[EVENT]["definition"]["hypotheses"]
    untested[EVENT]["id"] = seeds.event_id(
        digest_of(untested[EVENT]["definition"]), untested[EVENT]["commitment"]
    )
    assert (
        sentence("replay", "hypotheses-belong-sequential-test")
        in verified(forged(untested), tmp_path, capsys)[1]
    )


def test_a_void_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    source, target = (
        sqlite3.connect(folder / "out" / "arena.db"),
        sqlite3.connect(tmp_path / "out" / "arena.db"),
    )
    source.backup(target)
    sits = json.dumps(
        [row[0] for row in source.execute("SELECT bot FROM seats WHERE ordinal = 9 ORDER BY seat")]
    )
    source.close()
    forge(
        target,
        f"INSERT INTO voids SELECT id, 9, 1, 1, 1, '{sits}', 'the host was slow', '[]', "
        "'', '' FROM events;"
        "UPDATE matches SET attempt = 2 WHERE ordinal = 9",
    )
    target.close()
    arena("bundle", "out", "b", cwd=tmp_path)
    lines = lines_of(tmp_path / "b")
    assert [line for line in lines if line["kind"] == "void"] == [
        {"kind": "void", "ordinal": 9, "attempt": 1}
    ]
    assert sum(row["voids"] for row in lines[-1]["table"]["rows"]) == 2
    arena("verify", "b", cwd=tmp_path)


# --- what is refused ---


def test_what_is_not_over_is_refused_by_name(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    source, target = (
        sqlite3.connect(folder / "out" / "arena.db"),
        sqlite3.connect(tmp_path / "out" / "arena.db"),
    )
    source.backup(target)
    source.close()
    left = (
        "DELETE FROM seats WHERE ordinal > 7; DELETE FROM matches WHERE ordinal > 7; DELETE "
        "FROM conclusions;"
    )
    forge(target, left + "DELETE FROM reveals WHERE seed <> 0")
    target.close()
    error = arena("bundle", "out", "b", cwd=tmp_path, code=2).stderr
    assert "event 1 (" in error
    assert "is not over: 8 of 12 matches are recorded; finish it" in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_no_file_is_overwritten_and_nothing_is_left(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b").write_text("mine")
    for words, said in (
        (["b"], "exists already"),
        (["no/b"], "cannot be written"),
        (["c", "x"], "no event 'x' here"),
    ):
        code, out, error = command(
            capsys, "bundle", folder / "out", tmp_path / words[0], *words[1:]
        )
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert said in error
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("b", "mine")]


def test_a_full_disk_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        ballast = fill(disk)
        error = arena("bundle", str(folder / "out"), "b", cwd=disk, code=1).stderr
        assert "b: cannot be written: " + sentence("sandbox", "no-space-left-device") in error
        assert list(disk.iterdir()) == [ballast]


def test_verify_refuses_what_is_no_bundle(
    folder: Path, sound: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for data, said in (
        (b"", "not a bundle"),
        (b"hello\n", "not a bundle"),
        (gzip.compress(b'{"kind":"other"}\n'), "not a bundle"),
        ((folder / "out" / "arena.db").read_bytes(), "not a bundle"),
        (
            forged([{**sound[0], "format": 7}]),
            sentence("store", "bundle-format-engine-reads", format="7", format_2="1 and 2"),
        ),
    ):
        code, out, error = verified(data, tmp_path, capsys)
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert said in error
    assert (
        sentence("api", "bundle-verified-whole-leave")
        in command(capsys, "verify", folder / "b.khiva", "1")[2]
    )
