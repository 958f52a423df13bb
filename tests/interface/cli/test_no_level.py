"""What a user meets on a machine where no isolation level works: a refusal or a warning
that names the command that helps.
"""

from pathlib import Path

import pytest
from arena import arena, bots
from no_levels import COMMAND, LACK
from stores import GREEDY, NAIVE, RANDOM
from stores import swiss as swiss
from wording import sentence

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("only_trusted")]

PAIR = bots(RANDOM, NAIVE)
SHORT = ("--seats", "2", "--rule", "max_turns=1", "--seed", "lone")
WAY = sentence("settings", "for-a-better-level", command=COMMAND)
WARNS = "warning: " + sentence("settings", "bots-run-with-rights", way=WAY)
REFUSES = "khiva-arena: error: " + sentence("settings", "no-isolation-level", why=LACK)


@pytest.mark.parametrize(
    "words",
    [("run", *PAIR, *SHORT, "--seeds", "1"), ("sprt", RANDOM, NAIVE, *SHORT, "--seeds", "32")],
)
def test_rated_play_is_refused_in_three_lines(words: tuple[str, ...], tmp_path: Path) -> None:
    said = arena(*words, "--out", "out", cwd=tmp_path, code=2).stderr.splitlines()
    trusts = sentence("settings", "if-all-yours", flag="--trust-bots")
    assert said == [REFUSES, f"  next: {COMMAND}", f"  {trusts}"]
    assert not (tmp_path / "out").exists()
    assert (
        WARNS
        in arena(
            *words, "--out", "out", "--trust-bots", cwd=tmp_path, code=None
        ).stderr.splitlines()
    )
    assert (tmp_path / "out").exists()


@pytest.mark.parametrize("words", [("match", *PAIR, *SHORT[2:]), ("check", "--quick", RANDOM)])
def test_unrated_play_goes_on_with_one_warning(words: tuple[str, ...], tmp_path: Path) -> None:
    said = arena(*words, cwd=tmp_path).stderr
    assert [
        line for line in said.splitlines() if "isolation" in line and line.startswith("warning: ")
    ] == [WARNS]


# --- arguments are checked first ---


MISTAKES = {
    "--budget 1s --candidate nobody": "--candidate: ",
    "--format gauntlet --candidate nobody": sentence(
        "settings", "candidate-no-bot-called", name="'nobody'", names="random, naive"
    ),
    "--events-file none/events": "--events-file none/events: No such file or directory",
    "--events-file damaged/arena.db/events": (
        "--events-file damaged/arena.db/events: Not a directory"
    ),
    "--out damaged": "damaged",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_in_an_argument_is_told_before_what_the_machine_lacks(
    words: str, tmp_path: Path
) -> None:
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "arena.db").write_bytes(b"no store")
    seeds = () if "--budget" in words else ("--seeds", "1")
    said = arena("run", *PAIR, *SHORT, *seeds, *words.split(), cwd=tmp_path, code=2).stderr
    assert said.startswith("khiva-arena: error: ")
    assert MISTAKES[words] in said
    assert REFUSES not in said


def test_an_event_that_is_over_needs_no_level(tmp_path: Path) -> None:
    words = ("run", *PAIR, *SHORT, "--seeds", "1", "--out", "out")
    arena(*words, "--trust-bots", cwd=tmp_path)
    again = arena(*words, cwd=tmp_path)
    assert REFUSES not in again.stderr
    assert "rank" in again.stdout


# --- next lines on a store that was played at trusted ---

IF_YOURS = sentence("show", "if-yours", flags="--isolation trusted")


def test_next_lines_of_a_store_do_not_trust_and_say_how_its_owner_may(swiss: Path) -> None:
    said = [
        line
        for line in arena("show", "out", "1/0", cwd=swiss).stdout.splitlines()
        if "khiva-arena " in line
    ]
    assert len(said) == 2
    flag = "--isolation trusted"
    for line in said:
        assert line.endswith(IF_YOURS)
        command = line.removesuffix(IF_YOURS).partition("khiva-arena ")[2]
        refused = arena(*command.split(), cwd=swiss, code=2).stderr.splitlines()
        assert refused[0] == REFUSES
        assert refused[2] == "  " + sentence("settings", "if-all-yours", flag=flag)
        arena(*command.split(), *flag.split(), cwd=swiss, code=None)


def test_next_lines_of_other_commands_end_with_it_too(swiss: Path) -> None:
    words = ("replay", "out", "1/0", "--seat", "0", "--isolation", "trusted", "--bot")
    said = [
        arena(*words, bot, cwd=swiss, code=None).stderr for bot in (NAIVE, GREEDY)
    ]  # one of them chooses otherwise
    told = [line for text in said for line in text.splitlines() if "--choice" in line]
    assert told
    assert [line for line in told if not line.endswith(IF_YOURS)] == []
    lost = [
        line
        for line in arena("match", *PAIR, cwd=swiss).stderr.splitlines()
        if "--out games" in line
    ]
    kept = [
        line
        for line in arena("check", "--quick", RANDOM, cwd=swiss).stdout.splitlines()
        if "--out games" in line
    ]
    assert [line.endswith(IF_YOURS) for line in (*lost, *kept)] == [True, True]


def test_doctor_says_first_what_to_do(tmp_path: Path) -> None:
    first, second, *rest = arena("doctor", cwd=tmp_path, code=1).stdout.splitlines()
    assert first == sentence("doctor", "bots-play-isolation-here", best="trusted") + sentence(
        "doctor", "with-all-rights"
    )
    assert second == f"for isolation standard: {COMMAND}"
    assert [line for line in rest if COMMAND in line] == [], "once is enough"
