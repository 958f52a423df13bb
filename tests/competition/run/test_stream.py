"""The stream of events: what is in it, who may read it, and that no run depends on
it.
"""

import json
import os
import resource
import shutil
import sqlite3
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
from arena import ROOT, C, arena, arena_process, bots, kill, started
from hypothesis import given
from hypothesis import strategies as st
from make_schemas import FOLDER
from stores import FORFEITS, GREEDY, NAIVE, RANDOM
from waiting import until
from wording import pattern, sentence

from khiva_arena.common import stream
from khiva_arena.common.stream import NotAStream, StreamReader, decoded, encoded
from khiva_arena.competition.run.events_file import MOST_WAITING, EventsFile, TooSlow
from khiva_arena.errors import ConfigError

pytestmark = pytest.mark.slow

SCHEMA = FOLDER / "output" / "events.json"
PAGE = ROOT / "docs" / "files.md"
RUN = [
    "run",
    *bots(RANDOM, NAIVE),
    "--seats",
    "2",
    "--seeds",
    "4",
    "--seed",
    "stream",
    "--trust-bots",
    "--rule",
    "max_turns=4",
]

BEGIN = stream.Begin(
    t=0.0,
    event="0123456789abcdef",
    stage=None,
    number=0,
    format="round-robin",
    game="khiva",
    bots=["ann", "bob", "cy"],
    anchor=0,
    seats=2,
    rounds=1,
    seeds=2,
    matches=12,
    before=0,
    jobs=1,
    commitment="c0",
    at="2026-01-01T00:00:00+00:00",
)
MATCH = stream.MatchRecorded(
    t=1.5,
    ordinal=3,
    round=0,
    seed=0,
    lineup=1,
    rotation=1,
    bots=[2, 0],
    ranks=[1, 2],
    scores=[7, -1],
    verdicts=["ok", "timeout"],
    seconds=0.25,
    before=False,
)
LINES = (
    BEGIN,
    stream.Round(t=0.1, number=0, first_seed=0, seeds=2, tables=3, byes=[2]),
    MATCH,
    stream.FaultRecorded(
        t=2.0,
        match=3,
        bot=0,
        seat=1,
        verdict="timeout",
        step=4,
        gather=4,
        detail="no answer",
        before=False,
    ),
    stream.Paused(t=2.0, match=3, bot=0, seat=1, times=2, before=True),
    stream.VoidRecorded(
        t=2.5, match=4, attempt=1, bots=[0, 1], why="the host was late", before=False
    ),
    stream.SetAside(t=2.5, seed=0, lineup=2),
    stream.Llr(t=2.6, llr=-0.5, low=-2.94, high=2.94, seeds=40, decision=""),
    stream.EloDifference(t=2.6, elo=-12.5, low=None, high=80.0, seeds=9, decision=""),
    stream.LinkNews(t=2.6, relay="ann", what="back", seconds=1.5, median_ms=80.5, p95_ms=None),
    stream.Note(t=2.7, text="a word", warning=True),
    stream.RunEnded(t=3.0, how="incomplete", fixed=10, seconds=3.0, digest=None),
)


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_schema_is_that_of_the_lines() -> None:
    assert {type(line) for line in LINES} == set(stream.KINDS)
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for line in LINES:
        validator.validate(json.loads(encoded(line)))
        assert decoded(encoded(line)[:-1]) == line
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**json.loads(encoded(MATCH)), "bots": ["cy"]})


def test_each_class_of_a_line_is_one_that_readers_know() -> None:
    written = (
        kind
        for kind in vars(stream).values()
        if isinstance(kind, type) and issubclass(kind, stream.Line)
    )
    assert set(written) - {stream.Line} == set(stream.KINDS), "Any_line names each class of a line"


def test_the_page_names_every_line_and_every_field() -> None:
    sections = dict(part.split("\n", 1) for part in PAGE.read_text().split("\n#### "))
    for kind in stream.KINDS:
        section = sections[f"`{kind.__struct_config__.tag}`"]
        for field in set(kind.__struct_fields__) - {"v", "t", "before"}:
            assert f"`{field}`" in section, (kind, field)


@given(st.lists(st.integers(1, 40)), st.binary(max_size=30).filter(lambda rest: b"\n" not in rest))
def test_lines_come_whole_in_whatever_pieces_they_arrive(cuts: list[int], rest: bytes) -> None:
    data = b"".join(map(encoded, LINES)) + rest
    reader, got = StreamReader(), []
    for cut in cuts:
        got += reader.feed(data[:cut])
        data = data[cut:]
    assert (*got, *reader.feed(data)) == LINES


def test_what_a_reader_does_not_know_is_passed_over() -> None:
    grown = json.dumps({**json.loads(encoded(MATCH)), "weather": "fine"}).encode() + b"\n"
    new = b'{"v":1,"type":"applause","t":2.0}\n'
    reader = StreamReader()
    assert list(reader.feed(encoded(BEGIN) + new + grown)) == [BEGIN, MATCH]
    assert reader.unread == 0


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"[]",
        b'{"v":1,"type":"match","t":1.0}',
        b'{"v":2,"type":"match","t":1.0}',
        encoded(MATCH)[:-1].replace(b"[2,0]", b"[3,0]"),
        encoded(MATCH)[:-1].replace(b"[2,0]", b"[2]"),
        encoded(MATCH)[:-1].replace(b"[2,0]", b"[-1,0]"),
        encoded(MATCH)[:-1].replace(b"1.5", b"1e999"),
        encoded(LINES[3])[:-1].replace(b'"bot":0', b'"bot":99'),
        encoded(LINES[5])[:-1].replace(b"[0,1]", b"[0,1,7]"),
        encoded(BEGIN)[:-1].replace(b'"anchor":0', b'"anchor":3'),
        b"[" * 100_000,
    ],
)
def test_a_damaged_line_is_counted_and_passed_over(damaged: bytes) -> None:
    reader = StreamReader()
    assert list(reader.feed(encoded(BEGIN) + damaged + b"\n" + encoded(MATCH))) == [BEGIN, MATCH]
    assert reader.unread == (1 if damaged else 0)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (encoded(MATCH), pattern("stream", "first-line-not-say")),
        (b"SQLite format 3\0\n", pattern("stream", "not-line-stream-events")),
        (
            b'{"v":2,"type":"begin"}\n',
            pattern("stream", "version-khiva-arena-reads", v="2", version="1"),
        ),
        (b'{"v":1,"type":"begin","t":0}\n', "malformed"),
        (b"x" * (stream.LONGEST_LINE + 1), "longer than"),
    ],
)
def test_what_is_no_stream_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(NotAStream, match=why):
        list(StreamReader().feed(data))


@given(st.binary(max_size=200))
def test_no_bytes_upset_a_reader(data: bytes) -> None:
    reader = StreamReader()
    for _ in reader.feed(encoded(BEGIN) + data + b"\n"):
        pass


# --- where it goes ---


def test_a_file_is_added_to_below_a_line_that_was_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_bytes(encoded(BEGIN) + b'{"v":1,"ty')
    file = EventsFile.open(path)
    file.write(encoded(BEGIN))
    file.close()
    assert path.read_bytes() == encoded(BEGIN) + b'{"v":1,"ty\n' + encoded(BEGIN)


def test_what_cannot_be_a_stream_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "else").write_text("\nmy diary\n")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    for name, why in (
        ("else", "it is no stream of events"),
        ("folder", "Is a directory"),
        ("missing/events", "No such file"),
        ("fifo", "nobody reads this FIFO; start its reader first"),
        ("/dev/null", "neither a file nor a FIFO"),
        ("a\0b", "null"),
    ):
        with pytest.raises(ConfigError, match=why):
            EventsFile.open(tmp_path / name)
    assert (tmp_path / "else").read_text() == "\nmy diary\n"


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    first = EventsFile.open(tmp_path / "events")
    with pytest.raises(ConfigError, match="another run writes to it; name another file"):
        EventsFile.open(tmp_path / "events")
    first.close()
    EventsFile.open(tmp_path / "events").close()


def test_a_reader_that_does_not_keep_up_is_waited_for_by_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    file = EventsFile.open(tmp_path / "fifo")
    line = b"x" * 99_999 + b"\n"
    sent = 0
    with suppress(TooSlow):
        while sent <= 2 * MOST_WAITING:  # never blocks: this thread is the reader, too
            file.write(line)
            sent += len(line)
    assert MOST_WAITING <= sent <= MOST_WAITING + (1 << 21)
    file.close()
    os.close(reader)


def test_a_slow_reader_gets_all_of_it_in_the_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    file = EventsFile.open(tmp_path / "fifo")
    data = os.urandom(500_000)
    for at in range(0, len(data), 1000):
        file.write(data[at : at + 1000])
    got = bytearray()

    def read() -> None:
        os.set_blocking(reader, True)
        while chunk := os.read(reader, 65_536):
            got.extend(chunk)

    thread = threading.Thread(target=read)
    thread.start()
    file.drain()
    file.close()
    thread.join()
    os.close(reader)
    assert got == data


def test_a_reader_that_has_gone_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    file = EventsFile.open(tmp_path / "fifo")
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        file.write(b"x\n")
    file.close()


# --- what a run writes ---


def test_a_run_tells_all_that_its_store_holds(tmp_path: Path) -> None:
    shutil.copytree(FORFEITS, tmp_path / "forfeits")
    manifest = tmp_path / "forfeits" / "bot.toml"
    manifest.write_text(manifest.read_text().replace("raise 2", "raise 1"))
    words = [
        "run",
        *bots(RANDOM, "forfeits"),
        "--seats",
        "2",
        "--seeds",
        "2",
        "--trust-bots",
        "--isolation",
        "trusted",
    ]
    said = arena(*words, "--out", "out", "--events-file", "events", cwd=tmp_path)
    told = lines_of(tmp_path / "events")
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for line in told:
        validator.validate(line)
    begin, end = told[0], told[-1]
    assert begin["type"] == "begin"
    assert (begin["matches"], begin["before"], begin["seats"], begin["rounds"]) == (4, 0, 2, 1)
    assert begin["bots"][begin["anchor"]] == "random"
    assert end["type"] == "end"
    assert (end["how"], end["fixed"]) == ("complete", 4)
    assert f"run digest {end['digest']}" in said.stderr
    _same_as_stored(tmp_path, told)
    assert next(line["text"] for line in told if line["type"] == "note") in said.stderr
    faults = [line for line in told if line["type"] == "fault"]
    assert len(faults) == 4
    shown = [line for line in said.stderr.splitlines() if line.startswith("fault")]
    assert shown[0].startswith(f"fault  1/{faults[0]['match']}  bot=forfeits  seat=")
    assert shown[1:] == [
        f"fault  bot=forfeits  verdict=crashed  times=4  last=1/{faults[-1]['match']}"
    ]
    logged = lines_of(tmp_path / "out" / "log.jsonl")
    assert [line["event"] for line in logged if line["event"] != "fault"] == [
        line["text"] for line in told if line["type"] == "note"
    ]
    assert [line["step"] for line in faults] == [line["gather"] for line in faults] == [1] * 4
    same = ("match", "seat", "verdict", "step", "gather", "detail")
    assert [[line[key] for key in same] for line in logged if line["event"] == "fault"] == [
        [line[key] for key in same] for line in faults
    ]
    assert {frozenset(line) - {*same, "bot"} for line in logged} == {
        frozenset({"event", "level", "timestamp"})
    }
    assert [line["t"] for line in told] == sorted(line["t"] for line in told)


def _same_as_stored(folder: Path, told: list[dict[str, object]]) -> None:
    connection = sqlite3.connect(folder / "out" / "arena.db")
    query = (
        "SELECT m.ordinal, m.seed, m.lineup, m.rotation, s.bot, s.rank, s.score, s.verdict "
        "FROM matches m, seats s "
    )
    stored = connection.execute(
        query + "WHERE m.ordinal = s.ordinal ORDER BY m.ordinal, s.seat"
    ).fetchall()
    connection.close()
    matches = sorted(
        (line for line in told if line["type"] == "match"), key=lambda line: line["ordinal"]
    )
    found = [
        (line["ordinal"], line["seed"], line["lineup"], line["rotation"], *seat)
        for line in matches
        for seat in zip(line["bots"], line["ranks"], line["scores"], line["verdicts"], strict=True)
    ]
    assert found == stored


@pytest.mark.soak
def test_a_resumed_run_tells_what_was_fixed_before(tmp_path: Path) -> None:
    process = started(
        *RUN, "--seeds", "40", "--out", "out", "--events-file", "events", cwd=tmp_path
    )
    path = tmp_path / "events"
    assert until(lambda: path.exists() and path.read_text().count('"type":"match"') > 5)
    kill(process)
    process.communicate()
    cut = lines_of(path) if path.read_bytes().endswith(b"\n") else []
    arena(*RUN, "--seeds", "40", "--out", "out", "--events-file", "events", cwd=tmp_path)
    told = lines_of(path)
    assert cut == told[: len(cut)]
    last = max(number for number, line in enumerate(told) if line["type"] == "begin")
    again = told[last:]
    matches = [line for line in again if line["type"] == "match"]
    before = [line for line in matches if line["before"]]
    assert again[0]["before"] == len(before) > 5
    assert matches[: len(before)] == before
    assert Counter(line["ordinal"] for line in matches) == Counter(range(80))
    assert again[-1]["fixed"] == 80
    _same_as_stored(tmp_path, again)
    rounds = [line for line in again if line["type"] == "round"]
    assert [(line["number"], line["seeds"], line["tables"]) for line in rounds] == [(0, 40, 1)]


def test_a_swiss_tells_its_rounds(tmp_path: Path) -> None:
    words = ["run", *bots(RANDOM, NAIVE, GREEDY), "--format", "swiss", "--rounds", "2"]
    arena(
        *words,
        "--seats",
        "2",
        "--seeds",
        "1",
        "--trust-bots",
        "--out",
        "out",
        "--events-file",
        "events",
        cwd=tmp_path,
    )
    told = lines_of(tmp_path / "events")
    assert told[0]["rounds"] == 2
    assert [line["type"] for line in told if line["type"] in ("round", "match")] == [
        "round",
        "match",
        "match",
    ] * 2
    assert [(line["number"], len(line["byes"])) for line in told if line["type"] == "round"] == [
        (0, 1),
        (1, 1),
    ]
    assert [line["round"] for line in told if line["type"] == "match"] == [0, 0, 1, 1]
    _same_as_stored(tmp_path, told)


STAGES = """
bots = [{bots}]
seats = 2
seeds = 1
seed = "stages"
out = "out"
rules.max_turns = 2

[[stage]]
name = "groups"

[[stage]]
name = "final"
format = "knockout"
take = 2
"""


def test_a_competition_of_two_stages_tells_each_and_ends_once(tmp_path: Path) -> None:
    names = ", ".join(json.dumps(bot) for bot in (RANDOM, NAIVE, GREEDY))
    (tmp_path / "cup.toml").write_text(STAGES.format(bots=names))
    arena("run", "cup.toml", "--events-file", "events", "--trust-bots", cwd=tmp_path)
    told = lines_of(tmp_path / "events")
    begins = [line for line in told if line["type"] == "begin"]
    assert [(line["stage"], line["number"], line["matches"]) for line in begins] == [
        ("groups", 1, 6),
        ("final", 2, 2),
    ]
    assert set(begins[1]["bots"]) < set(begins[0]["bots"])
    assert [line["type"] for line in told].count("end") == 1
    assert (told[-1]["how"], told[-1]["fixed"]) == ("complete", 2)
    assert len([line for line in told if line["type"] == "match"]) == 8


@pytest.mark.soak
def test_a_sequential_test_tells_how_it_stands(tmp_path: Path) -> None:
    # One match at a time: of two, both may wait for the same seed, and are counted in
    # one line then.
    short = [
        "--rule",
        "max_turns=2",
        "--trust-bots",
        "--seed",
        "sprt",
        "--elo1",
        "400",
        "-j",
        "1",
        "--out",
        "out",
        "--json",
    ]
    done = arena(
        "sprt",
        NAIVE,
        C,
        *short,
        "--seeds",
        "60",
        "--events-file",
        "events",
        cwd=tmp_path,
        code=None,
    )
    told = lines_of(tmp_path / "events")
    llrs = [line for line in told if line["type"] == "llr"]
    # Outcomes of later seeds wait for one that comes late: one line counts them all.
    seeds = [line["seeds"] for line in llrs]
    assert seeds == sorted({*seeds})
    assert len(seeds) > seeds[-1] / 2
    assert told[0]["format"] == "sprt"
    final = json.loads(done.stdout)
    assert llrs[-1]["llr"] == pytest.approx(final["llr"], abs=1e-3)
    assert [llrs[-1]["low"], llrs[-1]["high"]] == pytest.approx(final["bounds"], abs=1e-3)
    assert llrs[-1]["decision"] == final["decision"]
    assert {line["decision"] for line in llrs[:-1]} <= {""}
    again = arena(
        "sprt", NAIVE, C, *short, "--seeds", "60", "--events-file", "again", cwd=tmp_path, code=None
    )
    assert json.loads(again.stdout)["llr"] == final["llr"]
    [resumed] = [line for line in lines_of(tmp_path / "again") if line["type"] == "llr"]
    assert {**resumed, "t": 0} == {**llrs[-1], "t": 0}


def test_a_comparison_tells_how_it_stands(tmp_path: Path) -> None:
    # One match at a time, as above.
    short = [
        "--rule",
        "max_turns=2",
        "--trust-bots",
        "--seed",
        "x",
        "-j",
        "1",
        "--out",
        "out",
        "--json",
    ]
    words = ["compare", NAIVE, FORFEITS, *short]
    final = json.loads(arena(*words, "--events-file", "events", cwd=tmp_path).stdout)
    told = [line for line in lines_of(tmp_path / "events") if line["type"] == "difference"]
    # A line may count several seeds, as above.
    seeds = [line["seeds"] for line in told]
    assert seeds == sorted({*seeds})
    assert seeds[-1] == 7
    assert len(seeds) > 3
    assert [line["decision"] for line in told] == [""] * (len(told) - 1) + ["better"]
    assert [told[-1]["elo"], told[-1]["low"], told[-1]["high"]] == [
        pytest.approx(final["elo"], abs=0.1),
        pytest.approx(final["low"], abs=0.1),
        None,
    ]
    assert (
        sentence("terminal", "elo-after-seeds", elo="573", low="24", high="none", seeds="7 seeds")
        in arena("watch", "events", cwd=tmp_path).stdout
    )


def test_an_unusable_file_is_refused_before_any_match(tmp_path: Path) -> None:
    done = arena(*RUN, "--out", "out", "--events-file", "missing/events", cwd=tmp_path, code=2)
    assert (
        "khiva-arena: error: --events-file missing/events: No such file or directory" in done.stderr
    )
    assert "event " not in done.stderr.replace("--events-file", "")


@pytest.mark.soak
def test_a_reader_that_goes_does_not_end_the_run(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    process = started(*RUN, "--out", "out", "--events-file", "fifo", cwd=tmp_path)
    os.set_blocking(reader, True)
    got = b""
    while b'"type":"match"' not in got and process.poll() is None:
        got += os.read(reader, 4096)
    os.close(reader)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert (
        said.count(
            "warning: " + sentence("competition", "stream-events") + " stops here: Broken pipe"
        )
        == 1
    )
    assert json.loads(got.partition(b"\n")[0])["type"] == "begin"
    assert "8 of 8 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout


def test_a_file_that_takes_no_more_does_not_end_the_run(tmp_path: Path) -> None:
    path = tmp_path / "events"
    with path.open("wb") as file:
        file.write(encoded(BEGIN))
        file.write(encoded(stream.Note(t=1.0, text="x" * 2_000_000, warning=False)))
    size = path.stat().st_size + 700  # the store's own files stay below that
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        done = arena_process(*RUN, "--out", "out", "--events-file", "events", cwd=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (
        done.stderr.count(
            "warning: " + sentence("competition", "stream-events") + " stops here: File too large"
        )
        == 1
    )
    assert "8 of 8 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout
    assert path.stat().st_size == size
    arena(*RUN, "--out", "out", "--events-file", "events", cwd=tmp_path)
    reader = StreamReader()
    told = list(reader.feed(path.read_bytes()))
    assert reader.unread == 1
    assert isinstance(told[-1], stream.RunEnded)
