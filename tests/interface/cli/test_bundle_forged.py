"""Bundles that were forged or damaged, and what verify says of each."""

import copy
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bundling import forged, packed
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sound_bundle import EVENT, FIRST_MATCH, RUN_SECRET, Lines, folder, sound, verified
from wording import sentence

from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import digest_of
from khiva_arena.records.store import bundle_text

__all__ = ["folder", "sound"]
pytestmark = pytest.mark.slow


@pytest.fixture
def lines(sound: Lines) -> Lines:
    return copy.deepcopy(sound)


def says_why(error: str, where: Path) -> None:
    """Hold that stderr has one line, which says why the file of ``verified`` is not
    sound.
    """
    assert error.startswith(
        f"{where / 'changed'}: " + sentence("audit", "why-not-sound", problem="")
    )
    assert error.count("\n") == 1


def other(digits: str) -> str:
    return ("0" if digits[0] != "0" else "1") + digits[1:]


def put(place: int, *path: Any) -> Callable[[Any], Callable[[Lines], None]]:
    """Set what ``path`` leads to in the line at ``place`` to a value, or to what a
    function makes of it.
    """

    def to(value: Any) -> Callable[[Lines], None]:
        def change(lines: Lines) -> None:
            at = lines[place]
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value(at[path[-1]]) if callable(value) else value

        return change

    return to


def without(*places: int) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        for place in sorted((place % len(lines) for place in places), reverse=True):
            del lines[place]

    return change


def twice(place: int) -> Callable[[Lines], None]:
    return lambda lines: lines.insert(place, lines[place])


def swapped(lines: Lines) -> None:
    lines[FIRST_MATCH], lines[FIRST_MATCH + 1] = lines[FIRST_MATCH + 1], lines[FIRST_MATCH]


def moved(lines: Lines) -> None:
    """One match's record at another's place, and the other way round."""
    one, another = lines[FIRST_MATCH], lines[FIRST_MATCH + 1]
    one["record"], another["record"] = another["record"], one["record"]


def rounded_off(lines: Lines) -> None:
    lines[-1]["table"]["rows"][0]["elo"] += 0.0005


CHANGES = {
    "another event id": (
        put(EVENT, "id")("0" * 16),
        "the event itself: " + sentence("events", "definition-commitment-hash"),
    ),
    "an event id that is no hash": (
        put(EVENT, "id")("\x1b[2J\n"),
        "the event itself: " + sentence("events", "definition-commitment-hash"),
    ),
    "another policy": (
        put(EVENT, "definition", "policy")("strict"),
        sentence("events", "definition-commitment-hash"),
    ),
    "an unknown policy": (
        put(EVENT, "definition", "policy")("kind"),
        sentence("store", "definition-damaged"),
    ),
    "an empty definition": (put(EVENT, "definition")({}), sentence("store", "definition-damaged")),
    "another commitment": (
        put(EVENT, "commitment")(other),
        "it " + sentence("replay", "not-open-commitment"),
    ),
    "another name of a bot": (
        put(EVENT, "bots", 0, "name")("other"),
        sentence("events", "bots-not-those-definition"),
    ),
    "no bots": (put(EVENT, "bots")([]), sentence("events", "bots-not-those-definition")),
    "a key too many": (put(EVENT, "more")(1), "line 2 is damaged"),
    "another secret of the run": (
        put(RUN_SECRET, "secret")(other),
        "it " + sentence("replay", "not-open-commitment"),
    ),
    "a secret that is no hash": (put(RUN_SECRET, "secret")("x"), "line 3 is damaged"),
    "another secret of a seed": (
        put(RUN_SECRET + 1, "secret")(other),
        sentence(
            "audit",
            "not-runs-secret-gives",
            it=sentence("audit", "revealed-secret-seed") + " 0: it",
        ),
    ),
    "a secret of another seed": (
        put(RUN_SECRET + 2, "seed")(7),
        sentence("audit", "revealed-secret-seed") + " 7: " + sentence("audit", "no-such-seed"),
    ),
    "no secret of the run": (without(RUN_SECRET), sentence("audit", "cannot-checked-since-runs")),
    "no secret of a seed": (
        without(RUN_SECRET + 1),
        sentence("audit", "revealed-secrets-not-those"),
    ),
    "no first match": (without(FIRST_MATCH), "1 match is missing"),
    "no match": (without(*range(FIRST_MATCH, FIRST_MATCH + 12)), "12 matches are missing"),
    "a match twice": (twice(FIRST_MATCH), sentence("audit", "stands-where-cannot")),
    "the event twice": (twice(EVENT), "has no end"),
    "two matches swapped": (swapped, sentence("audit", "stands-where-cannot")),
    "records swapped": (moved, "match 1/0: " + sentence("audit", "header-not-event-gives")),
    "another score": (
        put(FIRST_MATCH, "record", "scores", 0)(lambda score: score + 1),
        "match 1/0: " + sentence("replay", "hash-chain-ends"),
    ),
    "steps that are no list": (put(FIRST_MATCH, "record", "steps")("x"), "match 1/0: not a record"),
    "an empty record": (put(FIRST_MATCH, "record")({}), "match 1/0: not a record"),
    "a match that was not scheduled": (
        put(FIRST_MATCH + 11, "ordinal")(99),
        "match 1/99: " + sentence("audit", "schedule-no-such-match"),
    ),
    "a second void attempt without a first": (
        lambda lines: lines.insert(FIRST_MATCH, {"kind": "void", "ordinal": 3, "attempt": 2}),
        "attempt 2 is at place 1",
    ),
    "a void that was not scheduled": (
        lambda lines: lines.insert(FIRST_MATCH, {"kind": "void", "ordinal": 99, "attempt": 1}),
        "void 1/99: " + sentence("audit", "schedule-no-such-match"),
    ),
    "a void too many": (
        lambda lines: lines.insert(FIRST_MATCH, {"kind": "void", "ordinal": 3, "attempt": 1}),
        "voids is 0, the records give 1",
    ),
    "another run digest": (put(-2, "digest")(other), sentence("audit", "run-digest")),
    "no end": (without(-2), "event 1 has no end"),
    "no standings": (
        without(-1),
        sentence("audit", "tables-standings-records-give", tables="0", tables_2="1"),
    ),
    "standings twice": (twice(-1), "it has 2 tables of standings"),
    "another rating": (
        put(-1, "table", "rows", 1, "elo")(lambda elo: elo + 0.01),
        "standings 1: rows.1.elo is",
    ),
    "another count of matches": (
        put(-1, "table", "rows", 0, "matches")(7),
        "standings 1: rows.0.matches is 7, the records give 8",
    ),
    "another anchor": (put(-1, "table", "anchor")("x"), "standings 1: anchor is x"),
    "standings with a key too many": (
        put(-1, "table", "praise")("x"),
        "standings 1: praise is " + sentence("report", "not-records-give"),
    ),
    "standings without blocks": (
        lambda lines: lines[-1]["table"].pop("blocks"),
        "standings 1: blocks is missing",
    ),
    "standings without a row": (
        lambda lines: lines[-1]["table"]["rows"].pop(),
        "standings 1: rows is",
    ),
    "nothing but the header": (without(*range(1, 19)), sentence("audit", "no-event")),
    "no event": (without(EVENT), sentence("audit", "begins-no-event")),
    "an event behind the standings": (
        lambda lines: lines.append(lines[EVENT]),
        sentence("audit", "event-stands-behind-standings"),
    ),
}


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
def test_verify_names_what_was_forged(
    change: Callable[[Lines], None],
    said: str,
    lines: Lines,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    change(lines)
    code, out, error = verified(forged(lines), tmp_path, capsys)
    assert code == 1
    says_why(error, tmp_path)
    assert said in out
    assert "\x1b" not in out + error


def test_numbers_may_differ_by_their_rounding(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rounded_off(lines)
    assert verified(forged(lines), tmp_path, capsys)[0] == 0


def test_another_engine_may_tell_more_or_less(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines[0]["engine"] = "9.9"
    lines[-1]["table"]["praise"] = "x"
    assert verified(forged(lines), tmp_path, capsys)[0] == 0
    lines[-1]["table"]["rows"][0]["matches"] += 1
    bot = lines[-1]["table"]["rows"][0]["bot"]
    assert f"rows.{bot}.matches is" in verified(forged(lines), tmp_path, capsys)[1]


def test_an_event_that_would_take_a_day_is_refused(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = lines[EVENT]["bots"][0]
    many = [
        one,
        *({**one, "name": f"{one['name']}-{i}", "identity": f"{i:064x}"} for i in range(2000)),
    ]
    for key, value in (("lineups", 10**9), ("seeds", 10**9), ("copies", 10**9), ("bots", many)):
        event = copy.deepcopy(lines[EVENT])
        plain = (
            [{"name": bot["name"], "identity": bot["identity"]} for bot in value]
            if key == "bots"
            else value
        )
        event["definition"][key] = plain
        if key == "bots":
            event["bots"] = value
        event["id"] = seeds.event_id(digest_of(event["definition"]), event["commitment"])
        code, out, _ = verified(forged([lines[0], event, *lines[2:]]), tmp_path, capsys)
        assert code == 1
        assert "can be verified at most" in out


def test_the_file_itself(
    folder: Path, sound: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (folder / "b.khiva").read_bytes()
    text = gzip.decompress(whole)
    start = text[: text.index(b"\n") + 1]
    for data, said in (
        (whole[:-20], sentence("store", "file-cut-short")),
        (whole + b"x", sentence("store", "more-after-end")),
        (whole + packed(text), sentence("store", "more-after-end")),
        (packed(text[:-1]), "its last line is cut short"),
        (packed(text + b"{}\n"), "more lines follow its last line"),
        (packed(text.replace(b'"seed":0', b'"seed": 0')), "not canonical text"),
        (packed(start + b"[" * 100_000 + b"\n"), "nested too deep"),
        (packed(start + b"\xff\xfe\n"), "line 2 is damaged"),
        (packed(start + b'{"a":1e999}\n'), "line 2 is damaged"),
        (packed(start + b'{"a":"\\ud800"}\n'), "line 2 is damaged"),
        (
            packed(b"".join(line + b"\n" for line in text.splitlines()[:-1])),
            "its last line is missing",
        ),
        (forged(sound, matches=11), sentence("store", "last-line-says-lines")),
        (forged(sound, sha256="0" * 64), sentence("store", "last-line-says-lines")),
    ):
        code, out, error = verified(data, tmp_path, capsys)
        assert code == 1
        says_why(error, tmp_path)
        assert said in out


def test_a_file_that_was_made_to_fill_memory(
    sound: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bomb = packed(b'{"engine":"1","format":1,"kind":"khiva-bundle"}\n' + b" " * 64 * 2**20)
    assert "grows more than 100 times" in verified(bomb, tmp_path, capsys)[1]
    # the same with what does not shrink between, so that only the length of the line
    # gives it away
    noise = "".join(other(line["secret"]) for line in sound if line["kind"] == "reveal")
    long = {"kind": "over", "digest": (noise + "x" * 1000) * (bundle_text.LONGEST_LINE // 1000)}
    plain = packed(b'{"engine":"1","format":1,"kind":"khiva-bundle"}\n' + json.dumps(long).encode())
    assert len(plain) * bundle_text.MOST_GROWTH + bundle_text.FREE_GROWTH > 2**20
    said = verified(plain, tmp_path, capsys)[1]
    assert "grows more than" in said or "it has a line of more than" in said


FUZZ = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FUZZ
@given(data=st.data())
def test_no_flipped_bit_goes_unnoticed(
    data: st.DataObject, folder: Path, tmp_path: Path, capsys: Any
) -> None:
    whole = bytearray((folder / "b.khiva").read_bytes())
    text = gzip.decompress(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    code, out, error = verified(bytes(whole), tmp_path, capsys)
    if code == 0:
        assert gzip.decompress(whole) == text  # as where only the header of the packing was hit
    else:
        assert code in (1, 2)
        assert (out + error).count("\n") <= 4


@FUZZ
@given(data=st.data())
def test_no_changed_byte_of_the_text_goes_unnoticed(
    data: st.DataObject, folder: Path, tmp_path: Path, capsys: Any
) -> None:
    text = bytearray(gzip.decompress((folder / "b.khiva").read_bytes()))
    place = data.draw(st.integers(0, len(text) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != text[place]))
    text[place] = byte
    assert verified(packed(bytes(text)), tmp_path, capsys)[0] in (1, 2)


@FUZZ
@given(data=st.data())
def test_no_line_is_lost_added_or_moved(
    data: st.DataObject, sound: Lines, tmp_path: Path, capsys: Any
) -> None:
    lines = list(sound)
    place, to = (data.draw(st.integers(1, len(lines) - 1)) for _ in range(2))
    what = data.draw(st.sampled_from(["lose", "double", "move"]))
    line = lines[place] if what == "double" else lines.pop(place)
    if what != "lose":
        lines.insert(to, line)
    assume(lines != sound)
    assert verified(forged(lines), tmp_path, capsys)[0] == 1


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


CLAIMS = (
    "engine",
    "engines",
    "version",
    "complete",
)  # what the organiser says and nothing can prove


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where each part of a plain value is."""
    yield path
    for key, part in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from paths(part, (*path, key))


@FUZZ
@given(data=st.data())
def test_no_changed_value_goes_unnoticed_whatever_the_sums(
    data: st.DataObject, sound: Lines, tmp_path: Path, capsys: Any
) -> None:
    lines = copy.deepcopy(sound)
    place = data.draw(st.integers(0, len(lines) - 1))
    path = data.draw(
        st.sampled_from(
            [
                path
                for path in paths(lines[place])
                if path and not any(key in CLAIMS for key in path)
            ]
        )
    )
    at = lines[place]
    for key in path[:-1]:
        at = at[key]
    new = data.draw(VALUES)
    assume(json.dumps(at[path[-1]]) != json.dumps(new))
    assume(
        not (
            isinstance(new, float)
            and isinstance(at[path[-1]], float)
            and abs(new - at[path[-1]]) < 1
        )
    )
    at[path[-1]] = new
    code, _, error = verified(forged(lines), tmp_path, capsys)
    assert code in (1, 2)
    assert "Traceback" not in error


@FUZZ
@given(data=st.data())
def test_no_definition_however_strange_breaks_it(
    data: st.DataObject, sound: Lines, tmp_path: Path, capsys: Any
) -> None:
    """As above, but with an id and bots that fit, so that all behind the first check is
    reached.
    """
    event = copy.deepcopy(sound[EVENT])
    what = event["definition"]
    path = data.draw(st.sampled_from([path for path in paths(what) if path]))
    at = what
    for key in path[:-1]:
        at = at[key]
    small = st.integers(-5, 70) | st.sampled_from(
        ["swiss", "knockout", "gauntlet", "sprt", "emira", "silk_road", "strict", "trusted"]
    )
    at[path[-1]] = data.draw(VALUES | small)
    assume(what != sound[EVENT]["definition"])
    event["id"] = seeds.event_id(digest_of(what), event["commitment"])
    if isinstance(what.get("bots"), list) and all(isinstance(bot, dict) for bot in what["bots"]):
        rest = {"version": "", "complete": False}
        event["bots"] = [
            {"name": bot.get("name"), "identity": bot.get("identity"), **rest}
            for bot in what["bots"]
        ]
    code, _, error = verified(forged([sound[0], event, *sound[2:]]), tmp_path, capsys)
    assert code == 1
    says_why(error, tmp_path)
