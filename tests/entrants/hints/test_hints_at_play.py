"""The trap that a failure at play is taken for: a bad choice, strange bytes, an end by
a signal.
"""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import msgpack
import pytest
from cases import cases
from hinted import bot, failed
from msgspec.structs import replace
from tools import need_language
from wording import sentence

from khiva_arena.bots.protocol.codec import plain_value
from khiva_arena.common import shipped
from khiva_arena.common.manual import where
from khiva_arena.competition.conformance.check_plan import FRAMES
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.hint import hint
from khiva_arena.entrants.runtimes import Interpreted
from khiva_arena.errors import RemoteProtocolError

ACT = msgpack.packb({"type": "act", "req": 2570, "choice": 5})


FRAME = len(ACT).to_bytes(4, "big") + ACT


@pytest.mark.parametrize(
    ("language", "notes"),
    [
        (
            "python",
            "    choice = operator.index(choose(message, match))\n             ^^^^^^^\n"
            "TypeError: 'list' object cannot be interpreted as an integer",
        ),
        (
            "python",
            (
                "    choice = operator.index(choose(message, match))\nTypeError: 'float' "
                "object cannot be interpreted as an integer"
            ),
        ),
        ("python", "TypeError: choose returned [0, 1], want an index into legal"),
        (
            "javascript",
            "TypeError: choose returned [0,1], want an index into legal\n    at Object.play",
        ),
        (
            "javascript",
            "TypeError: choose returned 0,1 (object), no whole number\n    at Object.play",
        ),
        ("typescript", "TypeError: choose returned 1.5 (number), no whole number"),
        (
            "ruby",
            "khiva_kit.rb:36:in `play': choose gave [0, 1], "
            + sentence("settings", "not-whole-number")
            + " (TypeError)",
        ),
        (
            "php",
            (
                "Uncaught TypeError: choose gave array (\n  0 => 0,\n  1 => 1,\n), not an int; "
                "intdiv() gives one in k.php:40"
            ),
        ),
        (
            "php",
            "Uncaught TypeError: {closure}(): Return value must be of type int, float "
            "returned in main.php:10\nStack trace:\n"
            "#0 khiva_kit.php(38): {closure}()",
        ),
        (
            "perl",
            "choose gave ARRAY(0x5653ac618b60), "
            + sentence("settings", "not-whole-number")
            + "; int() makes one",
        ),
        (
            "lua",
            (
                "lua5.4: ./khiva_kit.lua:114: choose gave 1.5, not an integer; // divides "
                "without a fraction"
            ),
        ),
    ],
)
def test_a_choice_that_is_no_index_is_told_as_the_kit_tells_it(language: str, notes: str) -> None:
    text = hint(
        bot(language),
        failed("its " + sentence("check", "output-ended-exited-code") + " 1", notes=notes),
    )
    assert text.startswith(sentence("check", "choose-returns-index-into") + "; ")


ENTRIES = {
    "python": (
        "python3",
        "main.py",
        'from khiva_kit import play\nplay("x", lambda d, m: d["legal"][0])',
    ),
    "javascript": (
        "node",
        "main.js",
        'require("./khiva_kit.js").play("x", (d, m) => d.legal[0], "1")',
    ),
    "ruby": (
        "ruby",
        "main.rb",
        'require_relative "khiva_kit"\nKhiva.play("x") { |d, m| d["legal"][0] }',
    ),
    "php": (
        "php",
        "main.php",
        (
            '<?php require "khiva_kit.php"; Khiva\\play("x", fn (array $d, array $m) => '
            '$d["legal"][0]);'
        ),
    ),
    "perl": (
        "perl",
        "main.pl",
        'use lib "."; use KhivaKit; KhivaKit::play("x", sub { return $_[0]{legal}[0] });',
    ),
    "lua": (
        "lua5.4",
        "main.lua",
        'require("khiva_kit").play("x", function(d, m) return d.legal[1] end)',
    ),
}


@pytest.mark.language
@pytest.mark.parametrize("language", ENTRIES)
def test_each_kits_own_words_for_a_bad_choice_are_known(language: str, tmp_path: Path) -> None:
    tool, name, text = ENTRIES[language]
    need_language(language)
    shutil.copytree(shipped.languages()[language].folder / "kit", tmp_path, dirs_exist_ok=True)
    (tmp_path / name).write_text(text)
    vectors = json.loads((shipped.folder("protocol") / "vectors" / "frames.json").read_text())
    sent = {
        vector["message"]: vector["hex"]
        for vector in reversed(vectors)
        if vector["direction"] == "to_bot"
    }
    frames = [sent["hello"], sent["decide"]]
    program = sys.executable if language == "python" else tool
    done = subprocess.run(
        [program, name],
        cwd=tmp_path,
        input=bytes.fromhex("".join(frames)),
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0
    notes = (done.stderr + done.stdout).decode(
        errors="replace"
    )  # php's own settings may show errors on stdout
    assert "choose returned [0, 1, 2, 3], want an index into legal" in notes.replace(
        "[0,1,2,3]", "[0, 1, 2, 3]"
    )
    assert hint(bot(language), failed("its output ended", notes=notes)).startswith(
        sentence("check", "choose-returns-index-into-2")
    )


@pytest.mark.parametrize(
    ("language", "signal", "said"),
    [
        (
            "c",
            "SIGSEGV",
            ("null pointer", "-g", "khiva-arena replay --bot c games 1/0 --wait", "gdb -p"),
        ),
        ("rust", "SIGABRT", ("assertion", "gdb -p")),
        ("python", "SIGSEGV", ("null pointer", "-X faulthandler")),
    ],
)
def test_a_signal_of_the_programs_own_mistake_names_a_debugger(
    language: str, signal: str, said: tuple[str, ...]
) -> None:
    text = hint(bot(language), failed(f"ended: was ended by {signal}"), FRAMES, plain=True)
    assert text.startswith(f"{signal}: ")
    assert [word for word in said if word not in text] == []
    assert FRAMES not in text


def test_other_type_errors_are_not_taken_for_a_bad_choice() -> None:
    inside = (
        "    choice = operator.index(choose(message, match))\n             ^^^^^^\n"
        '  File "main.py", line 3, in choose\n    for i in range(1.5):\n'
        "TypeError: 'float' object cannot be interpreted as an integer"
    )
    other = (
        "TypeError: f(): Return value must be of type int, float returned in main.php:3\nStack "
        "trace:\n#0 main.php(9): f()"
    )
    for language, notes in (("python", inside), ("php", other)):
        assert (
            hint(bot(language), failed("its output ended", notes=notes), "otherwise") == "otherwise"
        )


@cases(
    "notes",
    [
        "FileNotFoundError: [Errno 2] No such file or directory: '/root/weights'",
        "PermissionError: [Errno 13] Permission denied: '/root/weights'",
        "Error: ENOENT: no such file or directory, open '/root/weights'",
        (
            "main.rb:1:in `read': No such file or directory @ rb_sysopen - /root/weights "
            "(Errno::ENOENT)"
        ),
        (
            "Warning: file_get_contents(/root/weights): Failed to open stream: No such file or "
            "directory in main.php on line 1"
        ),
        "/root/weights: No such file or directory at main.pl line 1.",
        "lua5.4: cannot open /root/weights: No such file or directory",
        "java.io.FileNotFoundException: /root/weights (No such file or directory)",
        'Exception in thread "main" java.nio.file.NoSuchFileException: /root/weights',
        'System.IO.FileNotFoundException: Could not find file "/root/weights"',
        "bot: /root/weights: openFile: does not exist (No such file or directory)",
        'Exception: Sys_error "/root/weights: No such file or directory".',
        "Error: unhandled exception: cannot open: /root/weights [IOError]",
    ],
)
def test_a_file_outside_of_the_folder_is_named_in_each_languages_words(notes: str) -> None:
    ended = failed(
        "its " + sentence("check", "output-ended-exited-code") + " 1", notes=f"trace\n{notes}\n"
    )
    assert hint(bot("c"), ended) == ("/root/weights: " + sentence("check", "bot-sees-own-folder"))
    assert hint(bot("c"), ended, "otherwise", confined=False) == "otherwise"


@pytest.mark.parametrize(
    "notes",
    [
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/weights'",
        "data/weights: No such file or directory",
        "PermissionError: [Errno 13] Permission denied: '/proc/1/mem'",
        "/usr/share/x: No such file or directory",
        "loaded /root/weights",
    ],
)
def test_other_files_are_not_said_to_be_outside(notes: str) -> None:
    assert hint(bot("c"), failed("its output ended", notes=notes), "otherwise") == "otherwise"


@pytest.mark.parametrize(
    ("received", "said"),
    [
        (FRAME.replace(b"\n", b"\r\n"), "text mode"),
        (ACT, "without a length"),
        (len(ACT).to_bytes(4, "little") + ACT, "little-endian"),
        (b'{"type":"act"}\n', sentence("check", "json-another-protocol-frame")),
        (b'\0\0\0\x0e{"type":"act"}', sentence("check", "frame-holds-json-payload")),
        (b"Hello, I am a bot\n", sentence("check", "text-printed-stdout")),
        (FRAME + b"debug: 17\n" + FRAME, sentence("check", "text-printed-stdout")),
    ],
)
def test_bytes_tell_their_own_trap(received: bytes, said: str) -> None:
    assert said in hint(bot("perl"), failed("no frame", received=received))


@pytest.mark.parametrize(
    "received",
    [b"", FRAME, FRAME * 3, FRAME[:-4], b"\0\0", b"\xff\xff\xff\xff", b"\xff\xfe\x01", bytes(40)],
)
def test_no_trap_is_made_up(received: bytes) -> None:
    assert (
        hint(bot("perl"), failed("nothing within 11 s", received=received), "otherwise")
        == "otherwise"
    )


@cases(
    ("language", "got", "said"),
    [
        ("perl", "binary data at $.type; send a string", "->utf8"),
        (
            "lua",
            "act: a float at $.choice; " + sentence("protocol", "send-whole-number-integer"),
            "math.tointeger",
        ),
        (
            "php",
            "act: a float at $.choice; " + sentence("protocol", "send-whole-number-integer"),
            "intdiv",
        ),
        (
            "lua",
            "hello: Expected `array`, got `object` - at `$.caps`",
            sentence("check", "table-anything-n-keys"),
        ),
        ("perl", "act: Expected `int`, got `str` - at `$.req`", "0 + $x"),
        ("php", "hello: Expected `int`, got `str` - at `$.proto`", "(int) $x"),
        (
            "javascript",
            "act: Expected `int`, got `str` - at `$.choice`",
            "Number(x); " + sentence("check", "answer-index-into-legal"),
        ),
        ("lua", "act: Expected `int`, got `str` - at `$.choice`", "math.tointeger(x)"),
        (
            "",
            "act: Expected `int`, got `str` - at `$.req`",
            "make it an integer before you pack it",
        ),
        ("cpp", "binary data at $.type; send a string", "std::string, not std::vector<char>"),
        ("c", "nothing within 2 s; it came after 2.50 s: too late", "aim at turn_ms less"),
        (
            "c",
            "nothing within 1.4 s "
            + sentence("check", "turn-s-slow-decisions", left="0.4", bank="10"),
            "aim at turn_ms",
        ),
        (
            "go",
            sentence(
                "check", "once-input-ended", text="nothing within 11 s", value="1 whole frame"
            ),
            "bufio.Writer",
        ),
        (
            "c",
            sentence(
                "check", "once-input-ended", text="nothing within 11 s", value="1 whole frame"
            ),
            "fflush(stdout)",
        ),
        (
            "",
            sentence(
                "check", "once-input-ended", text="nothing within 11 s", value="1 whole frame"
            ),
            "flush after each frame",
        ),
    ],
)
def test_what_the_arbiter_says_gets_the_languages_own_advice(
    language: str, got: str, said: str
) -> None:
    assert said in hint(bot(language), failed(got))


@pytest.mark.parametrize(
    ("run", "got", "notes", "said"),
    [
        (
            "escript bot.escript",
            sentence("check", "output-ended") + " was ended by SIGBUS",
            "",
            (
                "SIGBUS: it used memory that is mapped from a file that has no room left: of "
                "/dev/shm a bot has 24 MiB (none at isolation basic), of scratch what --limit "
                "scratch= says; keep to private memory"
            ),
        ),
        (
            "sbcl --script bot.lisp",
            "its " + sentence("check", "output-ended-exited-code") + " 1",
            (
                "os_alloc_gc_space(1,0x1000000000,17179869184) failed with ENOMEM\nCan't "
                "allocate 0x40000000"
            ),
            "--dynamic-space-size",
        ),
        (
            "java -Xms9g -jar bot.jar",
            "its " + sentence("check", "output-ended-exited-code") + " 1",
            (
                "Error occurred during initialization of VM\nCould not reserve enough space "
                "for object heap"
            ),
            "java -Xmx512m",
        ),
        ("./bot", "memory: 1.2 GiB of 1 GiB (was ended by SIGKILL)", "", "a smaller heap"),
        (
            "Rscript bot.R",
            "its " + sentence("check", "output-ended-exited-code") + " 1",
            "cannot open file '/etc/R/Rprofile': No such file or directory",
            sentence("check", "etc-bot-sees-only", path="/etc/R/Rprofile"),
        ),
        (
            "racket bot.rkt",
            "its " + sentence("check", "output-ended-exited-code") + " 1",
            "file-or-directory-modify-seconds: error getting file time\n  path: "
            "/etc/x/y.rktd\nsystem error: Permission denied "
            "/etc/x/y.rktd",
            sentence("check", "etc-bot-sees-only", path="/etc/x/y.rktd"),
        ),
    ],
)
def test_what_the_sandbox_has_to_do_with_an_end_is_said(
    run: str, got: str, notes: str, said: str
) -> None:
    made = Bot("mine", "", tuple(shlex.split(run)), (), (), "", True, (), "mine")
    assert said in hint(made, failed(got, notes=notes), "otherwise")
    assert where("sandbox") in hint(made, failed(got, notes=notes), "otherwise")
    assert hint(made, failed(got, notes=notes), "otherwise", confined=False) == "otherwise"


def test_a_bot_that_plays_on_is_not_told_of_the_sandbox() -> None:
    for notes in ("MemoryError, and on we go", "cannot open /etc/hosts: No such file or directory"):
        assert (
            hint(
                bot("c"),
                failed(sentence("env", "no-whole-number", action="choice: 7"), notes=notes),
                "otherwise",
            )
            == "otherwise"
        )


@pytest.mark.parametrize(
    ("made", "got", "said"),
    [
        (
            Bot("x", "", ("main.py",), (), (), "", True, (("main.py", Path("main.py")),), "x"),
            sentence("check", "output-ended") + " cannot be started: no such program: main.py",
            'run = "{python} main.py"',
        ),
        (
            Bot("x", "", ("bot.sh",), (), (), "", True, (("bot.sh", Path("bot.sh")),), "x"),
            sentence("check", "output-ended") + " cannot be started: no such program: bot.sh",
            'run = "./bot.sh"',
        ),
        (
            Bot("x", "", ("/usr/bin/python3",), (), (), "", False, (), "python3"),
            "nothing within 10 s",
            "'python3 FILE'",
        ),
        (
            Bot("x", "", ("/usr/bin/node",), (), (), "", False, (), "node"),
            "its " + sentence("check", "output-ended-exited-code") + " 1",
            "'node FILE'",
        ),
    ],
)
def test_a_run_line_of_one_word_is_told(made: Bot, got: str, said: str) -> None:
    assert said in hint(made, failed(got, notes="SyntaxError"))


IN_TICKS = tuple(
    (name, Path(name))
    for name in ("main.py", "os.py", "queue.py", "tokenize/rules.txt", "parts/one.py")
)


OTHERS = IN_TICKS[::2]
"""Files none of which hides a module that the interpreter needs."""


MORE = sentence("check", "more-memory", maximum="64") + "; "


UNSHOWN = "python: an error that cannot be shown\n"


@pytest.mark.parametrize(
    ("files", "memory", "notes", "said"),
    [
        (
            IN_TICKS,
            16,
            UNSHOWN,
            sentence("check", "hides-the-library", files="os.py, tokenize/rules.txt"),
        ),
        (OTHERS, 16, UNSHOWN, sentence("check", "perhaps-unshown", memory="16", more=MORE)),
        (IN_TICKS, 16, "", sentence("check", "perhaps-silent", memory="16", more=MORE)),
        (OTHERS, 64, "", sentence("check", "perhaps-silent", memory="64", more="")),
        (
            IN_TICKS,
            16,
            "MemoryError\n",
            sentence("check", "memory-is-used-up", memory="16", more=MORE),
        ),
        (IN_TICKS, 16, "Traceback (most recent call last):\nValueError\n", ""),
    ],
    ids=["an own os.py", "unshown", "silent, an own os.py", "silent", "no memory", "another error"],
)
def test_an_interpreter_that_cannot_tell_the_error_is_helped(
    files: tuple[tuple[str, Path], ...], memory: int, notes: str, said: str
) -> None:
    by = Interpreted("python", "main.py", memory)
    ended = "its " + sentence("check", "output-ended-exited-code") + " 1"
    in_ticks = Bot("x", "", by.words, (), (), "", True, files, "x", interpreted=by)
    found = hint(in_ticks, failed(ended, notes=notes), "otherwise")
    assert found == (said or "otherwise")
    below = replace(
        in_ticks,
        interpreted=(by_below := Interpreted("python", "src/main.py", memory)),
        run=by_below.words,
    )
    assert "os.py" not in hint(below, failed(ended, notes=notes)), (
        "it lies elsewhere than the file that is run"
    )
    assert (
        hint(replace(in_ticks, run=("python3", "main.py")), failed(ended, notes=notes), "otherwise")
        != found
        or not said
    )


def test_what_a_step_itself_explains_is_left_to_it() -> None:
    for got in (
        sentence("check", "answer-req") + " 7: {}",
        "its " + sentence("check", "output-ended-exited-code") + " 0",
        "nothing; " + sentence("sandbox", "stopped-signal"),
    ):
        assert hint(bot("c"), failed(got), "otherwise") == "otherwise"
        assert hint(bot("c"), failed(got), "otherwise", plain=True) != "otherwise"


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (b"\xc1", sentence("protocol", "byte-xc-none-begins")),
        (b"\x92\x00", "its end is missing"),
        (b"\x80\x00\x00", "2 bytes more behind it"),
        (b"\xa2\xff\xfe", sentence("protocol", "string-not-utf")),
        (b"\x91" * 2_000 + b"\xc0", "arrays and maps are nested too deep"),
        (b"\xdd\xff\xff\xff\xff", "it claims more entries or bytes than its frame has"),
    ],
)
def test_what_is_no_msgpack_is_said_in_words(payload: bytes, said: str) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        plain_value(payload)
    assert caught.value.detail == sentence("protocol", "not-whole-msgpack-value") + f": {said}"
