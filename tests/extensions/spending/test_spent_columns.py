"""What bots report of themselves, in tables: it equals their own logs, marks those that
drew lots, and changes no rating.
"""

import dataclasses
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pages
import pytest
from arena import arena
from bundling import forged, lines_of
from cases import cases
from forging import forge
from msgspec import structs
from once import made_once
from stand_in import LOG, stand_ins
from wording import sentence

import khiva_arena
from khiva_arena.common.result import Spent, add_spent
from khiva_arena.competition.events.pool_tables import tables_of
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.spending.spend_cap import Cost, cost_of
from khiva_arena.extensions.spending.spent_columns import SpentColumns, lots
from khiva_arena.rating.report import rating_table
from khiva_arena.rating.report.columns import Standing
from khiva_arena.rating.report.values import Standings
from khiva_arena.rating.report.verdict import verdict
from khiva_arena.records.store.db import FILE, Store

pytestmark = pytest.mark.slow
RANDOM = sentence("spending", "random", percent="5")


@made_once
def five_stand_ins(folder: Path) -> None:
    """A store with an event of stand-ins of each kind."""
    bots = [word for place in stand_ins(folder) for word in ("--bot", place.name)]
    how = ("--seats", "2", "--seeds", "1", "--isolation", "trusted", "--trust-bots")
    arena("run", *bots, *how, "--out", "out", cwd=folder)


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    said = json.loads(arena("standings", "out", "--json", cwd=folder).stdout)
    return {row["name"]: row for row in said["standings"][0]["rows"]}


def table_of(folder: Path) -> Standings:
    return tables_of(folder / "out", ())[0].standings


def test_sums_are_those_of_the_bots_own_logs_to_the_unit(five_stand_ins: Path) -> None:
    logged: dict[str, Counter[str]] = {}
    for match in khiva_arena.matches(five_stand_ins / "out"):
        for bot, notes in zip(match.bots, match.notes, strict=True):
            (said,) = re.findall(rf"^{LOG}(.*)$", notes, re.MULTILINE)
            logged.setdefault(bot, Counter()).update(json.loads(said))
    rows = rows_of(five_stand_ins)
    assert {name: row["spent"]["totals"] for name, row in rows.items()} == {
        name: {**log} for name, log in logged.items()
    }
    for row in rows.values():
        spent = row["spent"]
        assert spent["decisions"] == sum(
            spent["totals"][name] for name in ("model", "retry", "lot", "failed")
        )
        assert (spent["matches"], spent["at_least"], spent["dropped"], spent["currency"]) == (
            8,
            False,
            0,
            "EUR",
        )


def test_the_table_says_each_and_lists_those_by_lot_below_a_line(five_stand_ins: Path) -> None:
    said = arena("standings", "out", "--wide", "--most-lots", "20", cwd=five_stand_ins).stdout
    lines = said.splitlines()
    shares = {
        words[1]: [float(one) for one in re.findall(r"(\d+\.\d)", line.partition(" EUR")[0])[-5:-1]]
        for line in lines
        if " EUR" in line and (words := line.split())[1] in rows_of(five_stand_ins)
    }
    assert shares["answers"] == [100, 0, 0, 0]
    assert shares["never"] == [0, 0, 100, 0]
    assert shares["tenth"][1::2] == [0, 0]
    assert 5 < shares["tenth"][2] < 10 > shares["garbles"][1] > 5
    assert 25 < shares["overloaded"][3] < 34
    (line,) = [
        at
        for at, line in enumerate(lines)
        if line == f"-- more than 20 % random choices, or {sentence('spending', 'silent')} --"
    ]
    below = {line.split()[1] for line in lines[line + 1 : lines.index("", line)]}
    assert below == {"never", "overloaded"}
    marked = {line.split()[1] for line in lines if line.split()[2:3] == ["lots"]}
    assert marked == {"never", "overloaded", "tenth"}
    (warning,) = re.findall(rf"^{RANDOM.rstrip()}.*(?:\n .*)?", said, re.MULTILINE)
    assert all(name in warning for name in marked)


def test_programs_read_the_shares_and_the_line(five_stand_ins: Path) -> None:
    names = {row["bot"]: name for name, row in rows_of(five_stand_ins).items()}
    for flags, below in (([], {None}), (["--most-lots", "20"], {True, False})):
        said = json.loads(arena("standings", "out", "--json", *flags, cwd=five_stand_ins).stdout)
        reported = {names[one["bot"]]: one for one in said["standings"][0]["reported"]}
        assert {name for name, one in reported.items() if one["mark"] == "lots"} == {
            "never",
            "overloaded",
            "tenth",
        }
        assert [reported["never"][key] for key in ("model", "retry", "lot", "failed")] == [
            0,
            0,
            100,
            0,
        ]
        assert {one.get("below") for one in reported.values()} == below
        assert {name for name, one in reported.items() if one.get("below")} == (
            {"never", "overloaded"} if flags else set()
        )
        assert said["sentence"].startswith(RANDOM)


def test_the_warning_is_on_top_where_nobody_is_rated_yet(five_stand_ins: Path) -> None:
    table = table_of(five_stand_ins)
    unrated = dataclasses.replace(
        table, rows=tuple(structs.replace(row, elo=None) for row in table.rows)
    )
    assert verdict(unrated).startswith(RANDOM)
    assert not verdict(dataclasses.replace(unrated, rows=unrated.rows[:0]))


def test_no_number_of_a_rating_depends_on_it(five_stand_ins: Path, tmp_path: Path) -> None:
    shutil.copytree(five_stand_ins / "out", tmp_path / "out")
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
        digest = store.conclusion(event.id)
    with closing(sqlite3.connect(tmp_path / "out" / FILE)) as connection, connection:
        forge(connection, "DELETE FROM spent")
    with_it, without = rows_of(five_stand_ins), rows_of(tmp_path)
    assert {row["spent"] for row in without.values()} == {None}
    assert all(row | {"spent": None} == without[name] for name, row in with_it.items())
    assert digest is not None
    assert digest in arena("verify", "out", cwd=tmp_path).stdout


def test_a_bundle_carries_it_and_a_stranger_checks_only_its_shape(five_stand_ins: Path) -> None:
    arena("bundle", "out", "all.bundle", cwd=five_stand_ins)
    assert (
        sentence("verify", "standings-those-records-give")
        in arena("verify", "all.bundle", cwd=five_stand_ins).stdout
    )
    example = Path(__file__).parents[3] / "protocol" / "examples" / "verify_bundle.py"
    subprocess.run(
        [sys.executable, "-I", "-S", str(example), "all.bundle"],
        cwd=five_stand_ins,
        check=True,
        timeout=120,
    )
    arena("report", "all.bundle", "--out", "page.html", cwd=five_stand_ins)
    assert RANDOM in pages.text(five_stand_ins / "page.html")
    lines = lines_of(five_stand_ins / "all.bundle")
    (first, *_) = [line for line in lines if line["kind"] == "match"]
    for wrong, is_sound in (
        ([None, {"totals": {"lot": 2**53 - 1}, "decisions": 1}], True),
        ([None], False),
        ([None, {"totals": {"lot": -1}, "decisions": 1}], False),
        ([None, {"totals": {"\x1b[2J": 1}, "decisions": 1}], False),
        ({"totals": {}}, False),
    ):
        first["spent"] = wrong
        (five_stand_ins / "other.bundle").write_bytes(forged(lines))
        arena("verify", "other.bundle", cwd=five_stand_ins, code=0 if is_sound else 1)
    lines = lines_of(five_stand_ins / "all.bundle")
    (five_stand_ins / "other.bundle").write_bytes(forged([{**lines[0], "format": 1}, *lines[1:]]))
    assert "only format 2" in arena("verify", "other.bundle", cwd=five_stand_ins, code=1).stdout


# --- cells, without a store ---


def row(standings: Standings, name: str, **changes: Any) -> Standing:
    (found,) = [row for row in standings.rows if row.name == name]
    return structs.replace(found, **changes)


def cell(one: Standing, head: str) -> str:
    (column,) = [
        column
        for column in SpentColumns().columns(rating_table.TABLE, [one])
        if column.head == head
    ]
    return column.text(one)


def test_a_bot_with_a_network_that_reports_nothing_has_not_reported(five_stand_ins: Path) -> None:
    table = table_of(five_stand_ins)
    silent = [
        row(table, "answers", spent=None, marks=("network",)),
        row(table, "answers", spent=add_spent([Spent({}, 20, dropped=3)])),
        row(table, "answers", spent=add_spent([Spent({"tokens_in": 7}, 20, True)])),
    ]
    for one in silent:
        assert cell(one, "lot%") == sentence("spending", "silent")
        assert SpentColumns().apart([one], "100").bots == {one.bot}
        assert any(
            "answers" in note
            for note in SpentColumns().notes([one])
            if note.startswith(sentence("spending", "silent"))
        )
    assert any("answers 3" in note for note in SpentColumns().notes(silent[1:2]))
    assert not SpentColumns().apart([row(table, "answers", spent=None)], "0").bots


@cases(("last", "shown"), [(True, "50.0"), (False, ">=50.0")])
def test_a_match_without_its_last_totals_makes_them_at_least(
    last: bool, shown: str, five_stand_ins: Path
) -> None:
    reports = [
        Spent({"lot": 5, "cost": 12_345}, 10, last, 0, "EUR"),
        Spent({"lot": 5}, 10, True, 0, "EUR"),
    ]
    one = row(table_of(five_stand_ins), "answers", spent=add_spent(reports))
    assert cell(one, "lot%") == shown
    assert cell(one, "cost") == f"{'' if last else '>='}0.0123 EUR"
    untold = add_spent([Spent({"lot": 5, "tokens_in_told": 7, "cost": 0}, 10, True, 0, "EUR")])
    blind = row(table_of(five_stand_ins), "answers", spent=untold)
    assert [cell(blind, name) for name in ("lot%", "tok-in", "cost")] == [
        "50.0",
        ">=7",
        ">=0.0000 EUR",
    ]
    assert any(
        "answers" in note
        for note in SpentColumns().notes([blind])
        if note.startswith("Behind >= in tokens")
    )
    assert cost_of([Spent({"tokens_in_told": 1, "cost": 4}, 1, True, 0, "EUR")], "EUR") == Cost(
        4, at_least=True, reported=True
    )
    assert (
        lots(row(table_of(five_stand_ins), "answers", spent=add_spent([Spent({"lot": 99}, 10)])))
        == 100
    )
    other = add_spent([*reports, Spent({"cost": 1}, 1, True, 0, "USD")])
    assert other is not None
    assert (other.currency, other.totals, other.currencies) == ("", {"lot": 10}, ("EUR", "USD")), (
        "no sum is of two currencies"
    )
    of_both = row(table_of(five_stand_ins), "answers", spent=other)
    assert any(
        "answers reported it in several currencies (EUR, USD)" in note
        for note in SpentColumns().notes([of_both])
    )
    free = [Spent({"cost": 0}, 1, True, 0, currency) for currency in ("", "EUR", "USD")]
    for costs, currency, amount in (
        ([*reports, *free], "EUR", 12_345),
        (free[:2], "EUR", 0),
        (free[:1], "", 0),
    ):
        in_all = add_spent(costs)
        assert in_all is not None
        assert (in_all.currency, in_all.totals["cost"], in_all.currencies) == (
            currency,
            amount,
            (),
        ), "0 is of no currency"
    crashed = add_spent([*reports, Spent({}, 1)])
    assert crashed is not None
    assert (crashed.currency, crashed.totals["cost"]) == ("EUR", 12_345)


@cases("percent", ["", "x", "nan", "-1", "101", "1e400"])
def test_what_is_no_percentage_is_refused(percent: str) -> None:
    with pytest.raises(ConfigError, match="percentage"):
        SpentColumns().apart([], percent)
