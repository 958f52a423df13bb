"""Makes the generated parts of protocol/SPEC.md and protocol/README.md: the state
diagram and table of a session, from the arena's own transitions, and which vectors hold
which rule. ``python tests/bots/protocol/make_frames.py --write`` writes them.
"""

import json
from fnmatch import fnmatchcase
from pathlib import Path

from draw_session import drawing
from golden import ROOT, VECTORS

from khiva_arena.bots.protocol.session import TRANSITIONS

DRAWING = ROOT / "protocol" / "session.svg"
SPEC, README = ROOT / "protocol" / "SPEC.md", ROOT / "protocol" / "README.md"

RULES: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "1",
        "nothing but frames on stdout; flushed; exit at the end of input",
        {"c": "match no-end nothing hello-only ends-in-*", "t": "crash"},
    ),
    (
        "2",
        "the length: 32 bits, big-endian, of only the payload",
        {"f": "act-plain frame-*-bytes frame-little-endian"},
    ),
    (
        "2",
        "1 to 65,536 bytes to the arbiter",
        {
            "f": "frame-65536-bytes frame-empty frame-too-long frame-16-mib",
            "s": "*empty-frame* too-long-frame",
        },
    ),
    (
        "2",
        "1 to 1,048,576 bytes to a bot; a bot that refuses a length ends",
        {"f": "bot-decide-66000-bytes", "c": "empty-frame too-long-frame 4-gib-frame"},
    ),
    (
        "2",
        "the first byte is 0",
        {"f": "frame-4-gib frame-text frame-*lf-first frame-json", "s": "text* banner*"},
    ),
    (
        "2",
        "pieces of any size",
        {"f": "frame-*-cut-short", "s": "*-in-pieces *half-an-answer", "t": "trickle"},
    ),
    (
        "3",
        "exactly one map",
        {
            "f": (
                "profile-not-* profile-only-* profile-empty-map profile-never-* profile-cut-* "
                "profile-*-too-long profile-trail*"
            ),
            "s": "not-a-map",
        },
    ),
    (
        "3",
        "unknown fields, too",
        {"f": "profile-bin16 profile-ext8 profile-inner-* profile-timestamp"},
    ),
    ("3.1", "keys are strings", {"f": "profile-*-key act-empty-key profile-nested-in-a-key"}),
    (
        "3.2",
        "no bin, no extension type, no float",
        {
            "f": (
                "profile-bin* profile-ext* profile-timestamp *-float* act-choice-nan "
                "act-choice-infinity hello-name-bin"
            ),
            "s": "float late-act-with-a-float",
        },
    ),
    (
        "3.3",
        "integers of 53 bits; a boolean is none",
        {
            "f": (
                "act-choice-int-* *-2-53 act-choice-2-64 profile-inner-integer* *-bool "
                "bot-decide-req-most bot-decide-negative"
            ),
            "c": "req-most",
        },
    ),
    ("3.4", "UTF-8", {"f": "profile-utf8-* act-last-code-point"}),
    ("3.5", "16 levels", {"f": "*-nested-*"}),
    (
        "3.6",
        "every encoding",
        {
            "f": (
                "act-map* act-str* act-choice-uint* act-choice-int[1-8]* act-array* "
                "act-inner-map32 bot-decide-wide*"
            )
        },
    ),
    (
        "3.6",
        "bytes 0, 10 and 13 anywhere",
        {"f": "act-choice-0 act-choice-1? frame-2*-bytes bot-decide-control-bytes"},
    ),
    (
        "3.7",
        "order and repetition of keys",
        {"f": "act-keys-shuffled act-duplicate-* bot-decide-shuffled"},
    ),
    (
        "4",
        "a string `type`",
        {
            "f": "*-missing-type *-wrong-type *-unknown-type act-type-*",
            "s": "*unknown-message act-for-a-hello second-hello",
        },
    ),
    (
        "4",
        "required fields and their kinds",
        {
            "f": (
                "act-missing-* act-choice-nil act-choice-string act-choice-array act-req-* "
                "hello-missing-*"
            ),
            "s": "no-name",
        },
    ),
    (
        "4",
        "unknown fields are ignored",
        {
            "f": "act-unknown-* hello-unknown-fields bot-hello-later-arbiter bot-decide-unknown-*",
            "s": "*-fields",
            "c": "later-arbiter",
        },
    ),
    (
        "4",
        "unknown messages are ignored, and not answered",
        {"f": "bot-unknown-*", "c": "unknown-message unknown-kind-and-event"},
    ),
    ("4", "the arbiter's messages", {"f": "bot-*", "c": "match many-choices req-gaps"}),
    ("4", "`fault` is not answered", {"f": "bot-fault*", "c": "fault"}),
    (
        "4",
        "the bot's hello: proto, name, version, caps",
        {"f": "hello-*", "s": "hello* wrong-proto", "c": "no-common-protocol"},
    ),
    (
        "4",
        "the act: whether its choice is legal is the game's to say",
        {"f": "act-choice-negative act-choice-int-most", "s": "choice-*", "t": "three_strikes"},
    ),
    ("5", "one request, one answer", {"s": "answer two-answers", "t": "clean"}),
    (
        "5",
        "LATE, DROPPED: late and second acts",
        {
            "s": "late-act* second-act act-for-the-request-before",
            "t": "late_answer_dropped waited_for_again",
        },
    ),
    ("5", "flooded behind 16", {"s": "1?-dropped*", "t": "flooded"}),
    (
        "5",
        "an act for a req that was not asked",
        {
            "s": "req-* act-b* next-answer-* answer-before-it-is-asked",
            "t": "answer_before_it_is_asked",
        },
    ),
    (
        "5",
        "BREACH in GREETING is start_failed",
        {
            "s": "banner* wrong-proto no-name act-for-a-hello empty-frame-for-a-hello",
            "t": "start_failed*",
        },
    ),
    (
        "5",
        "a breach behind what is awaited",
        {
            "s": "breach-behind-* answer-behind-* nothing-behind-a-breach",
            "t": "breach_behind_an_answer",
        },
    ),
    ("5", "END", {"f": "bot-end*", "s": "end*", "c": "match hello-only"}),
    (
        "5",
        "simultaneous decisions are sealed; broken framing ends a bot at once",
        {"t": "sealed broken_framing waited_for_again"},
    ),
    ("6", "start, turn and bank", {"t": "bank late_answer_dropped trickle start_failed_twice"}),
    (
        "7",
        "strikes and forfeits, lenient and strict; ranks",
        {"t": "three_strikes strict crash forfeits_tie start_failed_twice"},
    ),
    (
        "8",
        "capabilities are offered, and need not be taken up",
        {"c": "spent-offered later-arbiter"},
    ),
)
"""Section, rule, and patterns of names: f for frames, s for sessions, c for
conversations, t for transcripts.
"""
KINDS = {"f": "frames", "s": "sessions", "c": "conversations", "t": "transcripts"}


def names() -> dict[str, list[str]]:
    """The names of all vectors, by the letters of ``KINDS``."""
    frames = json.loads((VECTORS / "frames.json").read_text())
    found = {"f": [vector["name"] for vector in frames]}
    for letter, kind in (("s", "sessions"), ("c", "conversations")):
        found[letter] = [
            each["name"] for each in json.loads((VECTORS / f"{kind}.json").read_text())[kind]
        ]
    return found | {"t": sorted(path.stem for path in (VECTORS / "transcripts").iterdir())}


def held(patterns: str, among: list[str]) -> list[str]:
    """The names that some pattern fits."""
    return [
        name for name in among if any(fnmatchcase(name, pattern) for pattern in patterns.split())
    ]


def rule_table() -> str:
    """A row for each rule: section, rule, the patterns of its vectors."""
    rows = ["| section | rule | vectors |", "|---|---|---|"]
    for section, rule, patterns in RULES:
        cells = [
            f"{KINDS[letter]}: " + ", ".join(f"`{pattern}`" for pattern in these.split())
            for letter, these in patterns.items()
        ]
        rows.append(f"| {section} | {rule} | {'; '.join(cells)} |")
    return "\n".join(rows)


def diagram() -> str:
    """The session's transitions as a diagram and as a table."""
    rows = ["| phase | steps and the phase they lead to |", "|---|---|"]
    for phase, steps in TRANSITIONS.items():
        named = ", ".join(f"{step.name} to {after.name}" for step, after in steps.items())
        rows.append(f"| {phase.name} | {named or 'none'} |")
    return f"![The phases of a session and the steps between them]({DRAWING.name})\n\n" + "\n".join(
        rows
    )


def put(path: Path, part: str, text: str) -> str:
    """The page with a generated part made again, between its two marks."""
    begin, end = f"<!-- generated: {part} -->\n\n", f"\n\n<!-- end of {part} -->"
    page = path.read_text("utf-8")
    if page.count(begin) != 1 or page.count(end) != 1:
        raise LookupError(f"{path} has no marks for {part}")
    return page.split(begin)[0] + begin + text + end + page.split(end)[1]


def files() -> dict[Path, str]:
    """What this module makes."""
    return {
        DRAWING: drawing(),
        SPEC: put(SPEC, "session", diagram()),
        README: put(README, "rules", rule_table()),
    }
