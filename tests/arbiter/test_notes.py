"""What bots write on stderr is kept in part, with marks that no bot can write."""

import re
import sys
import time
from pathlib import Path

import pytest
import trio
from hypothesis import example, given
from hypothesis import strategies as st
from jobs import job
from makers import maker_at
from module_matches import job as module_job
from module_matches import staged

from khiva_arena.arbiter.pool import play_one
from khiva_arena.arbiter.process import Processes
from khiva_arena.arbiter.stderr import (
    MARK,
    NOTES_KEPT,
    Notes,
    for_its_author,
    for_people,
    without_marks,
)
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Clock, Verdict
from khiva_arena.common.text import printable
from khiva_arena.records.store.transcripts import unpacked

pytestmark = pytest.mark.slow

LARGE = st.binary(min_size=1).map(lambda data: data * 900)
# What happens to notes: a request, or bytes.
STEPS = st.lists(st.one_of(st.none(), st.binary(max_size=40), LARGE), max_size=60)

TALKER = """
import sys, msgpack
def read():
    head = sys.stdin.buffer.read(4)
    if len(head) < 4:
        return None
    return msgpack.unpackb(sys.stdin.buffer.read(int.from_bytes(head, "big")))
def write(**message):
    data = msgpack.packb(message)
    sys.stdout.buffer.write(len(data).to_bytes(4, "big") + data)
    sys.stdout.flush()
print("loading", file=sys.stderr, flush=True)
read()
write(type="hello", proto=1, name="talker")
count = 0
while message := read():
    if message["type"] == "decide":
        count += 1
        if count == 3:
            print(f"[step 99: {message['kind']}]\\nask {message['req']}", end="", file=sys.stderr,
                flush=True)
        write(type="act", req=message["req"], choice=0)
    elif message["type"] == "end":
        print("bye", file=sys.stderr, flush=True)
"""


def kept(*steps: bytes | None) -> Notes:
    notes = Notes()
    for number, step in enumerate(steps, 1):
        if step is None:
            notes.begin_turn(number, "boost")
        else:
            notes.add(step)
    return notes


def test_a_mark_stands_only_before_what_was_written_after_a_request() -> None:
    text = kept(b"start\n", None, None, b"one", b"two", None, b"three\n", None).text()
    assert text == f"start\n{MARK}[step 3: boost]\nonetwo\n{MARK}[step 6: boost]\nthree\n"
    assert for_people(text) == "  start\n[step 3: boost]\n  onetwo\n[step 6: boost]\n  three"


def test_a_bot_cannot_write_a_mark() -> None:
    forged = f"{MARK}[step 9: boost]\n[step 9: boost]\r{MARK}\n".encode()
    text = kept(None, forged).text()
    assert text.count(MARK) == 1
    assert [line for line in for_people(text).splitlines() if not line.startswith("  ")] == [
        "[step 1: boost]"
    ]


def test_what_is_dropped_is_counted_and_what_follows_keeps_its_mark() -> None:
    first, head, dropped, turn, tail = (
        kept(None, b"a" * 20_000, None, b"b" * 10_000).text().split("\n")
    )
    assert (first, set(head)) == (f"{MARK}[step 1: boost]", {"a"})
    assert (turn, set(tail)) == (f"{MARK}[step 3: boost]", {"b"})
    assert dropped == f"{MARK}[... {30_000 - len(head) - len(tail)} bytes dropped ...]"
    assert NOTES_KEPT - 100 < len(head) <= NOTES_KEPT >= len(tail) > NOTES_KEPT - 100


def test_a_character_split_between_two_requests_is_one() -> None:
    for letter in ("\u00fc", "\u20ac", "\U0001f40d"):
        for at in range(1, len(data := letter.encode())):
            text = kept(None, b"a" + data[:at], None, data[at:] + b"b\n").text()
            assert text == f"{MARK}[step 1: boost]\na\n{MARK}[step 3: boost]\n{letter}b\n"
            # between head and tail
            text = kept(None, b"x" * (NOTES_KEPT - 32 - at) + data, None, b"y").text()
            assert (text.count(letter), "\\x" in text) == (1, False)
    assert kept(None, b"a\xc3", None, b"b").text().endswith("a\n\x1e[step 3: boost]\n\\xc3b")
    assert kept(b"a\xff\xc3").text() == "a\\xff\\xc3"
    assert kept(b"a\xa4\xa4\xa4\xa4", None, b"b").text().startswith("a\\xa4\\xa4\\xa4\\xa4\n")


def test_a_remark_stands_where_it_was_made_and_counts_as_none_of_the_bots_bytes() -> None:
    notes = Notes()
    notes.begin_turn(1, "act")
    notes.add(b"thinking")
    notes.remark("step 1: illegal: choice\n12 \x1eof 8\x07 legal ones")
    notes.begin_turn(2, "act")
    notes.add(b"again\n")
    assert notes.text() == (
        f"{MARK}[step 1: act]\nthinking\n{MARK}[step 1: illegal: choice 12 of 8\\x07 legal "
        f"ones]\n{MARK}[step 2: act]\nagain\n"
    )
    assert notes.total == len(b"thinkingagain\n")
    assert without_marks(notes.text()) == "thinking\nagain\n"


def test_the_notes_of_a_module_say_what_it_is_not_sent(tmp_path: Path) -> None:
    """Its frames have no words about a fault, since it would pay for each byte; who
    wrote it reads them here.
    """
    with maker_at(Path(__file__).parents[1] / "bots" / "modules" / "make_ticks.py") as maker:
        wrong, honest = maker.bot({2: maker.tick_bots.CHOOSES_WRONGLY}), maker.bot()
    commands = [staged(tmp_path, "wrong", wrong), staged(tmp_path, "honest", honest)]
    outcome = play_one(module_job(commands, Clock.TICKS, policy="lenient"))
    assert re.fullmatch(
        rf"{MARK}\[step 2: illegal: choice 65535 of \d+ legal ones\]\n",
        outcome.seats[0].ending.notes,
    )
    assert not outcome.seats[1].ending.notes


def test_remarks_have_a_bound_and_so_has_what_stands_beside_them() -> None:
    notes = Notes()
    for step in range(10_000):
        notes.begin_turn(step, "act")
        notes.add(b"x")
        notes.remark(f"step {step}: illegal: choice 12 of 8 legal ones")
    assert len(notes.text()) < 3 * NOTES_KEPT
    assert "[step 9999: illegal: choice 12 of 8 legal ones]" in notes.text()


@given(STEPS)
@example([bytes(5_400), bytes(5_400), b"\0\0\0\0\0\x7f" * 900])
def test_all_of_it_or_its_head_and_tail(steps: list[bytes | None]) -> None:
    data = b"".join(step for step in steps if step)
    notes = kept(*steps)
    text = notes.text()
    assert notes.total == len(data)
    # An escape is four characters for a byte, and six for DEL, so that JSON stays JSON.
    assert len(text) <= 8 * NOTES_KEPT + 2 * data.count(b"\x7f") + 100
    assert all(letter.isprintable() or letter in f"\t\n{MARK}" for letter in text)
    if "bytes dropped" not in text and data.isascii():
        assert without_marks(text).replace("\n", "") == printable(data).replace("\n", "")
    assert len(data) <= NOTES_KEPT // 2 or text


def test_marks_do_not_fill_the_store() -> None:
    steps = [step for _ in range(5_000) for step in (None, b"x")]
    assert len(kept(*steps).text()) < 3 * NOTES_KEPT


def test_a_match_marks_what_its_bots_wrote() -> None:
    talker = Command((sys.executable, "-c", TALKER), "/tmp")
    quiet = Command(
        (sys.executable, "-c", TALKER.replace("sys.stderr", "open('/dev/null', 'w')")), "/tmp"
    )
    outcome = play_one(job([talker, quiet], startup_ms=20_000, turn_ms=10_000))
    assert outcome.record is not None
    lines = for_people(outcome.seats[0].ending.notes).splitlines()
    asked = [
        number
        for number, step in enumerate(outcome.record.steps, 1)
        if any(choice.seat == 0 for choice in step)
    ]
    assert lines[0] == "  loading"
    assert lines[1].startswith(f"[step {asked[2]}: ")
    assert lines[2].startswith("  [step 99: ")
    assert lines[3].startswith("  ask ")
    assert lines[4:] == [f"[step {len(outcome.record.steps)}: end]", "  bye"]
    assert outcome.seats[1].ending.notes == ""


# Says at its first decision what a runtime says, then a little at each, and dies of it
# at the twelfth.
DYING = """
        print("bad_alloc" + "." * 3_800 if count == 1 else ".", file=sys.stderr, flush=True)
        if count == 12:
            sys.exit(1)
"""


def test_marks_do_not_hide_the_last_words_of_a_bot() -> None:
    """They are looked for in the last 4,000 characters of its own, however many marks
    stand between.
    """
    said = '        if count == 3:\n            print(f"[step 99'
    assert said in TALKER
    dying = TALKER.replace(said, f"{DYING}{said}")
    bots = [Command((sys.executable, "-c", main), "/tmp") for main in (dying, TALKER)]
    outcome = play_one(job(bots, startup_ms=20_000, turn_ms=10_000))
    (fault,) = outcome.seats[0].faults
    assert len(outcome.seats[0].ending.notes) > 4_000
    assert (fault.verdict, "it said 'bad_alloc'" in fault.detail) == (Verdict.RESOURCE, True)


def test_an_author_sees_the_message_of_node_and_not_its_own_frames() -> None:
    frames = (
        "    at play (khiva_kit.js:27:48)\n    at Module._compile "
        "(node:internal/modules/cjs/loader:1521:14)\n"
    )
    end = "    at node:internal/main/run_main_module:28:49\n\nNode.js v20.20.2\n"
    assert (
        for_its_author(f"TypeError: x\n{frames}{end}")
        == "TypeError: x\n    at play (khiva_kit.js:27:48)\n\n"
    )
    assert for_its_author("look at node:internal/x\n") == "look at node:internal/x\n", (
        "the bot's own words"
    )


def test_only_the_folder_of_a_staged_file_is_left_out_and_a_long_word_takes_no_square() -> None:
    folder = f"/home/ann/staged/x/staged/{'0a' * 32}/"
    assert (
        for_people(f'File "{folder}main.py", ({folder}b {folder}{folder}c/staged/')
        == '  File "main.py", (b c/staged/'
    )
    took = []
    for size in (2**18, 2**19):
        began = time.process_time()
        assert for_people("a/" * (size // 2)).endswith("a/a/")
        took.append(time.process_time() - began)
    assert took[1] < 4 * took[0] + 1


def test_what_stood_in_the_pipe_before_a_request_is_of_the_step_before() -> None:
    async def announced() -> Ending:
        says = (
            "import os, sys; os.write(2, b'early'); sys.stdin.read(1); os.write(2, b'late'); "
            "sys.stdin.read()"
        )
        wire = Processes([Command((sys.executable, "-c", says), "/tmp")], transcripts=[10_000])
        await trio.lowlevel.wait_readable(wire._children[0].stderr)
        wire.announce(0, 1, "boost")
        wire.send(0, b"x")
        (ending,) = await wire.close(20)
        return ending

    ending = trio.run(announced)
    assert ending.transcript is not None
    assert unpacked(ending.transcript.packed) == [(0, b"early"), (1, b"late")]
    assert ending.notes == f"early\n{MARK}[step 1: boost]\nlate"
