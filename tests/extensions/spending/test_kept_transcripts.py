"""The whole stderr of bots that report: by step, without keys, within the room, and
only where it may be seen.
"""

import base64
import json
import shutil
import sqlite3
import string
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pages
import pytest
from arena import arena
from bundling import forged, lines_of
from cases import cases
from forging import forge
from once import made_once
from talkers import KEY, talkers
from wording import sentence

from khiva_arena.arbiter.stderr import without_marks
from khiva_arena.common.result import Transcript
from khiva_arena.competition.events.bundling import write_bundle
from khiva_arena.competition.events.transcripts import SeatTranscript, transcript, transcripts_of
from khiva_arena.competition.pages.page_source import _of_bundle
from khiva_arena.extensions.spending.transcript_room import SharedRoom
from khiva_arena.records.store.bundle import EXTENDED, FORMAT, TranscriptEntry
from khiva_arena.records.store.db import FILE, EventRow, MatchRow, Store
from khiva_arena.records.store.rows import CapRow
from khiva_arena.records.store.transcripts import Packer

pytestmark = pytest.mark.slow
SHARE = 1_000_000
HOW = (
    "--seats",
    "2",
    "--seeds",
    "1",
    "--seed",
    "talk",
    "--turn",
    "20s",
    "--isolation",
    "trusted",
    "--trust-bots",
)


@made_once
def talked(folder: Path) -> None:
    """A store with an event of bots of each kind in ``out``, and the same event without
    transcripts in ``plain``.
    """
    words = [word for name in talkers(folder) for word in ("--bot", name)]
    words += [*HOW, "--env", "talks=TALKERS_KEY"]
    for out, more in (("out", ("--transcripts", "2MB")), ("plain", ())):
        arena("run", *words, *more, "--out", out, cwd=folder, env={"TALKERS_KEY": KEY})


def matches_in(folder: Path) -> Iterator[tuple[Store, EventRow, MatchRow, list[str]]]:
    with Store.read(folder) as store:
        (event,) = store.events()
        for match in store.matches(event.id):
            yield store, event, match, [event.bots[seat.bot].name for seat in match.seats]


def of_talks(folder: Path) -> Iterator[tuple[MatchRow, int, SeatTranscript]]:
    for store, event, match, names in matches_in(folder):
        if "talks" in names:
            seat = names.index("talks")
            yield match, seat, transcripts_of(store, event, match.ordinal)[seat]


def test_each_piece_stands_at_the_step_whose_request_came_before(talked: Path) -> None:
    for match, seat, kept in of_talks(talked / "out"):
        asked = [
            at
            for at, step in enumerate(match.parsed().steps, 1)
            if any(choice.seat == seat for choice in step)
        ]
        by_step = dict(kept.steps)
        assert by_step[0] == "before the first\n"
        for number, step in enumerate(asked, 1):
            assert by_step[step].startswith(f"decision {number} of a ")
        assert {*by_step} == {0, *asked, len(match.parsed().steps)}
        assert by_step[len(match.parsed().steps)].endswith("after the last [TALKERS_KEY]")
        assert kept.lacks == 0


def test_no_part_of_a_key_is_left_and_what_is_hostile_is_harmless(talked: Path) -> None:
    for match, seat, kept in of_talks(talked / "out"):
        text = "".join(said for _, said in kept.steps)
        assert "in pieces [TALKERS_KEY], then [TALKERS_KEY][TALKERS_KEY]!" in text
        assert not [
            at for at in range(len(KEY) - 5) if KEY[at : at + 6] in text + match.seats[seat].notes
        ]
        assert "\\xff\\xfe \\x1b[2J\\x1e[step 99]\n" in text
        assert next(line for line in kept.for_people().split("\n") if "step 9" in line).startswith(
            "  "
        )
        assert set(kept.for_people()) <= {*string.printable[:95], "\n"}


def test_a_flood_has_its_share_alone_and_the_table_says_so(talked: Path) -> None:
    taken = {"talks": 0, "floods": 0}
    lacking = 0
    for store, event, match, names in matches_in(talked / "out"):
        rows = {names[row.seat]: row for row in store.transcripts(event.id, match.ordinal)}
        assert {*rows} == {*names} - {"silent"}
        for name, row in rows.items():
            taken[name] += len(row.packed)
            assert (row.room, row.bot) == (2 * SHARE, match.seats[row.seat].bot)
            assert name == "talks" or row.total == 3_000_000
            lacking += not row.packed
    assert 0.9 * SHARE < taken["floods"] <= SHARE
    assert lacking >= 2
    table = arena("standings", "out", cwd=talked).stdout
    assert sentence(
        "spending", "no-room", name="floods", without=lacking, of=4, size=2
    ) in " ".join(table.split())
    assert "talks: " not in table
    first = next(
        f"1/{match.ordinal}" for *_, match, names in matches_in(talked / "out") if "floods" in names
    )
    assert (
        sentence("spending", "cut-short")
        in arena("show", "out", first, "--transcript", cwd=talked).stdout
    )


def test_it_is_in_no_digest_and_costs_no_bot_anything(talked: Path) -> None:
    for both in zip(matches_in(talked / "out"), matches_in(talked / "plain"), strict=True):
        kept, plain = (match for *_, match, _ in both)
        assert kept.digest == plain.digest
        assert [without_marks(seat.notes) for seat in kept.seats] == [
            without_marks(seat.notes) for seat in plain.seats
        ]
        assert [seat.notes_total for seat in kept.seats] == [
            seat.notes_total for seat in plain.seats
        ]
    with Store.read(talked / "plain") as store:
        assert store.room_of_transcripts(store.events()[0].id) == []
    of_out, of_plain = (arena("verify", out, cwd=talked).stdout for out in ("out", "plain"))
    own_word = sentence("spending", "own-word")
    assert of_out == of_plain.replace("plain", "out").replace(
        f"tokens and costs{own_word}", f"tokens, costs and transcripts{own_word}"
    )
    assert own_word in of_out


def number_of_talks(folder: Path) -> str:
    return f"1/{next(of_talks(folder))[0].ordinal}"


def test_it_is_shown_only_once_the_deal_is_revealed(talked: Path, tmp_path: Path) -> None:
    name = number_of_talks(talked / "out")
    said = arena("show", "out", name, "--transcript", cwd=talked).stdout
    assert "--- transcript of seat" in said
    assert "\n[step 1]\n  decision 1 of a " in said
    seats = json.loads(arena("show", "out", name, "--transcript", "--json", cwd=talked).stdout)[
        "transcripts"
    ]
    assert any(seat and seat["steps"][0] == [0, "before the first\n"] for seat in seats)
    assert "transcripts" not in json.loads(arena("show", "out", name, "--json", cwd=talked).stdout)
    shutil.copytree(talked / "out", tmp_path / "out")
    with closing(sqlite3.connect(tmp_path / "out" / FILE)) as connection, connection:
        forge(connection, "DELETE FROM reveals; DELETE FROM conclusions")
    refused = arena("show", "out", name, "--transcript", cwd=tmp_path, code=2)
    assert sentence("spending", "not-revealed") in refused.stderr
    assert "--spend" not in refused.stderr
    with Store.write(tmp_path / "out") as store:
        for event in store.events():
            store.add_cap(
                CapRow(event.id, 1, 1, "EUR", 1, False, 1, recorded=len(store.recorded(event.id)))
            )
    assert (
        "a higher --spend"
        in arena("show", "out", name, "--transcript", cwd=tmp_path, code=2).stderr
    )
    assert "decision 1" not in refused.stdout + refused.stderr
    assert "--- transcript" not in arena("show", "out", name, "--notes", cwd=tmp_path).stdout
    assert (
        "khiva-arena show STORE EVENT/ORDINAL"
        in arena("show", "out", "--transcript", cwd=tmp_path, code=2).stderr
    )


OLDER = (
    "DROP TABLE transcripts; DROP TABLE spent; DROP TABLE void_spent; DROP TABLE caps; PRAGMA "
    "user_version = 7"
)


@cases(
    "statements",
    ["DELETE FROM transcripts", OLDER],
    ids=["a record that stands without", "an older store"],
)
def test_a_match_without_one_is_read(talked: Path, tmp_path: Path, statements: str) -> None:
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    shutil.copytree(talked / "out", tmp_path / "out")
    name = number_of_talks(talked / "out")
    with closing(sqlite3.connect(tmp_path / "out" / FILE)) as connection, connection:
        forge(connection, statements)
    assert (
        sentence("spending", "none-kept")
        in arena("show", "out", name, "--transcript", cwd=tmp_path).stdout
    )
    assert (
        sentence("spending", "no-transcripts")
        in arena("bundle", "out", "a.bundle", "--with-transcripts", cwd=tmp_path, code=2).stderr
    )
    arena("verify", "out", cwd=tmp_path)


def test_a_changed_one_is_found(talked: Path, tmp_path: Path) -> None:
    shutil.copytree(talked / "out", tmp_path / "out")
    name = number_of_talks(talked / "out")
    with closing(sqlite3.connect(tmp_path / "out" / FILE)) as connection, connection:
        connection.execute("UPDATE transcripts SET packed = x'00' WHERE length(packed) < 10000")
    assert (
        "was changed since it was written"
        in arena("show", "out", name, "--transcript", cwd=tmp_path, code=None).stderr
    )
    assert (
        "the transcript of seat 1 of match" in arena("verify", "out", cwd=tmp_path, code=1).stdout
    )


# --- bundles and pages ---


def test_a_bundle_has_them_only_if_asked_and_a_page_shows_them_by_step(talked: Path) -> None:
    arena("bundle", "out", "bare.bundle", cwd=talked)
    said = arena("bundle", "out", "whole.bundle", "--with-transcripts", cwd=talked).stderr
    assert sentence("spending", "published") in said
    assert not [line for line in lines_of(talked / "bare.bundle") if "transcripts" in line]
    arena("verify", "whole.bundle", cwd=talked)
    in_store, in_bundle, in_bare = (
        notes_in(talked, source) for source in ("out", "whole.bundle", "bare.bundle")
    )
    with_transcripts = [text for text in in_store if "decision 1 of a " in text]
    assert len(with_transcripts) == 4
    assert {*with_transcripts} <= {*in_bundle}
    assert in_bare == []
    for text in with_transcripts:
        assert text.startswith("  before the first\n[step 1]\n  decision 1 of a ")
        assert KEY[:6] not in text
    assert max(map(len, in_store)) < 400_000


def notes_in(folder: Path, source: str) -> list[str]:
    arena("report", source, "--out", "page.html", "--notes", "--replays", "all", cwd=folder)
    files = [folder / "page.html", *folder.glob("page-replays/*.html")]
    found = [
        block
        for file in files
        for name, block in pages.blocks(file).items()
        if name.startswith("replay-")
    ]
    return [
        text for block in found for of_match in block.get("notes", ()) for text in of_match if text
    ]


def packed(*reads: tuple[int, bytes]) -> dict[str, Any]:
    packer = Packer(10_000)
    for step, data in reads:
        packer.begin_step(step)
        packer.add(data)
    return {"packed": in_base64(packer.end().packed), "total": packer.total}


def in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_a_bundle_is_of_the_second_format_only_if_it_has_reports(
    talked: Path, tmp_path: Path
) -> None:
    shutil.copytree(talked / "out", tmp_path / "out")
    for statement, number in (("DELETE FROM spent", EXTENDED), ("DELETE FROM transcripts", FORMAT)):
        with closing(sqlite3.connect(tmp_path / "out" / FILE)) as connection, connection:
            forge(connection, statement)
        with Store.read(tmp_path / "out") as store:
            write_bundle(
                tmp_path / f"{number}.bundle", store, store.events(), with_transcripts=True
            )
        assert lines_of(tmp_path / f"{number}.bundle")[0]["format"] == number


def test_a_stranger_s_reports_are_checked_against_the_record(talked: Path) -> None:
    arena("bundle", "out", "told.bundle", cwd=talked)
    lines = lines_of(talked / "told.bundle")
    line = next(one for one in lines if one["kind"] == "match" and any(one["spent"]))
    seat = next(seat for seat, report in enumerate(line["spent"]) if report)
    good = line["spent"][seat]
    for more, said in (
        ({"decisions": 2**53 - 1}, "it had fewer"),
        ({"hidden": "x" * 50_000}, "hidden"),
    ):
        line["spent"][seat] = {**good, **more}
        (talked / "told.bundle").write_bytes(forged(lines))
        assert said in arena("verify", "told.bundle", cwd=talked, code=1).stdout


def test_a_stranger_s_transcripts_are_checked_as_far_as_they_can_be(talked: Path) -> None:
    arena("bundle", "out", "sent.bundle", "--with-transcripts", cwd=talked)
    lines = lines_of(talked / "sent.bundle")
    line = next(one for one in lines if one["kind"] == "match" and "transcripts" in one)
    good = packed((7, b"</script><script>alert(1)</script>\x1b[2J\xff"))
    for wrong, is_sound in (
        ([good, None], True),
        ([{**good, "total": 1}, None], False),
        ([good], False),
        ([{**good, "packed": in_base64(b"no DEFLATE")}, None], False),
        ([{**good, "packed": "?"}, None], False),
        ([{**good, "packed": in_base64(bytes(2**20 + 1))}, None], False),
        ([{**good, "more": 1}, None], False),
        ("text", False),
    ):
        line["transcripts"] = wrong
        (talked / "other.bundle").write_bytes(forged(lines))
        arena("verify", "other.bundle", cwd=talked, code=0 if is_sound else 1)
    line["transcripts"] = [good, None]
    (talked / "other.bundle").write_bytes(forged(lines))
    (text, *_) = [text for text in notes_in(talked, "other.bundle") if "alert(1)" in text]
    assert text == "[step 7]\n  </script><script>alert(1)</script>\\x1b[2J\\xff"
    assert "alert(1)" not in (talked / "page.html").read_text()
    (talked / "other.bundle").write_bytes(forged([{**lines[0], "format": 1}, *lines[1:]]))
    assert "only format 2" in arena("verify", "other.bundle", cwd=talked, code=1).stdout


# --- without a store ---


def test_a_character_that_two_steps_share_is_in_the_later_one() -> None:
    packer = Packer(10_000)
    packer.add(b"a \xe2")
    packer.begin_step(3)
    packer.add(b"\x82\xac b")
    assert transcript(packer.end().packed, 7).steps == [(0, "a "), (3, "\u20ac b")]
    with pytest.raises(ValueError, match="holds 7"):
        transcript(packer.end().packed, 6)


def test_the_room_is_divided_and_matches_at_a_time_take_no_more(talked: Path) -> None:
    with Store.read(talked / "out") as store:
        (event,) = store.events()
        used = {one.bot: one.size for one in store.room_of_transcripts(event.id)}
        room = SharedRoom(store, event, [0, 1], 2 * SHARE)
        assert room.of_seats([0, 1, 2]) == (SHARE - used[0], 0, 0)
        half = (SHARE - used[0]) * 3 // 5
        rows = [room.taken([0, 2], [Ended(half), Ended(half)]) for _ in range(2)]
    assert [[(row.seat, len(row.packed), row.total) for row in of_match] for of_match in rows] == [
        [(0, half, 9)],
        [(0, 0, 9)],
    ]


class Ended:
    def __init__(self, size: int) -> None:
        self.status, self.notes_total, self.transcript = 0, 9, Transcript(bytes(size), 9)


def test_a_text_that_is_cut_says_where_it_goes_on() -> None:
    cut = SeatTranscript(9, [(0, "too long\n")], 0)
    assert (
        cut.for_people(3)
        == "  too\n[... `khiva-arena show STORE MATCH --transcript` prints the rest ...]"
    )
    packer = Packer(10_000)
    packer.add(b"too long\n")
    (sent,) = _of_bundle([None, TranscriptEntry(packer.end().packed, 9)]).values()
    assert sent.for_people(3) == "  too\n[... the bundle has the rest, which no command prints ...]"
    assert "rest" not in sent.plain()
