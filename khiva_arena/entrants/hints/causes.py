"""Causes of failures that the bot's silence, its last bytes or its settings show, in
whatever language it is written.
"""

import os
import re
import shlex

from khiva_arena.bots.protocol.codec import HEADER
from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_ARBITER
from khiva_arena.bots.sandbox import silence
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.describe import whole_frames
from khiva_arena.entrants.hints.failed import Failed

AN_INDEX = (
    "the answer is an index into legal, a whole number counted from 0, never the entry itself"
)
OWN_REQ = (
    "an act carries the req of the decide that it answers, unchanged: never a number that the "
    "bot counts itself or has kept"
)
# Calls that add a line end behind the bytes that they write, with a call that does not.
PRINTS = {
    "python": "print(...): write with sys.stdout.buffer.write",
    "javascript": "console.log: write with fs.writeSync(1, ...) or process.stdout.write",
    "typescript": "console.log: write with fs.writeSync(1, ...) or process.stdout.write",
    "c": "puts: write with fwrite",
    "cpp": "std::endl: write with std::cout.write",
    "rust": "println!: write with write_all",
    "go": "fmt.Println: write with os.Stdout.Write",
    "java": "println: write with write",
    "csharp": "Console.WriteLine: write with OpenStandardOutput().Write",
    "ruby": "puts: write with $stdout.write",
    "php": (
        "echo ... PHP_EOL, or text behind ?>: write with fwrite(STDOUT, ...), and leave out the ?>"
    ),
    "perl": "say, or $\\: write with print and $\\ unset",
    "lua": "print: write with io.stdout:write",
    "haskell": "hPutStrLn: write with hPut",
    "ocaml": "print_endline: write with output_string",
    "nim": "echo: write with stdout.write",
}
QUIET = {
    silence.STOPPED: (
        "a signal such as SIGSTOP or SIGTTIN stopped it: a debugger or a read from a terminal "
        "does that"
    ),
    "closed its input": (
        "it has closed its stdin, perhaps with a library or a child that took it: keep it open "
        "until it ends"
    ),
    "closed its output": (
        "it has closed its stdout, or put something else in its place: keep it open until the "
        "bot exits"
    ),
    silence.READS: "a read waits for bytes that do not come: read just the 4 bytes of a length "
    "and the bytes it says, no line and no full buffer; and answer before the next read",
}
CRASHES = {
    "SIGSEGV": (
        "it used memory that is not its own, as by an index outside of an array, a null "
        "pointer or endless recursion"
    ),
    "SIGFPE": "it divided a whole number by zero",
    "SIGILL": (
        "it ran into an instruction that does not exist, as at the end of a function that "
        "returns nothing"
    ),
    "SIGABRT": (
        "it gave up by itself, as at an assertion that fails or an exception that nobody takes"
    ),
}
"""The signals by which a program's own mistake ends it, and what each says."""
INTERPRETERS = re.compile(r"(python|pypy|node|nodejs|ruby|perl|php|lua|luajit)[\d.]*")


def of_settings(bot: Bot, text: str) -> str:
    """Return the mistake in a run line of one word, "" if there is none: a file that is
    taken for a program, or a missing script.
    """
    word = bot.run[0] if bot.run else ""  # a module has none
    if (
        re.search(r"no such program: ", text)
        and "/" not in word
        and word in [name for name, _ in bot.sources]
    ):
        advice = (
            f'run = "{{python}} {word}"'
            if word.endswith(".py")
            else f'run = "./{word}", or its interpreter before it'
        )
        return f"run names {word} as a program on the PATH; it is a file of the bot: {advice}"
    if len(bot.run) == 1 and not bot.sources and INTERPRETERS.fullmatch(os.path.basename(word)):
        name = os.path.basename(word)
        return (
            f"{name} without a file takes the messages that it is sent for a program: name the "
            f"file, too, as in '{name} FILE'"
        )
    return ""


def of_crash(bot: Bot, language: str, text: str) -> str:
    """Return what a signal says of the program's own mistake, and how to find the line
    with a debugger; "" for no such signal.
    """
    signal = next((name for name in CRASHES if f"was ended by {name}" in text), "")
    if not signal:
        return ""
    if language == "python":
        return (
            f"{signal}: {CRASHES[signal]}; run it with {{python}} -X faulthandler, which "
            "prints the line"
        )
    word = shlex.quote(bot.asked_as)
    stored = (
        f"khiva-arena run --bot {word} --bot shipped:python/random --seats 2 --seeds 1 --out games"
    )
    replayed = f"khiva-arena replay --bot {word} games 1/0 --wait"
    return (
        f"{signal}: {CRASHES[signal]}; build it with -g, then `{stored}`, and `{replayed}` "
        "waits for a debugger such as gdb -p"
    )


def of_bytes(data: bytes, language: str) -> str:
    """Return the cause that the bytes after the last whole frame show, "" for none."""
    at = whole_frames(data)
    rest = data[at:]
    if at and rest[:2].startswith((b"\n", b"\r\n")):
        prints = PRINTS.get(language, "a print that ends lines: write only the bytes")
        return f"a line end follows the frame, which ends with its payload; it comes from {prints}"
    size = int.from_bytes(rest[:HEADER], "big")
    if (
        len(rest) > HEADER
        and size <= FRAME_MOST_TO_ARBITER
        and (in_map := _map_size(rest[HEADER:]))
        and in_map < size
    ):
        return (
            f"the length says {size}, but the map behind it has {in_map} bytes: count only its "
            "bytes, not the length's own 4"
        )
    return ""


def of_text(failure: Failed) -> str:
    """Return the cause that the words for a failure show, "" for none."""
    text = failure.got
    if "missing required field `req`" in text:
        return OWN_REQ
    if "got `str` - at `$.choice`" in text and re.search(
        r"'choice': ['\"](?!\s*-?\d+\s*['\"])", text
    ):
        return f"a word was sent as the choice; {AN_INDEX}"
    if "its end is missing" in text:
        return (
            "the length says fewer bytes than the payload has: count bytes, not characters, of "
            "what was packed"
        )
    if "hello: proto is" in text:
        return (
            'the hello says "proto": 1, which is the number of the protocol, not of the bot\'s '
            "own version"
        )
    return ""


def of_text_stream(data: bytes) -> str:
    """Return how a stream of text has changed the frame at the beginning, "" if it is
    not known to have done so.
    """
    if b"\xef\xbf\xbd" in data:
        return "each byte that is no UTF-8 became EF BF BD"
    try:
        frame = data.decode("utf-8").encode("latin-1")
    except ValueError:
        return ""
    return (
        "each byte from 128 on was encoded once more, as UTF-8, in two bytes"
        if whole_frames(frame) > 0 and frame != data
        else ""
    )


def of_silence(failure: Failed, in_time: str, otherwise: str) -> str:
    """Return why a bot that does not read its input does not answer, "" if it reads, or
    if that is not known.

    in_time: the advice for a bot that still computes
    otherwise: the cause that a step knows of a bot that may wait for its input
    """
    text = failure.got
    if (
        not text.startswith(("nothing within", "0 bytes"))
        or "once its input had ended" in text
        or "too late" in text
    ):
        return ""
    if re.search(r"\bEOF when reading a line\b", failure.notes):
        return (
            "input() takes the messages of the arbiter, which come on stdin: a bot is asked by "
            "decide, and asks nobody"
        )
    if text.endswith(silence.COMPUTES):
        return in_time
    if text.endswith(silence.WAITS):
        causes = "a sleep, a lock, a thread, a child, a network that is not there"
        return f"it waits for something other than its input: {causes}; {in_time}"
    if otherwise and text.endswith(silence.RESTS):
        return f"it sleeps, or waits for a timer or for more input. If for input: {otherwise}"
    return ""


def of_plain(failure: Failed, flush: str) -> str:
    """Return the most likely cause of a failure at plain requests, "" for none; a step
    that tries one thing knows better.

    flush: how the bot's language flushes its output
    """
    text = failure.got
    if "an answer to req" in text:
        return OWN_REQ
    if "output ended: it exited with code" in text and not failure.notes.strip():
        how = f" ({flush})" if flush else ""
        return (
            "it exits when it should answer, and says nothing of that on stderr. An answer "
            "that it wrote may have been lost in a "
            f"buffer: flush stdout after each frame{how}, and before os._exit, exec or a kill"
        )
    if "once its input had ended" in text or "too late" in text:
        return ""
    return next((advice for words, advice in QUIET.items() if words in text), "")


def _map_size(data: bytes) -> int:
    """Return the bytes of the map at the beginning, 0 if there is no whole one."""
    if not (0x80 <= data[0] <= 0x8F or data[0] in (0xDE, 0xDF)):
        return 0
    import msgpack  # not above: a page has none

    unpacker = msgpack.Unpacker(strict_map_key=False, max_buffer_size=1 << 20)
    unpacker.feed(data[: 1 << 20])
    try:
        unpacker.skip()
    except (
        Exception
    ):  # the library names its errors loosely: bytes that it cannot read are not a map
        return 0
    return int(unpacker.tell())
