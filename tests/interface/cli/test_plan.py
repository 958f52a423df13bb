"""``khiva-arena plan`` on a real store."""

import json
import re
import shlex
from pathlib import Path

import jsonschema
import msgspec
import pytest
from arena import arena, bots, kill, started, wait_for_matches
from make_schemas import REPORTS, schema_of
from once import made_once
from stores import NAIVE, RANDOM
from wording import sentence

from khiva_arena.interface.cli.main import run
from khiva_arena.interface.commands.more_seeds import commands
from khiva_arena.records.replay.definition import DefinedRuntime
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow


@made_once
def folder(folder: Path) -> None:
    # By this seed bots in C and in Python leave a need that can be worked out.
    how = ["--seats", "2", "--isolation", "trusted", "--jobs", "1"]
    arena(
        "run", *bots(RANDOM, NAIVE), *how, "--seeds", "6", "--seed", "c", "--out", "out", cwd=folder
    )
    arena(
        "run", *bots(RANDOM, NAIVE), *how, "--seeds", "2", "--seed", "a", "--out", "few", cwd=folder
    )


@pytest.mark.parametrize(
    "words", [["--error", "20"], ["--gap", "30"], ["--gap", "30", "--power", "0.9"]], ids=" ".join
)
def test_text_and_json_say_the_same(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
) -> None:
    monkeypatch.chdir(folder)
    assert run(["plan", "out", *words, "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema_of(REPORTS["plan"])).validate(output)
    (plan,) = output["plans"]
    assert (plan["blocks"], plan["matches"], plan["enough"]) == (6, 12, True)
    need = plan["need"]
    assert need["low"] <= need["seeds"] <= need["high"]
    assert need["matches"] == 2 * need["seeds"]
    assert run(["plan", "out", *words]) == 0
    text = capsys.readouterr().out
    assert (
        f"{need['seeds']} seeds (95 %: {need['low']} .. {need['high']}), {need['matches']} matches"
        in text
    )
    assert "So far: 6 seeds, 12 matches." in text


def test_an_anchor_with_a_number_is_as_good_as_one_at_0(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needs = []
    for anchor in ("naive", "naive=100", "naive=100:0"):
        assert (
            run(["plan", str(folder / "out"), "--error", "20", "--anchor", anchor, "--json"]) == 0
        )
        needs.append(json.loads(capsys.readouterr().out)["plans"][0]["need"])
    assert needs[0] is not None
    assert needs[1:] == [needs[0]] * 2


def test_a_small_store_says_that_it_cannot_tell(folder: Path) -> None:
    text = arena("plan", "few", "--error", "20", cwd=folder).stdout
    assert "So far: 2 seeds, 4 matches. " + sentence("report", "too-few-know-how") in text
    line = text.rstrip("\n").split("\n")[-1]  # and what to type, so that there are five
    assert line.startswith("khiva-arena run --bot ")
    assert line.endswith(" --seeds 3 --out few")
    assert json.loads(arena("plan", "few", "--gap", "20", "--json", cwd=folder).stdout)["plans"][0][
        "next"
    ] == [line]


def test_the_command_names_the_runtimes_that_bots_need(folder: Path) -> None:
    """Where one lies is not in the store: DIR stands for it."""
    with Store.read(folder / "out") as store:
        (event,) = store.events()
    definition = msgspec.structs.replace(
        event.definition, runtimes={"torch": DefinedRuntime("0" * 64, ())}
    )
    (line,) = commands(Path("out"), [msgspec.structs.replace(event, text=definition.text)], 2.0)
    assert "--runtime torch=DIR " in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], sentence("plan", "give-error-elo-gap")),
        (["--error", "3", "--gap", "4"], sentence("plan", "give-error-elo-gap")),
        (["--error", "3", "--power", "0.9"], "--power needs --gap"),
        (["--error", "0"], "error is 0: give a number of Elo above 0, such as 20"),
        (["--gap", "5", "--power", "1"], "power is 1"),
        (["--error", "x"], "'x' is not a valid float"),
        (["--error", "5", "--anchor", "nobody"], "no bot called 'nobody'"),
        (["--error", "5", "--anchor", "naive=100:5"], sentence("plan", "anchor-plan-needs-anchor")),
        (["--gap", "5", "--anchor", "random=0:0.5"], sentence("plan", "anchor-plan-needs-anchor")),
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
    assert run(["plan", "out", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_the_command_it_names_plays_what_is_missing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Typed as it stands, it plays so many seeds that the plan is met, rated with those
    that were there.
    """
    how = [
        "--seats",
        "2",
        "--isolation",
        "trusted",
        "--turn",
        "2s",
        "--bank",
        "7s",
        "--policy",
        "strict",
        "--no-ponder",
    ]
    odd = ["--limit", "memory=600M", "--rule", "overshoot=stop_at_outpost", "--lineups", "1"]
    arena(
        "run",
        *bots(RANDOM, NAIVE),
        *how,
        *odd,
        "--seeds",
        "5",
        "--seed",
        "a",
        "--out",
        "some where",
        cwd=folder,
    )
    monkeypatch.chdir(folder)
    for gap in (200, 250, 300, 400, 500, 600, 800, 1000, 1300, 1700):
        assert run(["plan", "some where", "--gap", str(gap), "--json"]) == 0
        (plan,) = json.loads(capsys.readouterr().out)["plans"]
        if plan["need"] and plan["need"]["seeds"] < 16:
            break
    (line,) = plan["next"]
    assert line in arena("plan", "some where", "--gap", f"{plan['gap']:g}", cwd=folder).stdout
    words = shlex.split(line)
    assert words[:2] == ["khiva-arena", "run"]
    assert "--seed" not in words
    missing = plan["need"]["seeds"] - 5
    assert words[words.index("--seeds") + 1] == str(missing + (missing == 5))
    arena(*words[1:], cwd=folder, seconds=600)
    (table,) = json.loads(arena("standings", "some where", "--json", cwd=folder).stdout)[
        "standings"
    ]
    assert table["blocks"] >= plan["need"]["seeds"]  # one pool: all conditions are as they were
    assert len(table["events"]) == 2


def test_the_number_of_an_unfinished_event_is_that_of_its_command(tmp_path: Path) -> None:
    """A run that was cut off has more seeds planned than played; the command finishes
    it, and then plays what is missing.
    """
    how = ["--seats", "2", "--isolation", "trusted", "--seeds", "60", "--out", "out"]
    running = started("run", *bots(RANDOM, NAIVE), *how, cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 20)
    kill(running)
    running.communicate()
    for error in (100, 50, 30, 20, 10):
        (plan,) = json.loads(
            arena("plan", "out", "--error", str(error), "--json", cwd=tmp_path).stdout
        )["plans"]
        if plan["need"] and plan["need"]["seeds"] > 60:
            break
    assert plan["finishes"]
    assert [shlex.split(line)[-3] for line in plan["next"]] == ["60", str(plan["need"]["seeds"])]
    text = arena("plan", "out", "--error", str(error), cwd=tmp_path).stdout
    numbers = re.findall(r"(\d+) seeds? \(95 %", text)
    assert numbers == [str(plan["need"]["seeds"])], "one number, that of the command"
    assert sentence("report", "first-command-finishes") in " ".join(text.split())
    text = arena(
        "plan", "out", "--error", "10000", cwd=tmp_path
    ).stdout  # which the played seeds reach
    assert "khiva-arena run" not in text


def test_a_number_that_is_not_that_of_the_command_is_explained(folder: Path) -> None:
    (plan,) = json.loads(arena("plan", "out", "--error", "20", "--json", cwd=folder).stdout)[
        "plans"
    ]
    (line,) = plan["next"]  # the seeds were given, so others are drawn beside them
    wanted = shlex.split(line)[-3]
    assert wanted == str(plan["need"]["seeds"] - 6)
    text = " ".join(arena("plan", "out", "--error", "20", cwd=folder).stdout.split())
    assert f"here {wanted}: {wanted} of the {plan['need']['seeds']} are missing." in text


def test_more_seeds_than_there_were_are_never_the_command_of_an_event_that_is_over(
    folder: Path,
) -> None:
    with Store.read(folder / "out") as store:
        events = store.events()
    (line,) = commands(Path("out"), events, 2.0)
    assert "--seeds 7 " in line  # six would be the command of that event, which goes on with it
    assert commands(Path("out"), events, 1.0) == []
    (line,) = commands(Path("a b"), events, 1.5)
    assert shlex.split(line)[-4:] == ["--seeds", "3", "--out", "a b"]
