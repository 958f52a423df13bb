"""Which trap a failure is taken for, in each language; none is made up where nothing is
known.
"""

import shlex
import subprocess
from pathlib import Path

import pytest
from cases import cases
from hinted import RUNS, bot, failed
from wording import sentence

from khiva_arena.common import shipped
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.hints.framing import BINARY, STDERR
from khiva_arena.entrants.hints.hint import (
    BIN,
    EMPTY,
    FLOAT,
    FLUSH,
    LANGUAGES,
    NUMBER,
    hint,
    language_of,
)


@cases("language", RUNS)
def test_the_language_is_told_by_the_commands(language: str) -> None:
    assert language_of(bot(language)) == language


def test_every_language_with_a_kit_can_be_told() -> None:
    assert {name for name, _ in LANGUAGES} == set(shipped.languages())
    for word, path in shipped.bots().items():
        # What the searching bot in JavaScript builds are the rules in C, so what fails
        # there is C's.
        expected = "c" if word == "shipped:javascript/thinker" else path.parent.name
        assert language_of(load(str(path))) == expected
    assert language_of(bot("no such language")) == ""
    for advice in (STDERR, FLUSH, BINARY, FLOAT, NUMBER, BIN, EMPTY):
        assert set(advice) <= set(shipped.languages())


# What the shipped build and run lines say where a library is missing, each the line
# that tells.
@pytest.mark.parametrize(
    ("language", "notes"),
    [
        ("c", "kit.h:10:10: fatal error: errno.h: No such file or directory"),
        (
            "nim",
            "/usr/lib/nim/lib/nimbase.h:269:10: fatal error: limits.h: No such file or directory",
        ),
        ("cpp", "khiva_kit.hpp:18:10: fatal error: msgpack.hpp: No such file or directory"),
        (
            "rust",
            (
                "error: no matching package named `rmp-serde` found\nlocation searched: "
                "directory source `/tmp/empty`"
            ),
        ),
        (
            "rust",
            (
                "error: failed to get `rmp-serde` as a dependency\nCaused by:\n  failed to "
                "load source for dependency `rmp-serde`"
            ),
        ),
        ("rust", "error[E0463]: can't find crate for `rmp_serde`"),
        (
            "go",
            'khiva_kit.go:17:2: cannot find package "github.com/vmihailenco/msgpack/v5" in any of:',
        ),
        ("java", "./KhivaKit.java:12: error: package org.msgpack.core does not exist"),
        (
            "java",
            (
                "java.lang.NoClassDefFoundError: org/msgpack/core/MessagePack\n\tat "
                "KhivaKit.read(KhivaKit.java:126)"
            ),
        ),
        ("ruby", "khiva_kit.rb:11:in `require': cannot load such file -- msgpack (LoadError)"),
        ("php", "PHP Fatal error:  Uncaught Error: Call to undefined function msgpack_pack()"),
        (
            "php",
            (
                "Fatal error: Uncaught Error: Call to undefined function "
                "Khiva\\msgpack_unpack() in khiva_kit.php:135"
            ),
        ),
        (
            "perl",
            (
                "Can't locate Data/MessagePack.pm in @INC (you may need to install the "
                "Data::MessagePack module)"
            ),
        ),
        (
            "lua",
            (
                "lua5.4: ./khiva_kit.lua:11: module 'MessagePack' not found:\n\tno field "
                "package.preload['MessagePack']"
            ),
        ),
        ("ocaml", 'File "bot.ml", line 1:\nError: Cannot find file unix.cmxa'),
        ("haskell", "Bot.hs:1:1: error:\n    Could not find module \u2018Data.NoSuch\u2019"),
    ],
)
def test_a_missing_library_is_named_by_its_package(language: str, notes: str) -> None:
    text = hint(
        bot(language),
        failed("its " + sentence("check", "output-ended-exited-code") + " 1", notes=notes),
    )
    assert text.startswith(
        sentence("check", "library-missing")
        + "; "
        + sentence("new", "debian-ubuntu", lacks="apt install ")
    )
    assert " ".join(shipped.languages()[language].debian) in text
    assert hint(bot(language), failed(notes)) == text  # as the end of a build


MODULE_BUILDS = {
    name: language.module for name, language in shipped.languages().items() if language.module
}


def module_bot(language: str) -> Bot:
    build = tuple(shlex.split(MODULE_BUILDS[language].build))
    return Bot(language, "", ("{module}", "bot.wasm"), build, (), "", True, (), language)


# What the build lines of modules say where a package is missing.
@pytest.mark.parametrize(
    ("language", "notes", "problem"),
    [
        ("c", "bot.c:3:10: fatal error: 'errno.h' file not found", "library-missing"),
        (
            "c",
            "/usr/include/math.h:27:10: fatal error: 'bits/libc-header-start.h' file not found",
            "library-missing",
        ),
        (
            "c",
            "wasm-ld-14: error: cannot open crt1.o: No such file or directory",
            "library-missing",
        ),
        (
            "c",
            (
                "wasm-ld: error: cannot open "
                "/usr/lib/clang/lib/wasi/libclang_rt.builtins-wasm32.a: No such file"
            ),
            "library-missing",
        ),
        (
            "c",
            'clang: error: unable to execute command: Executable "wasm-ld-14" doesn\'t exist!',
            "wasm-ld-14",
        ),
        (
            "cpp",
            sentence(
                "entrants", "build-needs-not-machine", name="mine", job="build", words="'clang++'"
            ),
            "clang++",
        ),
        ("cpp", "./khiva_kit.hpp:12:10: fatal error: 'cerrno' file not found", "library-missing"),
        (
            "cpp",
            "./khiva_kit.hpp:20:10: fatal error: 'msgpack.hpp' file not found",
            "library-missing",
        ),
        ("rust", "error[E0463]: can't find crate for `std`", "library-missing"),
        ("rust", "sh: 1: rustc: not found", "rustc"),
        ("go", "env: \u2018go\u2019: No such file or directory", "go"),
        ("go", "cmd/go: unsupported GOOS/GOARCH pair wasip1/wasm", "compiler-too-old"),
    ],
)
def test_what_a_module_lacks_is_named_by_its_packages(
    language: str, notes: str, problem: str
) -> None:
    assert language_of(module_bot(language)) == language
    text = hint(module_bot(language), failed(f"its build exited with code 1:\n{notes}"))
    begin = {
        "library-missing": sentence("check", "library-missing"),
        "compiler-too-old": "the compiler is too old for modules",
    }
    assert text.startswith(
        begin.get(problem) or sentence("check", "program-not-machine", name=problem)
    )
    assert (
        sentence(
            "new", "debian-ubuntu", lacks=f"apt install {' '.join(MODULE_BUILDS[language].debian)}"
        )
        in text
    )
    assert ("Go 1.21 or newer" in text) == (language == "go")


def test_a_missing_library_of_python_names_the_arenas_own_interpreter() -> None:
    text = hint(
        bot("python"),
        failed(
            "its " + sentence("check", "output-ended-exited-code") + " 1",
            notes="No module named 'msgpack'",
        ),
    )
    assert text.startswith(sentence("check", "library-missing") + ": " + "run the bot as {python}")


# The same for a program: a word of the line, or one that it starts in its turn.
@pytest.mark.parametrize(
    ("language", "program", "text"),
    [
        (
            "ruby",
            "ruby",
            sentence("check", "output-ended") + " cannot be started: no such program: ruby",
        ),
        (
            "haskell",
            "ghc",
            sentence(
                "entrants", "build-needs-not-machine", name="mine", job="build", words="'ghc'"
            ),
        ),
        (
            "go",
            "go",
            (
                "its build (env go build) exited with code 127:\nenv: \u2018go\u2019: No such "
                "file or directory"
            ),
        ),
        (
            "go",
            "go",
            (
                "its build (env go build) exited with code 127:\n/usr/bin/env: 'go': No such "
                "file or directory"
            ),
        ),
        ("go", "go", "env: can't execute 'go': No such file or directory"),
        ("typescript", "node", "/usr/bin/env: \u2018node\u2019: No such file or directory"),
        ("csharp", "mono", "sh: 1: exec: mono: not found"),
        ("csharp", "mono", "sh: line 1: exec: mono: not found"),
        ("csharp", "mono", "/bin/sh: line 1: mono: command not found"),
        (
            "nim",
            "gcc",
            (
                "/bin/sh: 1: gcc: not found\nError: execution of an external compiler program "
                "'gcc -c' failed"
            ),
        ),
        (
            "ocaml",
            "x86_64-linux-gnu-as",
            'sh: 1: x86_64-linux-gnu-as: not found\nFile "msgpack.ml", line 1:',
        ),
        ("haskell", "x86_64-linux-gnu-gcc", "ghc: could not execute: x86_64-linux-gnu-gcc"),
        ("rust", "cc", "error: linker `cc` not found"),
    ],
)
def test_a_missing_program_is_named(language: str, program: str, text: str) -> None:
    told = hint(bot(language), failed(text))
    assert told.startswith(
        sentence("check", "program-not-machine", name=program)
        + "; "
        + sentence("new", "debian-ubuntu", lacks="apt install ")
    )
    assert " ".join(shipped.languages()[language].debian) in told
    assert (
        hint(
            bot(language),
            failed("its " + sentence("check", "output-ended-exited-code") + " 127", notes=text),
        )
        == told
    )


NO_TOOLS = {"csharp": "mono", "go": "go"}


@pytest.mark.parametrize("language", NO_TOOLS)
def test_what_a_shipped_line_says_without_its_tool(language: str, tmp_path: Path) -> None:
    shipped_bot = load(f"shipped:{language}/random")
    words = shipped_bot.run if language == "csharp" else shipped_bot.build
    for name in ("sh", "env"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    environment = {"PATH": str(tmp_path), "LANG": "C.UTF-8"}
    done = subprocess.run(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 127
    text = hint(
        shipped_bot,
        failed("its " + sentence("check", "output-ended-exited-code") + " 127", notes=done.stderr),
    )
    assert text.startswith(sentence("check", "program-not-machine", name=NO_TOOLS[language]) + "; ")
