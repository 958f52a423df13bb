"""``khiva-arena export``: what is written, and that it reads back to the same matches
and the same Elo.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from arena import arena, bots
from made_results import rated
from msgspec import structs
from once import made_once
from stores import NAIVE, RANDOM, STRIKES, TRUSTED

from khiva_arena.common.result import Result
from khiva_arena.interface.commands.choices import EXPORT_FORMATS
from khiva_arena.rating.ratings.elo import rate
from khiva_arena.rating.report.exports import (
    EventResults,
    counted_pairs,
    pgn_names,
    to_csv,
    to_jsonl,
    to_payoffs,
    to_pgn,
)
from khiva_arena.rating.report.standings import Entrant

pytestmark = pytest.mark.slow

TAG = re.compile(r'\[(\w+) "([^"]*)"\]')
POINTS = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}


@made_once
def folder(folder: Path) -> None:
    """A store with two events, at 2 and at 3 seats."""
    three = [*bots(RANDOM, NAIVE, STRIKES), *TRUSTED, "--rule", "max_turns=6"]
    for seats, seeds in ((2, 4), (3, 3)):
        words = ["--seats", str(seats), "--seeds", str(seeds), "--seed", "demo", "--out", "out"]
        arena("run", *three, *words, cwd=folder)


# --- readers, as another program would have them ---


def read_csv(text: str) -> tuple[list[Result], list[str]]:
    """Rated matches, and the identity of each bot index."""
    rows = list(csv.DictReader(io.StringIO(text)))
    bots = sorted({row["identity"] for row in rows})
    by_match: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        if row["rated"] == "1":
            by_match.setdefault(row["match"], []).append(row)
    matches = []
    for seats in by_match.values():
        assert [int(row["seat"]) for row in seats] == list(range(len(seats)))
        unstarted = tuple(int(row["seat"]) for row in seats if "start_failed@" in row["faults"])
        sat, ranks = (
            (bots.index(row["identity"]) for row in seats),
            (int(row["rank"]) for row in seats),
        )
        matches.append(rated(seats[0]["block"], tuple(sat), tuple(ranks), unstarted))
    return matches, bots


def read_jsonl(text: str) -> tuple[list[Result], list[str]]:
    objects = [json.loads(line) for line in text.splitlines()]
    bots = sorted({seat["identity"] for match in objects for seat in match["seats"]})
    matches = []
    for match in (match for match in objects if match["rated"]):
        seats = match["seats"]
        failed = (
            i
            for i, seat in enumerate(seats)
            if "start_failed" in [fault for fault, _ in seat["faults"]]
        )
        sat, ranks = (
            (bots.index(seat["identity"]) for seat in seats),
            (seat["rank"] for seat in seats),
        )
        matches.append(rated(match["block"], tuple(sat), tuple(ranks), tuple(failed)))
    return matches, bots


def read_pgn(text: str) -> list[dict[str, str]]:
    """The tags of each game, whose movetext is its result alone."""
    games = []
    for game in re.findall(r"((?:\[.*\]\n)+)\n(\S+)\n\n", text):
        tags = dict(TAG.findall(game[0]))
        assert tags["Result"] == game[1]
        games.append(tags)
    assert sum(len(re.findall(r"\[", line)) > 0 for line in text.splitlines()) == 7 * len(games)
    return games


def as_matches(games: Iterable[dict[str, str]], names: list[str]) -> list[Result]:
    """Games as matches of two seats; all of one block, since PGN does not tell of
    deals.
    """
    return [
        rated("", (names.index(game["White"]), names.index(game["Black"])), POINTS[game["Result"]])
        for game in games
    ]


@cache
def exported(folder: Path, form: str, *events: str) -> str:
    return arena("export", "out", *events, "--format", form, cwd=folder).stdout


# --- the round trip ---


@pytest.mark.parametrize("event", ["1", "2", ""])
def test_csv_and_jsonl_read_back_to_the_same_matches_and_elo(folder: Path, event: str) -> None:
    words = [event] if event else []
    from_csv, bots = read_csv(exported(folder, "csv", *words))
    from_jsonl, same = read_jsonl(exported(folder, "jsonl", *words))
    assert (from_csv, bots) == (from_jsonl, same)
    tables = json.loads(arena("standings", "out", *words, "--json", cwd=folder).stdout)["standings"]
    rows = {row["bot"]: row for row in tables[0]["rows"]}
    anchor = bots.index(tables[0]["anchor"])
    found = rate(from_csv, len(bots), anchor)
    assert len(from_csv) == tables[0]["matches"]
    assert found.blocks == tables[0]["blocks"]
    for bot, elo, error in zip(bots, found.elo, found.error, strict=True):
        assert elo == pytest.approx(rows[bot]["elo"], abs=1e-3)
        assert error == pytest.approx(rows[bot]["error"], abs=1e-3)


@pytest.mark.parametrize("seats", [2, 3])
def test_pgn_reads_back_to_pairs_that_give_the_same_elo(folder: Path, seats: int) -> None:
    matches, bots = read_csv(exported(folder, "csv", str(seats - 1)))
    games = read_pgn(exported(folder, "pgn", str(seats - 1)))
    assert len(games) == len(matches) * seats * (seats - 1) // 2
    named = {
        row["identity"]: row["bot"] for row in csv.DictReader(io.StringIO(exported(folder, "csv")))
    }
    pairs = as_matches(games, [named[bot] for bot in bots])
    # A pair of K seats weighs 3 / (K + 1) in the arena's fit, where the game against
    # the ghost weighs 1.
    of_pairs, of_matches = (
        rate(pairs, len(bots), 0, prior=(seats + 1) / 3),
        rate(matches, len(bots), 0),
    )
    assert of_pairs.elo == pytest.approx(of_matches.elo, abs=1e-6)
    assert of_pairs.score == pytest.approx(of_matches.score)


@pytest.mark.parametrize("seats", [2, 3])
def test_white_and_black_are_balanced(folder: Path, seats: int) -> None:
    games = read_pgn(exported(folder, "pgn", str(seats - 1)))
    met = Counter((game["White"], game["Black"]) for game in games)
    for (white, black), times in met.items():
        assert abs(times - met[black, white]) <= 1


def test_round_names_event_and_match(folder: Path) -> None:
    games = read_pgn(exported(folder, "pgn"))
    assert exported(folder, "pgn", "2", "1", "2") == exported(folder, "pgn")
    assert games[0]["Round"] == "1.0"
    assert (games[-1]["Round"], games[-1]["Site"], games[-1]["Date"]) == ("2.8", "-", "????.??.??")
    shown = [
        row["match"].replace("/", ".")
        for row in json.loads(arena("show", "out", "--json", cwd=folder).stdout)["matches"]
    ]
    assert {game["Round"] for game in games} == set(shown)


def test_a_table_that_is_not_complete_is_marked_and_in_no_pgn(folder: Path, tmp_path: Path) -> None:
    import sqlite3

    from forging import forge

    (tmp_path / "out").mkdir()
    source, target = (
        sqlite3.connect(folder / "out" / "arena.db"),
        sqlite3.connect(tmp_path / "out" / "arena.db"),
    )
    source.backup(target)
    source.close()
    of_event = "event = (SELECT id FROM events WHERE number = 1)"
    gone = f"WHERE ordinal = 7 AND {of_event}"
    forge(
        target,
        f"DELETE FROM seats {gone}; DELETE FROM matches {gone}; DELETE FROM conclusions "
        f"WHERE {of_event}",
    )
    target.close()
    rows = list(csv.DictReader(io.StringIO(exported(tmp_path, "csv", "1"))))
    assert {row["ordinal"] for row in rows if row["rated"] == "0"} == {"6"}
    assert {"1.6", "1.7"}.isdisjoint(
        game["Round"] for game in read_pgn(exported(tmp_path, "pgn", "1"))
    )


# --- where it is written ---


def test_out_is_a_new_file(folder: Path, tmp_path: Path) -> None:
    store = str(folder / "out")
    done = arena("export", store, "--format", "csv", "--out", "r.csv", cwd=tmp_path)
    assert done.stdout == ""
    assert (tmp_path / "r.csv").read_text() == exported(folder, "csv")
    assert (
        "exists already"
        in arena("export", store, "--format", "csv", "--out", "r.csv", cwd=tmp_path, code=2).stderr
    )
    assert (
        "cannot be written"
        in arena(
            "export", store, "--format", "csv", "--out", "no/r.csv", cwd=tmp_path, code=2
        ).stderr
    )
    assert "--format" in arena("export", store, cwd=tmp_path, code=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]


# --- what bots are called, and who failed to start ---


def an_event(
    names: list[str], faults: dict[int, str], rotations: int | None = None
) -> EventResults:
    """One table, of which so many rotations were played."""
    seats = range(len(names))
    entrants = tuple(Entrant(f"{seat:064x}", name) for seat, name in enumerate(names))
    result = Result(
        event="e" * 16,
        block="b",
        bots=tuple(seats),
        ranks=tuple(seat + 1 for seat in seats),
        scores=tuple(-seat for seat in seats),
        verdicts=tuple(faults.get(seat, "ok") for seat in seats),
        faults=tuple(((faults[seat], 0),) if seat in faults else () for seat in seats),
    )
    played = len(names) if rotations is None else rotations
    return EventResults(
        "e" * 16,
        1,
        None,
        "khiva",
        entrants,
        [structs.replace(result, rotation=r, ordinal=r) for r in range(played)],
    )


HOSTILE = [
    "=1+1",
    "+1",
    "-1",
    "@x",
    "'quoted",
    'a"b',
    "a'b",
    "a\\b",
    "a/b",
    "x,y",
    'x"]',
    "Zoë 🐪",
    "[White ",
    "plain",
]


def test_names_are_no_formulas_and_read_back() -> None:
    text = "".join(to_csv([an_event(HOSTILE, {}, 1)]))
    cells = [row["bot"] for row in csv.DictReader(io.StringIO(text))]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert [cell.removeprefix("'") for cell in cells] == HOSTILE
    [line] = to_jsonl([an_event(HOSTILE, {}, 1)])
    assert [seat["bot"] for seat in json.loads(line)["seats"]] == HOSTILE


def test_names_in_pgn_are_all_different_and_end_where_they_should() -> None:
    event = an_event(HOSTILE, {})
    names = pgn_names(event.bots)
    games = read_pgn("".join(to_pgn([event], names)))
    assert len(games) == len(HOSTILE) * (len(HOSTILE) - 1) // 2 * len(HOSTILE)
    assert {game[side] for game in games for side in ("White", "Black")} == set(names.values())
    assert len(set(names.values())) == len(HOSTILE)
    assert not any('"' in name or "\\" in name for name in names.values())


def test_a_name_that_mimics_anothers_mark_is_told_apart() -> None:
    ids = ["ab" * 32, "cd" * 32, "ef" * 32]
    names = pgn_names([Entrant(ids[0], "x"), Entrant(ids[1], "x"), Entrant(ids[2], "x#abab")])
    assert len(set(names.values())) == 3


def test_pairs_that_count_are_those_of_the_fit() -> None:
    """Where a seat failed to start, pairs with it alone; two copies of one bot are no
    pair.
    """
    [match] = an_event(["a", "b", "c"], {1: "start_failed"}, 1).results
    assert counted_pairs(match) == [(0, 1), (1, 2)]
    twins = Result(bots=(0, 0, 1))
    assert counted_pairs(twins) == [(0, 2), (1, 2)]
    assert list(to_pgn([an_event(["a", "b"], {}, 1)], {})) == []


# --- each format ---


@pytest.mark.parametrize("form", EXPORT_FORMATS)
def test_each_format_is_explained_and_written(folder: Path, form: str) -> None:
    assert f" {form}: " in arena("export", "--help", cwd=folder).stdout.replace("\n", " ")
    assert len(exported(folder, form).splitlines()) > 1


# --- payoffs ---


def test_payoffs_are_the_scores_and_points_of_pairs_with_errors_over_deals(folder: Path) -> None:
    """The mean over pairs, and its standard error as worked out deal by deal, from the
    rows of the CSV of the same store.
    """
    rows = list(csv.DictReader(io.StringIO(exported(folder, "csv"))))
    payoffs = list(csv.DictReader(io.StringIO(exported(folder, "payoffs"))))
    assert {(row["event"], row["bot"], row["other"]) for row in payoffs} == {
        (r["event"], r["other"], r["bot"]) for r in payoffs
    }
    failed = {row["match"] for row in rows if row["verdict"] == "start_failed"}
    for row in payoffs:
        pairs: dict[str, list[tuple[float, int]]] = {}
        for mine in rows:
            for theirs in (
                rows
                if mine["bot"] == row["bot"]
                and mine["rated"] == "1"
                and mine["event"] == row["event"]
                else ()
            ):
                if (
                    theirs["match"] == mine["match"]
                    and theirs["bot"] == row["other"]
                    and mine["match"] not in failed
                ):
                    ahead = (
                        1 + (mine["rank"] < theirs["rank"]) - (mine["rank"] > theirs["rank"])
                    ) / 2
                    pairs.setdefault(mine["block"], []).append(
                        (ahead, int(mine["score"]) - int(theirs["score"]))
                    )
        assert (int(row["pairs"]), int(row["seeds"])) == (sum(map(len, pairs.values())), len(pairs))
        for column, name in enumerate(("score", "points")):
            every = [both[column] for deal in pairs.values() for both in deal]
            mean = sum(every) / len(every)
            assert float(row[name]) == pytest.approx(mean, abs=1e-4)
            spread = (
                sum(sum(both[column] - mean for both in deal) ** 2 for deal in pairs.values())
                * len(pairs)
                / (len(pairs) - 1)
            )
            assert float(row[f"{name}_se"]) == pytest.approx(spread**0.5 / len(every), abs=1e-4)


def test_payoffs_of_one_deal_have_no_error() -> None:
    bots = tuple(Entrant(name * 64, name) for name in "ab")
    results = [
        Result(
            bots=(0, 1), ranks=(1, 2), scores=(5, 3), verdicts=("ok", "ok"), rotation=0, block="x"
        )
    ]
    results += [
        Result(
            bots=(1, 0), ranks=(1, 1), scores=(4, 4), verdicts=("ok", "ok"), rotation=1, block="x"
        )
    ]
    _, first, second = "".join(
        to_payoffs([EventResults("e", 1, None, "khiva", bots, results)])
    ).splitlines()
    assert first.split(",")[-6:] == ["2", "1", "0.75", "", "1", ""]
    assert second.split(",")[-6:] == ["2", "1", "0.25", "", "-1", ""]


def test_points_by_source_are_columns_and_their_sum_is_the_score(folder: Path) -> None:
    rows = list(
        csv.DictReader(
            arena("export", "out", "--format", "csv", "--points", cwd=folder).stdout.splitlines()
        )
    )
    sources = [name for name in rows[0] if name.startswith("points_")]
    assert sources == ["points_teapots", "points_salt", "points_carpets", "points_gems"]
    assert list(rows[0])[-1] == "uncounted_undelivered_carpets"
    assert [int(row["score"]) for row in rows] == [
        sum(int(row[name]) for name in sources) for row in rows
    ]
    lines = arena("export", "out", "--format", "jsonl", "--points", cwd=folder).stdout.splitlines()
    seats = [seat for line in lines for seat in json.loads(line)["seats"]]
    assert [sum(seat["points"]["counted"].values()) for seat in seats] == [
        seat["score"] for seat in seats
    ]
    refused = arena("export", "out", "--format", "pgn", "--points", cwd=folder, code=2)
    assert "--points goes with --format csv or jsonl, not with pgn" in refused.stderr
