"""How many of what, and what was perhaps meant."""

from pathlib import Path

import pytest
from arena import arena, bots
from wording import sentence

from khiva_arena.words import count, meant

TWO = bots("shipped:python/random", "shipped:python/naive")


def test_one_is_no_plural() -> None:
    assert [count(n, "seed") for n in (0, 1, 2)] == ["0 seeds", "1 seed", "2 seeds"]
    assert [count(n, "match", "matches") for n in (1, 12)] == ["1 match", "12 matches"]


def test_what_is_nearly_known_is_named() -> None:
    assert meant("overshot", ["overshoot", "decline"]) == " (did you mean overshoot?)"
    assert meant("SEAT", ["seats", "seeds"]) == " (did you mean seats?)"
    assert meant("quite else", ["seats"]) == ""
    assert meant(["seats"], ["seats"]) == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--rule", "overshot=bounce"],
            "--rule: unknown rule 'overshot' (did you mean overshoot?); Khiva has ",
        ),
        (["--rule", "overshoot=bouncy"], "not 'bouncy' (did you mean bounce?)"),
        (["--policy", "leniant"], "'leniant' is not a policy (did you mean lenient?)"),
        (
            ["--isolation", "standrad"],
            sentence("settings", "not-level-2", asked="'standrad'") + " (did you mean standard?)",
        ),
        (["--format", "swis"], "'swis' is not a format (did you mean swiss?)"),
    ],
)
def test_a_slip_in_a_setting_is_told(words: list[str], said: str, tmp_path: Path) -> None:
    assert said in arena("run", *TWO, "--seats", "2", *words, cwd=tmp_path, code=2).stderr


def test_a_slip_in_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('bots = ["true", "false"]\nseat = 2\n')
    assert (
        "unknown setting 'seat'; near to it: seats, "
        in arena("run", "c.toml", cwd=tmp_path, code=2).stderr
    )
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.toml").write_text('name = "x"\nrun = "./x"\nauthors = "me"\n')
    assert (
        "unknown key 'authors' (did you mean author?)"
        in arena("check", "mine", cwd=tmp_path, code=2).stderr
    )


def test_one_seed_is_one_seed(tmp_path: Path) -> None:
    arena("run", *TWO, "--seats", "2", "--seeds", "1", "--out", "out", cwd=tmp_path)
    said = arena("show", "out", cwd=tmp_path).stdout
    assert " 1 seed, " in said
    assert "1 seeds" not in said
