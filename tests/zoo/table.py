"""What is to become of each row of the zoo: its number in the table of misbehaviour in
protocol/SPEC.md ("+" for those beyond it), its name in bots/broken, and the verdict.
Policy is strict, so that the first fault counts, unless a row says which strikes go
before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wording import sentence

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.result import Verdict

OK, TIMEOUT, ILLEGAL, PROTOCOL = Verdict.OK, Verdict.TIMEOUT, Verdict.ILLEGAL, Verdict.PROTOCOL
CRASHED, FLOODED, RESOURCE, START_FAILED = (
    Verdict.CRASHED,
    Verdict.FLOODED,
    Verdict.RESOURCE,
    Verdict.START_FAILED,
)
WRAPPED = (Level.STRICT, Level.STANDARD)
WALLED = (*WRAPPED, Level.BASIC)
EVERYWHERE = tuple(Level)
SHORT_START = {"startup_ms": 1_000}
TURN = {"turn_ms": 1_000}
LONG_TURN = {"turn_ms": 10_000}
BUSY_TURN = {"turn_ms": 50_000}
BANK = {"bank_ms": 600}
Expected = tuple[Verdict, str]


@dataclass(frozen=True)
class Row:
    """``detail``: a regular expression that the fault's detail matches. ``strikes``:
    faults that cost no more than a strike, under the lenient policy. ``deadline``: the
    one it runs into, startup or turn. ``levels``: verdict and detail where they
    differ. ``blocked``: for an attack, the levels that must hold it. ``notes``: what is
    found on stderr. ``covered_by``: the test that stands for a row which no bot can
    play. ``cpu``: the limit of CPU time, in seconds: so much that no row reaches it
    before its deadline on a busy machine.
    """

    number: str
    name: str
    verdict: Verdict = OK
    detail: str = ""
    strikes: tuple[Verdict, ...] = ()
    deadline: str = ""
    time: Mapping[str, int] = field(default_factory=dict)
    levels: Mapping[Level, Expected] = field(default_factory=dict)
    blocked: tuple[Level, ...] | None = None
    notes: str = ""
    covered_by: tuple[str, ...] = ()
    cpu: int = 60

    def expected(self, level: Level) -> Expected:
        """Verdict and detail at a level."""
        return self.levels.get(level, (self.verdict, self.detail))


def at(levels: tuple[Level, ...], verdict: Verdict, detail: str = "") -> dict[Level, Expected]:
    """An expectation of some levels."""
    return dict.fromkeys(levels, (verdict, detail))


def start(number: str, name: str, detail: str, deadline: str = "", **more: object) -> Row:
    """A row that does not come to its first decision."""
    return Row(number, name, START_FAILED, detail, deadline=deadline, **more)  # type: ignore[arg-type]


def late(number: str, name: str, detail: str = "^no answer came", **more: object) -> Row:
    """A row that runs into its turn's deadline."""
    return Row(number, name, TIMEOUT, detail, deadline="turn", **more)  # type: ignore[arg-type]


def breach(number: str, name: str, detail: str) -> Row:
    """A row that breaks the protocol."""
    return Row(number, name, PROTOCOL, detail)


def attack(number: str, name: str, blocked: tuple[Level, ...] = WALLED) -> Row:
    """A row that tries something that is no fault, and gets it nowhere but where its
    bots are trusted.
    """
    return Row(number, name, blocked=blocked)


def exceeds(number: str, name: str, what: str, **more: object) -> Row:
    """A row that takes more than it is given."""
    return Row(number, name, RESOURCE, f"^{what}: ", **{"time": LONG_TURN} | more)  # type: ignore[arg-type]


ROWS = (
    # the start
    start("1", "start-deaf", "timeout: no answer came", "startup", time=SHORT_START),
    late("1", "start-greets-deaf"),
    late("2", "deaf"),
    Row("2", "deaf", TIMEOUT, "^no answer came", strikes=(TIMEOUT, TIMEOUT)),
    start("3", "start-slow", "timeout: no answer came", "startup", time=SHORT_START),
    start("4", "start-banner", "b'Hello! I am the best bot there is"),
    breach("4", "print", r"b'thinking hard\\n.* belongs on stderr"),
    breach("4", "print-behind", "b'that was easy"),
    start("5", "start-exit", "crashed: exited with code 1", notes="cannot find my weights"),
    breach("6", "line-ends", "text mode"),
    Row("7", "print-buffered"),
    breach("7", "print-8k", "b'thinking hard"),
    late("8", "no-flush"),
    late("8", "silent-once"),
    # ends
    Row("9", "exit-0", CRASHED, "^exited with code 0$"),
    Row("9", "exit-3", CRASHED, "^exited with code 3$"),
    Row("9", "exit-between", CRASHED, "^exited with code 0$"),
    Row("10", "segfault", CRASHED, "^was ended by SIGSEGV$"),
    Row("10", "kills-itself", CRASHED, "^was ended by SIGKILL$"),
    Row(
        "11",
        "exception",
        CRASHED,
        "^exited with code 1$",
        notes="RuntimeError: no idea what to play",
    ),
    # frames
    late("12", "half-frame", sentence("arbiter", "bytes-frame-came", partial="^5")),
    late("13", "half-length", sentence("arbiter", "bytes-frame-came", partial="^2")),
    late("14", "trickle", sentence("arbiter", "bytes-frame-came", partial="^[0-9]+")),
    Row("14", "single-bytes"),
    breach("15", "length-4g", r"b'\\xff\\xff\\xff\\xff'"),
    breach("16", "length-16m", "^a frame of 16777215 bytes"),
    breach("17", "length-0", "^a frame of 0 bytes"),
    Row("17", "frame-65536"),
    breach("17", "frame-65537", "^a frame of 65537 bytes"),
    # payloads
    breach("18", "array-bomb", sentence("protocol", "not-whole-msgpack-value") + "|levels"),
    Row("18", "depth-16"),
    breach("18", "depth-17", "more than 16 levels"),
    breach("19", "array-claim", sentence("protocol", "not-whole-msgpack-value")),
    breach("19", "map-claim", sentence("protocol", "not-whole-msgpack-value")),
    breach("20", "header-bomb", sentence("protocol", "not-whole-msgpack-value")),
    breach("21", "bad-utf8", sentence("protocol", "not-whole-msgpack-value")),
    breach("21", "surrogate", sentence("protocol", "not-whole-msgpack-value")),
    breach("22", "float", r"a float at \$\.extra"),
    breach("22", "choice-float", r"a float at \$\.choice"),
    breach("22", "nan", "a float"),
    breach("22", "infinity", "a float"),
    breach("23", "big-integer", r"\$\.choice is beyond"),
    breach("23", "integer-54-bits", r"\$\.extra is beyond"),
    breach("24", "extension", r"extension type at \$\.extra"),
    breach("24", "timestamp", r"extension type at \$\.extra"),
    breach("25", "binary", r"binary data at \$\.type"),
    breach("25", "binary-keys", "binary data as a key"),
    breach("25", "integer-keys", "an int as a key"),
    Row("26", "duplicate-keys"),
    Row("27", "unknown-fields"),
    breach("28", "trailing", sentence("protocol", "not-whole-msgpack-value")),
    breach("28", "two-maps", sentence("protocol", "not-whole-msgpack-value")),
    breach("+", "not-a-map", "holds an array, not a map"),
    breach("+", "empty-map", "type None"),
    breach("+", "unknown-type", "type 'resign'"),
    breach("+", "random-bytes", sentence("protocol", "not-whole-msgpack-value")),
    # too much, too late, too early
    Row("29", "answers-twice"),
    Row("29", "answers-20-times", FLOODED, "more than 16 acts"),
    late("30", "answers-older"),
    Row("30", "late", strikes=(TIMEOUT,), deadline="turn"),
    late("30", "late"),
    breach("31", "answers-future", sentence("protocol", "not-asked")),
    breach("32", "answers-early", sentence("protocol", "not-asked")),
    breach("33", "flood-garbage", r"b'\\xfe\\x01garbage"),
    breach("33", "flood-zeros", "a frame of 0 bytes"),
    Row("33", "flood-acts", FLOODED, "more than 16 acts"),
    Row("33", "flood-frame", PROTOCOL, "not a map|not one whole"),
    breach("34", "flood-line", "b'xxxx"),
    late("35", "notes-flood", notes="bytes dropped"),
    Row("35", "notes-300k", notes="bytes dropped"),
    Row("35", "notes-after-end", notes="DONE$"),
    Row("35", "notes-escapes", notes=r"\\x1b\[2J\\x1b\]0;owned\\x07\\xff plain\n$"),
    # pipes, and what is left behind
    Row(
        "36",
        "closes-stdout",
        CRASHED,
        "^" + sentence("arbiter", "closed-output-lives") + "$",
        levels=at(
            WRAPPED, TIMEOUT, "^no answer came; " + sentence("sandbox", "closed-output") + "$"
        ),
    ),
    late("37", "closes-stdin"),
    Row("38", "daemon", CRASHED, "^exited with code 0$"),
    Row("38", "daemon-stderr", CRASHED, "^exited with code 0$"),
    Row("38", "daemon-nameless", CRASHED, "^exited with code 0$"),
    Row("38", "daemon-plays-on"),
    Row(
        "39",
        "daemon-stdout",
        CRASHED,
        sentence("arbiter", "left-process-behind"),
        levels=at(WRAPPED, CRASHED, "^exited with code 0$"),
    ),
    start(
        "39",
        "start-daemon",
        sentence("arbiter", "left-process-behind"),
        levels=at(WRAPPED, START_FAILED, "exited with code 0"),
        time=SHORT_START,
    ),
    Row("39", "child-answers", CRASHED, "^exited with code 0$"),
    Row("40", "ignores-signals"),
    Row("40", "never-exits"),
    late("41", "stops-itself"),
    late("41", "stops-group"),
    late("41", "stutters", levels=at((Level.TRUSTED,), OK)),
    # crowds and limits
    exceeds("42", "fork-bomb", "processes", time=TURN),
    exceeds("42", "children-64", "processes", time=TURN),
    Row("42", "short-lives", time=LONG_TURN),
    Row("43", "zombies", time=LONG_TURN),
    exceeds("44", "threads-500", "processes"),
    exceeds("45", "memory", "memory"),
    exceeds("45", "memory-shared", "memory"),
    exceeds("45", "memory-file", "memory"),
    exceeds("45", "memory-children", "memory"),
    exceeds("45", "memory-between", "memory"),
    Row("45", "memory-untouched"),
    Row("45", "memory-inherited", time=LONG_TURN),
    exceeds("46", "fills-scratch", "scratch space"),
    exceeds("46", "fills-scratch-caught", "scratch space", levels=at(WRAPPED, OK)),
    Row("46", "many-files", time=LONG_TURN),
    exceeds("46", "many-files-11k", "scratch space", time=BUSY_TURN),
    exceeds("46", "file-size", "file size"),
    Row("46", "file-size-caught"),
    Row("46", "deep-folders", time=LONG_TURN),
    Row("46", "locked-folder"),
    Row("46", "links-out"),
    Row("46", "odd-names"),
    exceeds("+", "open-files", "open files"),
    Row("+", "open-files-caught"),
    exceeds("+", "raises-limits", "open files"),
    exceeds("+", "cpu", "CPU time", time=BUSY_TURN, cpu=2),
    exceeds("+", "cpu-children", "CPU time", time=BUSY_TURN, cpu=2),
    Row("47", "aborts", CRASHED, "^was ended by SIGABRT$"),
    attack("47", "core-dump"),
    # the network, the others, the arbiter, the run
    attack("48", "net-tcp"),
    attack("48", "net-udp"),
    attack("48", "net-unix"),
    attack("48", "net-abstract"),
    attack("48", "net-vsock"),
    attack("48", "net-netlink"),
    attack("48", "net-packet"),
    attack("49", "others-seen"),
    attack("49", "others-environment"),
    attack("49", "others-memory"),
    attack("49", "others-stdout"),
    attack("49", "others-stdin"),
    attack("49", "others-signal"),
    attack("49", "others-trace"),
    attack("49", "others-priority"),
    attack("49", "others-limits"),
    attack("49", "others-cores"),
    attack("49", "others-files"),
    attack("49", "arbiter-command"),
    attack("49", "arbiter-environment"),
    attack("49", "arbiter-memory"),
    attack("49", "arbiter-descriptors"),
    attack("49", "arbiter-signal"),
    attack("49", "parent-signal"),
    attack("49", "parents-environment"),
    attack("50", "inherited", EVERYWHERE),
    attack("51", "store-read"),
    attack("51", "store-write"),
    attack("51", "store-list"),
    attack("51", "passwords"),
    attack("51", "own-folder"),
    attack("51", "own-program"),
    attack("51", "elsewhere"),
    attack("51", "leaves-notes"),
    attack("52", "clock"),
    late("52", "faked-clock"),
    # time
    late("53", "spins"),
    Row("53", "spins-between"),
    Row("54", "uses-bank", time=BANK),
    late("54", "thinks-too-long", time=BANK),
    Row("54", "slow"),
    Row("55", "pipe-flags"),
    Row("55", "reads-its-stdout"),
    Row("55", "closes-stderr"),
    Row("56", "listens"),
    Row(
        "57",
        "",
        covered_by=(
            "tests/zoo/test_zoo.py::test_a_host_that_stands_still_is_nobodys_fault",
            "tests/arbiter/test_match_scripted.py::test_lag_of_the_arbiter_is_added_back",
            "tests/arbiter/test_match_scripted.py::test_an_overrun_that_the_host_explains_voids_the_match",
        ),
    ),
    # the conversation
    start("+", "start-flood", "a frame of 0 bytes"),
    start("+", "start-act", '"hello" is expected'),
    Row("+", "start-unasked"),
    breach("+", "start-twice", "type 'hello'"),
    start("+", "start-proto", "proto"),
    start("+", "start-nameless", "name"),
    Row("+", "start-name-64"),
    start("+", "start-name-65", "name"),
    start(
        "+",
        "start-name-escapes",
        sentence("protocol", "blank-unprintable", field="'\\\\x1b\\]0;owned\\\\x07'"),
    ),
    start("+", "start-array", "holds an array"),
    Row("+", "fault-answered", PROTOCOL, "type 'sorry'", strikes=(ILLEGAL,)),
    Row("+", "fault-acted", strikes=(ILLEGAL,)),
    Row("+", "writes-after-end"),
    Row("+", "choice-negative", strikes=(ILLEGAL,)),
    Row("+", "choice-negative", ILLEGAL, "^choice -1 of"),
    Row("+", "choice-beyond", ILLEGAL, "^choice ([0-9]+) of \\1 legal ones$"),
    Row("+", "choice-huge", ILLEGAL, "^choice 9007199254740991 of"),
    breach("+", "choice-text", r"Expected `int`, got `str`"),
    breach("+", "choice-true", r"Expected `int`, got `bool`"),
    breach("+", "choice-entry", r"Expected `int`, got `array`"),
    breach("+", "choice-missing", "missing required field `choice`"),
    # processes
    late("+", "main-thread-ends"),
    late("+", "becomes-sleep"),
    late("+", "shell-chain"),
    # ways for two bots to talk, and powers
    attack("+", "lock-system-file"),
    attack("+", "lock-record"),
    attack("+", "lease"),
    attack("+", "shared-memory"),
    attack("+", "shared-memory-file"),
    attack("+", "keyring"),
    attack("+", "root"),
    attack("+", "new-session"),
    attack("+", "new-namespace"),
    attack("+", "mounts"),
    attack("+", "priority"),
    attack("+", "real-time"),
    attack("+", "disk-priority"),
    attack("+", "locked-memory"),
    attack("+", "io-uring"),
    attack("+", "bpf"),
    attack("+", "counters"),
    attack("+", "terminal", EVERYWHERE),
    attack("+", "load", WRAPPED),
    attack("+", "kernel-log"),
    attack("+", "devices"),
)
TELLING = (
    "deaf",
    "print",
    "segfault",
    "daemon-stdout",
    "flood-zeros",
    "fork-bomb",
    "memory-shared",
    "store-read",
)
"""Played at every level by the test suite; all others at the best one alone."""
