"""The mistakes that authors of a first bot make: what the check tells them is the
cause, and no other one.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from wording import sentence

from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common import shipped
from khiva_arena.competition.conformance import talk
from khiva_arena.competition.conformance.check_report import CheckReport, CheckStep, Status
from khiva_arena.competition.conformance.context import RunningCheck
from khiva_arena.competition.conformance.whole_check import check
from khiva_arena.entrants.bots import load
from khiva_arena.games.registry import get
from khiva_arena.records.replay.conditions import TimeLimits

pytestmark = pytest.mark.slow

SOON = TimeLimits(startup_ms=3_000, turn_ms=300, bank_ms=500)
BY_THE_KIT = (
    "import time\nfrom khiva_kit import play\nasked = 0\ndef choose(decide, match):\n    "
    '{}\nplay("x", choose)\n'
)
BY_HAND = """import json, os, struct, sys, msgpack
text, binary = sys.stdout, sys.stdout.buffer
def read(n):
    data = b""
    while len(data) < n:
        more = os.read(0, n - len(data))
        if not more: sys.exit()
        data += more
    return data
while True:
    m = msgpack.unpackb(read(struct.unpack(">I", read(4))[0]))
    if m["type"] == "hello":
        if 1 not in m["protos"]: sys.exit()
        a = {"type": "hello", "proto": 1, "name": "x"}
    elif m["type"] == "decide": a = {"type": "act", "req": m["req"], "choice": CHOICE}
    else: continue
    p = msgpack.packb(a)
    f = struct.pack(">I", len(p)) + p
    WRITE
"""
PYTHON = "{python} main.py"


def kit(body: str) -> dict[str, str]:
    """A bot whose ``choose`` is ``body``."""
    return {"main.py": BY_THE_KIT.format(body)}


def by_hand(write: str = "os.write(1, f)", choice: str = "0") -> dict[str, str]:
    """A bot without the kit, which sends a frame by ``write``."""
    return {"main.py": BY_HAND.replace("WRITE", write).replace("CHOICE", choice)}


class Mistake(NamedTuple):
    """A bot that errs in one way.

    run: its line.
    files: their texts by name.
    step: the first step that fails.
    says: words that the hint has.
    not_said: words of the hints of other mistakes.
    level: where it is checked.
    stuck: it neither answers nor ends, so a check need not wait for either behind its
        time.
    """

    run: str
    files: dict[str, str]
    step: str
    says: tuple[str, ...]
    not_said: tuple[str, ...] = ()
    level: Level = Level.TRUSTED
    stuck: bool = False


MISTAKES = {
    "no interpreter": Mistake(
        "no-such-prolog main.pl",
        {"main.pl": ":- initialization(main).\n"},
        "start",
        (
            sentence("check", "program-not-machine", name="no-such-prolog"),
            sentence("check", "install-where-bots-can"),
        ),
        ("perl",),
    ),
    "no interpreter for a first line": Mistake(
        "./main.pl",
        {"main.pl": "#!/usr/bin/env no-such-prolog\n", "x": "main.pl"},
        "start",
        (
            sentence("check", "program-not-machine", name="no-such-prolog"),
            sentence("check", "install-where-bots-can"),
        ),
        ("perl",),
    ),
    "bytes through a text stream": Mistake(
        PYTHON,
        by_hand("text.reconfigure(encoding='utf-8'); print(end=f.decode('latin-1'), flush=True)"),
        "start",
        (sentence("check", "byte-encoded-once-more"), "sys.stdout.buffer"),
        ("was printed",),
    ),
    "bytes that are replaced": Mistake(
        PYTHON,
        by_hand(
            "text.reconfigure(encoding='utf-8'); print(end=f.decode('utf-8', 'replace'), "
            "flush=True)"
        ),
        "start",
        (sentence("check", "byte-no-utf-became"), "sys.stdout.buffer"),
        ("was printed",),
    ),
    "sleeps": Mistake(
        PYTHON,
        kit("global asked; asked += 1\n    if asked > 3: time.sleep(60)\n    return 0"),
        "encodings",
        (sentence("check", "sleep-lock-thread-child"), sentence("check", "act-due-within-turn")),
        ("event", "MessagePack library"),
        stuck=True,
    ),
    "sleeps at once": Mistake(
        PYTHON,
        kit("time.sleep(60)"),
        "answers",
        (sentence("check", "sleep-lock-thread-child"), sentence("check", "act-due-within-turn")),
        stuck=True,
    ),
    "thinks for ever": Mistake(
        PYTHON,
        kit("while True: pass"),
        "answers",
        (sentence("check", "act-due-within-turn"),),
        ("section",),
        stuck=True,
    ),
    "choose returns nothing": Mistake(
        PYTHON,
        kit("decide['legal'][0]"),
        "answers",
        ("choose returned nothing", "return"),
        ("//", "entry itself"),
    ),
    "not executable": Mistake(
        "./bot.sh", {"bot.sh": "#!/bin/sh\ncat\n"}, "start", ("chmod +x bot.sh",)
    ),
    "no line that names the interpreter": Mistake(
        "./bot.py",
        {"bot.py": "import sys\n", "x": "bot.py"},
        "start",
        ("#!", "bot.py", 'run = "{python} bot.py"'),
    ),
    "a first line that ends in CR LF": Mistake(
        "./bot.py",
        {"bot.py": "#!/usr/bin/env python3\r\nimport sys\n", "x": "bot.py"},
        "start",
        ("CR LF", "bot.py"),
        (sentence("check", "not-machine"),),
    ),
    "play is never called": Mistake(
        PYTHON,
        {
            "main.py": (
                "from khiva_kit import play\ndef choose(decide, match):\n    return 0\n# "
                "play(...)\n"
            )
        },
        "start",
        ("main.py", 'play("NAME", choose)'),
        ("flush",),
    ),
    "text, in a language without a kit": Mistake(
        "sh main.tcl",
        {"main.tcl": "echo Hello, here I am\nsleep 9\n"},
        "start",
        (
            sentence("check", "text-printed-stdout") + " ('Hello, here I am')",
            sentence("check", "say-stderr"),
        ),
        ("stderr: ",),
    ),
    "print": Mistake(
        PYTHON,
        by_hand("print('thinking', flush=True); os.write(1, f)"),
        "start",
        (sentence("check", "text-printed-stdout") + " ('thinking')", "print(..., file=sys.stderr)"),
    ),
    "JSON": Mistake(
        PYTHON,
        by_hand("print(json.dumps(a), flush=True)"),
        "start",
        (sentence("check", "json-another-protocol-frame"),),
    ),
    "little-endian": Mistake(
        PYTHON,
        by_hand("os.write(1, struct.pack('<I', len(p)) + p)"),
        "start",
        (sentence("check", "length-little-endian-write"),),
    ),
    "no length": Mistake(
        PYTHON,
        by_hand("os.write(1, p)"),
        "start",
        (sentence("check", "messagepack-without-length-before"),),
    ),
    "held back": Mistake(
        PYTHON,
        by_hand("binary.write(f)"),
        "start",
        (sentence("check", "answer-held-back-flush"), "sys.stdout.buffer.flush()"),
    ),
    "the entry itself": Mistake(
        PYTHON,
        kit("return decide['legal'][0]"),
        "answers",
        (sentence("check", "choose-returns-index-into"), sentence("check", "never-entry-itself")),
    ),
    "a float": Mistake(
        PYTHON,
        by_hand(choice="len(m['legal']) / 2"),
        "answers",
        (sentence("check", "number-goes-out-float"), "//"),
    ),
    "counted from one": Mistake(
        PYTHON,
        kit("return len(decide['legal'])"),
        "answers",
        (sentence("check", "answer-index-into-legal"), "counted from 0"),
    ),
    "a missing module": Mistake(
        PYTHON,
        {"main.py": "import no_such_module\n"},
        "start",
        ("the module no_such_module is missing", "pip install"),
    ),
    "a file elsewhere": Mistake(
        PYTHON,
        {"main.py": "open('/root/weights')\n"},
        "start",
        ("/root/weights: " + sentence("check", "bot-sees-own-folder"),),
        (),
        Level.STANDARD,
    ),
    "a misspelt script": Mistake(
        "{python} mian.py",
        kit("return 0"),
        "start",
        (sentence("check", "not-among-bots-files", word="mian.py"), "main.py"),
        ("put the file",),
        Level.STANDARD,
    ),
    "reads its own input": Mistake(
        PYTHON,
        kit("return int(input())"),
        "answers",
        (sentence("check", "input-takes-messages-arbiter"),),
        ("no full buffer",),
    ),
}


@pytest.fixture
def checked(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Callable[[str], CheckReport]:
    """Check the bot that makes a mistake."""

    def run(name: str) -> CheckReport:
        mistake = MISTAKES[name]
        folder = home / "first" / name.replace(" ", "-")
        shutil.copytree(shipped.folder("bots") / "python" / "kit", folder, dirs_exist_ok=True)
        for file, text in mistake.files.items():
            (folder / file).write_text(text, newline="")
        if executable := mistake.files.get("x"):
            (folder / executable).chmod(0o755)
        (folder / "bot.toml").write_text(f'name = "x"\nrun = "{mistake.run}"\ngames = ["khiva"]\n')
        given: dict[str, Any] = {
            "games": (get("khiva"),),
            "quick": True,
            "levels": (),
            "trust": True,
        }
        with pytest.MonkeyPatch.context() as patch:
            for wait in ("AFTER_DEADLINE", "AFTER_INPUT") if mistake.stuck else ():
                patch.setattr(talk, wait, 0.1)
            return check(
                RunningCheck(load(str(folder)), SOON, Sandbox(mistake.level), **given),
                name,
                lambda step: None,
            )

    return run


@pytest.mark.parametrize(
    ("name", "level"),
    [pytest.param(name, MISTAKES[name].level, id=name) for name in MISTAKES],
    indirect=["level"],
)
@pytest.mark.usefixtures("level")
def test_a_first_mistake_is_named(name: str, checked: Callable[[str], CheckReport]) -> None:
    mistake = MISTAKES[name]
    failed: list[CheckStep] = [step for step in checked(name).steps if step.status is Status.FAILED]
    assert failed[0].id == mistake.step
    for words in mistake.says:
        assert words in failed[0].hint
    for step in failed:
        assert not [words for words in mistake.not_said if words in step.hint]


@pytest.mark.usefixtures("standard")
def test_a_bare_command_without_its_interpreter_is_told_so(home: Path) -> None:
    """Not that it sees only its own files, which is no cause here."""
    file = home / "bare.pl"
    file.write_text("#!/usr/bin/env no-such-prolog\n")
    file.chmod(0o755)
    given: dict[str, Any] = {"games": (get("khiva"),), "quick": True, "levels": (), "trust": True}
    made = check(
        RunningCheck(load(str(file)), SOON, Sandbox(Level.STANDARD), **given),
        "bare",
        lambda step: None,
    )
    (failed,) = [step for step in made.steps if step.status is Status.FAILED]
    assert failed.hint.startswith(
        sentence("check", "program-not-machine", name="no-such-prolog")
        + "; "
        + sentence("check", "install-where-bots-can")
    )
