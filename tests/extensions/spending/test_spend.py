"""``run --spend``: a cap chooses the seeds and ends an event between two tables, and
the sums are those of the bots' own logs.
"""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pages
import pytest
from arena import arena, bots, kill, wait_for_matches
from bundling import forged, lines_of
from cases import cases
from forging import forge
from forked_command import started
from msgspec.structs import replace
from stand_in import costly
from wording import sentence

import khiva_arena
from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.common.exit_codes import BAD_RESULT, UNUSABLE
from khiva_arena.competition.playing.executor import LocalExecutor
from khiva_arena.errors import StoreError
from khiva_arena.extensions.spending.spend_cap import Cost, DearReport, SpendCap
from khiva_arena.rating.report.capped import money
from khiva_arena.records.store.db import FILE, Store
from khiva_arena.records.store.transcripts import unpacked

pytestmark = pytest.mark.slow
HOW = (
    "--seats",
    "2",
    "--isolation",
    "trusted",
    "--trust-bots",
    "--rule",
    "max_turns=6",
    "--out",
    "out",
    "--seed",
    "cap",
)
MOST = 2**53 - 1
ENDED, REACHED = (
    sentence("spending", "ended", number="1"),
    sentence("spending", "reached", number="1"),
)
NOT_WHOLE = "but not after whole tables, the first of the schedule"
GIVE_MORE, AS_THE_CAP = sentence("spending", "give-more"), sentence("spending", "as-the-cap")
OWN_WORD, TRIES_AGAIN = sentence("spending", "own-word"), sentence("spending", "tries-again")


def logged(folder: Path) -> int:
    """Return what the bots' own logs of all recorded matches say that they cost."""
    notes = [note for match in khiva_arena.matches(folder / "out") for note in match.notes]
    return sum(
        int(amount)
        for note in notes
        for amount in re.findall(r"^in all (\d+)$", note, re.MULTILINE)
    )


def table_of(folder: Path) -> dict[str, Any]:
    (table,) = json.loads(arena("standings", "out", "--json", cwd=folder).stdout)["standings"]
    return dict(table)


def tables(folder: Path) -> dict[tuple[int, int], int]:
    """Return how many matches of each table are recorded."""
    with Store.read(folder / "out") as store:
        found = [
            (match.seed, match.lineup)
            for event in store.events()
            for match in store.matches(event.id)
        ]
    return {table: found.count(table) for table in found}


def begun(folder: Path) -> list[str]:
    """Write three bots, and begin an event of 5 seeds without a match; return the words
    of its run.
    """
    run = ["run", *bots(*(costly(folder, name) for name in ("a", "b", "c"))), *HOW]
    arena(*run, "--seeds", "5", "--commit", cwd=folder)
    return run


@cases("jobs", ["1", "4"])
def test_a_cap_ends_an_event_between_two_tables_and_a_higher_one_goes_on(
    jobs: str, tmp_path: Path
) -> None:
    tmp_path /= f"at {jobs}"
    run = [*begun(tmp_path), "-j", jobs]
    said = arena(*run, "--spend", "0.0125", cwd=tmp_path, code=BAD_RESULT)
    assert ENDED in said.stderr
    assert sentence("spending", "own-limit") in said.stderr
    assert sentence("spending", "capped", cap="0.0125 EUR") in " ".join(said.stdout.split())
    table = table_of(tmp_path)
    (part,) = table["partial"]
    assert part["capped"] == {
        "cap": 12_500,
        "spent": logged(tmp_path),
        "at_least": False,
        "currency": "EUR",
    }
    assert (
        sum(row["spent"]["totals"]["cost"] for row in table["rows"]) == logged(tmp_path) == 12_000
    )
    assert table["sentence"].endswith(
        f"Event 1 was {sentence('spending', 'capped', cap='0.0125 EUR')}0.012 EUR spent, by the "
        "bots' own word, so set your provider's own limit, too."
    )
    assert table["left_out"] == {"matches": 0, "incomplete": [], "set_aside": []}
    assert {*tables(tmp_path).values()} == {2}
    first = [(k, lineup) for k in range(5) for lineup in range(3)][: len(tables(tmp_path))]
    assert sorted(tables(tmp_path)) == first, "the order is that of the schedule"
    assert (
        f"{part['recorded']} of 30 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout
    )
    arena("report", "out", "--out", "page.html", cwd=tmp_path)
    assert sentence("spending", "capped", cap="0.0125 EUR") in pages.text(tmp_path / "page.html")
    again = arena(*run, "--spend", "0.0125", cwd=tmp_path, code=BAD_RESULT)
    assert REACHED in again.stderr
    assert table_of(tmp_path)["partial"] == [part]
    more = arena(*run, "--spend", "0.0165", cwd=tmp_path, code=BAD_RESULT)
    assert ENDED in more.stderr
    assert logged(tmp_path) == 16_000
    (longer,) = table_of(tmp_path)["partial"]
    assert part["recorded"] < longer["recorded"]
    assert longer["capped"]["spent"] == logged(tmp_path)
    whole = arena(*run, "--spend", "100", cwd=tmp_path)
    assert ENDED not in whole.stderr
    assert "partial" not in table_of(tmp_path)


def test_matches_that_become_dear_let_no_other_table_of_their_seed_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = bots(*(costly(tmp_path, name) for name in ("a", "b", "c", "d", "e")))
    run = ["run", *named, *HOW, "-j", "1"]
    arena(*run, "--seeds", "2", "--commit", cwd=tmp_path)
    real, played = pool.play_live, list[int]()

    async def dear(job: Any, *more: Any, **named: Any) -> Outcome:
        outcome = await real(job, *more, **named)
        played.append(job.ordinal)
        cost = 500 if len(played) < 5 else 500_000
        seats = [
            replace(seat, spent=replace(seat.spent, totals={"cost": cost}))
            for seat in outcome.seats
            if seat.spent
        ]
        return replace(outcome, seats=tuple(seats))

    monkeypatch.setattr(pool, "play_live", dear)
    said = arena(*run, "--spend", "3", cwd=tmp_path, code=BAD_RESULT).stderr
    assert ENDED in said
    assert {*tables(tmp_path).values()} == {2}, "tables that had begun are whole"
    (part,) = table_of(tmp_path)["partial"]
    begun_before = 3  # tables of one match, when the first dear one ended
    assert part["capped"]["spent"] <= 4 * 1_000 + (begun_before + 1) * 1_000_000


def test_a_bot_that_reports_nonsense_is_named_with_its_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(tmp_path)
    real, matches = pool.play_live, list[str]()

    async def absurd(job: Any, *more: Any, **also: Any) -> Outcome:
        outcome = await real(job, *more, **also)
        matches.append(job.header.match)
        seats = [
            replace(seat, spent=replace(seat.spent, totals={"cost": MOST}))
            if named.name == "c" and seat.spent
            else seat
            for named, seat in zip(job.header.seats, outcome.seats, strict=True)
        ]
        return replace(outcome, seats=tuple(seats))

    monkeypatch.setattr(pool, "play_live", absurd)
    at_most = f"c reports {money(MOST, 'EUR')} in match 1/"
    for _ in range(2):  # it stays so
        said = " ".join(
            arena(*run, "--spend", "3", "-j", "1", cwd=tmp_path, code=BAD_RESULT).stderr.split()
        )
        assert at_most in said
        assert "leave this bot out and give --new-event" in said
    played = len(matches)
    said = " ".join(
        arena(*run, "--spend", "3", "--new-event", cwd=tmp_path, code=UNUSABLE).stderr.split()
    )
    assert at_most in said
    assert "3.00 EUR is too little" in said
    assert f"{GIVE_MORE}; c reports" in said
    assert len(matches) == played
    without = [*run[:5], *run[7:], "--spend", "0.02", "--new-event"]
    said = arena(*without, cwd=tmp_path).stderr
    assert "a match costs 0.001 EUR, from 2 matches of event 1 in this store" in said
    tried = [*run[:-3], "other", "--seed", "cap", "--spend", "3"]
    (tmp_path / "out").rename(tmp_path / "away")
    (tmp_path / "away" / "arena.db").unlink()
    said = " ".join(arena(*tried, cwd=tmp_path, code=UNUSABLE).stderr.split())
    assert re.search(rf"c reports {re.escape(money(MOST, 'EUR'))} in match \d+ of the try", said)
    assert TRIES_AGAIN in said


def test_a_bot_that_reports_another_currency_is_named_with_its_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(tmp_path)
    real = pool.play_live

    async def foreign(job: Any, *more: Any, **named: Any) -> Outcome:
        outcome = await real(job, *more, **named)
        first, *rest = outcome.seats
        assert first.spent
        other = first.spent if job.ordinal else replace(first.spent, currency="USD")
        return replace(outcome, seats=(replace(first, spent=other), *rest))

    monkeypatch.setattr(pool, "play_live", foreign)
    for _ in range(2):  # it stays so
        said = arena(*run, "--spend", "1", "-j", "1", cwd=tmp_path, code=BAD_RESULT).stderr
        assert re.search(
            r"played: [abc] in match 1/0 reported a cost in USD, which a cap in EUR cannot count",
            said,
        ), said
        assert "--new-event" in said


def test_a_try_begins_one_match_while_no_cost_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = bots(*(costly(tmp_path, name, cost=20_000) for name in ("a", "b", "c")))
    said = arena(
        "run", *named, *HOW, "--spend", "0.1", "-j", "4", cwd=tmp_path, code=UNUSABLE
    ).stderr
    assert "0.04 are spent" in said
    assert TRIES_AGAIN in said

    stop = KeyboardInterrupt()

    def stopped(*_: Any, **__: Any) -> None:
        raise stop

    monkeypatch.setattr(LocalExecutor, "try_tables", stopped)
    with pytest.raises(KeyboardInterrupt):
        arena("run", *named, *HOW, "--spend", "9", cwd=tmp_path)
    (note,) = stop.__notes__
    assert note == f"interrupted: a try began 1 match and spent at least 0.00; {TRIES_AGAIN}"


def test_a_cap_chooses_the_seeds_and_counts_its_try(tmp_path: Path) -> None:
    run = ["run", *bots(*(costly(tmp_path, name) for name in ("a", "b", "c"))), *HOW]
    said = arena(*run, "--spend", "0.03", "-j", "2", cwd=tmp_path).stderr
    assert "a match costs 0.001 EUR, from a try of 4 matches, which cost 0.004 EUR" in said
    tried = 4_000
    (seeds,) = map(int, re.findall(r"^(\d+) seeds x 3 line-ups x 2 rotations", said, re.MULTILINE))
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
        cap, under_way = store.caps(event.id)
    assert under_way.recorded == -1
    assert (cap.number, cap.cap, cap.spent, cap.currency) == (0, 30_000, 4_000, "EUR")
    assert event.definition.seeds == seeds == 4
    assert tried + logged(tmp_path) == 28_000
    over = arena(*run, "--spend", "0.03", cwd=tmp_path).stderr
    assert "0.028 of 0.03 EUR spent" in over
    assert sentence("spending", "higher-extends") in over
    extended = arena(*run, "--spend", "0.05", cwd=tmp_path).stderr
    assert "a try" not in extended
    assert tried + logged(tmp_path) == 46_000
    with Store.read(tmp_path / "out") as store:
        assert [event.definition.extends is None for event in store.events()] == [True, False]


def test_a_dear_bot_that_is_left_out_makes_no_table_of_the_others_dear(tmp_path: Path) -> None:
    named = [
        *bots(costly(tmp_path, "a"), costly(tmp_path, "b")),
        *bots(costly(tmp_path, "c", cost=100_000)),
    ]
    arena("run", *named, *HOW, "--spend", "1.5", cwd=tmp_path)
    said = arena("run", *named[:-2], *HOW, "--spend", "0.02", "--new-event", cwd=tmp_path).stderr
    assert re.search(
        r"a match costs 0\.001 EUR, from \d+ matches of event 1 in this store", said
    ), said


def test_void_attempts_count_and_lost_totals_are_at_least(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(tmp_path)
    costly(tmp_path, "dying", dies=True)
    real, voided = pool.play_live, list[int]()

    async def first_void(job: Any, *more: Any, **named: Any) -> Outcome:
        outcome = await real(job, *more, **named)
        if job.attempt > 1:
            return outcome
        voided.append(sum(seat.spent.totals["cost"] for seat in outcome.seats if seat.spent))
        return replace(outcome, record=None, void="a test", causes=())

    monkeypatch.setattr(pool, "play_live", first_void)
    arena(*run, "--spend", "0.0165", "-j", "1", cwd=tmp_path, code=BAD_RESULT)
    (part,) = table_of(tmp_path)["partial"]
    assert part["capped"]["spent"] == logged(tmp_path) + sum(voided) == 16_000
    assert len(voided) == part["recorded"] > 0
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
        assert sum(
            spent.totals["cost"] for void in store.voids(event.id) for spent in void.spent if spent
        ) == sum(voided)
    assert "are sound" in arena("verify", "out", cwd=tmp_path).stdout
    monkeypatch.setattr(pool, "play_live", real)
    again = arena(*run, "--spend", "0.0165", cwd=tmp_path, code=BAD_RESULT)
    assert REACHED in again.stderr, "they count in the next run, too"
    dying = ["run", *bots("a", "dying"), *HOW[:-3], "other", "--spend", "0.02"]
    assert re.search(r"which cost at least [\d.]+ EUR", arena(*dying, cwd=tmp_path).stderr)


@pytest.mark.soak
def test_a_killed_event_goes_on_and_each_recorded_match_has_its_transcripts(tmp_path: Path) -> None:
    log = tmp_path / "log"
    named = bots(*(costly(tmp_path, name, log=log) for name in ("a", "b", "c")))
    run = ["run", *named, *HOW, "-j", "2", "--transcripts", "2MB"]
    arena(*run, "--seeds", "5", "--commit", cwd=tmp_path)
    for matches in (2, 7):
        running = started(*run, "--spend", "1", cwd=tmp_path)
        wait_for_matches(tmp_path / "out" / "arena.db", matches)
        kill(running)
        running.communicate(timeout=60)
        assert_transcripts(tmp_path, matches)
    arena(*run, "--spend", "0.0205", cwd=tmp_path, code=BAD_RESULT)
    (part,) = table_of(tmp_path)["partial"]
    assert_transcripts(tmp_path, part["recorded"])
    assert part["capped"]["at_least"]
    assert part["capped"]["spent"] == logged(tmp_path) == 1_000 * part["recorded"]
    assert logged(tmp_path) <= sum(map(int, log.read_text().split())), (
        "matches that the kills took are in the bots' log alone"
    )
    assert "are sound" in arena("verify", "out", cwd=tmp_path).stdout


def assert_transcripts(folder: Path, at_least: int) -> None:
    """Look at the transcripts of both seats of each recorded match: they hold the last
    line of a match that was played whole.
    """
    with Store.read(folder / "out") as store:
        (event,) = store.events()
        ordinals = sorted(store.recorded(event.id))
        assert len(ordinals) >= at_least
        for ordinal in ordinals:
            kept = [
                b"".join(text for _, text in unpacked(row.packed))
                for row in store.transcripts(event.id, ordinal)
            ]
            assert [b"in all 500" in text for text in kept] == [True, True]


@cases("matches", [0, 3])
def test_matches_that_were_under_way_at_a_stop_make_a_sum_at_least(
    matches: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path /= str(matches)
    run = begun(tmp_path)
    real, played = pool.play_live, list[int]()

    async def stopped(job: Any, *more: Any, **named: Any) -> Outcome:
        played.append(job.ordinal)
        if len(played) > matches:
            raise StoreError("the disk is gone")
        return await real(job, *more, **named)

    monkeypatch.setattr(pool, "play_live", stopped)
    arena(*run, "--spend", "0.0125", "-j", "1", cwd=tmp_path, code=UNUSABLE)
    monkeypatch.setattr(pool, "play_live", real)
    said = arena(*run, "--spend", "0.0125", cwd=tmp_path, code=BAD_RESULT).stderr
    assert "at least 0.012 EUR spent" in said
    (part,) = table_of(tmp_path)["partial"]
    assert part["capped"] == {
        "cap": 12_500,
        "spent": logged(tmp_path),
        "at_least": True,
        "currency": "EUR",
    }


def test_a_report_as_dear_as_the_cap_is_told_from_one_whose_table_is() -> None:
    dear = DearReport("c", "match 1/3", 5_000_000)
    assert dear.why_none_fits(10_000_001, 2, "EUR") == ""
    assert dear.why_none_fits(10_000_000, 2, "EUR").startswith(
        f"c reports 5.00 EUR in match 1/3, and 2 such matches cost{AS_THE_CAP}"
    )
    assert dear.why_none_fits(5_000_000, 2, "EUR").startswith(
        f"c reports 5.00 EUR in match 1/3,{AS_THE_CAP}"
    )


def test_sums_that_a_store_cannot_hold_are_at_least(tmp_path: Path) -> None:
    begun(tmp_path)
    with Store.write(tmp_path / "out") as store:
        (event,) = store.events()
        limit = SpendCap(12_500, "EUR", Cost(2**63), 2**64, chooses=True).begin(store, event)
        assert not limit.may_begin((0, 0), 2)
        limit.end(0)
        assert [(row.spent, row.dearest, row.at_least) for row in store.caps(event.id)] == [
            (2**63 - 1, 2**63 - 1, True)
        ] * 2


def test_bots_without_one_currency_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    for name, currency in (("a", "EUR"), ("b", "USD"), ("c", "none"), ("d", "none")):
        costly(tmp_path, name, currency)
    others = ("--bot", "shipped:python/random", "--bot", "shipped:python/naive")
    for named, words in (
        (bots("a", "b"), ("several currencies (EUR: a; USD: b)",)),
        (bots("c", "d"), ("c, d: no bot names a currency", "--currency")),
        (others, ("`reports = true`",)),
    ):
        said = arena("run", *named, *HOW, "--spend", "1", cwd=tmp_path, code=UNUSABLE).stderr
        assert all(word in said for word in words), said
        assert not (tmp_path / "out").exists()
    # c names none in its hello, and reports a cost all the same
    said = arena("run", *bots("a", "c"), *HOW, "--spend", "1", cwd=tmp_path, code=UNUSABLE).stderr
    assert "in no currency, and others in EUR" in said
    assert not (tmp_path / "out").exists()


@cases(
    ("words", "why"),
    [
        (("--spend", "x"), "--spend x: give an amount"),
        (("--spend", "1", "--seeds", "3"), "--spend chooses the seeds"),
        (("--spend", "1", "--budget", "1m"), "give one of them"),
        (("--spend", "1", "--plan", "p.json"), "--plan and --spend"),
        (("--spend", "1", "--format", "swiss"), "--spend chooses the seeds of one round-robin"),
        (("--spend", "0.0001"), "line-up costs about 0.0"),
        (("--spend", "0.0002"), f"of the try,{AS_THE_CAP}"),
        (("--spend", "0.0015"), f"; {GIVE_MORE}; {TRIES_AGAIN}"),
    ],
)
def test_a_cap_that_cannot_be_kept_is_refused(
    words: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    tmp_path /= words[1] + words[-1]
    named = bots(costly(tmp_path, "a"), costly(tmp_path, "b"))
    assert why in " ".join(
        arena("run", *named, *HOW, *words, cwd=tmp_path, code=UNUSABLE).stderr.split()
    )
    assert not (tmp_path / "out").exists()


def test_an_event_that_its_cap_ended_is_bundled_once_it_is_closed(tmp_path: Path) -> None:
    run = begun(tmp_path)
    arena(*run, "--spend", "0.0125", "-j", "1", cwd=tmp_path, code=BAD_RESULT)
    (part,) = table_of(tmp_path)["partial"]
    refused = arena("bundle", "out", "x.bundle", cwd=tmp_path, code=UNUSABLE).stderr
    assert "`khiva-arena close out 1` makes that its end" in " ".join(refused.split())
    shutil.copytree(tmp_path / "out", tmp_path / "half")
    with closing(sqlite3.connect(tmp_path / "half" / FILE)) as connection, connection:
        last = "WHERE ordinal = (SELECT max(ordinal) FROM matches)"
        gone = f"DELETE FROM seats {last}; DELETE FROM matches {last}"
        forge(connection, f"{gone}; UPDATE caps SET recorded = 11 WHERE recorded = 12")
    refused = " ".join(
        arena("bundle", "half", "x.bundle", cwd=tmp_path, code=UNUSABLE).stderr.split()
    )
    assert "a cap ended it, and a higher --spend goes on with it" in refused
    assert "`khiva-arena close" not in refused, "that cannot be undone"
    said = " ".join(arena("close", "half", "1", "--yes", cwd=tmp_path).stderr.split())
    assert f"{NOT_WHOLE}, so no bundle will have it" in said
    assert "tables keep it" in said
    assert "next:" not in said
    refused = arena("bundle", "half", "x.bundle", cwd=tmp_path, code=UNUSABLE).stderr
    assert f"was ended by a cap, {NOT_WHOLE}, and only complete" in " ".join(refused.split())
    said = " ".join(arena("close", "out", "1", "--yes", cwd=tmp_path).stderr.split())
    assert (
        "tables keep it, and say that a cap ended it; next: khiva-arena bundle out capped.bundle 1"
        in said
    )
    assert table_of(tmp_path)["partial"] == [part], "as any event that ended by itself"
    assert "never continued" in arena(*run, "--seeds", "5", cwd=tmp_path, code=BAD_RESULT).stderr
    arena("bundle", "out", "x.bundle", cwd=tmp_path)
    assert f"tokens and costs{OWN_WORD}" in arena("verify", "out", cwd=tmp_path).stdout
    said = " ".join(arena("verify", "x.bundle", cwd=tmp_path).stdout.split())
    assert "tokens, costs, the cap and its sum are the bots' and the organiser's own word" in said
    assert (
        "12 of 30 matches are sound, 18 are not played, since by its organiser's word a "
        "cap of 0.0125 EUR ended it" in said
    )
    example = Path(__file__).parents[3] / "protocol" / "examples" / "verify_bundle.py"
    subprocess.run(
        [sys.executable, "-I", "-S", str(example), "x.bundle"],
        cwd=tmp_path,
        check=True,
        timeout=120,
    )
    arena("report", "x.bundle", "--out", "page.html", cwd=tmp_path)
    assert sentence("spending", "capped", cap="0.0125 EUR") in pages.text(tmp_path / "page.html")
    lines = lines_of(tmp_path / "x.bundle")
    assert lines[0]["format"] == 2
    matches = [line for line in lines if line["kind"] == "match"]
    for gone in (
        matches[7],
        matches[11],
    ):  # one that somebody did not like, and half of the last table
        assert "whole tables, the first of the schedule" in verified(
            [line for line in lines if line is not gone], tmp_path
        )
    assert "and it has none" in verified([line for line in lines if line not in matches], tmp_path)
    (over,) = [line for line in lines if line["kind"] == "over"]
    for cap, why in (
        ({"cap": 10**9, "spent": 0}, sentence("spending", "more-than-cap")),
        ({"spent": 11_999}, sentence("spending", "more-than-cap")),
        ({"currency": "USD"}, sentence("spending", "none-in-currency")),
        ({"cap": 0}, "is damaged"),
    ):
        other = {**over, "capped": over["capped"] | cap}
        assert why in verified([other if line is over else line for line in lines], tmp_path)
    silent = [{key: value for key, value in line.items() if key != "spent"} for line in lines]
    assert sentence("spending", "none-in-currency") in verified(silent, tmp_path)
    silent[0]["format"] = 1
    assert "it has what only format 2 has" in verified(silent, tmp_path)


def verified(lines: list[dict[str, Any]], folder: Path) -> str:
    """Return what is said of a bundle of these lines, which is not sound."""
    (folder / "y.bundle").write_bytes(forged(lines))
    return " ".join(arena("verify", "y.bundle", cwd=folder, code=BAD_RESULT).stdout.split())
