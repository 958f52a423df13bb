"""Names of settings that got a better one: the old name still works, with one line that
says the new one.
"""

import json
from pathlib import Path

import pytest
from arena import C, arena, bots
from click.shell_completion import ShellComplete
from sample_stream import begin, fault, matches, round_
from stores import NAIVE, RANDOM
from wording import sentence

from khiva_arena.common import stream
from khiva_arena.common.exit_codes import NOT_BETTER, UNDECIDED
from khiva_arena.common.stream import StreamReader, encoded
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.interface.cli.main import cli

SHORT = (
    "--seats",
    "2",
    "--seeds",
    "1",
    "--trust-bots",
    "--isolation",
    "trusted",
    "--rule",
    "max_turns=2",
    "--out",
    "out",
)
RUN = ("run", *bots(RANDOM, NAIVE), *SHORT)
UNTIL = sentence("settings", "old-name-until-1-0")


def warnings_of(stderr: str) -> list[str]:
    return [
        line
        for line in stderr.splitlines()
        if line.startswith("warning: ") and " is now called " in line
    ]


def is_stream(path: Path) -> bool:
    return path.exists() and json.loads(path.read_text().splitlines()[0])["type"] == "begin"


@pytest.mark.parametrize(
    ("words", "env", "line"),
    [
        (("--events", "old"), {}, "--events is now called --events-file"),
        (("--events=old",), {}, "--events is now called --events-file"),
        (
            (),
            {"KHIVA_ARENA_RUN_EVENTS": "old"},
            "KHIVA_ARENA_RUN_EVENTS is now called KHIVA_ARENA_RUN_EVENTS_FILE",
        ),
        (
            ("--events", "old"),
            {"KHIVA_ARENA_RUN_EVENTS_FILE": "new"},
            "--events is now called --events-file",
        ),
    ],
    ids=["flag", "flag with =", "environment", "flag over environment"],
)
def test_an_old_name_works_and_says_the_new_one(
    words: tuple[str, ...], env: dict[str, str], line: str, tmp_path: Path
) -> None:
    said = arena(*RUN, *words, cwd=tmp_path, env=env).stderr
    assert warnings_of(said) == [f"warning: {line}; {UNTIL}"]
    assert is_stream(tmp_path / "old")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "words",
    [("--events", "old", "--events-file", "new"), ("--events-file", "new", "--events", "old")],
)
def test_of_both_names_the_new_one_counts(words: tuple[str, ...], tmp_path: Path) -> None:
    said = arena(*RUN, *words, cwd=tmp_path).stderr
    assert len(warnings_of(said)) == 1
    assert is_stream(tmp_path / "new")
    assert not (tmp_path / "old").exists()


def test_the_new_name_says_nothing(tmp_path: Path) -> None:
    said = arena(
        *RUN, "--events-file", "new", cwd=tmp_path, env={"KHIVA_ARENA_RUN_EVENTS_FILE": "other"}
    ).stderr
    assert warnings_of(said) == []
    assert is_stream(tmp_path / "new")
    assert not (tmp_path / "other").exists()


@pytest.mark.slow
def test_an_old_name_in_sprt(tmp_path: Path) -> None:
    words = ("sprt", NAIVE, C, *SHORT, "--seeds", "32", "--events", "old")
    done = arena(*words, cwd=tmp_path, code=None)  # whether 32 seeds decide is not the question
    assert done.returncode in (0, NOT_BETTER, UNDECIDED), done.stderr
    assert warnings_of(done.stderr) == [f"warning: --events is now called --events-file; {UNTIL}"]
    assert is_stream(tmp_path / "old")


def test_an_old_name_in_a_settings_file(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('# a cup\nevents = "old"\n')
    consent = ("--events-file", "old")
    refused = arena(*RUN, "cup.toml", cwd=tmp_path, code=2).stderr
    assert "add: --events-file old (" in refused
    said = arena(*RUN, "cup.toml", *consent, cwd=tmp_path).stderr
    assert warnings_of(said) == [f"warning: events (cup.toml:2) is now called events_file; {UNTIL}"]
    assert is_stream(tmp_path / "old")


def test_a_settings_file_has_one_of_the_names(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('events = "old"\nevents_file = "new"\n')
    said = arena(*RUN, "cup.toml", "--events-file", "new", cwd=tmp_path, code=2).stderr
    assert "cup.toml:1: unknown setting 'events'; near to it: events_file" in said
    assert warnings_of(said) == []


def test_help_and_tab_show_new_names_alone(tmp_path: Path) -> None:
    for row in [row for row in TABLE if row.old_name]:
        assert f"--{row.old_name} " not in arena("run", "-h", "all", cwd=tmp_path).stdout
        offered = ShellComplete(cli, {}, "khiva-arena", "X").get_completions(
            ["run"], f"--{row.old_name}"
        )
        assert [item.value for item in offered] == [row.option]


# --- step, which was called gather ---


def as_in_0_2_0(line: bytes) -> bytes:
    """Return a line of a stream as version 0.2.0 wrote it."""
    later = ("step", "marks", "which", "in_store", "looks")
    return (
        json.dumps(
            {key: value for key, value in json.loads(line).items() if key not in later}
        ).encode()
        + b"\n"
    )


def test_a_line_of_a_stream_has_both_names_of_the_step() -> None:
    line = json.loads(encoded(fault(gather=12)))
    assert (line["step"], line["gather"]) == (12, 12)


def test_a_stream_of_0_2_0_is_read(tmp_path: Path) -> None:
    lines = [begin(), round_(), *matches(), fault(gather=12)]
    data = b"".join(as_in_0_2_0(encoded(line)) for line in lines)
    assert b'"gather": 12' in data
    assert b"step" not in data
    reader = StreamReader()
    assert list(reader.feed(data)) == lines
    assert reader.unread == 0
    at_the_start = fault(gather=0, seat=1, verdict="start_failed")
    end = stream.RunEnded(t=61.0, how="complete", fixed=240, seconds=61.0, digest="d1")
    (tmp_path / "events").write_bytes(
        data + b"".join(as_in_0_2_0(encoded(line)) for line in (at_the_start, end))
    )
    said = arena("watch", "events", cwd=tmp_path).stdout
    assert "  verdict=timeout  step=12  detail=no answer" in said
    assert "  verdict=start_failed  step=0  detail=no answer" in said
    assert "gather" not in said
