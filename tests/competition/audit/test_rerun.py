"""Events in ticks whose every digest and sum fits, and whose bots did not play so:
forged records are in test_forgeries.py.
"""

import json
import re
from pathlib import Path

import pytest
from arena import NAIVE, C, arena, bots
from bundling import forged, lines_of
from msgspec.structs import replace
from once import made_once
from tools import need_module_tools
from wording import sentence

from khiva_arena.arbiter import memory_limits, pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.protocol import codec
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.competition.events.find import match_of, secret_of
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.settings.one_match import stage_all
from khiva_arena.entrants import staging
from khiva_arena.entrants.bots import load
from khiva_arena.errors import StagingError
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.replay.record import Record, canonical, run_digest
from khiva_arena.records.replay.requests import requests
from khiva_arena.records.store.db import Store

pytestmark = [pytest.mark.language, pytest.mark.slow]

MATCHES = 6
# The first bot of the event runs out of ticks now and then: it counts to a number of
# its seat's lot in each decision.
LATE = """\
#include "kit.h"
static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static uint64_t lots;
    volatile uint64_t count = kit_below(&lots, 8) ? 0 : 100000000;
    (void)own;
    lots += match->seed;
    while (count > 0)
        count--;
    return (long)kit_below(&lots, decide->choices);
}
int main(void)
{
    return kit_play("late", choose, NULL);
}
"""


@pytest.fixture(scope="module", autouse=True)
def _compiler() -> None:
    need_module_tools("c")


@made_once
def cup(folder: Path) -> None:
    """An event of a greedy bot and of one that is late now and then, as a store and as
    a bundle.
    """
    arena("new", "shipped:c/greedy", "greedy", "--module", cwd=folder)
    arena("new", "c", "late", "--module", cwd=folder)
    (folder / "late" / "bot.c").write_text(LATE)
    words = (
        "--clock",
        "ticks",
        "--seats",
        "2",
        "--seeds",
        str(MATCHES // 2),
        "--turn",
        "20ms",
        "--bank",
        "30ms",
    )
    arena("run", *words, *bots("late", "greedy"), "--out", "honest", cwd=folder)
    arena("bundle", "honest", "honest.khiva", "--with-modules", cwd=folder)


def test_a_bundle_is_told_from_an_honest_one(cup: Path, tmp_path: Path) -> None:
    """One tick of one answer is another one, and every digest that follows from it is
    worked out again.
    """
    result = verify(cup / "honest.khiva", rerun_bots=True, jobs=2)
    assert (result.sound, result.events[0].rerun) == (True, MATCHES)
    lines = lines_of(cup / "honest.khiva")
    matches = [line for line in lines if line["kind"] == "match"]
    record = Record.from_json(canonical(matches[1]["record"]).decode())
    assert record.ticks
    start, (first, *others), *rows = record.ticks
    changed = replace(record, ticks=(start, (first + 1, *others), *rows))
    matches[1]["record"] = json.loads(changed.to_json())  # its chain worked out again
    over = next(line for line in lines if line["kind"] == "over")
    over["digest"] = run_digest(line["record"]["digest"] for line in matches)
    file = tmp_path / "forged.khiva"
    file.write_bytes(forged(lines))
    assert verify(file).sound
    (report,) = verify(file, rerun_bots=True).events
    assert report.unsound_matches == [matches[1]["ordinal"]]
    assert re.search(rf"^match 1/{matches[1]['ordinal']}: step 1, seat [01]\b", report.problems[0])


def test_a_machine_with_too_little_accuses_nobody_and_says_how_much_it_takes(
    cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No match is tried, which would wait for a minute and more: what it takes is known
    before.
    """
    monkeypatch.setattr(
        pool, "play", lambda jobs, *_: list(jobs) and pytest.fail("a match was tried")
    )
    monkeypatch.setattr(memory_limits, "space_limit", lambda: 300 << 20)
    (report,) = verify(cup / "honest.khiva", rerun_bots=True).events
    assert (report.unsound_matches, report.unconfirmed_matches) == ([], list(range(MATCHES)))
    assert "needs 617 MiB of address space; " in report.unconfirmed[0]

    def fail(*_: object) -> None:
        raise StagingError("a compiler failed by the machine's doing")

    monkeypatch.setattr(staging, "stage", fail)
    (report,) = verify(cup / "honest.khiva", rerun_bots=True).events
    assert (report.unsound_matches, report.unconfirmed_matches) == ([], list(range(MATCHES)))


def test_matches_that_another_module_played_are_found_where_the_rules_find_nothing(
    cup: Path,
) -> None:
    """Every answer is legal, every digest fits, and the ticks are those of a module: of
    another one.
    """
    with Store.read(cup / "honest") as store:
        (event,) = store.events()
    (command,) = stage_all([load(str(cup / "greedy"))], event.definition.sandbox(best()))
    with Store.write(cup / "lies") as store:
        store.add_event(
            event.id, event.text, event.engines[0], event.commitment, event.secret, event.bots
        )
        row = store.event(event.id)
        assert row
        part = Play(store, row, [command, command])

        def take(outcome: Outcome) -> None:
            part.record(outcome, last=not outcome.again)

        for draw in part.rounds():
            pool.play(part.jobs(draw), 1, take, 1)
    assert verify(cup / "lies").sound
    (report,) = verify(cup / "lies", rerun_bots=[cup / "honest" / "modules"]).events
    assert sorted(report.unsound_matches) == list(range(MATCHES))
    assert all(re.search(r"^match 1/\d+: .*seat [01]", problem) for problem in report.problems)


def test_a_match_is_sent_to_its_module_again_and_captured(cup: Path, tmp_path: Path) -> None:
    """Byte for byte, at the same ticks, by `replay` as by `match --from`; another
    module takes others.
    """
    store = str(cup / "honest")
    with Store.read(cup / "honest") as opened:
        found, row = match_of(opened, "1/0")
        secret = secret_of(opened, found, row.seed)
    sent = [
        b"".join(
            codec.encode_for_module(one.message) for one in requests(row.parsed(), secret, seat, {})
        )
        for seat in range(2)
    ]
    arena("match", "--from", store, "1/0", "--capture", "match", cwd=tmp_path)
    for seat in range(2):
        folder = f"replay-{seat}"
        said = arena(
            "replay",
            store,
            "1/0",
            "--seat",
            str(seat),
            "--capture",
            folder,
            "--trace",
            cwd=tmp_path,
            code=None,
        )
        assert "every decision took as many ticks as then" in said.stdout
        assert re.search(r" < act \{.*\} in [0-9,]+ ticks$", said.stderr, re.MULTILINE)
        for place in (tmp_path / "match", tmp_path / folder):
            assert (place / f"seat-{seat}.to-bot").read_bytes() == sent[seat]
        answers = [
            (tmp_path / place / f"seat-{seat}.from-bot").read_bytes() for place in ("match", folder)
        ]
        assert answers[0] == answers[1] != b""
    other = next(seat.seat for seat in row.seats if found.bots[seat.bot].name == "late")
    words = ("replay", store, "1/0", "--seat", str(other), "--bot", str(cup / "greedy"))
    assert "ticks differ at " in arena(*words, cwd=tmp_path, code=1).stdout
    assert (
        "--wait stops a clock for a debugger, and a match in ticks has none; leave it out"
        in arena(*words, "--wait", cwd=tmp_path, code=2).stderr
    )


WRONG_MODULES = {
    "another byte": sentence("audit", "module-of-other-bytes"),
    "a part is missing": sentence("audit", "module-of-other-bytes"),
    "cut off": sentence("audit", "module-not-whole"),
    "of no bot": sentence("audit", "module-of-no-bot"),
    "twice": sentence("audit", "stands-where-cannot"),
    "out of place": sentence("audit", "event-stands-behind-standings"),
}
"""What is wrong with a module of a bundle, and the words that say so."""


@pytest.mark.parametrize("how", WRONG_MODULES)
def test_a_module_that_is_not_the_bots_is_named(cup: Path, tmp_path: Path, how: str) -> None:
    """Whether this machine has the module from elsewhere, or lacks it."""
    lines = lines_of(cup / "honest.khiva")
    (at, other) = (number for number, line in enumerate(lines) if line["kind"] == "module")
    line = lines[at]
    if how == "another byte":
        line["data"] = line["data"][:-8] + (
            "AAAAAAAA" if line["data"][-8:] != "AAAAAAAA" else "BBBBBBBB"
        )
    elif how == "a part is missing":
        line["rest"] = 1
    elif how == "cut off":
        lines[other]["rest"] = 1
    elif how == "of no bot":
        line["identity"] = "a" * 64
    elif how == "twice":
        lines[other] = dict(line)
    else:
        lines.append(lines.pop(at))
    file = tmp_path / "forged.khiva"
    file.write_bytes(forged(lines))
    for cache in ({"KHIVA_ARENA_CACHE": str(tmp_path / "empty")}, {}):
        said = arena("verify", str(file), "--rerun-bots", cwd=tmp_path, env=cache, code=1).stdout
        assert WRONG_MODULES[how] in said


def test_a_module_becomes_a_file_only_when_a_match_of_it_was_sound(
    cup: Path, tmp_path: Path
) -> None:
    """A bundle of few bytes may hold modules of many."""
    lines = lines_of(cup / "honest.khiva")
    file, cache = tmp_path / "forged.khiva", tmp_path / "cache"
    for kinds, code, modules in ((("match",), 1, 0), ((), 0, 2)):
        file.write_bytes(forged([line for line in lines if line["kind"] not in kinds]))
        arena(
            "verify",
            str(file),
            "--rerun-bots",
            cwd=tmp_path,
            env={"KHIVA_ARENA_CACHE": str(cache)},
            code=code,
        )
        assert len(list((cache / "modules").glob("*.wasm"))) == modules


def test_only_events_in_ticks_have_modules(tmp_path: Path) -> None:
    arena(
        "run",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--trust-bots",
        *bots(C, NAIVE),
        "--out",
        "wall",
        cwd=tmp_path,
    )
    refused = arena("bundle", "wall", "wall.khiva", "--with-modules", cwd=tmp_path, code=2).stderr
    assert (
        "--with-modules: no event here is in ticks, and other bots are no modules; leave it out"
        in refused
    )
    assert not (tmp_path / "wall.khiva").exists()
