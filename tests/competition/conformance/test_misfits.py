"""Each way to err fails the step it should, with the hint that helps, and nothing else
but what cannot go well with it.
"""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import trio
from arena import descendants, left_over, living
from in_targets import in_long, long_but, soak_but_every
from msgspec.structs import replace
from tools import lacks
from wording import sentence

from khiva_arena.bots.sandbox.detect import levels, python_closed
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.reap import MARK
from khiva_arena.common.shipped import folder
from khiva_arena.competition.conformance.check_plan import GAMES, steps
from khiva_arena.competition.conformance.check_report import CheckReport, CheckStep, Status
from khiva_arena.competition.conformance.context import RunningCheck, Skipped
from khiva_arena.entrants.bots import load
from khiva_arena.games.registry import get
from khiva_arena.records.replay.conditions import TimeLimits

pytestmark = pytest.mark.slow

LIMITS = TimeLimits(startup_ms=10_000, turn_ms=1_000, bank_ms=10_000)
FRAMES = folder("protocol") / "vectors" / "frames.json"

# More than one step where the first one's trap cannot but spoil the others, too.
MISFITS = {
    "banner": (["start"], sentence("check", "text-printed-stdout")),
    "library": (["start"], "the module no_such_library is missing"),
    "exits_at_once": (["start"], ""),
    "slow_start": (["start"], ""),
    "slow_hello": (["start"], sentence("check", "less-before-hello-prepare")),
    "slow_answer": (["answers"], "aim at turn_ms less"),
    "slow_req": (["req"], "aim at turn_ms less"),
    "string_req": (["answers"], sentence("check", "number-goes-out-string", language="int(x)")),
    "chokes_on_default": (["events"], sentence("check", "games-events-may-hold")),
    "chokes_on_forfeit": (["events", "game:khiva"], sentence("check", "games-events-may-hold")),
    "greets_any_proto": (["no-common-protocol"], sentence("check", "greet-only-protos-contains")),
    "bare": (["start"], "without a length"),
    "json": (["start"], sentence("check", "json-another-protocol-frame")),
    "json_in_frame": (["start"], sentence("check", "frame-holds-json-payload")),
    "little_endian": (["start"], "little-endian"),
    "empty_map": (["start"], sentence("check", "map-sent-place-array")),
    "fills_buffer": (["start"], "held back"),
    "print": (["answers"], "print(..., file=sys.stderr)"),
    "no_flush": (["answers"], "sys.stdout.buffer.flush()"),
    "silent": (["answers"], sentence("check", "read-waits-bytes-not")),
    "half": (["answers"], sentence("check", "read-waits-bytes-not")),
    "stopped": (["answers"], sentence("check", "signal-such-sigstop-sigttin")),
    "closes_input": (["answers"], sentence("check", "closed-stdin-perhaps-library")),
    "closes_output": (["answers"], sentence("check", "closed-stdout-put-something")),
    "hangs": (["answers"], sentence("check", "waits-something-other-input")),
    "lost_at_exit": (
        ["answers"],
        sentence("check", "exits-when-should-answer", how=" (sys.stdout.buffer.flush())"),
    ),
    "newline": (["answers"], sentence("check", "line-end-stands-behind")),
    "word": (
        ["answers"],
        sentence("check", "word-sent-choice", an_index=sentence("check", "answer-is-an-index")),
    ),
    "counts_its_length": (["answers"], sentence("check", "bytes-count-bytes-alone")),
    "proto_2": (["start"], sentence("check", "hello-says-proto-number")),
    "no_msgpack": (["answers"], ""),
    "float": (["answers"], "divide with //"),
    "text": (["answers"], ""),
    "bin_keys": (["answers"], sentence("check", "pack-str-not-bytes")),
    "integer_keys": (["answers"], sentence("check", "keys-maps-strings-such")),
    "wrong_req": (["answers"], sentence("check", "act-carries-req-decide")),
    "twice": (["answers"], sentence("check", "send-act-decide-none")),
    "memory": (["answers", "memory"], ""),
    "strict_fields": (
        ["later-hello", "unknown-fields", "large"],
        sentence("check", "take-fields-event-types"),
    ),
    "one_read": (
        ["fragments", "coalesced", "unknown-messages", "fault", "large"],
        sentence("check", "read-may-give-less"),
    ),
    "half_read": (["fragments", "large"], sentence("check", "read-may-give-less")),
    "drops_rest": (["coalesced", "unknown-messages"], sentence("check", "read-may-give-more")),
    "stops": (["encodings", "events"], ""),
    "no_wide": (["encodings"], sentence("check", "decoder-take-every-form")),
    "answers_unknown": (["unknown-messages"], "do nothing"),
    "answers_fault": (["fault"], "do nothing"),
    "req_32_bits": (["req"], "53 bits"),
    "crlf": (["req"], "text mode"),
    "small_buffer": (["large"], "1,048,576"),
    "two_seats_only": (["game:khiva"], "index into legal"),
    "one_kind": (["game:khiva"], "index into legal"),
    "print_unflushed": (["stdout"], sentence("check", "text-printed-stdout")),
    "prints_after_end": (["stdout"], sentence("check", "text-printed-stdout")),
    "floods_after_end": (["stdout", "exit"], "write nothing but"),
    "acts_after_end": (["stdout"], "write nothing but"),
    "never_exits": (["exit"], "leave the loop"),
    "child": (["children"], sentence("check", "end-wait-processes-started")),
    "child_27": (["children"], sentence("check", "end-wait-processes-started")),
}


DOES = {
    "stopped": sentence("sandbox", "stopped-signal"),
    "hangs": sentence("check", "waits-something-other-input"),
}
BUSY = {"exit", "time"}
"""Steps that a busy host can turn into warnings."""


def _warned(report: CheckReport) -> set[str]:
    return {step.id for step in report.steps if step.status is Status.WARNING}


def _failed(report: CheckReport) -> list[str]:
    return [step.id for step in report.steps if step.status is Status.FAILED]


REPEATS = ("child_27", "half_read", "one_kind", "print_unflushed")
"""Ways whose step and hint another way has as well: these are checked in whole, and so
take longest.
"""


@pytest.mark.soak
@pytest.mark.parametrize("way", long_but(MISFITS, MISFITS.keys() - REPEATS))
def test_each_way_to_err_fails_its_step(way: str, checked: Callable[..., CheckReport]) -> None:
    failing, hint = MISFITS[way]
    report = checked(way) if way != "one_kind" else checked(way, quick=False)
    assert _failed(report) == failing
    assert not report.passed
    first = next(step for step in report.steps if step.status is Status.FAILED)
    assert first.expected
    assert first.got
    assert hint in " ".join(step.hint for step in report.steps)


def _step(report: CheckReport, word: str) -> CheckStep:
    return next(step for step in report.steps if step.id == word)


def test_what_an_author_is_told(checked: Callable[..., CheckReport]) -> None:
    step = _step(checked("float"), "answers")
    assert step.expected.startswith("an act with req ")
    assert step.got.endswith(
        ".0}: a float at $.choice; " + sentence("protocol", "send-whole-number-integer")
    )
    step = _step(checked("library"), "start")
    assert "ModuleNotFoundError: No module named 'no_such_library'" in step.stderr
    assert step.got == "its " + sentence("check", "output-ended-exited-code") + " 1"
    assert "DIR/bin/pip install msgpack no_such_library, then --runtime NAME=DIR" in step.hint
    assert _step(checked("proto_2"), "start").got.endswith(
        "hello: proto is 2, and the one that is spoken here is 1"
    )
    bytes_ = (
        "3 bytes: c1 c1 c1: "
        + sentence("protocol", "not-whole-msgpack-value")
        + ": "
        + sentence("protocol", "byte-xc-none-begins")
    )
    assert (
        _step(checked("no_msgpack"), "answers").got
        == sentence("check", "frame-not-msgpack-value") + f", {bytes_}"
    )
    assert "'proto': 2" in _step(checked("greets_any_proto"), "no-common-protocol").got
    step = _step(checked("memory"), "memory")
    assert step.got.startswith(sentence("sandbox", "reached-limit", words="memory") + " 150 MiB")
    assert "good game!" in _step(checked("prints_after_end"), "stdout").got


@pytest.mark.soak
def test_what_an_author_is_told_where_nothing_came(checked: Callable[..., CheckReport]) -> None:
    step = _step(checked("silent"), "answers")
    assert step.got == "nothing within 2.5 s; " + sentence("sandbox", "waits-more-input-sent")
    for way, says in DOES.items():
        assert _step(checked(way), "answers").got.endswith(f"; {says}")
    assert "held back" in _step(checked("no_flush"), "answers").hint
    step = _step(checked("half"), "answers")
    assert step.got.endswith(
        sentence("check", "bytes-frame-no-more")
        + " within 2.5 s; "
        + sentence("sandbox", "waits-more-input-sent")
    )


@pytest.mark.soak
def test_what_an_author_is_told_where_it_came_late(checked: Callable[..., CheckReport]) -> None:
    step = _step(checked("slow_answer"), "answers")
    assert re.fullmatch(
        r"nothing within 2\.5 s; it came after (2\.[89]|3\.\d)\d s: too late", step.got
    )
    step = _step(checked("slow_req"), "req")
    assert (
        " " + sentence("check", "s-slow-decisions-before", bank="1.5") + "; it came after 1."
        in step.got
    )


@pytest.mark.soak
@pytest.mark.parametrize(
    ("way", "word", "said"),
    [
        ("lots", "repeat", "the same requests got another choice at number"),
        ("repeated_key", "keys", "'choice' twice"),
        *in_long(
            [
                (
                    "repeated_long_key",
                    "keys",
                    "kkk ... (20002 characters) twice in one map; the last one counts",
                )
            ]
        ),
        ("slow", "time", "which its bank of 2,400 ms has to pay"),
        ("exits_3", "exit", "exited with code 3 after `end`"),
        ("spins", "processor", sentence("check", "idle") + ", " + sentence("check", "share-tenth")),
    ],
)
def test_what_no_match_blames_is_a_warning(
    way: str, word: str, said: str, checked: Callable[..., CheckReport]
) -> None:
    report = checked(way, limits=TimeLimits(4_000, 100, 2_400))
    assert word in _warned(report)
    assert _warned(report) <= {word, *BUSY}
    assert said in _step(report, word).said
    assert len(_step(report, word).said) < 300
    assert report.passed


@pytest.mark.parametrize(
    ("way", "more"),
    soak_but_every([("honest", {"quick": False}), ("note", {})], 2),
    ids=["honest", "note"],
)
def test_an_honest_bot_passes_every_step(
    way: str, more: dict[str, bool], checked: Callable[..., CheckReport]
) -> None:
    report = checked(way, **more)
    assert report.passed
    assert _warned(report) <= BUSY
    assert not [step.id for step in report.steps if step.status is Status.SKIPPED]
    assert report.decisions > 100
    assert sum(bar.decisions for bar in report.histogram) == report.decisions
    assert (
        report.latency_ms["p50"]
        <= report.latency_ms["p99"]
        <= report.latency_ms["max"]
        == report.histogram[-1].up_to_ms
    )
    assert report.memory_bytes is not None
    assert 1 << 20 < report.memory_bytes < 100 << 20


@pytest.mark.soak
def test_nothing_is_tried_that_makes_no_sense(checked: Callable[..., CheckReport]) -> None:
    report = checked("exits_at_once")
    assert [step.number for step in report.steps] == list(range(1, len(report.steps) + 1))
    later = report.steps[report.steps.index(_step(report, "start")) + 1 :]
    of_files = _step(report, "imports")
    assert of_files.status is Status.OK, "which needs no start"
    assert {(step.status, step.said) for step in later if step != of_files} == {
        (Status.SKIPPED, "not tried: " + sentence("check", "not-start"))
    }
    report = checked("silent")
    assert _step(report, "req").said == "not tried: it does not answer plain requests"
    assert _step(report, "memory").status is Status.OK
    assert _step(checked("never_exits"), "children").said == "not tried: " + sentence(
        "check", "exit-when-match-over"
    )


def test_a_bot_that_stops_is_not_waited_for_again_and_again(
    checked: Callable[..., CheckReport],
) -> None:
    report = checked("stops")
    later = report.steps[report.steps.index(_step(report, "events")) + 1 :]
    skipped = {
        step.id
        for step in later
        if step.said == sentence("check", "steps-waited-answer-vain", silent_most="not tried: 2")
    }
    assert {step.id for step in later} - skipped == {"keys", "time", "memory", "imports"}
    assert {"exit", "children", "level:trusted", "game:khiva"} <= skipped
    assert report.seconds < 20


@pytest.mark.usefixtures("standard")
def test_a_file_outside_of_the_folder_is_named(checked: Callable[..., CheckReport]) -> None:
    step = _step(
        checked("reads_outside", sandbox=Sandbox(Level.STANDARD), levels=(Level.STANDARD,)), "start"
    )
    assert step.hint.startswith(
        "/root/misfit/weights.bin: " + sentence("check", "bot-sees-own-folder-2")
    )
    assert 'File "main.py", line ' in step.stderr
    assert "/staged/" not in step.stderr
    assert _step(checked("reads_outside"), "start").hint == ""  # at trusted it is just not there


def test_games_are_no_hint_to_a_bot_that_names_them(misfit: Callable[[str], str]) -> None:
    named = load(misfit("honest"))
    for bot, hint in ((named, ""), (replace(named, games=()), GAMES)):
        running = RunningCheck(
            bot, LIMITS, Sandbox(Level.TRUSTED), (get("khiva"),), quick=True, levels=(), trust=True
        )
        assert [plan.hint for plan in steps(running) if plan.id == "game:khiva"] == [hint]


@pytest.mark.soak
def test_golden_frames_are_for_bots_of_their_game(
    checked: Callable[..., CheckReport], misfit: Callable[[str], str]
) -> None:
    frames = [
        vector for vector in json.loads(FRAMES.read_text()) if vector["direction"] == "to_bot"
    ]
    step = _step(checked("honest", quick=False), "vectors")
    assert (step.status, step.said) == (Status.OK, f"{len(frames)} frames of {FRAMES}")
    assert _step(checked("strict_fields", quick=False), "vectors").status is Status.FAILED
    other = RunningCheck(
        load(misfit("honest")),
        LIMITS,
        Sandbox(Level.TRUSTED),
        (get("silk_road"),),
        quick=False,
        levels=(),
        trust=True,
    )
    (plan,) = (plan for plan in steps(other) if plan.id == "vectors")
    with pytest.raises(Skipped) as skipped:
        trio.run(plan.do, other)
    assert str(skipped.value) == "they are of khiva, games that this bot is not checked with"


@pytest.mark.soak
def test_levels_that_are_not_tried_say_why(checked: Callable[..., CheckReport]) -> None:
    report = checked("honest", levels=tuple(Level), trust=False)
    step = _step(report, "level:trusted")
    assert (step.status, step.said) == (
        Status.SKIPPED,
        "there it would run with all of your rights; --trust-bots tries it",
    )
    for level, why in levels().items():
        step = _step(report, f"level:{level}")
        if why:
            assert (step.status, step.said) == (
                Status.SKIPPED,
                f"isolation {level} does not work on this machine: {why}",
            )
        elif level in (Level.STRICT, Level.STANDARD):
            assert step.status is Status.OK


@pytest.mark.soak
@pytest.mark.parametrize(
    "level", long_but(Level, set(Level) - {Level.TRUSTED}), indirect=True
)  # where "child" is checked as a way to err
def test_a_child_left_behind_is_seen_at_every_level(
    level: Level, checked: Callable[..., CheckReport]
) -> None:
    if level is Level.BASIC and (closed := python_closed(level)):
        lacks(f"root's bots may not pass {closed}", may=True)
    step = _step(checked("child", sandbox=Sandbox(level)), "children")
    assert (step.status, step.got) == (Status.FAILED, "1 left behind: sleep 60")
    assert _step(checked("note", sandbox=Sandbox(level)), "children").status is Status.OK


def _marked() -> set[int]:
    """Living processes that carry the mark of bots of ours, wherever they have gone."""
    mark = f"{MARK}={os.getpid()}-".encode()
    found = set()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended, or is another user's
            if any(entry.startswith(mark) for entry in environment.read_bytes().split(b"\0")):
                found.add(int(environment.parent.name))
    return living(found)


def test_no_process_stays_behind(checked: Callable[..., CheckReport]) -> None:
    before = set(descendants(os.getpid()))
    marked = _marked()  # a browser of other tests of this process, too
    for way in ("child", "silent"):
        checked(way, trust=False)
    assert not left_over(before)
    assert not _marked() - marked


def test_a_process_that_went_elsewhere_would_be_seen() -> None:
    words = ["sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!"]
    environment = {**os.environ, MARK: f"{os.getpid()}-0"}
    left = int(
        subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    )
    try:
        assert left not in descendants(os.getpid())
        assert left in _marked()
    finally:
        os.kill(left, signal.SIGKILL)
