"""``khiva-arena standings``: what it prints on request, on real stores."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pages
import pytest
from arena import arena
from forked_command import Forked
from make_schemas import REPORTS, schema_of
from wording import sentence

from khiva_arena.competition.events.draw_factors import between_equals
from khiva_arena.competition.events.pool_tables import tables_of
from khiva_arena.interface.cli.main import run
from khiva_arena.interface.commands.standings import _more_seeds
from khiva_arena.rating.report.section_names import NAMES as SECTIONS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(swiss: Path) -> Path:
    """Hold a store with three events of one pool: round-robins at three seats and at
    two, and a swiss.
    """
    return swiss


def test_real_output_of_every_section_fits_the_schema(folder: Path) -> None:
    text = arena("standings", "out", "--json", "--section", "all", cwd=folder).stdout
    output = json.loads(text)
    schema = schema_of(REPORTS["standings"])
    for part in schema["$defs"].values():
        if "properties" in part:
            part["additionalProperties"] = False
    jsonschema.Draft202012Validator(schema).validate(output)
    (table,) = output["standings"]
    assert set(table["sections"]) == set(SECTIONS) - {"details"}
    assert [stage["number"] for stage in table["sections"]["history"]] == [1, 2, 3]
    assert [(place["number"], place["format"]) for place in table["places"]] == [(3, "swiss")]
    alone = json.loads(arena("standings", "out", "1", "--json", cwd=folder).stdout)
    assert "places" not in alone["standings"][0]


def test_every_section_is_printed_below_the_table_and_nothing_unasked(folder: Path) -> None:
    plain = arena("standings", "out", cwd=folder).stdout
    every = arena("standings", "out", "--section", "all", cwd=folder).stdout
    table = plain.split("\n\n")[0]
    assert every.startswith(table)
    assert "Crosstable:" not in plain
    titles = [
        *(
            "Details:",
            "Crosstable:",
            "Likelihood of superiority:",
            "Surprise:",
            "Seats and neighbours:",
            "Cycles:",
        ),
        *("Connectivity:", "Covariance:", "Effects:", "History:"),
    ]
    places = [every.index(f"\n{title}\n") for title in titles]
    assert places == sorted(places)
    assert max(map(len, every.split("\n")[1:])) <= 100
    assert "\x1b" not in every
    assert "event 3, swiss, over:" in plain
    one = arena("standings", "out", "--section", "los", cwd=folder).stdout
    assert [title for title in titles if title in one] == ["Likelihood of superiority:"]


def test_a_pool_with_a_swiss_is_widened_alike_wherever_it_is_shown(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the terminal, in JSON, on the page of the store and of its bundle, with
    nothing kept, and for another order of words.
    """
    (table,) = json.loads(arena("standings", "out", "--json", cwd=folder).stdout)["standings"]
    widening = table["widening"]
    assert widening["kind"] == "replayed"
    assert widening["pair"] > 1.5
    assert widening["ranks"] > widening["pair"]
    said = sentence(
        "report",
        "pairings-followed-results-errors",
        widened=sentence("report", "wider-by-replays") + ".",
    )
    assert widening["factor"] == 1.0
    assert said in " ".join(arena("standings", "out", cwd=folder).stdout.split())
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "another"))
    between_equals.cache_clear()
    (again,) = json.loads(arena("standings", "out", "3", "1", "2", "--json", cwd=folder).stdout)[
        "standings"
    ]
    assert again["widening"] == widening
    arena("bundle", "out", str(tmp_path / "bundle"), cwd=folder)
    arena("verify", str(tmp_path / "bundle"), cwd=folder)
    for source in ("out", str(tmp_path / "bundle")):
        page = tmp_path / "page.html"
        arena("report", source, "--out", str(page), "--replays", "none", cwd=folder)
        assert said in pages.text(page)
        page.unlink()
    (alone,) = json.loads(arena("standings", "out", "1", "2", "--json", cwd=folder).stdout)[
        "standings"
    ]
    assert "widening" not in alone


def test_the_places_of_a_swiss_come_first_and_elo_after(folder: Path) -> None:
    """A fact by the rules of the format before an estimate that decides nothing."""
    for words in (["out", "3"], ["out"]):
        text = arena("standings", *words, cwd=folder).stdout
        order = [
            "khiva with max_turns=8 at ",
            "event 3, swiss, over:",
            "place  bot",
            "only estimates strength:",
            "rank  bot",
            sentence("report", "p-finishes-ahead-b"),
        ]
        places = [text.index(part) for part in order]
        assert places == sorted(places)
    assert "only estimates strength" not in arena("standings", "out", "1", cwd=folder).stdout


@pytest.mark.parametrize("width", [60, 80])
def test_columns_is_heeded_and_every_line_fits(folder: Path, width: int) -> None:
    for words in (
        ["standings", "out", "--section", "all"],
        ["plan", "out", "--error", "50"],
        ["plan", "out", "--gap", "50"],
    ):
        lines = arena(*words, cwd=folder, env={"COLUMNS": str(width)}).stdout.split("\n")
        assert (
            max(len(line) for line in lines if not line.startswith("khiva-arena ")) <= width
        )  # a command is not broken
    wide = arena("standings", "out", cwd=folder, env={"COLUMNS": "100"}).stdout
    assert "1st" in wide
    for said in ("", "0", "-3", "wide"):
        assert (
            arena("standings", "out", cwd=folder, env={"COLUMNS": said}).stdout == wide
        )  # no terminal: 100 columns
    data = [
        arena("standings", "out", "--json", cwd=folder, env={"COLUMNS": said}).stdout
        for said in ("60", "200")
    ]
    assert data[0] == data[1]


def test_lists_fit_too_and_are_whole_where_there_is_no_terminal(folder: Path) -> None:
    no_tools = {
        "PATH": str(folder)
    }  # so that each list says what is lacking, and looks for nothing that takes long
    for words in (["show", "out"], ["bots"], ["new"]):
        whole = arena(*words, cwd=folder, env=no_tools).stdout
        narrow = arena(*words, cwd=folder, env=no_tools | {"COLUMNS": "60"}).stdout
        assert whole.split() == narrow.split()  # nothing is cut off
        # a word is never cut: what a bot lacks here, if anything, may be one that is
        # longer than the room for it
        listed = [
            line
            for line in narrow.split("\n")
            if not line.startswith("event ") and len(line.split()) > 1
        ]
        assert max(map(len, listed)) <= (60 if words[0] == "show" else 75)
    lines = arena("show", "out", cwd=folder).stdout.split("\n")
    assert sum("1/0  " in line and line.count("(") == 3 for line in lines) == 1


def test_a_terminal_of_80_columns_has_a_table_of_80(folder: Path) -> None:
    import fcntl
    import os
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    env = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    code = Forked(["standings", "out"], cwd=folder, env=env, stdout=theirs).wait()
    os.close(theirs)
    text = os.read(ours, 65536).decode().replace("\r", "")
    os.close(ours)
    assert code == 0
    assert 60 < max(map(len, text.split("\n"))) <= 80
    assert sentence("report", "left-out-width") + ": " in text


Printed = Callable[..., str]


@pytest.fixture
def printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Printed:
    """What the command prints, run in this process."""

    def call(*words: str) -> str:
        monkeypatch.chdir(folder)
        assert run(["standings", "out", *words]) == 0
        return capsys.readouterr().out

    return call


def test_effects_are_asked_for_by_themselves(printed: Printed) -> None:
    text = printed("--effects", "seats")
    assert "seat 0 of 3" in text
    assert "seat 1 of 2" in text
    assert "after greedy" not in text


def test_history_is_in_order_of_creation_however_events_are_named(printed: Printed) -> None:
    def numbers(*words: str) -> list[int]:
        (table,) = json.loads(printed(*words, "--json", "--section", "history"))["standings"]
        return [stage["number"] for stage in table["sections"]["history"]]

    assert numbers("2", "1") == [1, 2]


def test_anchors_are_given_by_name_with_or_without_a_number(printed: Printed) -> None:
    def elos(*anchors: str) -> dict[str, float]:
        words = [word for anchor in anchors for word in ("--anchor", anchor)]
        (table,) = json.loads(printed(*words, "--json"))["standings"]
        return {row["name"]: row["elo"] for row in table["rows"]}

    zero, moved = elos("naive"), elos("naive=1000")
    assert zero["naive"] == 0
    assert moved == {name: pytest.approx(elo + 1000, abs=0.01) for name, elo in zero.items()}
    both = elos("naive=100", "random=-50.5")
    assert (both["naive"], both["random"]) == (100, -50.5)
    loose = elos("naive=100", "random=-50.5:100")
    assert loose["naive"] == 100
    assert loose["random"] != -50.5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--section", "nothing"],
            sentence("events", "no-section-2", name="'nothing'", names="details, crosstable"),
        ),
        (
            ["--effects", "weather"],
            "--effects: 'weather' is not an effect; there are seats and neighbours",
        ),
        (
            ["--anchor", "nobody"],
            "no bot called 'nobody' to anchor the ratings on; there are random, naive, greedy",
        ),
        (["--anchor", "nobody=3"], "no bot called 'nobody' to anchor"),
        (["--anchor", "naive=x"], "no bot called 'naive=x'"),
        (["--anchor", "naive=1e9"], "no bot called 'naive=1e9'"),
        (
            ["--anchor", "naive=99999"],
            "--anchor naive=99999: Elo and its deviation are 10000 at most",
        ),
        (
            ["--anchor", "naive", "--anchor", "random"],
            "several anchors need a number each, as --anchor naive=0",
        ),
        (
            ["--anchor", "naive=1", "--anchor", "naive=2"],
            "an anchor is given twice; give each bot one number",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(folder)
    assert run(["standings", "out", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_under_each_table_stands_who_leads_and_whether_that_could_be_luck(folder: Path) -> None:
    said = " ".join(arena("standings", "out", cwd=folder).stdout.split())
    tables = tables_of(folder / "out", ())
    verdicts = [table.verdict(command=lambda _seeds: "").split("\n")[0] for table in tables]
    assert all(verdicts)
    assert [verdict for verdict in verdicts if verdict not in said] == []


def test_the_command_that_plays_more_seeds_is_named_if_it_is_one(
    folder: Path, round_robin: Path
) -> None:
    (table,) = tables_of(round_robin / "out", ())
    assert re.fullmatch(
        r"khiva-arena run --bot .* --seeds 4 --out 'my out'", _more_seeds(Path("my out"), table)(4)
    )
    (several,) = tables_of(folder / "out", ())
    assert _more_seeds(Path("out"), several)(4) == ""


def test_a_report_does_not_need_scipy(folder: Path) -> None:
    """It takes longer to import than a thousand matches to read."""
    code = (
        "import sys; from pathlib import Path; from khiva_arena.interface.commands.standings "
        "import print_standings; print_standings(Path('out'), ['1']); sys.exit('scipy' in "
        "sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_bots_named_in_advance_are_compared_with_an_error_of_their_own(folder: Path) -> None:
    names = [
        row["name"]
        for row in json.loads(arena("standings", "out", "--json", cwd=folder).stdout)["standings"][
            0
        ]["rows"]
    ]
    words = ["--contrast", ",".join(names[:2]), "--contrast", ",".join(names[:3])]
    table = json.loads(arena("standings", "out", "--json", *words, cwd=folder).stdout)["standings"][
        0
    ]
    two, three = table["contrasts"]
    assert [len(two["pairs"]), len(three["pairs"])] == [1, 3]
    [pair] = two["pairs"]
    assert pair["elo"] == pytest.approx(table["rows"][0]["elo"] - table["rows"][1]["elo"], abs=0.01)
    assert pair["los"] == pytest.approx(table["rows"][0]["los_next"], abs=0.01)
    text = arena("standings", "out", *words, cwd=folder).stdout
    assert "Contrasts:\n" in text
    assert "95 % for all of a set at once, if it was named before its results were seen." in text
    for wrong, said in (
        ("nobody,random", "no bot called 'nobody'"),
        ("random", "name two bots or more, each once, as --contrast A,B"),
    ):
        assert said in arena("standings", "out", "--contrast", wrong, cwd=folder, code=2).stderr
