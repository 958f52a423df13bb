"""A settings file: each value with its line, stages with what they share, and every
mistake at once.
"""

from pathlib import Path

import pytest
from arena import C, arena
from hypothesis import given
from hypothesis import strategies as st
from wording import sentence

from khiva_arena.competition.settings.competition import competition_from
from khiva_arena.competition.settings.file import lines_of, read_file
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.competition.settings.stages import stages_from
from khiva_arena.entrants import toml_file
from khiva_arena.entrants.bot_words import why_not_taken
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.formats import Format

TEXT = """# a comment = 3
bots = [
    "a", # seats = 9
    "b",
]
seeds=4
"turn" = "2s"
limits.memory = "1G"

[rules]
overshoot = "stop_at_outpost" # x = 1
'quoted' = 1

[[stage]]
name = "league"
seats = 3

  [[ stage ]]  # the end
  format = "knockout"
  take = 2
  seats = 2
"""


def test_each_key_and_table_has_its_line() -> None:
    assert lines_of(TEXT) == {
        "bots": 2,
        "seeds": 6,
        "turn": 7,
        "limits": 8,
        "limits.memory": 8,
        "rules": 10,
        "rules.overshoot": 11,
        "rules.quoted": 12,
        "stage": 14,
        "stage.0": 14,
        "stage.0.name": 15,
        "stage.0.seats": 16,
        "stage.1": 18,
        "stage.1.format": 19,
        "stage.1.take": 20,
        "stage.1.seats": 21,
    }


@given(st.text())
def test_no_text_stops_the_search_for_lines(text: str) -> None:
    assert all(1 <= line <= len(text.splitlines()) for line in lines_of(text).values())


def stages(tmp_path: Path, text: str, **flags: object):
    path = tmp_path / "c.toml"
    path.write_text(text)
    given_, places, *_ = read_file(path)
    return stages_from(given_, flags, places)


def test_stages_share_what_stands_beside_them(tmp_path: Path) -> None:
    text = TEXT.replace("'quoted' = 1\n", "")
    league, final = stages(tmp_path, text)
    assert (league.stage, league.name, league.format, league.seats, league.take) == (
        1,
        "league",
        Format.ROUND_ROBIN,
        3,
        None,
    )
    assert (final.stage, final.name, final.format, final.seats, final.take) == (
        2,
        "stage 2",
        Format.KNOCKOUT,
        2,
        2,
    )
    assert league.seeds == final.seeds == 4
    assert league.limits.turn_ms == final.limits.turn_ms == 2000
    assert league.rules == final.rules


def test_flags_win_over_every_stage(tmp_path: Path) -> None:
    text = TEXT.replace("'quoted' = 1\n", "")
    assert [stage.seeds for stage in stages(tmp_path, text, seeds=1)] == [1, 1]
    assert [stage.seats for stage in stages(tmp_path, text, seats=4)] == [4, 4]


def test_what_one_format_has_does_not_pass_to_a_stage_of_another(tmp_path: Path) -> None:
    text = (
        'bots = ["a"]\nrounds = 3\n[[stage]]\nformat = "swiss"\n[[stage]]\nformat = '
        '"knockout"\nadvance = 1\n'
    )
    swiss, knockout = stages(tmp_path, text)
    assert (swiss.rounds, knockout.rounds, knockout.advance) == (3, None, 1)


def test_line_ups_for_all_stages_are_those_of_the_stages_that_can_have_them(tmp_path: Path) -> None:
    text = 'bots = ["a"]\nlineups = "auto"\ncopies = 2\n'
    text += "".join(
        f'[[stage]]\nformat = "{form}"\n'
        for form in ("round-robin", "gauntlet", "swiss", "knockout")
    )
    found = stages(tmp_path, text)
    assert [stage.lineups for stage in found] == ["auto", None, None, None]
    assert [stage.copies for stage in found] == [2, 2, 1, 1]
    numbers = stages(tmp_path, text.replace('"auto"', "20"))
    assert [stage.lineups for stage in numbers] == [20, 20, None, None]


@pytest.mark.parametrize("line_ups", ['"auto"', "20"])
def test_a_stage_in_rounds_that_names_line_ups_gets_one_answer_that_helps(
    tmp_path: Path, line_ups: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        stages(tmp_path, f'bots = ["a"]\n[[stage]]\nformat = "swiss"\nlineups = {line_ups}\n')
    (told,) = caught.value.problems
    assert told.endswith(
        ":4: lineups: a swiss draws the line-ups of each round from its results; leave this out"
    )
    with pytest.raises(ConfigError, match="lineups: auto is for a round-robin; give a number"):
        stages(tmp_path, 'bots = ["a"]\n[[stage]]\nformat = "gauntlet"\nlineups = "auto"\n')


def test_an_unknown_setting_gets_the_nearest_names_alone(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        stages(tmp_path, 'bots = ["a"]\nseeded = 1\nxyzzy = 1\n[[stage]]\nround = 2\n')
    told = [problem.split(": ", 1)[1] for problem in caught.value.problems]
    every = "`khiva-arena init FILE` writes all settings, each with what it does"
    assert sorted(told) == [
        (
            f"unknown setting 'round' of a stage; near to it: rounds; {every}, and which a "
            "stage may have"
        ),
        f"unknown setting 'seeded'; near to it: seed, seeds; {every}",
        f"unknown setting 'xyzzy'; {every}",
    ]


def test_every_mistake_of_every_stage_is_told_once_with_its_line(tmp_path: Path) -> None:
    text = """bots = ["a"]
turn = "soon"
colour = 1
[[stage]]
take = 3
seats = 9
[[stage]]
name = "\\u0007"
format = "league"
seeds = 0
shape = "round"
take = "all"
"""
    with pytest.raises(ConfigError) as caught:
        stages(tmp_path, text)
    where = f"{tmp_path / 'c.toml'}:"
    told = [problem.removeprefix(where) for problem in caught.value.problems]
    assert all(problem.startswith(where) for problem in caught.value.problems)
    assert sorted(int(problem.split(":")[0]) for problem in told) == [2, 3, 5, 6, 8, 9, 10, 11, 12]


@pytest.mark.parametrize(
    "wrong", ["stage = 3", "stage = []", 'stage = ["x"]', "[stage]\nseats = 2"]
)
def test_a_stage_that_is_no_table(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(ConfigError, match=r"\[\[stage\]\] table"):
        stages(tmp_path, f'bots = ["a"]\n{wrong}\n')


def test_too_many_stages(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="20 stages at most, not 21"):
        stages(tmp_path, 'bots = ["a"]\n' + "[[stage]]\n" * 21)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        (
            {"format": "ladder"},
            "--format: 'ladder' is not a format; there are round-robin, gauntlet, swiss, knockout",
        ),
        ({"format": "sprt"}, "--format: 'sprt' is not a format"),
        (
            {"rounds": 3},
            "--rounds: " + sentence("settings", "only-not", forms="swiss", form="round-robin"),
        ),
        (
            {"format": "swiss", "advance": 2},
            "--advance: " + sentence("settings", "only-not", forms="knockout", form="swiss"),
        ),
        ({"candidates": ["a"]}, "--candidate: only a gauntlet has this"),
        ({"format": "swiss", "rounds": 1001}, "--rounds: 1,000 at most"),
        ({"authors_apart": "yes"}, "--authors-apart: true or false"),
        ({"engines": 3}, "--engines: a file"),
        ({"events_file": ["x"]}, "--events-file: a file"),
        ({"format": "gauntlet", "candidates": "a"}, "--candidate: a list of bots' names"),
        ({"bots": []}, "--bot: no bots"),
    ],
)
def test_settings_of_formats_that_make_no_sense(given_: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings_from({"bots": ["a"], **given_})
    assert len(caught.value.problems) == 1
    assert said in caught.value.problems[0]


def test_engines_alone_are_bots_enough() -> None:
    assert settings_from({"engines": "engines.json"}).bots == ()


def test_a_glob_among_the_bots_stands_for_the_folders_that_have_a_bot_toml(tmp_path: Path) -> None:
    for name in ("bob", "ann", "notes"):
        (tmp_path / "bots" / name).mkdir(parents=True)
        (tmp_path / "bots" / name / "bot.toml").write_text(
            f'name = "{name}"\nrun = "{{python}} {name}"\nfiles = []\n'
        )
    (tmp_path / "bots" / "notes" / "bot.toml").unlink()
    (tmp_path / "c.toml").write_text(
        'bots = ["bots/*", "shipped:python/random", "none/*"]\nseats = 2\n'
    )
    ann, bob = (str(tmp_path / "bots" / name) for name in ("ann", "bob"))
    assert read_file(tmp_path / "c.toml").settings["bots"] == [
        ann,
        bob,
        "shipped:python/random",
        "none/*",
    ]
    (tmp_path / "c.toml").write_text('bots = ["bots/*"]\nseats = 2\n')
    said: list[str] = []
    file = read_file(tmp_path / "c.toml")
    _, entrants = competition_from(file, {}, lambda text, **_: said.append(text))
    assert [bot.name for bot in entrants] == ["ann", "bob"]
    notes = str(tmp_path / "bots" / "notes")
    assert said[0] == "2 bots of bots/*"
    assert said[1:] == [
        sentence(
            "entrants", "glob-not-taken", word="bots/*", paths=notes, reason=why_not_taken(notes)
        )
    ]
    competition_from(
        read_file(tmp_path / "c.toml"),
        {"bots": [ann, "shipped:python/random"]},
        lambda text, **_: said.append(text),
    )
    assert len(said) == 2, "flags win over the file, whose bots do not play"


@pytest.mark.parametrize("words", [(), ("--shipped",), ("--budget", "1s")])
def test_a_run_reads_its_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Also beside a mistake: ``take`` asks for more bots than come."""
    (tmp_path / "c.toml").write_text(f'bots = ["{C}"]\nseats = 2\n[[stage]]\ntake = 99\n')
    read: list[Path] = []
    monkeypatch.setattr(
        toml_file,
        "read",
        lambda path, real=toml_file.read, **how: (read.append(path), real(path, **how))[1],
    )
    arena("run", "c.toml", *words, cwd=tmp_path, code=2)
    assert [path for path in read if path.name == "c.toml"] == [Path("c.toml")]
