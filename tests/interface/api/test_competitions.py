"""A competition as a value: its matches as they are recorded, its end however it comes,
and nothing printed.
"""

import asyncio
import gc
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest
from arena import C, arena, bots, descendants, living
from stores import GREEDY, NAIVE, RANDOM, STRIKES
from waiting import until
from wording import pattern

import khiva_arena
from khiva_arena.errors import ArenaError, BotError, ConfigError, StoreError

pytestmark = pytest.mark.slow
PAIR = {"bots": [RANDOM, NAIVE], "seats": 2, "isolation": "trusted"}


def test_matches_come_as_they_are_recorded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    competition = khiva_arena.run(**PAIR, seeds=3, seed="a", out=tmp_path / "out")
    seen = []
    for match in competition:
        seen.append(match)
        assert competition.progress.recorded >= len(seen)
    assert sorted(match.ordinal for match in seen) == list(range(6))
    assert (competition.progress.recorded, competition.progress.planned) == (6, 6)
    assert competition.complete
    assert not competition.running
    assert competition.standings()[0]["random"].matches == 6
    assert competition.verify().sound
    assert any(line.startswith("run digest ") for line in competition.messages)
    assert "6 of 6 matches" in competition._repr_html_()
    assert capfd.readouterr() == ("", "")
    # the command gives the same, and it is over for both
    flags = [*bots(RANDOM, NAIVE), "--seats", "2", "--isolation", "trusted"]
    said = arena(
        "run", *flags, "--seeds", "3", "--seed", "a", "--out", str(tmp_path / "out"), cwd=tmp_path
    ).stderr
    assert "nothing is played" in said
    assert next(line for line in competition.messages if line.startswith("run digest ")) in said
    over = khiva_arena.run(**PAIR, seeds=3, seed="a", out=tmp_path / "out")
    assert [match.digest for match in over] == [
        match.digest for match in khiva_arena.matches(tmp_path / "out")
    ]
    assert over.events == competition.events


def test_a_settings_file_with_stages_and_keywords_over_it(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        f'bots = ["{RANDOM}", "{NAIVE}"]\nseats = 2\nseeds = 9\nout = "there"\n'
        "[[stage]]\nname = 'one'\n[[stage]]\nname = 'two'\ntake = 2\n"
    )
    competition = khiva_arena.run(tmp_path / "c.toml", seeds=1, isolation="trusted").wait()
    assert competition.store == tmp_path / "there"
    assert len(competition.events) == 2
    assert len(list(competition)) == 4
    assert competition.progress.stage == 2


def test_it_is_stopped_and_resumed(tmp_path: Path) -> None:
    with khiva_arena.run(**PAIR, seeds=4000, out=tmp_path) as competition:
        first = next(iter(competition))
        assert competition.running
    assert not competition.running
    assert not competition.complete
    recorded = list(competition)
    assert recorded[0].digest == first.digest
    assert 0 < len(recorded) < 8000
    assert competition.standings().rows
    more = khiva_arena.run(**PAIR, seeds=4000, out=tmp_path)
    assert more.events == competition.events
    assert more.progress.recorded >= len(recorded)
    more.stop()


def test_wrong_arguments_are_refused_before_a_process_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_process(*words: object, **how: object) -> None:
        raise AssertionError("a process was started")

    for room in ("check", "competitions", "matches"):
        monkeypatch.setattr(f"khiva_arena.interface.api.{room}.Host", no_process)
    far = {"rules": {"overshoot": "far"}}
    for wrong in (
        {"seeds": "many"},
        {"seats": 9},
        {"colour": "red"},
        far,
        {"bots": ["nope", "nope"]},
    ):
        with pytest.raises(ConfigError):
            khiva_arena.run(**{**PAIR, "out": tmp_path, **wrong})
    for wrong in ({"turn": "soon"}, far, {"colour": "red"}):
        with pytest.raises(ConfigError):
            khiva_arena.match("shipped:python/random", "shipped:python/random", **wrong)
    with pytest.raises(ConfigError):
        khiva_arena.match("shipped:python/random", "nope")
    one, other = "shipped:python/random", "shipped:python/naive"
    for wrong in (
        {"seats": 9},
        {"seeds": 1},
        {"turn": "soon"},
        far,
        {"elo0": 30.0},
        {"alpha": 0.7},
    ):
        with pytest.raises(ConfigError):
            khiva_arena.sprt(one, other, **{"out": tmp_path, **wrong})
    with pytest.raises(ConfigError):
        khiva_arena.sprt(one, "nope", out=tmp_path)
    for wrong in (
        {"turn": "soon"},
        {"games": "khiva", **far},
        {"colour": "red"},
        {"env": ["nobody=HOME"]},
    ):
        with pytest.raises(ConfigError):
            khiva_arena.check(one, **wrong)
    with pytest.raises(ConfigError):
        khiva_arena.check("nope")
    with pytest.raises(
        ConfigError, match=pattern("api", "seed-neither-whole-number", seed=r"1\.5")
    ):
        khiva_arena.match(one, other, seed=1.5)
    for seed in (7, "7"):
        with pytest.raises(AssertionError, match="a process was started"):
            khiva_arena.match("shipped:python/random", "shipped:python/random", seed=seed)


def test_what_a_settings_file_opens_is_named_by_keyword(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        'bots = ["shipped:python/random", "shipped:python/greedy"]\nisolation = '
        '"trusted"\nenv = ["random=HOME"]\n'
    )
    with pytest.raises(ConfigError) as error:
        khiva_arena.run(tmp_path / "c.toml", out=tmp_path / "out")
    assert (
        "also give its settings as keywords: isolation, env (or type `khiva-arena run` "
        "with it once at" in str(error.value)
    )


def test_mistakes_are_all_said_at_once_by_keyword(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        khiva_arena.run(
            bots=["shipped:python/random", "nope"],
            seats=9,
            isolation="tight",
            colour="red",
            out=tmp_path,
        )
    assert sorted(problem.partition(": ")[0] for problem in error.value.problems) == [
        "bots",
        "colour",
        "isolation",
        "seats",
    ]
    assert "--" not in str(error.value)
    with pytest.raises(
        ConfigError,
        match="bots: " + pattern("settings", "no-bots-name-least") + " shipped:python/random ship",
    ):
        khiva_arena.run(out=tmp_path)
    with pytest.raises(ConfigError, match="rules: 1j is not a value that a setting can have"):
        khiva_arena.run(**PAIR, rules={"overshoot": 1j}, out=tmp_path)
    with pytest.raises(BotError, match="false: start_failed: crashed: exited with code 1"):
        khiva_arena.run(
            bots=["shipped:python/random", "false"],
            seats=2,
            isolation="trusted",
            trust_bots=True,
            out=tmp_path / "dead",
        )
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="not a folder"):
        khiva_arena.run(**PAIR, out=tmp_path / "file")


def test_faults_are_counted_as_they_come(tmp_path: Path) -> None:
    competition = khiva_arena.run(
        bots=[RANDOM, STRIKES], seats=2, seeds=1, isolation="trusted", out=tmp_path
    ).wait()
    assert competition.progress.faults > 0
    assert re.search(r"; \d+ faults: \S+ illegal \(\d+\)(, .*)?>$", repr(competition))
    assert any(
        fault.verdict == "illegal"
        for match in competition
        for seat in match.faults or ()
        for fault in seat
    )


def test_an_event_loop_is_not_in_the_way(tmp_path: Path) -> None:
    """As in the kernel of a notebook, whose cells run inside of one."""

    async def cell() -> int:
        return sum(1 for _ in khiva_arena.run(**PAIR, seeds=1, out=tmp_path))

    handlers = [
        signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
    ]
    assert asyncio.run(cell()) == 2
    assert [
        signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
    ] == handlers


FOLLOW = f"""
import sys, khiva_arena
bots = [{RANDOM!r}, {NAIVE!r}]
competition = khiva_arena.run(bots=bots, seats=2, isolation="trusted", seeds=4000, out=sys.argv[1])
for match in competition:
    print(match.ordinal, flush=True)
"""


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_whatever_ends_the_caller_ends_the_competition_and_every_bot(
    tmp_path: Path, number: signal.Signals
) -> None:
    caller = subprocess.Popen(
        [sys.executable, "-c", FOLLOW, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert caller.stdout
    assert caller.stdout.readline()
    below = descendants(caller.pid)
    caller.send_signal(number)
    _, said = caller.communicate(timeout=60)
    assert caller.returncode == -number if number == signal.SIGKILL else "KeyboardInterrupt" in said
    assert until(lambda: not living(below))
    assert khiva_arena.verify(tmp_path).sound
    assert len(list(khiva_arena.matches(tmp_path))) > 0


INTERRUPTED = f"""
import os, signal, sys, threading, traceback, khiva_arena
bots = [{RANDOM!r}, {NAIVE!r}]
competition = khiva_arena.run(bots=bots, seats=2, isolation="trusted", seeds=4000, out=sys.argv[1])
next(iter(competition))
main = threading.get_ident()
def interrupt_the_wait():
    calls = []
    while not any(call.name == "wait" and "khiva_arena" in call.filename for call in calls):
        calls = traceback.extract_stack(sys._current_frames()[main])
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt_the_wait, daemon=True).start()
try:
    competition.wait()
except KeyboardInterrupt:
    assert not competition.running and not competition.complete
    assert len(list(competition)) == competition.progress.recorded > 0
    assert competition.verify().sound and competition.standings().rows
    print("usable")
"""


@pytest.mark.soak
def test_after_an_interrupt_it_is_as_if_stopped(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "usable\n", "")


DEAF = f"""
import os, signal, sys, khiva_arena
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
bots = [{RANDOM!r}, {NAIVE!r}]
competition = khiva_arena.run(bots=bots, seats=2, isolation="trusted", seeds=4000, out=sys.argv[1])
child = os.fork()
if not child:
    os.close(1)
    signal.pause()
print(child, competition._host._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_caller_that_is_deaf_to_signals_and_has_forked_is_missed_all_the_same(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DEAF, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    child, host = map(int, done.stdout.split())
    try:
        assert until(lambda: not living({host}))
    finally:
        os.kill(child, signal.SIGKILL)


def test_it_plays_on_when_nobody_holds_it(tmp_path: Path) -> None:
    pid = khiva_arena.run(**PAIR, seeds=2, out=tmp_path)._host._process.pid
    gc.collect()
    assert until(lambda: not living({pid}))
    assert len(list(khiva_arena.matches(tmp_path))) == 4


def test_threads_may_look_at_it_at_once(tmp_path: Path) -> None:
    competition = khiva_arena.run(**PAIR, seeds=4, out=tmp_path)

    def look(_: int) -> list[int]:
        return [match.ordinal for match in competition if competition.progress.planned == 8]

    with ThreadPoolExecutor(4) as pool:
        for seen in pool.map(look, range(4)):
            assert sorted(seen) == list(range(8))


ODD = {
    "bots is a number": (
        lambda: khiva_arena.run(bots=5),
        pattern("api", "bots-not-list-words", bots="5"),
    ),
    "bots is one text": (
        lambda: khiva_arena.run(bots="shipped:python/random"),
        pattern("api", "bots-not-list-words", bots="'shipped:python/random'"),
    ),
    "a bot that is not Unicode": (
        lambda: khiva_arena.run(bots=["\udc80", "a"]),
        pattern("api", "not-valid-unicode-text", name="bots", value=".*"),
    ),
    "a seed with a NUL": (
        lambda: khiva_arena.run(**PAIR, seed="a\0"),
        pattern("api", "not-valid-unicode-text", name="seed", value=".*"),
    ),
    "public is a number": (
        lambda: khiva_arena.run(**PAIR, public=5),
        pattern("api", "not-text", name="public", value="5"),
    ),
    "rules is a list": (lambda: khiva_arena.run(**PAIR, rules=[1]), "rules: "),
    "turn is no number": (
        lambda: khiva_arena.run(**PAIR, turn=float("nan")),
        pattern("api", "not-number", name="turn", value="nan"),
    ),
    "elo1 is infinite": (
        lambda: khiva_arena.sprt("a", "b", elo1=float("inf")),
        pattern("api", "not-number", name="elo1", value="inf"),
    ),
    "elo1 is a text": (
        lambda: khiva_arena.sprt("a", "b", elo1="20"),
        pattern("api", "not-number", name="elo1", value="'20'"),
    ),
    "sprt without opponents": (lambda: khiva_arena.sprt("a", []), "opponents: none"),
    "sprt given bots": (lambda: khiva_arena.sprt("a", "b", bots=["c"]), "bots: unknown here"),
    "match without bots": (
        lambda: khiva_arena.match(),
        "^bots: "
        + pattern("settings", "no-bots-name-least")
        + " shipped:python/random shipped:python/greedy$",
    ),
    "match given bots twice": (
        lambda: khiva_arena.match("a", "b", bots=["c"]),
        "bots: unknown here",
    ),
    "match given seats": (lambda: khiva_arena.match("a", "b", seats=2), "seats: unknown here"),
    "check given seats": (lambda: khiva_arena.check("a", seats=2), "seats: unknown here"),
    "check of a game that is a number": (
        lambda: khiva_arena.check("a", games=[5]),
        pattern("api", "not-text", name="games", value="5"),
    ),
    "check given a number of games": (
        lambda: khiva_arena.check("a", games=5),
        pattern("api", "not-text", name="games", value="5"),
    ),
    "settings is a list": (
        lambda: khiva_arena.run(["a", "b"]),
        pattern("api", "not-path", name="settings", value=".*"),
    ),
    "standings of a number": (
        lambda: khiva_arena.standings(5),
        pattern("api", "not-path", name="path", value="5"),
    ),
    "sections is a number": (
        lambda: khiva_arena.standings("a", sections=5),
        pattern("api", "not-text", name="sections", value="5"),
    ),
    "verify of None": (
        lambda: khiva_arena.verify(None),
        pattern("api", "not-path", name="path", value="None"),
    ),
    "matches of bytes": (
        lambda: next(khiva_arena.matches(b"a")),
        pattern("api", "not-path", name="path", value="b'a'"),
    ),
}


@pytest.mark.parametrize(("call", "said"), ODD.values(), ids=ODD)
def test_odd_values_are_refused_by_name(
    call: Callable[[], object], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=said) as error:
        call()
    assert "--" not in str(error.value)
    assert not list(tmp_path.iterdir())


def test_values_are_taken_that_mean_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bots = (word for word in (RANDOM, NAIVE))
    competition = khiva_arena.run(
        bots=bots, seats=numpy.int64(2), seeds=numpy.int8(1), isolation="trusted", out=Path("there")
    )
    assert len(list(competition)) == 2
    assert competition.store == tmp_path / "there"
    assert repr(competition) == f"<tournament in {tmp_path / 'there'}, ended: 2 of 2 matches>"


def test_no_process_can_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("", None, "/nowhere/python"):
        monkeypatch.setattr(sys, "executable", program)
        with pytest.raises(ArenaError, match="no process can be started to play in"):
            khiva_arena.run(**PAIR, out=tmp_path)


def test_a_host_that_is_killed_is_said(tmp_path: Path) -> None:
    competition = khiva_arena.run(**PAIR, seeds=4000, out=tmp_path)
    next(iter(competition))
    competition._host._process.kill()
    with pytest.raises(
        ArenaError, match="killed by signal 9; what was recorded is safe, and the same call resumes"
    ):
        list(competition)
    with pytest.raises(ArenaError):
        competition.wait()


@pytest.mark.soak
def test_a_sequential_test(tmp_path: Path) -> None:
    test = khiva_arena.sprt(
        GREEDY,
        C,
        elo0=0,
        elo1=400,
        seeds=60,
        isolation="trusted",
        jobs=2,
        out=tmp_path,
        rules={"max_turns": 4},
    )
    found = test.result()
    assert found.candidate == "greedy"
    assert found.report.blocks >= 32
    assert found._repr_html_().startswith(
        "<pre>sprt: greedy against random-c, 2 seats; H0: Elo &lt;= 0, H1: "
    )
    with pytest.raises(
        ConfigError,
        match=pattern("playing", "seeds-no-test-decides", fewest_blocks="32", seeds="5"),
    ):
        khiva_arena.sprt(GREEDY, [RANDOM], seeds=5, out=tmp_path)


@pytest.mark.soak
def test_a_bot_is_checked() -> None:
    report = khiva_arena.check(C, quick=True, isolation="trusted")
    assert report.passed
    assert report.counts["failed"] == 0
    assert "0 failed, " in report._repr_html_()
    assert not khiva_arena.check("false", quick=True, isolation="trusted").passed
    with pytest.raises(ConfigError, match="nope: no such folder"):
        khiva_arena.check("./nope")


def test_a_store_and_a_bundle_are_verified(played: Path) -> None:
    of_store, of_bundle = (
        khiva_arena.verify(played / "out"),
        khiva_arena.verify(played / "all.khiva"),
    )
    assert of_store.sound
    assert "12 of 12 matches are sound; run digest " in of_store._repr_html_()
    assert of_store._repr_html_().endswith("\nsound</pre>")
    assert of_bundle.sound
    assert [one.digest for one in of_store.events] == [one.digest for one in of_bundle.events]
    assert [one.number for one in khiva_arena.verify(played / "out", "2").events] == [2]
    with pytest.raises(ConfigError, match=pattern("api", "bundle-verified-whole-leave")):
        khiva_arena.verify(played / "all.khiva", 1)


def test_a_bot_is_opened_to_the_network_by_keywords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "s0me-secret")
    competition = khiva_arena.run(
        **PAIR, seeds=1, network=["random"], env=["random=SOME_KEY"], out=tmp_path / "out"
    ).wait()
    table = competition.standings()[0]
    assert (table["random"].marks, table["naive"].marks) == (("network",), ())
    assert not [
        path
        for path in (tmp_path / "out").rglob("*")
        if path.is_file() and b"s0me-secret" in path.read_bytes()
    ]
    with pytest.raises(
        ConfigError,
        match="^"
        + pattern("settings", "network-no-bot-called")
        + r" 'rand' \(did you mean random\?\); there are random, naive$",
    ):
        khiva_arena.run(**PAIR, network=["rand"], out=tmp_path / "out").wait()
