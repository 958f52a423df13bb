"""``play --clock ticks``: a person beside modules. The match is stored, checked and run
again, by the command and by a page.
"""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from arena import arena, bots
from forging import forge, rewrite_records
from module_cup import OwnMachine, of_kind
from msgspec.structs import replace
from once import made_once
from published import contents
from scripted_person import by_command, choice_of
from tick_bots import write_bot
from wording import pattern, sentence

from khiva_arena.errors import RecordError
from khiva_arena.extensions.checker import in_page
from khiva_arena.records.replay.definition import DefinedBot, Definition
from khiva_arena.records.replay.record import WITH_PERSONS, Record
from khiva_arena.records.replay.seeds import run_secret, seed_secret
from khiva_arena.records.replay.verify import verify
from khiva_arena.records.store import db
from khiva_arena.records.store.db import Store

pytestmark = [pytest.mark.language, pytest.mark.slow]
UNTOLD = "seat 0 (ann): cannot tell here: a person"


def words(folder: Path, game: str) -> list[str]:
    bot = write_bot(folder / "one")
    return [*bots("person:ann", bot, bot), "--game", game, "--seed", "demo"]


@made_once
def with_ann(folder: Path) -> None:
    """Play in "out" a match of Khiva with a person, "out.json" is what it printed,
    "out.khiva" the bundle.
    """
    record = by_command(folder, *words(folder, "khiva"), "--out", "out")
    (folder / "out.json").write_text(record.to_json())
    arena("bundle", "out", "out.khiva", "--with-modules", cwd=folder)


def recorded(folder: Path) -> Record:
    return Record.from_json((folder / "out.json").read_text())


@pytest.mark.parametrize("game", ["khiva", "emira", "silk_road"])
def test_the_same_choices_give_the_same_sound_record(
    tmp_path: Path, game: str, with_ann: Path
) -> None:
    record = by_command(tmp_path, *words(tmp_path, game))
    assert (record.header.format, record.header.persons, len(record.steps) > 10) == (
        WITH_PERSONS,
        (0,),
        True,
    )
    assert record.header.seats[0][:2] == ("ann", "person:ann")
    verify(record, seed_secret(run_secret("demo"), 0))
    assert game != "khiva" or record == recorded(with_ann)
    assert {
        took
        for step, row in zip(record.steps, record.ticks[1:], strict=True)
        for one, took in zip(step, row, strict=True)
        if one.seat == 0
    } == {1}  # type: ignore[index]


def test_an_agent_s_equal_choices_are_the_same_record_in_a_store(
    tmp_path: Path, with_ann: Path
) -> None:
    from agent_client import Wire, play  # not above: the package takes a second

    match = ("--clock", "ticks", *words(tmp_path, "khiva"))
    played = play(tmp_path, *match, "--out", "out")
    assert played.digest == recorded(with_ann).digest
    assert (
        f"unconfirmed: match 1/0: {UNTOLD}"
        in arena("verify", "out", "--rerun-bots", cwd=tmp_path).stdout
    )
    leaving = Wire(tmp_path, *match, "--out", "left")
    for made in range(len(played.views) - 1):
        leaving.call("view")
        numbers = re.findall(r"^(\d+)  ", leaving.call("legal"), re.MULTILINE)
        leaving.call("act", choice=int(numbers[choice_of(made, len(numbers))]))
    code, _, errors = leaving.end()  # after its last choice and before the result
    assert (code, played.digest in errors) == (0, True), errors
    assert "1 of 1 matches are sound" in arena("verify", "left", cwd=tmp_path).stdout


@pytest.mark.parametrize("place", ["out", "out.khiva"])
def test_its_modules_are_run_again_and_of_the_person_nobody_can_tell(
    with_ann: Path, place: str
) -> None:
    done = arena("verify", place, "--rerun-bots", cwd=with_ann)
    assert f"unconfirmed: match 1/0: {UNTOLD}" in done.stdout
    assert "1 of 1 matches are sound" in done.stdout


def test_a_sample_says_that_the_other_seats_were_run(with_ann: Path) -> None:
    done = arena("verify", "out", "--rerun-bots", "--sample", "1", cwd=with_ann)
    assert ", and all that could be run again here is the same" in done.stdout


def test_of_a_match_of_persons_alone_nothing_is_run_again(tmp_path: Path) -> None:
    late = ("--turn", "1ms", "--bank", "0s", "--no-open", "--seed", "demo", "--out", "out")
    arena(
        "play",
        "--clock",
        "ticks",
        *bots("person:ann", "person:bob", "person:eve"),
        *late,
        cwd=tmp_path,
    )
    done = arena("verify", "out", "--rerun-bots", cwd=tmp_path).stdout
    assert "1 match has no bot to run again: only persons sat at the table" in done
    assert not re.search(pattern("verify", "bots-run-again", matches=".*"), done)
    arena("bundle", "out", "out.khiva", cwd=tmp_path)
    (event,) = of_kind(checked((tmp_path / "out.khiva").read_bytes()), "event")
    assert (event["rerun"], event["cannot_tell"]) == (0, 1)


def checked(data: bytes) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    in_page.check(data, OwnMachine(), lambda event: events.append(json.loads(json.dumps(event))))
    return events


def test_a_page_says_the_same(with_ann: Path) -> None:
    events = checked((with_ann / "out.khiva").read_bytes())
    (match,) = of_kind(events, "match")
    assert (match["verdict"], match["why"]) == ("cannot tell here", UNTOLD)
    assert events[-1]["unknown"] == [f"match 1/0: {UNTOLD}"]
    assert events[-1]["problems"] == []


def test_a_change_at_another_seat_is_found(with_ann: Path) -> None:
    def change(_: int, plain: dict[str, Any]) -> None:
        at, place = next(
            (n, p)
            for n, step in enumerate(plain["steps"], 1)
            for p, one in enumerate(step)
            if one[0] == 1
        )
        plain["ticks"][at][place] += 1

    with closing(sqlite3.connect(with_ann / "out" / "arena.db")) as store:
        rewrite_records(store, change)
        forge(store)
    assert "1 of 1 matches are sound" in arena("verify", "out", cwd=with_ann).stdout
    done = arena("verify", "out", "--rerun-bots", cwd=with_ann, code=1)
    assert "seat 1: choice" in done.stdout
    arena("bundle", "out", "forged.khiva", "--with-modules", cwd=with_ann)
    (match,) = of_kind(checked((with_ann / "forged.khiva").read_bytes()), "match")
    assert match["verdict"] == "differs"
    assert "seat 1: choice" in match["why"]


def test_it_is_shown_and_reported_and_never_rated(with_ann: Path) -> None:
    table = arena("standings", "out", cwd=with_ann).stdout
    assert "played with persons, never rated" in table
    assert "Not rated: 1 table incomplete" in table
    assert "ann [person]" in arena("show", "out", cwd=with_ann).stdout
    arena("report", "out", "--out", "page.html", cwd=with_ann)
    assert (with_ann / "page.html").is_file()


@pytest.mark.parametrize("command", [("run", "--seats", "2", "--seeds", "1"), ("match",)])
def test_other_commands_seat_no_person_in_ticks(tmp_path: Path, command: tuple[str, ...]) -> None:
    bot = write_bot(tmp_path / "one")
    done = arena(*command, "--clock", "ticks", *bots("person:ann", bot), cwd=tmp_path, code=2)
    assert "--bot person:ann: " in done.stderr
    assert not (tmp_path / "out").exists()


def test_who_cannot_store_a_match_says_so_before_it_is_played(with_ann: Path) -> None:
    on_the_wall = arena("play", *bots("person:ann", "one"), "--out", "new", cwd=with_ann, code=2)
    assert "--out: only a match in ticks can be stored and checked" in on_the_wall.stderr
    assert not (with_ann / "new").exists()
    before = contents(with_ann / "out")
    again = arena(
        "play",
        "--clock",
        "ticks",
        *words(with_ann / "again", "khiva"),
        "--out",
        "out",
        cwd=with_ann,
        code=2,
    )
    assert contents(with_ann / "out") == before
    assert (
        "--out out: event 1 is a match of this deal and these players; give another --seed"
        in again.stderr
    )


def test_a_person_whose_time_is_up_is_late_and_at_last_out(tmp_path: Path) -> None:
    late = ("--turn", "1ms", "--bank", "0s", "--no-open", "--out", "out", "--json")
    done = arena("play", "--clock", "ticks", *words(tmp_path, "khiva"), *late, cwd=tmp_path)
    record = Record.from_json(done.stdout.rstrip("\n"))
    assert (record.verdicts[0], record.ranks[0]) == ("timeout", 3)
    assert (
        f"unconfirmed: match 1/0: {UNTOLD}"
        in arena("verify", "out", "--rerun-bots", cwd=tmp_path).stdout
    )
    for end in ("protocol", "flooded", "resource"):  # as no table gives a person one
        forge_end(tmp_path / "out" / "arena.db", end)
        assert (
            "1 of 1 matches are sound" in arena("verify", "out", cwd=tmp_path, code=None).stdout
        )  # no void before "resource"
        assert (
            f"seat 0: {end} in "
            in arena("verify", "out", "--rerun-bots", cwd=tmp_path, code=1).stdout
        )
    arena("bundle", "out", "forged.khiva", "--with-modules", cwd=tmp_path)
    (match,) = of_kind(checked((tmp_path / "forged.khiva").read_bytes()), "match")
    assert match["verdict"] == "differs"


def forge_end(path: Path, end: str) -> None:
    """Let seat 0 end otherwise in the records of a store, where it was out first."""

    def change(_: int, plain: dict[str, Any]) -> None:
        at, place = next(
            (plain["forfeited_at"][0], p)
            for p, one in enumerate(plain["steps"][plain["forfeited_at"][0] - 1])
            if one[0] == 0
        )
        plain["steps"][at - 1][place][2] = plain["verdicts"][0] = end
        plain["ticks"][at][place] *= end != "resource"

    with closing(sqlite3.connect(path)) as store:
        rewrite_records(store, change)
        faults = json.dumps([["timeout", "", 1], ["timeout", "", 2], [end, "", 3]])
        store.execute("UPDATE seats SET verdict = ?, faults = ? WHERE seat = 0", (end, faults))
        forge(store)


def test_a_full_disk_leaves_neither_match_nor_event_and_the_same_words_store_both(
    tmp_path: Path,
) -> None:
    play = (
        "play",
        "--clock",
        "ticks",
        *words(tmp_path, "khiva"),
        "--turn",
        "1ms",
        "--bank",
        "0s",
        "--no-open",
        "--out",
        "out",
    )

    def fails(*_: object) -> None:
        raise sqlite3.OperationalError("no room")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(db, "insert_match", fails)
        assert "no room" in arena(*play, cwd=tmp_path, code=2).stderr
    with Store.read(tmp_path / "out") as store:
        assert store.events() == []
    assert "stored as match 1/0" in arena(*play, cwd=tmp_path).stderr
    assert "1 of 1 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("change", "words_"),
    [
        ({"format": 4}, "a record of format 4; this engine reads 1, 2 and 3"),
        ({"format": 2}, sentence("replay", "belongs-to-its-format")),
        ({"seats": [["bob", "person:ann", 1]]}, sentence("replay", "belongs-to-its-format")),
    ],
)
def test_a_person_in_another_format_is_refused(
    with_ann: Path, change: dict[str, Any], words_: str
) -> None:
    plain = json.loads((with_ann / "out.json").read_text())
    plain["header"] |= change
    with pytest.raises(RecordError, match=words_):
        Record.from_json(json.dumps(plain))


def test_a_bundle_with_a_person_says_its_format(with_ann: Path) -> None:
    import gzip

    with gzip.open(with_ann / "out.khiva") as bundle:
        assert json.loads(bundle.readline())["format"] == 2


def test_a_seat_of_the_match_is_played_again_by_a_bot_alone(with_ann: Path) -> None:
    by_bots = arena(
        "match", "--from", "out", "1/0", *bots("one", "one", "one"), cwd=with_ann, code=1
    )
    assert "seat 0 (ann): choice" in by_bots.stdout
    done = arena("match", "--from", "out", "1/0", cwd=with_ann, code=2)
    assert sentence("entrants", "person-plays-khiva-arena") in done.stderr


@pytest.mark.parametrize("place", ["out", "out.khiva"])
def test_a_person_is_not_asked_again(with_ann: Path, place: str) -> None:
    done = arena("replay", place, "1/0", "--seat", "0", cwd=with_ann, code=2)
    assert (
        done.stderr.strip() == "khiva-arena: error: --bot person:ann: "
        f"{sentence('entrants', 'person-plays-khiva-arena')}"
    )


@pytest.mark.parametrize(
    ("change", "words_"),
    [
        ({"format": "round-robin"}, "persons sit in no other"),
        ({"clock": "wall", "meter": 0, "isolation": "trusted"}, "or plays by the wall clock"),
        ({"table": ()}, "bots by seat belong to the format play"),
        (
            {"bots": (DefinedBot("ann", "person:bob"), DefinedBot("one", "person:one"))},
            "the name of another",
        ),
    ],
)
def test_a_person_in_another_event_is_refused(
    with_ann: Path, change: dict[str, Any], words_: str
) -> None:
    with Store.read(with_ann / "out") as store:
        (event,) = store.events()
    with pytest.raises(ValueError, match=words_):
        Definition.read(replace(event.definition, **change).text)
