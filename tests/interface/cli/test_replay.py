"""``replay``: one bot is asked again what a seat was asked, and held against the
record.
"""

import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import msgspec
import pytest
from arena import FAULTY, arena, bots, descendants, file_of, until_gone, without_trust
from bundling import forged, lines_of
from forked_command import Forked
from in_targets import soak_but_every
from once import made_once
from stores import GREEDY, NAIVE, RANDOM, STRIKES
from waiting import until
from wording import pattern, sentence

from khiva_arena.arbiter.refeed import Reply
from khiva_arena.bots.protocol import codec
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.competition.events.find import match_of, secret_of
from khiva_arena.entrants.loading import AS_IT_IS
from khiva_arena.interface.commands.asked_again import OfKind, in_words, kinds_of
from khiva_arena.interface.commands.replay import stored
from khiva_arena.interface.commands.replay_lost import lost_matches
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.requests import requests
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow

GAMES = ("khiva", "emira", "silk_road")
STRANGE = STRIKES


@made_once
def store(folder: Path) -> None:
    """Event 1: a random bot, one that strikes and one that crashes. Then an event of
    random bots for each game.
    """
    words = ["--seeds", "1", "--seed", "demo", "--out", "out"]
    arena("run", *bots(RANDOM, STRANGE, f"{FAULTY} exit 3"), "--seats", "3", *words, cwd=folder)
    for game in GAMES:
        arena(
            "run",
            "--game",
            game,
            *bots(RANDOM),
            "--copies",
            "3",
            "--seats",
            "3",
            *words,
            cwd=folder,
        )


def seat_of(store: Path, match: str, name: str) -> int:
    with Store.read(store / "out") as opened:
        event, row = match_of(opened, match)
        return next(seat.seat for seat in row.seats if event.bots[seat.bot].name == name)


@pytest.mark.parametrize("event", soak_but_every(range(1, 2 + len(GAMES)), 3))
def test_rebuilt_bytes_are_those_on_the_wire(store: Path, event: int, tmp_path: Path) -> None:
    """The match is played again by the same bots, and what goes to each seat is
    captured.
    """
    arena("match", "--from", str(store / "out"), f"{event}/1", "--capture", "raw", cwd=tmp_path)
    with Store.read(store / "out") as opened:
        found, row = match_of(opened, f"{event}/1")
        secret = secret_of(opened, found, row.seed)
    for seat in row.seats:
        details = {gather: detail for _, detail, gather in seat.faults}
        sent = b"".join(
            codec.encode(one.message) for one in requests(row.parsed(), secret, seat.seat, details)
        )
        assert (tmp_path / "raw" / f"seat-{seat.seat}.to-bot").read_bytes() == sent


@pytest.mark.parametrize("event", range(2, 2 + len(GAMES)))
def test_the_same_bot_chooses_the_same(store: Path, event: int) -> None:
    said = arena("replay", "out", f"{event}/0", "--seat", "1", cwd=store)
    assert re.fullmatch(
        rf"match {event}/0 \w+: seat 1 of 3, then (random\S*), now random\n"
        + pattern("replay", "choices-same-2", asked=r"\d+")
        + r"\n",
        said.stdout,
    )
    assert said.stderr == ""


def test_a_strike_that_is_repeated_is_the_same(store: Path) -> None:
    seat = seat_of(store, "1/0", "strikes")
    said = arena("replay", "out", "1/0", "--seat", str(seat), cwd=store).stdout
    assert sentence("replay", "choices-same") in said


def test_without_a_seat_it_is_the_bot_s_own(store: Path) -> None:
    seat = seat_of(store, "1/0", "random")
    assert (
        f"seat {seat} of 3, then random, now random"
        in arena("replay", "out", "1/0", "--bot", RANDOM, cwd=store).stdout
    )
    for words in (["1/0"], ["1/0", "--bot", NAIVE], ["2/0", "--bot", RANDOM]):
        said = arena("replay", "out", *words, cwd=store, code=2).stderr
        assert "--seat is missing, and --bot does not say which one is meant: seat 0 was " in said


def test_another_bot_is_told_apart_choice_by_choice(store: Path) -> None:
    words = ["replay", "out", "2/0", "--seat", "0", "--bot", GREEDY]
    done = arena(*words, cwd=store, code=1)
    said = done.stdout
    found = json.loads(arena(*words, "--json", cwd=store, code=1).stdout)
    assert not found["same"]
    asked, differ = (
        {kind: of[key] for kind, of in found["kinds"].items()} for key in ("asked", "differ")
    )
    assert (sum(asked.values()), sum(differ.values())) == (
        found["asked"],
        len(found["differences"]),
    )
    assert differ == {
        kind: [row["kind"] for row in found["differences"]].count(kind) for kind in differ
    }
    by_kind = ", ".join(
        f"{kind} {differ[kind]} of {asked[kind]}" for kind in differ if differ[kind]
    )
    ending = sentence(
        "replay", "choices-differ", differ=len(found["differences"]), asked=found["asked"]
    )
    assert (
        re.sub(r" \((then|now) always '[^)]*'\)", "", said.splitlines()[-1])
        == f"{ending}: {by_kind}"
    )
    assert said.startswith(f"match 2/0 {found['match']}: ")
    first = found["differences"][0]
    assert f"step {first['step']}, {first['kind']}, " in said
    assert [row["step"] for row in found["differences"]] == [
        row["gather"] for row in found["differences"]
    ]
    place = f"--step {first['step']} --seat 0 --choice {first['now']['choice']}"
    hint = "" if best().confines else sentence("show", "if-yours", flags="--isolation trusted")
    told = sentence("replay", "play-it-out", command=f"khiva-arena match --from out 2/0 {place}")
    assert without_trust(done.stderr) == f"{told}{hint}\n"
    assert f"  then {first['then']['choice']}: {first['then']['words']}\n" in said
    assert f"  now  {first['now']['choice']}: {first['now']['words']}\n" in said
    assert re.fullmatch(r"play \w\d, pass \w\d", first["now"]["words"])
    assert all(
        card in said.split("hand ")[1].split(":")[0]
        for card in re.findall(r"[A-Z]\d", first["now"]["words"])
    )
    # What follows is told by the game, and only where the two part.
    told = said.split("  then ")[1].split("\n  now ")[0].splitlines()[1:]
    other = said.split("  now ")[1].split("\nstep ")[0].splitlines()[1:]
    assert told
    assert other
    assert not {
        line for line in set(told) & set(other) if not re.fullmatch(r" +\.\.\. and \d+ more", line)
    }


def test_a_seat_that_chose_the_same_each_time_is_told_so() -> None:
    kinds = {
        "boost": OfKind(5, 5, "1 gem", "no gem"),
        "play_pass": OfKind(15, 12, "", ""),
        "pick": OfKind(4, 0, "x", "x"),
    }
    assert (
        in_words(kinds)
        == "boost 5 of 5 (then always '1 gem', now always 'no gem'), play_pass 12 of 15"
    )


def test_kinds_are_those_of_all_decisions(store: Path) -> None:
    found = stored(store / "out", "2/0", AS_IT_IS)
    asked = [one for one in requests(found.record, found.secret, 0, {}) if one.asked]
    other = [
        Reply(one, (one.asked.choice.choice + 1) % 2 if at else one.asked.choice.choice)
        for at, one in enumerate(asked)
        if one.asked
    ]
    kinds = kinds_of((found.record.header, other))
    assert sum(of.asked for of in kinds.values()) == len(other)
    assert sum(of.differ for of in kinds.values()) == len(other) - 1
    assert list(kinds.values()) == sorted(kinds.values(), key=lambda of: -of.differ)
    (alone,) = kinds_of((found.record.header, other[:1])).values()
    assert alone == OfKind(1, 0, "", ""), "one decision is no habit"
    (twice,) = kinds_of((found.record.header, other[1:2] * 2)).values()
    assert twice.always_then != twice.always_now != "", "the same choice each time"


def test_no_choice_is_to_be_played_out_on_a_deal_that_is_not_over(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "reveals", lambda _store, _event: {})
    done = arena("replay", "out", "2/0", "--seat", "0", "--bot", GREEDY, cwd=store, code=1)
    assert done.stderr == "", "match --from --step would refuse it"


@pytest.mark.soak
def test_all_lost_matches_of_a_bot_are_asked_again(store: Path) -> None:
    with Store.read(store / "out") as opened:
        rows = [(event, row) for event in opened.events()[1:2] for row in opened.matches(event.id)]
    name = rows[0][0].bots[-1].name
    lost = [
        (f"{event.number}/{row.ordinal}", seat.seat)
        for event, row in rows
        for seat in row.seats
        if event.bots[seat.bot].name == name
        and (seat.rank > 1 or [one.rank for one in row.seats].count(1) > 1)
    ]
    assert (
        [one for one in lost_matches(store / "out", name) if one.match.startswith("2/")]
        == lost
        != []
    )
    words = ["replay", "out", "--lost", name, "--bot", GREEDY]
    found = json.loads(arena(*words, "--json", cwd=store, code=1).stdout)
    said = arena(*words, cwd=store, code=1)
    told, command = said.stderr.splitlines()
    assert (told, len(said.stdout.splitlines())) == (
        sentence("replay", "most-are-style"),
        len(found["matches"]) + 1,
    )
    assert said.stdout.splitlines()[:-1] == [
        f"{one['match']}, seat {one['seat']}: "
        + sentence("replay", "choices-differ", differ=one["differ"], asked=one["asked"])
        for one in found["matches"]
    ]
    for key in ("asked", "differ"):
        assert sum(of[key] for of in found["kinds"].values()) == sum(
            one[key] for one in found["matches"]
        )
    first = found["matches"][0]
    alone = json.loads(
        arena(
            "replay",
            "out",
            first["match"],
            "--seat",
            str(first["seat"]),
            *words[4:],
            "--json",
            cwd=store,
            code=1,
        ).stdout
    )
    assert (len(alone["differences"]), alone["asked"]) == (first["differ"], first["asked"])
    match = next(one["match"] for one in found["matches"] if one["differ"])
    assert (match, "--try") == (command.split()[4], command.split()[9])
    tried = json.loads(
        arena(*re.sub(r" \(.*", "", command).split()[1:], "--json", cwd=store).stdout
    )
    then, now = map(int, command.split()[10].split(","))
    assert then != now
    assert tried["then"]["choice"] == then
    assert {one["choice"] for one in tried["now"]} == {then, now}


def test_lost_matches_that_cannot_be_asked_are_one_line(store: Path) -> None:
    for words, said in (
        (["--lost", "nobody"], "--lost nobody: no bot of out has this name; there are "),
        (["1/0", "--lost", "random"], sentence("replay", "lost-alone")),
        (["--lost", "random", "--wait"], sentence("replay", "lost-alone")),
        (
            [],
            (
                "name a MATCH, as `khiva-arena show` lists them, or the bot whose lost matches "
                "are meant, by --lost"
            ),
        ),
    ):
        done = arena("replay", "out", *words, cwd=store, code=2)
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_bot_that_fails_says_so(store: Path) -> None:
    seat = seat_of(store, "1/0", "faulty")
    said = arena("replay", "out", "1/0", "--seat", str(seat), cwd=store, code=1).stdout
    assert "faulty fails at step" in said
    assert ", " + sentence("replay", "did") + ": crashed: exited with code 3" in said
    found = json.loads(
        arena("replay", "out", "1/0", "--seat", str(seat), "--json", cwd=store, code=1).stdout
    )
    assert (found["failed"]["verdict"], found["differences"]) == ("crashed", [])
    assert found["failed"]["step"] == found["failed"]["gather"] > 0
    new = arena(
        "replay",
        "out",
        "1/0",
        "--seat",
        "0",
        "--bot",
        f"{FAULTY} print 1",
        "--notes",
        cwd=store,
        code=1,
    ).stdout
    assert "now  protocol: " + sentence("arbiter", "not-frame") in new
    assert sentence("replay", "did") not in new
    assert "--- stderr of seat 0" in new
    start = arena(
        "replay", "out", "1/0", "--seat", "0", "--bot", f"{FAULTY} start-exit", cwd=store, code=1
    ).stdout
    assert "faulty fails at the start: start_failed: crashed: exited with code 1" in start


def test_a_strike_that_is_new_is_shown_and_the_recorded_match_goes_on(store: Path) -> None:
    said = json.loads(
        arena(
            "replay", "out", "2/0", "--seat", "0", "--bot", STRANGE, "--json", cwd=store, code=1
        ).stdout
    )
    new = next(row for row in said["differences"] if row["now"]["why"] == "illegal")
    assert "choice 9999 of" in new["now"]["detail"]
    assert (new["now"]["choice"], new["then"]["why"], said["failed"]) == (None, "", None)
    assert max(row["step"] for row in said["differences"]) > new["step"]


def test_a_part_of_a_match(store: Path) -> None:
    words = ["replay", "out", "2/0", "--seat", "0", "--bot", NAIVE, "--json"]
    whole = json.loads(arena(*words, cwd=store, code=1).stdout)
    last = whole["differences"][1]["step"]
    part = json.loads(
        arena(*words, "--from", str(last), "--until", str(last), cwd=store, code=1).stdout
    )
    assert part["differences"] == [row for row in whole["differences"] if row["step"] == last]
    assert part["asked"] == 1


@pytest.fixture(scope="module")
def bundle(store: Path) -> Path:
    arena("bundle", "out", "bundle.gz", "1", "2", cwd=store)
    return store / "bundle.gz"


def test_a_bundle_is_enough(store: Path, bundle: Path) -> None:
    words = ["--seat", "0", "--bot", GREEDY, "--json"]
    found = json.loads(arena("replay", "out", "2/0", *words, cwd=store, code=1).stdout)
    found["next"] = []  # no bots of a bundle can play a choice out
    for word in ("2/0", found["match"][:9]):
        assert (
            json.loads(arena("replay", "bundle.gz", word, *words, cwd=store, code=1).stdout)
            == found
        )
    said = arena("replay", "bundle.gz", "2/0", "--seat", "0", cwd=store, code=2).stderr
    assert "--bot: a bundle holds no bots; name the one to play" in said
    assert (
        "no match 'zero' in"
        in arena("replay", "bundle.gz", "zero", *words, cwd=store, code=2).stderr
    )
    assert (
        "several matches ''" in arena("replay", "bundle.gz", "", *words, cwd=store, code=2).stderr
    )


def forge(bundle: Path, **header: object) -> None:
    """A bundle as a forger makes it: another header in match 2/0, with the digest that
    it gives.
    """
    lines = lines_of(bundle)
    index = max(
        i for i, line in enumerate(lines) if line["kind"] == "match" and line["ordinal"] == 0
    )
    raw = lines[index]["record"]
    raw["header"] |= header
    del raw["digest"]
    record = msgspec.convert(raw, Record)
    lines[index]["record"] = json.loads(record.to_json())
    bundle.with_name("forged.gz").write_bytes(forged(lines))


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ({"time": {}}, "lacks a limit"),
        (
            {"time": {"startup_ms": 1, "turn_ms": -1, "bank_ms": 1}},
            sentence("events", "header-lacks-limit-not"),
        ),
        ({"policy": "kind"}, "no policy 'kind'"),
        ({"match": "another"}, "no match"),
        ({"commit": "0" * 64}, sentence("events", "no-secret-opens-commitment")),
        ({"rules": {"gem_supply": "many"}}, sentence("replay", "header-cannot-played")),
        ({"rules": {"gem_supply": 3}}, sentence("replay", "choices-other-seats")),
        ({"game": "chess"}, sentence("replay", "header-cannot-played")),
    ],
)
def test_a_forged_header_is_refused(
    store: Path, bundle: Path, header: dict[str, object], says: str
) -> None:
    forge(bundle, **header)
    with Store.read(store / "out") as opened:
        match = match_of(opened, "2/0")[1].id
    words = ["replay", "forged.gz", match, "--seat", "0", "--bot", RANDOM]
    done = arena(*words, cwd=store, code=None)
    assert (done.returncode in (1, 2), done.stdout) == (True, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_wrongly_asked(store: Path) -> None:
    assert (
        "--seat 3: the match has 3 seats, 0 to 2"
        in arena("replay", "out", "1/0", "--seat", "3", cwd=store, code=2).stderr
    )
    assert (
        "no recorded match"
        in arena("replay", "out", "1/none", "--seat", "0", cwd=store, code=2).stderr
    )
    assert (
        "2 is an event in out, not a match; name one of its matches, as 2/0"
        in arena("show", "out", "2", cwd=store, code=2).stderr
    )
    assert (
        sentence("settings", "not-level")
        in arena(
            "replay", "out", "1/0", "--seat", "0", "--isolation", "x", cwd=store, code=2
        ).stderr
    )


def test_without_a_terminal_waiting_only_stops_the_clock(tmp_path: Path) -> None:
    limits = ["--turn", "300ms", "--bank", "0s"]
    arena(
        "run",
        *bots(RANDOM, NAIVE),
        "--seats",
        "2",
        "--seeds",
        "1",
        *limits,
        "--out",
        "out",
        cwd=tmp_path,
    )
    words = [
        "replay",
        "out",
        "1/0",
        "--seat",
        "0",
        "--bot",
        f"{FAULTY} late 1 1.0",
        "--until",
        "1",
        "--json",
    ]
    clocked = json.loads(arena(*words, cwd=tmp_path, code=1).stdout)
    assert [row["now"]["why"] for row in clocked["differences"]] == ["timeout"]
    said = arena(*words, "--wait", cwd=tmp_path, code=None)
    assert re.search(
        "the bot is process" + r" \d+(" + "; it runs at isolation" + " .*)?" + "; no clock runs",
        said.stderr,
    )
    unclocked = json.loads(said.stdout)
    assert unclocked["asked"] == 1
    assert all(row["now"]["why"] == "" for row in unclocked["differences"])


@pytest.mark.parametrize("end", ["enter", "interrupt"])
def test_it_waits_for_enter_with_the_bot_alive(store: Path, end: str) -> None:
    ours, theirs = pty.openpty()
    command = ["replay", "out", "2/0", "--seat", "0", "--wait", "--isolation", "trusted"]
    process = Forked(
        command, cwd=store, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    os.close(theirs)
    assert process.stderr
    said = ""
    while "attach to it" not in said:
        said = process.stderr.readline()
        assert said, process.wait()
    pid = int(said.split("process ")[1].split(";")[0])
    assert until(lambda: b"\0lots" in file_of(pid, "cmdline"))  # the bot itself, not what starts it
    assert process.poll() is None
    assert pid in descendants(process.pid)
    if end == "enter":
        os.write(ours, b"\n")
    else:
        process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == (0 if end == "enter" else 130)
    assert (sentence("replay", "choices-same") in out) == (end == "enter")
    assert until_gone({pid})
