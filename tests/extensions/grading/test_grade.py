"""Gradings with real matches: marks, bots that cannot play, bots that cheat, and
machines that fail.
"""

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena import arena, arena_process
from ladders import bot, ladder, ladder_of_modules, secret
from no_levels import LACK
from quick_bots import FORFEITS, GREEDY, NAIVE, STRIKES
from wording import sentence

from khiva_arena.arbiter import match_queue, pool
from khiva_arena.arbiter.live import void
from khiva_arena.competition.settings import consent
from khiva_arena.entrants import bots
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.grading import play_rungs
from khiva_arena.extensions.grading.grade_command import GradeFiles
from khiva_arena.extensions.grading.grade_options import command
from khiva_arena.extensions.grading.seal import write_seal
from khiva_arena.records.store.db import Store

FORGED = '{\n "score": 1000000, "tests": []}'
FORGERY = f"""
import os, sys, time
for path in (PATHS):
    try:
        with open(path, "w") as file:
            file.write({FORGED!r})
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
    while True:
        time.sleep(1)
        try:
            with open(PATHS[0], "w") as file:
                file.write({FORGED!r})
        except OSError:
            pass
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return ladder(tmp_path / "course")


def graded(folder: Path, word: str, *more: str, code: int = 0) -> dict[str, Any]:
    """The marks of a bot, as --json prints them."""
    return dict(
        json.loads(
            arena("grade", "course", "--bot", word, "--json", *more, cwd=folder, code=code).stdout
        )
    )


def refused(folder: Path, word: str, *more: str, code: int = 2) -> str:
    """Why a grading is refused, which prints no mark."""
    done = arena("grade", "course", "--bot", word, *more, cwd=folder, code=code)
    assert done.stdout == ""
    return done.stderr


# --- marks ---


def test_a_bot_is_marked_by_each_rung_and_results_are_written(course: Path, tmp_path: Path) -> None:
    shutil.copytree(GREEDY, tmp_path / "ann")
    files = ["--results", "results.json", "--junit", "junit.xml"]
    done = arena("grade", "course", "--bot", "ann", *files, cwd=tmp_path)
    report = json.loads((tmp_path / "results.json").read_text())
    assert [one["name"] for one in report["tests"]] == ["first", "lots"]
    assert (tmp_path / "junit.xml").read_text().count("<testcase") == 2
    assert done.stdout.splitlines()[-1] == f"greedy: {report['score']} of 30 points"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "ann",
        "course",
        "junit.xml",
        "results.json",
    ]


def test_each_seed_has_all_rotations_and_equal_secrets_give_equal_marks(
    course: Path, tmp_path: Path
) -> None:
    secret(tmp_path / "seed")
    marks = [graded(tmp_path, GREEDY, "--seed-file", "seed", "-j", jobs) for jobs in ("1", "2")]
    assert marks[0] == marks[1]
    assert [mark["matches"] for mark in marks[0]["rungs"]] == [6, 6]


def test_rungs_have_deals_of_their_own_that_the_secret_gives(course: Path, tmp_path: Path) -> None:
    def secrets_by(text: str, out: str) -> list[bytes]:
        secret(tmp_path / "seed", text)
        graded(tmp_path, GREEDY, "--seed-file", "seed", "--out", out)
        found = []
        for rung in ("first", "lots"):
            with Store.read(tmp_path / out / rung) as store:
                found += [event.secret for event in store.events()]
        return found

    one, again, other = (secrets_by(text * 20, text) for text in ("a", "b", "c"))
    assert len({*one, *again, *other}) == 6
    assert secrets_by("a" * 20 + "\n", "d") == one


def test_without_a_secret_each_grading_has_new_deals(course: Path, tmp_path: Path) -> None:
    ids = []
    for out in ("one", "other"):
        graded(tmp_path, GREEDY, "--out", out)
        with Store.read(tmp_path / out / "lots") as store:
            ids += [event.secret for event in store.events()]
    assert len(set(ids)) == 2


def test_a_grading_that_was_ended_goes_on_in_its_folder(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = play_rungs.Grading.play

    def ends_at_the_second(self: Any, rung: Any, *words: Any) -> Any:
        if rung.name == "lots":
            raise KeyboardInterrupt
        return real(self, rung, *words)

    with monkeypatch.context() as patched:
        patched.setattr(play_rungs.Grading, "play", ends_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            arena(
                "grade",
                "course",
                "--bot",
                GREEDY,
                "--out",
                "out",
                "--results",
                "results.json",
                cwd=tmp_path,
                code=None,
            )
    assert not (tmp_path / "results.json").exists()
    with Store.read(tmp_path / "out" / "first") as store:
        (event,) = store.events()
    graded(tmp_path, GREEDY, "--out", "out")
    with Store.read(tmp_path / "out" / "first") as store:
        assert [one.id for one in store.events()] == [event.id]


def test_the_rungs_own_bot_passes_by_the_threshold_alone(tmp_path: Path) -> None:
    for name, threshold, points in (("zero", 0, 0), ("below", -1, 10)):
        (tmp_path / name).mkdir()
        ladder(tmp_path / name / "course", threshold=threshold)
        mark = graded(tmp_path / name, NAIVE)["rungs"][0]
        assert (mark["points"], mark["matches"], mark["elo"]) == (points, 0, 0.0)


def test_a_table_of_four_has_copies_of_the_rungs_bot(tmp_path: Path) -> None:
    ladder(tmp_path / "course", seats=4, seeds=2)
    assert [mark["matches"] for mark in graded(tmp_path, GREEDY)["rungs"]] == [8, 8]


def test_the_time_is_told_before_a_long_grading(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_rungs, "FEWEST_TO_TRY", 12)
    lines = arena("grade", "course", "--bot", GREEDY, cwd=tmp_path).stderr.splitlines()
    told = next(
        number for number, line in enumerate(lines) if line.startswith("expected time: about ")
    )
    assert told < next(
        number for number, line in enumerate(lines) if line.startswith("rung 1 of 2")
    )


def test_in_ticks_the_bytes_are_equal(tmp_path: Path) -> None:
    ladder_of_modules(tmp_path)
    secret(tmp_path / "seed")
    for name in ("one", "other"):
        files = ("--results", f"{name}.json", "--junit", f"{name}.xml")
        arena("grade", "course", "--bot", "mine", "--seed-file", "seed", *files, cwd=tmp_path)
    for end in ("json", "xml"):
        assert (tmp_path / f"one.{end}").read_bytes() == (tmp_path / f"other.{end}").read_bytes()
    assert "Elo" in json.loads((tmp_path / "one.json").read_text())["tests"][0]["output"]


# --- bots that cannot play ---


def test_a_bot_that_forfeits_loses_these_matches_and_the_report_says_where(
    course: Path, tmp_path: Path
) -> None:
    marks = graded(tmp_path, FORFEITS)
    assert [mark["points"] for mark in marks["rungs"]] == [0, 0]
    assert [mark["forfeits"] for mark in marks["rungs"]] == [6, 6]
    assert all("crashed at step " in mark["text"] for mark in marks["rungs"])


BROKEN: dict[str, tuple[tuple[str, ...], str, str]] = {
    "ends at once": ((), "raise SystemExit('no, thank you')", "no, thank you"),
    "is not built": (('build = "false"',), "", "build"),
    "plays another game": (('games = ["emira"]',), "", "emira"),
    "includes what is not its own": (('include = ["../course/ladder.toml"]',), "", "include"),
    "has no sense": (("run = 3",), "", "run"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_bot_that_cannot_play_has_no_points_and_its_author_reads_why(
    how: str, course: Path, tmp_path: Path
) -> None:
    lines, program, said = BROKEN[how]
    bot(tmp_path / "mine", program, *lines)
    done = arena("grade", "course", "--bot", "mine", "--results", "results.json", cwd=tmp_path)
    report = json.loads((tmp_path / "results.json").read_text())
    assert (report["score"], [one["score"] for one in report["tests"]]) == (0, [0, 0])
    assert said in report["output"]
    assert "next: " not in report["output"]
    assert said in done.stdout


def test_a_word_from_the_user_lets_no_bot_include_files_beside_its_folder(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside.py").touch()
    monkeypatch.setattr(consent, "remembered", lambda _: True)
    bot(tmp_path / "mine", "", 'include = ["../beside.py"]')
    problem = graded(tmp_path, "mine")["problem"]
    assert sentence("grading", "holds-all-files") in problem
    assert "--allow-include" not in problem


@pytest.mark.parametrize("end", [".zip", ".tar.gz"])
def test_an_archive_is_marked_as_its_folder(end: str, course: Path, tmp_path: Path) -> None:
    secret(tmp_path / "seed")
    shutil.copytree(GREEDY, tmp_path / "ann")
    shutil.make_archive(
        str(tmp_path / "ann"), {".zip": "zip", ".tar.gz": "gztar"}[end], tmp_path, "ann"
    )
    files = ["--seed-file", "seed"]
    assert graded(tmp_path, f"ann{end}", *files) == graded(tmp_path, "ann", *files)


def test_a_damaged_archive_has_no_points_and_its_author_reads_why(
    course: Path, tmp_path: Path
) -> None:
    (tmp_path / "dora.zip").touch()
    marks = graded(tmp_path, "dora.zip", "--results", "results.json")
    assert (marks["points"], marks["bot"]) == (0, "")
    assert (
        sentence("entrants", "archive-damaged", reason="it is no zip")
        in json.loads((tmp_path / "results.json").read_text())["output"]
    )


def test_an_empty_folder_still_has_results(course: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    marks = graded(tmp_path, "none")
    assert (marks["points"], marks["bot"]) == (0, "")
    assert "bot.toml" in marks["problem"]


@pytest.mark.parametrize(
    "word", ["./mine", "./mine --fast", "true me@home", "remote:ann", "person"]
)
def test_a_word_that_names_no_folder_is_a_mistake_of_the_command(
    word: str, course: Path, tmp_path: Path
) -> None:
    assert sentence("grading", "no-such-folder") in refused(tmp_path, word)


def test_a_commit_that_is_not_there_is_no_mistake_of_the_student(
    course: Path, tmp_path: Path
) -> None:
    bot(tmp_path / "mine", "")
    assert "mine@nowhere" in refused(tmp_path, "mine@nowhere")
    assert not (tmp_path / "results.json").exists()


# --- places and secrets ---

PLACES: dict[str, tuple[Callable[[Path], str], str]] = {
    "in the bot": (lambda _: "mine/results.json", "the folder of the bot"),
    "in the bot, by a link": (
        lambda at: str((at / "link").symlink_to("mine") or "link/results.json"),
        "the folder of the bot",
    ),
    "in the ladder": (lambda _: "course/results.json", "the ladder"),
    "in the cache": (lambda at: str(at / "cache" / "results.json"), "the cache of bots"),
    "in nothing": (lambda _: "nowhere/results.json", "no such folder"),
    "open to all": (
        lambda at: str((at / "open").mkdir() or (at / "open").chmod(0o777) or "open/results.json"),
        "chmod go-w",
    ),
    "a link": (
        lambda at: str((at / "results.json").symlink_to("mine/main.py") or "results.json"),
        "exists already",
    ),
    "another file": (
        lambda at: str((at / "results.json").touch() or "results.json"),
        "exists already",
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("flag", ["--results", "--junit"])
def test_a_place_where_a_bot_could_write_is_refused(
    place: str, flag: str, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    bot(tmp_path / "mine", "")
    prepare, words = PLACES[place]
    said = refused(tmp_path, "mine", flag, prepare(tmp_path))
    assert f"{flag} " in said
    assert words in said


def test_matches_do_not_lie_in_the_bot(course: Path, tmp_path: Path) -> None:
    bot(tmp_path / "mine", "")
    assert "--out mine" in refused(tmp_path, "mine", "--out", "mine")


def test_two_reports_need_two_files(course: Path, tmp_path: Path) -> None:
    assert "--junit" in refused(tmp_path, NAIVE, "--results", "a", "--junit", "./a")


SECRETS: dict[str, tuple[Callable[[Path], object], str]] = {
    "readable by others": (lambda file: file.chmod(0o644), "chmod 600"),
    "too short": (lambda file: file.write_text("short\n" + 40 * " "), "16 to"),
    "not there": (lambda file: file.unlink(), "cannot be read"),
}


@pytest.mark.parametrize("how", SECRETS)
def test_a_secret_that_others_may_know_is_refused(how: str, course: Path, tmp_path: Path) -> None:
    spoil, words = SECRETS[how]
    spoil(secret(tmp_path / "seed"))
    said = refused(tmp_path, NAIVE, "--seed-file", "seed")
    assert "--seed-file seed: " in said
    assert words in said


def test_a_secret_in_the_bots_folder_is_refused(course: Path, tmp_path: Path) -> None:
    secret(bot(tmp_path / "mine", "") / "seed")
    assert "the folder of the bot" in refused(tmp_path, "mine", "--seed-file", "mine/seed")


# --- cheats ---


@pytest.mark.usefixtures("confined")
def test_a_bot_that_forges_results_gets_what_it_earned(course: Path, tmp_path: Path) -> None:
    paths = [
        str(tmp_path / name)
        for name in ("results.json", "junit.xml", "course/ladder.sha256", "course/ladder.toml")
    ]
    bot(tmp_path / "mine", FORGERY.replace("PATHS", repr(paths)))
    before = (course / "ladder.sha256").read_bytes()
    arena(
        "grade",
        "course",
        "--bot",
        "mine",
        "--results",
        "results.json",
        "--junit",
        "junit.xml",
        cwd=tmp_path,
    )
    assert json.loads((tmp_path / "results.json").read_text())["score"] == 0
    assert "1000000" not in (tmp_path / "junit.xml").read_text()
    assert (course / "ladder.sha256").read_bytes() == before


@pytest.mark.usefixtures("only_trusted")
def test_without_isolation_it_refuses_unless_bots_are_trusted_or_play_in_ticks(
    course: Path, tmp_path: Path
) -> None:
    assert LACK in refused(tmp_path, NAIVE)
    assert graded(tmp_path, NAIVE, "--trust-bots")["points"] == 0


@pytest.mark.usefixtures("distrusting")
def test_a_ladder_that_asks_for_trusted_is_refused_unless_bots_are_trusted(tmp_path: Path) -> None:
    ladder(tmp_path / "course", more='isolation = "trusted"\n')
    said = refused(tmp_path, NAIVE)
    assert "ladder.toml:6: " in said
    assert "--trust-bots" in said
    assert graded(tmp_path, NAIVE, "--trust-bots")["points"] == 0


@pytest.mark.usefixtures("only_trusted")
def test_in_ticks_only_a_build_needs_trust(tmp_path: Path) -> None:
    ladder_of_modules(tmp_path)
    assert graded(tmp_path, "mine")["rungs"][0]["matches"] == 6
    with (tmp_path / "mine" / "bot.toml").open("a") as file:
        file.write('build = "true"\n')
    assert LACK in refused(tmp_path, "mine")


# --- a machine that fails ---


def test_a_match_that_stays_void_gives_no_mark(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = pool.play_live

    async def slept(job: Any, *words: Any, **more: Any) -> Any:
        return void(job, "the host slept") if job.ordinal == 3 else await real(job, *words, **more)

    (tmp_path / "results.json").write_text(FORGED)  # of an earlier grading
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    monkeypatch.setattr(pool, "play_live", slept)
    said = refused(tmp_path, GREEDY, "--results", "results.json", "--junit", "junit.xml", code=1)
    assert sentence("grading", "not-all-matches", rung="first") in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["course"]


def test_a_disk_that_fails_while_the_bot_is_read_gives_no_mark(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = bots.load

    def fails(word: str, *words: Any, **more: Any) -> Any:
        if word != "mine":
            return real(word, *words, **more)
        try:
            raise OSError(errno.EIO, "Input/output error")
        except OSError:
            raise ConfigError("cannot be read") from None

    bot(tmp_path / "mine", "")
    monkeypatch.setattr(bots, "load", fails)
    refused(tmp_path, "mine", "--results", "results.json", code=1)
    assert not (tmp_path / "results.json").exists()


def test_a_rung_that_forfeits_gives_no_mark(course: Path, tmp_path: Path) -> None:
    shutil.rmtree(course / "rungs" / "lots")
    shutil.copytree(FORFEITS, course / "rungs" / "lots")
    write_seal(course)
    assert sentence("grading", "own-bot-forfeited", rung="lots") in refused(
        tmp_path, GREEDY, code=1
    )


def test_a_rung_whose_faults_were_forgiven_may_mark_too_well(course: Path, tmp_path: Path) -> None:
    shutil.rmtree(course / "rungs" / "lots")
    shutil.copytree(STRIKES, course / "rungs" / "lots")
    write_seal(course)
    said = arena("grade", "course", "--bot", GREEDY, cwd=tmp_path).stderr
    (line,) = (
        line for line in said.splitlines() if sentence("grading", "rung-was-at-fault") in line
    )
    assert line.startswith("warning: rung lots: its own bot made 6 faults")


def test_a_rung_that_does_not_start_gives_no_mark(course: Path, tmp_path: Path) -> None:
    shutil.rmtree(course / "rungs" / "lots")
    bot(course / "rungs" / "lots", "raise SystemExit(1)")
    write_seal(course)
    assert sentence("grading", "rung-does-not-start", rung="lots") in refused(
        tmp_path, GREEDY, code=1
    )


def test_grade_leaves_no_process_and_no_file(course: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    arena_process("grade", "course", "--bot", GREEDY, cwd=tmp_path, env={"TMPDIR": str(temporary)})
    assert [*temporary.iterdir()] == []


def test_the_files_of_a_grading_are_words_of_grade() -> None:
    assert set(GradeFiles._fields) <= {param.name for param in command.params if param.expose_value}
