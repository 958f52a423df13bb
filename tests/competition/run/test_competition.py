"""Whole competitions: each format from start to places, stages that feed each other,
and the same after any kill.
"""

import json
import re
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from arena import C_GREEDY, C, arena, bots, descendants, kill, until_gone, wait_for_matches
from forked_command import started
from quick_bots import IN_C, SOURCE
from stores import FORFEITS, GREEDY, NAIVE, RANDOM
from wording import sentence

from khiva_arena.records.store.db import MatchRow, Store

pytestmark = pytest.mark.slow

FIVE = bots(RANDOM, NAIVE, GREEDY, C, C_GREEDY)
NAMES = (
    "random, naive, greedy, random-c, greedy-c"
    if IN_C
    else "random, naive, greedy, random-2, greedy-2"
)
FAST = ["--isolation", "trusted", "--seed", "x"]


def digests(said: str) -> list[str]:
    return re.findall(r"run digest (\w{64})", said)


def json_of(*words: str, cwd: Path) -> dict:
    return json.loads(arena(*words, "--json", cwd=cwd).stdout)


def rows_of(store: Path, query: str, *values: object) -> list[tuple]:
    connection = sqlite3.connect(store / "arena.db")
    try:
        return connection.execute(query, values).fetchall()
    finally:
        connection.close()


@pytest.mark.soak
@pytest.mark.parametrize(
    ("words", "rounds", "matches"),
    [
        (["--format", "knockout", "--seats", "2", "--seeds", "2"], 3, 16),
        (["--format", "knockout", "--seats", "3", "--advance", "2", "--seeds", "1"], 3, 9),
        (["--format", "swiss", "--seats", "2", "--rounds", "3", "--seeds", "1"], 3, 12),
        (["--format", "swiss", "--seats", "4", "--rounds", "2", "--seeds", "1"], 2, 8),
    ],
)
def test_rounds_are_drawn_from_results_and_verify_draws_them_again(
    tmp_path: Path, words: list[str], rounds: int, matches: int
) -> None:
    run = arena("run", *FIVE, *FAST, *words, "-j", "2", "--out", "out", cwd=tmp_path)
    assert f"{rounds} rounds, {matches} matches" in run.stderr
    assert run.stderr.count("\nround ") == rounds
    assert (
        f"{matches} of {matches} matches are sound" in arena("verify", "out", cwd=tmp_path).stdout
    )
    (places,) = json_of("standings", "out", cwd=tmp_path)["standings"][0]["places"]
    assert (places["rounds"], places["of"], len(places["rows"])) == (rounds, rounds, 5)
    assert places["rows"][0]["place"] == 1
    assert f"event 1, {words[1]}, over:" in run.stdout
    again = arena("run", *FIVE, *FAST, *words, "-j", "1", "--out", "out", cwd=tmp_path)
    assert (
        "event 1 is over; "
        + sentence("competition", "no-other-event-these")
        + ": nothing is played"
        in again.stderr
    )
    assert again.stdout == run.stdout


def test_no_round_and_no_stage_is_drawn_from_a_row_that_changed_in_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Store.add_match

    def damaging(store: Store, match: MatchRow, reveals: dict[int, bytes]) -> None:
        real(store, match, reveals)
        if len(store.recorded(match.event)) == 4:
            with closing(
                sqlite3.connect(store.folder / "arena.db", isolation_level=None)
            ) as connection:
                connection.execute("UPDATE seats SET rank = 3 - rank WHERE ordinal = 0")

    monkeypatch.setattr(Store, "add_match", damaging)
    (tmp_path / "stages.toml").write_text(
        '[[stage]]\nname = "first"\n[[stage]]\nname = "final"\ntake = 2\nformat = "swiss"\n'
    )
    swiss = [
        *bots(NAIVE, RANDOM, GREEDY, C),
        *FAST,
        "--format",
        "swiss",
        "--seats",
        "2",
        "--rounds",
        "3",
        "--seeds",
        "1",
    ]
    stages = ["stages.toml", *bots(NAIVE, RANDOM), *FAST, "--seats", "2", "--seeds", "2"]
    for out, words in (("swiss", swiss), ("stages", stages)):
        said = arena("run", *words, "--out", out, cwd=tmp_path, code=2).stderr
        assert said.endswith(
            f"{out}: match 1/0 is damaged: "
            + sentence("shards", "changed-since-written-2")
            + f"; `khiva-arena verify {out}` says more\n"
        )
        assert rows_of(tmp_path / out, "SELECT count(*) FROM matches") == [(4,)]


def test_a_knockout_is_what_its_matches_say(tmp_path: Path) -> None:
    """Two seats, one seed: who takes more of a table goes on, told from the seats in
    the store alone.
    """
    arena(
        "run",
        *FIVE,
        *FAST,
        "--format",
        "knockout",
        "--seats",
        "2",
        "--seeds",
        "3",
        "--out",
        "out",
        cwd=tmp_path,
    )
    query = (
        "SELECT seed, lineup, bot, rank FROM matches JOIN seats USING (event, ordinal) ORDER "
        "BY ordinal, seat"
    )
    found = rows_of(tmp_path / "out", query)
    points: dict[tuple[int, int], dict[int, int]] = {}
    for seed, lineup, bot, rank in found:
        table = points.setdefault((seed // 3, lineup), {})
        table[bot] = table.get(bot, 0) + (rank == 1)
    last = max(points)
    winner = max(points[last], key=lambda bot: points[last][bot])
    assert len(set(points[last].values())) == 2, (
        "a final without a winner tells nothing; choose another seed"
    )
    (places,) = json_of("standings", "out", cwd=tmp_path)["standings"][0]["places"]
    identity = rows_of(tmp_path / "out", "SELECT identity FROM bots WHERE position = ?", winner)[0][
        0
    ]
    assert places["rows"][0]["bot"] == identity
    losers = {
        bot
        for table, scores in points.items()
        if table < last
        for bot in scores
        if scores[bot] < max(scores.values())
    }
    assert not losers & set(points[last])


def test_a_gauntlet_seats_the_candidate_at_every_table(tmp_path: Path) -> None:
    words = ["--format", "gauntlet", "--candidate", "naive", "--seats", "3", "--seeds", "1"]
    arena("run", *FIVE, *FAST, *words, "--out", "out", cwd=tmp_path)
    found = rows_of(
        tmp_path / "out", "SELECT ordinal, group_concat(bot) FROM seats GROUP BY ordinal"
    )
    assert len(found) == 6 * 3
    assert all("1" in sits.split(",") for _, sits in found)


def test_bots_of_one_author_never_meet(tmp_path: Path) -> None:
    honest_bots(tmp_path, {"ann": "a", "bob": "a", "cy": "b", "dan": ""})
    words = ["--seats", "2", "--seeds", "1", "--authors-apart", "--out", "out"]
    arena("run", *bots("ann", "bob", "cy", "dan"), *FAST, *words, cwd=tmp_path)
    met = {
        sits
        for (sits,) in rows_of(
            tmp_path / "out", "SELECT group_concat(bot) FROM seats GROUP BY ordinal"
        )
    }
    assert len(met) == 10
    assert not met & {"0,1", "1,0"}
    refused = arena("run", *bots("ann", "bob"), *FAST, *words, cwd=tmp_path, code=2)
    assert "author" in refused.stderr
    nobody = arena("run", *bots("cy", "dan"), *FAST, *words, cwd=tmp_path)
    assert (
        "warning: --authors-apart has no effect: no two bots name the same author" in nobody.stderr
    )


STAGES = """
bots = [{bots}]
isolation = "trusted"
seed = "x"
out = "out"

[[stage]]
name = "league"
seats = 2
seeds = 1

[[stage]]
name = "final"
format = "knockout"
take = 4
seats = 2
seeds = {seeds}
"""


def stages(folder: Path, seeds: int = 1) -> None:
    words = ", ".join(json.dumps(word) for word in (RANDOM, NAIVE, GREEDY, C, C_GREEDY))
    (folder / "c.toml").write_text(STAGES.format(bots=words, seeds=seeds))


def test_a_league_feeds_a_knockout(tmp_path: Path) -> None:
    stages(tmp_path)
    run = arena("run", "c.toml", "--isolation", "trusted", cwd=tmp_path)
    assert "league, event" in run.stderr
    assert "final, knockout, event" in run.stderr
    definitions = [
        json.loads(text)
        for (text,) in rows_of(tmp_path / "out", "SELECT definition FROM events ORDER BY number")
    ]
    league, final = definitions
    assert (league["stage"], final["stage"]) == (1, 2)
    scores = rows_of(
        tmp_path / "out",
        "SELECT bot, sum(rank = 1) FROM seats WHERE event = (SELECT id FROM events WHERE "
        "number = 1) GROUP BY bot",
    )
    best = sorted(scores, key=lambda row: -row[1])
    names = [bot["name"] for bot in final["bots"]]
    assert len(names) == 4
    assert [
        dict(scores)[[bot["name"] for bot in league["bots"]].index(name)] for name in names
    ] == [n for _, n in best[:4]]
    assert league["seed"] != final["seed"]
    secrets = [secret for (secret,) in rows_of(tmp_path / "out", "SELECT secret FROM events")]
    assert len(set(secrets)) == 2, "a stage must not play the deals " + sentence("shards", "before")
    again = arena("run", "c.toml", "--isolation", "trusted", cwd=tmp_path)
    assert (digests(again.stderr), again.stdout) == (digests(run.stderr), run.stdout)
    assert len(rows_of(tmp_path / "out", "SELECT id FROM events")) == 2
    assert arena("verify", "out", cwd=tmp_path).stdout.count("matches are sound") == 2


@pytest.mark.soak
def test_stages_come_to_the_same_at_any_jobs_and_after_kills_in_each_round(tmp_path: Path) -> None:
    stages(tmp_path, seeds=10)
    expected = digests(
        arena(
            "run", "c.toml", "--isolation", "trusted", "-j", "2", "--out", "whole", cwd=tmp_path
        ).stderr
    )
    codes = []
    for after in (
        4,
        20,
        53,
    ):  # in the league of 10, and in both rounds of the knockout, of 40 and 20
        running = started("run", "c.toml", "--isolation", "trusted", "-j", "2", cwd=tmp_path)
        wait_for_matches(tmp_path / "out" / "arena.db", after)
        below = descendants(running.pid)
        kill(running, signal.SIGKILL)
        running.communicate(timeout=30)
        assert until_gone(below), "processes outlived the arbiter"
        codes.append(running.returncode)
    assert codes.count(-signal.SIGKILL) >= 2, "the run was over before it was killed"
    resumed = arena("run", "c.toml", "--isolation", "trusted", "-j", "1", cwd=tmp_path)
    assert digests(resumed.stderr) == expected
    assert len(expected) == 2


def test_a_stage_that_has_changed_since_it_began_is_refused(tmp_path: Path) -> None:
    stages(tmp_path, seeds=1000)
    running = started("run", "c.toml", "--isolation", "trusted", cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 22)
    kill(running, signal.SIGINT)
    running.communicate(timeout=30)
    stages(tmp_path, seeds=2)
    refused = arena("run", "c.toml", "--isolation", "trusted", cwd=tmp_path, code=2).stderr
    assert "event 2 is not over" in refused
    assert "seeds was 1000, is 2" in refused


def test_what_no_stage_can_be_played_with_is_told_before_the_first_match(tmp_path: Path) -> None:
    stages(tmp_path)
    text = (tmp_path / "c.toml").read_text().replace("take = 4", "take = 9")
    (tmp_path / "c.toml").write_text(text + '\n[[stage]]\nname = "top"\nseats = 5\ntake = 3\n')
    said = arena("run", "c.toml", "--isolation", "trusted", cwd=tmp_path, code=2).stderr
    assert "c.toml:15: stage 2: take = 9, but only 5 bots reach it" in said
    assert re.search(r"c.toml:21: stage 3: .*seats", said)
    assert not (tmp_path / "out").exists()


def test_no_candidate_is_named_for_a_stage_whose_bots_are_not_known(tmp_path: Path) -> None:
    stages(tmp_path)
    text = (
        (tmp_path / "c.toml")
        .read_text()
        .replace('format = "knockout"', 'format = "gauntlet"\ncandidates = ["random"]')
    )
    (tmp_path / "c.toml").write_text(text)
    said = arena("run", "c.toml", "--isolation", "trusted", cwd=tmp_path, code=2).stderr
    assert (
        "the bots of a stage with take are not known; leave candidates out to have the best one"
        in said
    )


def test_a_stage_that_those_who_came_cannot_play(tmp_path: Path) -> None:
    honest_bots(tmp_path, {"ann": "a", "bob": "a", "cy": "a"})
    words = (
        'bots = ["ann", "bob", "cy"]\nout = "out"\nseats = 2\nseeds = 1\n[[stage]]\nname = '
        '"league"\n'
    )
    final = '[[stage]]\nname = "final"\ntake = 2\nformat = "swiss"\nauthors_apart = true\n'
    (tmp_path / "c.toml").write_text(words + final)
    said = arena("run", "c.toml", "--isolation", "trusted", cwd=tmp_path, code=2).stderr
    assert "final: --authors-apart: 2 bots have one author" in said
    assert (
        "change it and give the same command again; results so far: khiva-arena standings out"
        in said
    )
    assert "6 of 6 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout


def honest_bots(folder: Path, authors: dict[str, str]) -> None:
    for name, author in authors.items():
        (folder / name).mkdir()
        shutil.copy(Path(GREEDY, SOURCE.name), folder / name)
        said = f'author = "{author}"\n' if author else ""
        text = (
            Path(GREEDY, "bot.toml")
            .read_text()
            .replace('name = "greedy"\n', f'name = "{name}"\n{said}')
        )
        (folder / name / "bot.toml").write_text(text)


def test_an_unknown_candidate(tmp_path: Path) -> None:
    words = ["--format", "gauntlet", "--candidate", "nobody", "--seats", "2"]
    said = arena("run", *FIVE, *FAST, *words, "--out", "out", cwd=tmp_path, code=2).stderr
    assert sentence("settings", "candidate-no-bot-called", name="'nobody'", names=NAMES) in said


def test_a_forfeit_loses_the_table_and_the_bracket_goes_on(tmp_path: Path) -> None:
    words = [
        *bots(RANDOM, FORFEITS, NAIVE, C),
        *FAST,
        "--format",
        "knockout",
        "--seats",
        "2",
        "--seeds",
        "1",
    ]
    run = arena("run", *words, "--out", "out", cwd=tmp_path)
    (places,) = json_of("standings", "out", cwd=tmp_path)["standings"][0]["places"]
    out = {row["name"]: row["out"] for row in places["rows"]}
    assert out["forfeits"] == 1
    assert "fault" in run.stderr


def test_a_damaged_result_of_an_early_round_is_found(tmp_path: Path) -> None:
    words = [
        *FIVE,
        *FAST,
        "--format",
        "swiss",
        "--seats",
        "2",
        "--rounds",
        "2",
        "--seeds",
        "1",
        "--out",
        "out",
    ]
    arena("run", *words, cwd=tmp_path)
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    connection.execute("UPDATE seats SET rank = 3 - rank WHERE ordinal < 4")
    connection.execute("UPDATE seats SET bot = 9 WHERE ordinal = 3")
    connection.commit()
    connection.close()
    said = arena("verify", "out", cwd=tmp_path, code=1).stdout
    assert "; that are not: number " in said
    assert "Traceback" not in said
    assert "is damaged" in arena("standings", "out", cwd=tmp_path, code=2).stderr
    assert "is damaged" in arena("run", *words, cwd=tmp_path, code=2).stderr


def test_mistakes_in_settings_bots_and_stages_are_told_together_by_line(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        'bots = ["nope", "nowhere"]\nseats = 9\nengines = "gone.json"\n[[stage]]\nname = '
        '"a"\n[[stage]]\nname = "a"\nturn = "x"\n'
    )
    said = arena(
        "run", "c.toml", "--isolation", "trusted", cwd=tmp_path, code=2
    ).stderr.splitlines()
    lines = [int(re.search(r"c\.toml:(\d+): ", line)[1]) for line in said]
    assert lines == [1, 1, 2, 3, 7, 8]


def test_the_stream_of_events_lies_where_it_harms_nobody(tmp_path: Path) -> None:
    honest_bots(tmp_path, {"ann": "", "bob": ""})
    words = [*bots("ann", "bob"), *FAST, "--seats", "2", "--seeds", "1", "--out", "out"]
    said = arena("run", *words, "--events-file", "ann/events", cwd=tmp_path, code=2).stderr
    assert sentence("settings", "lies-folder-bot-would", name="ann") in said
    assert (
        sentence("settings", "lies-store", out="out")
        in arena("run", *words, "--events-file", "out/events", cwd=tmp_path, code=2).stderr
    )
    assert not (tmp_path / "out").exists()


def test_an_earlier_stage_that_has_changed_is_what_is_told(tmp_path: Path) -> None:
    stages(tmp_path, seeds=1000)
    running = started("run", "c.toml", "--isolation", "trusted", cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 22)
    kill(running, signal.SIGINT)
    running.communicate(timeout=30)
    text = (
        (tmp_path / "c.toml")
        .read_text()
        .replace('name = "league"\nseats = 2\nseeds = 1', 'name = "league"\nseats = 2\nseeds = 3')
    )
    (tmp_path / "c.toml").write_text(text)
    said = arena("run", "c.toml", "--isolation", "trusted", cwd=tmp_path, code=2).stderr
    assert (
        "event 2, a later stage, is not over; since event 1, stage 1, was played: seeds was 1, is 3"
        in said
    )
    assert "format" not in said
