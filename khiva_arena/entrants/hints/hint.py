"""The known traps: the most likely cause of a failure, in the bot's own language if
that is known.

The sandbox has traps of its own: shared memory that ran out, memory that was refused, a
file of /etc.
"""

import re
from collections.abc import Mapping

from khiva_arena.common.manual import where
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints import bot_files, causes, interpreted, missing_files
from khiva_arena.entrants.hints.causes import AN_INDEX
from khiva_arena.entrants.hints.failed import Failed
from khiva_arena.entrants.hints.framing import of_framing
from khiva_arena.entrants.runtimes import Runtime

# By a word of run or build: a program, or how a file's name ends. The first one that
# fits counts, build before run.
LANGUAGES = (
    ("javascript", r"node(js)?|.*\.[cm]?js"),
    ("typescript", r"tsc|.*\.ts"),
    ("rust", r"cargo|rustc|.*\.rs"),
    ("go", r"go|.*\.go"),
    ("java", r"java|javac|.*\.(java|jar|class)"),
    ("csharp", r"mono|mcs|csc|dotnet|.*\.(cs|exe|dll)"),
    ("cpp", r"c\+\+|g\+\+|clang\+\+|.*\.(cc|cpp|cxx)"),
    ("c", r"cc|gcc|clang|tcc|.*\.c"),
    ("ruby", r"ruby[\d.]*|.*\.rb"),
    ("php", r"php[\d.]*|.*\.php"),
    ("perl", r"perl[\d.]*|.*\.pl"),
    ("lua", r"lua(jit)?[\d.]*|.*\.lua"),
    ("haskell", r"ghc|runghc|.*\.hs"),
    ("ocaml", r"ocaml.*|.*\.ml"),
    ("nim", r"nim|.*\.nim"),
    ("python", r"\{python\}|python[\d.]*|pypy[\d.]*|.*\.py"),
)
WRAPPERS = re.compile(
    r"(ba|da|k|z)?sh|env|nice|stdbuf|timeout|uv|poetry|bun|deno|tsx|ts-node|make|\{.*\}|\./.*|.*/.*"
)
"""Programs whose files tell the language; a file for any other one may have an ending
of two languages, such as .pl.
"""
# Messages of the kits if choose gives no whole number, those of earlier kits included,
# right at the call of choose.
BAD_CHOICE = re.compile(
    r"operator\.index\(choose\(.*\n(?:[ ^~]*\n)?TypeError: .* cannot be interpreted as an integer|"
    r"choose (?:returned|gave) [\s\S]{0,4000}?, (?:want an index into legal|(?:no|not a) "
    r"whole number|not an int(?:eger)?)\b|"
    r"Return value must be of type int, .* returned.*\nStack trace:\n#0 \S*khiva_kit\.php"
)
NOTHING = re.compile(
    r"'NoneType' object cannot be interpreted as an integer|choose (?:returned|gave) "
    r"(?:undefined|null|nil|NULL|undef|None)\b|"
    r"Return value must be of type int, (?:none|null) returned"
)
FIRST_LINE = re.compile(r"\benv: (?:can't execute )?[\u2018'\"]?([\w+./-]+)")
FLUSH = {
    "python": "sys.stdout.buffer.flush()",
    "c": "fflush(stdout)",
    "cpp": "std::cout.flush()",
    "rust": "stdout.flush()",
    "go": "the Flush of its bufio.Writer",
    "java": "out.flush()",
    "csharp": "Flush() of the stream",
    "ruby": "$stdout.sync = true",
    "javascript": "fs.writeSync(1, ...), which does not buffer",
    "typescript": "fs.writeSync(1, ...), which does not buffer",
    "php": "fflush(STDOUT)",
    "perl": "$| = 1",
    "lua": "io.stdout:flush()",
    "haskell": "hFlush stdout",
    "ocaml": "flush stdout",
    "nim": "stdout.flushFile()",
}
FLOAT = {
    "python": "divide with //, not /",
    "javascript": "Math.floor(x), and no class in the role of a float",
    "typescript": "Math.floor(x), and no class in the role of a float",
    "php": "intdiv(a, b), or (int) $x",
    "lua": "a // b of two integers, or math.tointeger(x)",
    "perl": "int($x), after every division",
    "ruby": "x.to_i",
}
NUMBER = {
    "python": "int(x)",
    "javascript": "Number(x)",
    "typescript": "Number(x)",
    "php": "(int) $x",
    "perl": "0 + $x as the last step: a value used as a string is packed as one",
    "lua": "math.tointeger(x)",
    "ruby": "x.to_i",
    "java": "packLong, not packString",
    "go": "int, not string",
    "rust": "u64, not String",
    "cpp": "std::int64_t, not std::string",
    "csharp": "long, not string",
}
BIN = {
    "perl": "Data::MessagePack->new->utf8 sends strings",
    "python": "pack str, not bytes, with use_bin_type=True",
    "ruby": "force_encoding(Encoding::UTF_8) on the strings that you pack",
    "lua": "MessagePack.set_string 'string'",
    "java": "packString, not packBinaryHeader",
    "go": "string, not []byte",
    "cpp": "std::string, not std::vector<char>, which is packed as bin",
    "rust": "String, not Vec<u8> or serde_bytes",
}
EMPTY = {
    "lua": (
        "a table with anything but 1 to n as its keys is packed as a map: use a list, or leave "
        "the field out"
    ),
    "php": (
        "an array with string keys, or an empty object, is packed as a map: use a list, or "
        "leave the field out"
    ),
}

IN_TIME = (
    "an act is due within turn_ms and what is left of bank_ms, which each decide names: look at a "
    "clock while you think, aim at turn_ms less some milliseconds, and keep the bank for accidents"
)
START_IN_TIME = (
    "do less before the hello: prepare it in the build, or at the first decide, which the bank "
    "pays for"
)
OWN_FOLDER = (
    "a bot sees its own folder and the system's programs only: put the file into the folder"
)

REFUSED = re.compile(
    r"ENOMEM|MemoryError|OutOfMemoryError|Cannot allocate|bad_alloc|out of memory|Can't "
    r"allocate|memory allocation of|"
    r"Heap exhausted|Could not reserve enough space",
    re.IGNORECASE,
)
MISSING = re.compile(
    r"No such file|Permission denied|not found|cannot find|can't open|cannot open|ENOENT|EACCES",
    re.IGNORECASE,
)
OF_ETC = re.compile(r"(?<![\w.\\/-])/etc/[\w.@+~-]+(?:/[\w.@+~-]+)*")
# Options that ask each runtime for a smaller heap.
HEAP = (
    (r"sbcl|lisp", "sbcl --dynamic-space-size 512MB"),
    (r"java|jar", "java -Xmx512m"),
    (r"node", "node --max-old-space-size=512"),
    (r"racket", "(custodian-limit-memory (current-custodian) (* 512 1024 1024))"),
    (r"R|Rscript", "R_MAX_VSIZE"),
)


def language_of(bot: Bot) -> str:
    """Return the key in bots/languages.toml that the bot's commands point to, "" for
    none.
    """
    for words in (bot.build, bot.run):
        by_files = (
            not words
            or WRAPPERS.fullmatch(words[0])
            or words[0] in [name for name, _ in bot.sources]
        )
        known = words if by_files or _is_known(words[0]) else words[:1]
        names = [
            part.rsplit("/", 1)[-1] for word in known for part in (word, *word.split())
        ]  # of a shell's script, too
        for language, pattern in LANGUAGES:
            if any(re.fullmatch(pattern, name) for name in names):
                return language
    return ""


def _is_known(program: str) -> bool:
    """Tell whether a program is one of a language that has a kit."""
    return any(re.fullmatch(pattern, program) for _, pattern in LANGUAGES)


def hint(
    bot: Bot,
    failure: Failed,
    otherwise: str = "",
    *,
    confined: bool = True,
    plain: bool = False,
    runtimes: Mapping[str, Runtime] | None = None,
) -> str:
    """Return a line that says where to look, ``otherwise`` if nothing is known.

    confined: it runs at a level that keeps it from the user's files
    plain: it was only greeted and asked, so that no peculiarity of a step explains the
        failure
    runtimes: the runtimes that the organiser has named
    """
    language = language_of(bot)
    text, data = failure.got, failure.received
    if setting := causes.of_settings(bot, text):
        return setting
    if of_interpreter := interpreted.hint_of(bot, text, failure.notes):
        return of_interpreter
    absent = bot_files.hint_of(bot, language, text, failure.notes)
    if (
        not bot.is_interpreted
    ):  # nothing that is installed comes to a bot in ticks, and its interpreter says what it lacks
        said, as_module = f"{text}\n{failure.notes}", bool(bot.module)
        absent = missing_files.module_of(language, said, runtimes or {}, bot.runtimes) or absent
        absent = absent or missing_files.hint_of(
            language, said, _foreign(bot, failure.notes), as_module=as_module
        )
    if absent:
        return absent
    if BAD_CHOICE.search(failure.notes):
        return _bad_choice(language, failure.notes)
    if confined and (sandbox_hint := _of_sandbox(bot.run, text, failure.notes)):
        return sandbox_hint
    if crash := causes.of_crash(bot, language, text):
        return crash
    if confined and "ended" in text and (path := missing_files.outside(failure.notes)):
        return f"{path}: {OWN_FOLDER}"
    if framing := causes.of_bytes(data, language) or of_framing(data, language):
        return framing
    if cause := causes.of_text(failure):
        return cause
    as_number = (
        "a number goes out as a string; "
        f"{NUMBER.get(language, 'make it an integer before you pack it')}"
    )
    for applies, advice in (
        ("binary data", f"strings go out as binary data; {BIN.get(language, 'send them as str')}"),
        (
            "a float at",
            (
                "a number goes out as a float; "
                f"{FLOAT.get(language, 'make it an integer before you pack it')}"
            ),
        ),
        (
            "got `float`",
            (
                "a number goes out as a float; "
                f"{FLOAT.get(language, 'make it an integer before you pack it')}"
            ),
        ),
        ("got `str` - at `$.req`", as_number),
        ("got `str` - at `$.proto`", as_number),
        ("got `str` - at `$.choice`", f"{as_number}; {AN_INDEX}"),
        ("at `$.choice`", AN_INDEX),
        ("got `object`", EMPTY.get(language, "a map was sent instead of an array")),
        (
            "keys are strings",
            (
                'the keys of maps are strings, such as "type"; a table or array with numbers '
                "as keys is none"
            ),
        ),
        ("is not an index into", AN_INDEX),
        (
            "a second answer",
            "send one act for each decide, and none when the match ends or a fault is reported",
        ),
        ("too late", START_IN_TIME if failure.expected.startswith("its hello") else IN_TIME),
        ("once its input had ended", _held_back(language)),
        ("left of its bank", IN_TIME),
        ("does not read its input", "read the next frame as soon as an answer is sent"),
    ):
        if applies in text:
            return advice
    if slow := causes.of_silence(failure, IN_TIME, "" if plain else otherwise):
        return slow
    return (causes.of_plain(failure, FLUSH.get(language, "")) if plain else "") or otherwise


def _foreign(bot: Bot, notes: str) -> tuple[str, ...]:
    """Return the programs that begin the bot's lines, or the first line of its file,
    and come with no language of a kit.
    """
    first_words = (words[0] for words in (bot.build, bot.run) if words)
    return tuple(name for name in (*first_words, *FIRST_LINE.findall(notes)) if not _is_known(name))


def _bad_choice(language: str, notes: str) -> str:
    if NOTHING.search(notes):
        return (
            "choose returned nothing for this request: a way through it ends without its "
            "return. It gives an index into legal"
        )
    advice = f"; {FLOAT[language]}" if language in FLOAT else ""
    return (
        "choose returns an index into legal, a whole number counted from 0, never the entry "
        f"itself{advice}"
    )


def _held_back(language: str) -> str:
    flush = FLUSH.get(language, "flush after each frame")
    return (
        f"the answer was held back: flush stdout after each frame ({flush}), and read just the 4 "
        "bytes of a length and the bytes it says, not until a buffer is full"
    )


def _of_sandbox(words: tuple[str, ...], actual: str, notes: str) -> str:
    """Return a line for a bot whose ``run`` is ``words``, which ended as ``actual``
    says and left ``notes`` on stderr.

    "" if the sandbox is not known to have anything to do with it.
    """
    if "SIGBUS" in actual:
        return (
            "SIGBUS: it used memory that is mapped from a file that has no room left: of /dev/shm "
            "a bot has 24 MiB (none at isolation basic), of scratch what --limit scratch= says; "
            f"keep to private memory ({where('sandbox')})"
        )
    if "memory: " in actual or ("ended" in actual and REFUSED.search(notes)):
        return (
            "memory was refused: a bot has what --limit memory= says, 1 GiB by default, and what "
            f"is claimed counts at once: {_smaller(words)} ({where('sandbox')})"
        )
    for line in notes.splitlines() if "ended" in actual else ():
        if MISSING.search(line) and (path := OF_ETC.search(line)):
            return (
                f"{path[0]}: of /etc a bot sees only the files that the shipped languages need: "
                "put a copy into the bot's folder, and name it by an option or variable of the "
                f"runtime ({where('sandbox')})"
            )
    return ""


def _smaller(words: tuple[str, ...]) -> str:
    names = [word.rsplit("/", 1)[-1] for word in words]
    option = next(
        (
            how
            for pattern, how in HEAP
            if any(re.fullmatch(rf"(?:{pattern})[\d.]*", name) for name in names)
        ),
        "",
    )
    return f"ask for a smaller heap: {option}" if option else "ask the runtime for a smaller heap"
