"""Each registered game from a command to a rating table, on the same arbiter, and its
rules from flags and files.
"""

import json
import re
from pathlib import Path

import pytest
from arena import NAIVE, RANDOM, ROOT, C, arena, bots
from in_targets import in_long
from wording import sentence

from khiva_arena.entrants import bots as bot_files
from khiva_arena.games import registry

pytestmark = pytest.mark.slow

R1 = ROOT / "khiva_arena" / "games" / "silk_road" / "maps" / "r1.toml"


def greedy(game: str) -> str:
    """The folder of the greedy bot for a game."""
    for path in sorted((ROOT / "bots" / "python").glob("greedy*")):
        if game in bot_files.load(str(path)).games:
            return str(path)
    raise AssertionError(f"no greedy bot for {game}")


@pytest.mark.soak
@pytest.mark.parametrize(
    ("game", "each"),
    [
        *(
            (game, [seats for seats in registry.get(game).seats if game == "khiva" or seats < 4])
            for game in registry.GAMES
        ),
        *in_long((game, [*registry.get(game).seats]) for game in registry.GAMES if game != "khiva"),
    ],
)
def test_a_competition_of_each_game_and_each_seat_count(
    game: str, each: list[int], tmp_path: Path
) -> None:
    """All seat counts in one store: every match sound, nobody at fault, greedy ahead,
    and a match plays again the same.
    """
    for seats in each:
        words = [
            "--game",
            game,
            *bots(C, greedy(game)),
            "--copies",
            str(seats - 1),
            "--lineups",
            "1",
        ]
        arena(
            "run",
            *words,
            "--seats",
            str(seats),
            "--seeds",
            "1",
            "--seed",
            "each",
            "--out",
            "out",
            cwd=tmp_path,
        )
    events = json.loads(arena("verify", "out", "--json", cwd=tmp_path).stdout)["events"]
    assert len(events) == len(each)
    assert all(event["sound"] == event["planned"] and not event["problems"] for event in events)
    (table,) = json.loads(arena("standings", "out", "--json", cwd=tmp_path).stdout)["standings"]
    assert (table["game"], table["seats"]) == (game, each)
    best, other = sorted(table["rows"], key=lambda row: -row["score"])
    assert best["name"].startswith("greedy")
    assert not any([*best["faults"].values(), *other["faults"].values()])
    told = arena("show", "out", "1/0", cwd=tmp_path).stdout
    assert registry.get(game).title in told
    assert (
        sentence("replay", "every-choice-same-digest")
        in arena("match", "--from", "out", "1/0", cwd=tmp_path).stdout
    )


@pytest.mark.parametrize("game", registry.GAMES)
def test_the_shipped_bots_of_each_game(game: str, tmp_path: Path) -> None:
    rows = json.loads(
        arena("bots", "--game", game, "--json", cwd=tmp_path, env={"PATH": str(tmp_path)}).stdout
    )["bots"]
    names = {row["name"] for row in rows}
    assert {"random", "random-c", "random-javascript"} < names
    assert len(names) == len(rows)


def test_a_bot_of_another_game_is_refused(tmp_path: Path) -> None:
    done = arena(
        "run",
        "--game",
        "emira",
        *bots(RANDOM, NAIVE),
        "--copies",
        "2",
        "--seats",
        "3",
        cwd=tmp_path,
        code=2,
    )
    assert "naive" in done.stderr
    assert "emira" in done.stderr


def test_a_seat_count_that_a_game_lacks_is_refused(tmp_path: Path) -> None:
    done = arena(
        "run",
        "--game",
        "emira",
        *bots(RANDOM),
        "--copies",
        "2",
        "--seats",
        "2",
        cwd=tmp_path,
        code=2,
    )
    assert "emira is played with 3 to 5 seats, not 2" in done.stderr


# --- a rule that is a table in a file ---


def own_map(folder: Path) -> Path:
    """R1 with another name for a village."""
    path = folder / "mine.toml"
    path.write_text(
        R1.read_text("utf-8").replace("r4", "oasis").replace('name = "r1"', 'name = "mine"'),
        "utf-8",
    )
    return path


def rules_of(folder: Path) -> dict[str, object]:
    shown = json.loads(arena("show", "out", "1/0", "--json", cwd=folder).stdout)
    rules: dict[str, object] = shown["record"]["header"]["rules"]
    return rules


def test_a_map_of_ones_own_from_a_flag_is_in_the_record(tmp_path: Path) -> None:
    own_map(tmp_path)
    words = [
        "--game",
        "silk_road",
        *bots(RANDOM, greedy("silk_road")),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--out",
        "out",
    ]
    arena("run", *words, "--rule", "map=@mine.toml", cwd=tmp_path)
    chart = rules_of(tmp_path)["map"]
    assert isinstance(chart, dict)
    assert chart["name"] == "mine"
    assert "oasis" in chart["villages"]
    assert "2 of 2 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout
    assert " to oasis" in "".join(
        arena("show", "out", f"1/{n}", cwd=tmp_path).stdout for n in (0, 1)
    )


def test_a_map_of_ones_own_from_a_settings_file_lies_beside_it(tmp_path: Path) -> None:
    inside = tmp_path / "settings"
    inside.mkdir()
    own_map(inside)
    text = (
        f'game = "silk_road"\nseats = 2\nseeds = 1\nout = "../out"\nbots = ["{RANDOM}", '
        f'"{greedy("silk_road")}"]\n'
    )
    (inside / "c.toml").write_text(text + '[rules]\nmap = "@mine.toml"\n')
    arena("run", "settings/c.toml", cwd=tmp_path)
    chart = rules_of(tmp_path)["map"]
    assert isinstance(chart, dict)
    assert chart["name"] == "mine"


def test_the_same_map_by_name_and_by_file_is_the_same_event(tmp_path: Path) -> None:
    words = [
        "--game",
        "silk_road",
        *bots(RANDOM, greedy("silk_road")),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--seed",
        "x",
        "--out",
        "out",
    ]
    assert re.search(r"event [0-9a-f]{16}", arena("run", *words, cwd=tmp_path).stderr)
    again = arena("run", *words, "--rule", f"map=@{R1}", cwd=tmp_path).stderr
    assert (
        sentence("competition", "no-other-event-these-2", which="out: event 1 is over")
        + ": nothing is played"
        in again
    )


BAD_FILES = [
    (None, "cannot be read"),
    ("name = ", "not TOML"),
    ("name = 'x'\n", "cities is missing"),
]


@pytest.mark.parametrize(("text", "said"), BAD_FILES, ids=[said for _, said in BAD_FILES])
def test_a_file_that_is_no_map_is_told_in_clear_lines(
    text: str | None, said: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "m.toml").write_text(text)
    words = [
        "--game",
        "silk_road",
        *bots(RANDOM, greedy("silk_road")),
        "--seats",
        "2",
        "--rule",
        "map=@m.toml",
    ]
    done = arena("run", *words, cwd=tmp_path, code=2)
    assert said in done.stderr
    assert all(
        line.startswith("khiva-arena: error: --rule: map") for line in done.stderr.splitlines()
    )


def test_a_file_without_an_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    words = ["--game", "silk_road", *bots(RANDOM, greedy("silk_road")), "--seats", "2"]
    done = arena("run", *words, "--rule", "map=@/dev/zero", cwd=tmp_path, code=2)
    assert "/dev/zero: cannot be read: it is a device, not a file" in done.stderr
    assert (
        "/dev/zero: cannot be read: it is a device, not a file"
        in arena("run", "/dev/zero", cwd=tmp_path, code=2).stderr
    )
    (tmp_path / "long.toml").write_text("#" * 1_000_001)
    assert "longer than 1,000,000 bytes" in arena("run", "long.toml", cwd=tmp_path, code=2).stderr


def test_mistakes_of_rules_are_told_together_with_all_others(tmp_path: Path) -> None:
    text = (
        f'game = "silk_road"\nbots = ["{RANDOM}"]\nseats = 9\n[rules]\nbaksheesh = '
        '"maybe"\nmap = "@gone.toml"\n'
    )
    (tmp_path / "c.toml").write_text(text)
    lines = arena("run", "c.toml", cwd=tmp_path, code=2).stderr.splitlines()
    assert sorted(lines) == [
        "khiva-arena: error: c.toml:3: seats: silk_road is played with 2 to 5 seats, not 9",
        "khiva-arena: error: c.toml:5: baksheesh is one of mandatory, optional, not 'maybe'",
        "khiva-arena: error: c.toml:6: map is gone.toml: cannot be read: No such file or directory",
    ]
    done = arena(
        "run", *bots(RANDOM, NAIVE), "--rule", "nope", "--rule", "neither", cwd=tmp_path, code=2
    )
    assert len(re.findall(r"--rule n\w+: write --rule KEY=VALUE", done.stderr)) == 2


def test_a_long_rule_is_not_spelled_out_for_people(tmp_path: Path) -> None:
    lines = arena("games", cwd=tmp_path).stdout.splitlines()
    assert max(map(len, lines)) < 300
    assert any(line.startswith("  map = a table of ") for line in lines)
    games = json.loads(arena("games", "--json", cwd=tmp_path).stdout)["games"]
    assert {game["name"]: game["rules"] for game in games}["silk_road"]["map"]["name"] == "r1"


def test_rules_that_came_later_are_listed_with_their_defaults(tmp_path: Path) -> None:
    assert '  empty_hand = "two"' in arena("games", "silk_road", cwd=tmp_path).stdout.splitlines()
    (game,) = json.loads(arena("games", "silk_road", "--json", cwd=tmp_path).stdout)["games"]
    assert list(game["rules"]) == list(game["variants"])


def test_a_game_that_is_none_is_refused_where_bots_are_listed(tmp_path: Path) -> None:
    assert (
        "Did you mean silk_road?"
        in arena("bots", "--game", "silk-road", cwd=tmp_path, code=2).stderr
    )
