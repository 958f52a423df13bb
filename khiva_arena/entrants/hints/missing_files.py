"""Signs in a bot's own words that something is missing: a program, a library, a file
outside of its folder.
"""

import re
import shlex
from collections.abc import Mapping, Sequence

from khiva_arena.common import shipped
from khiva_arena.entrants import runtimes
from khiva_arena.entrants.runtimes import Runtime

LIBRARY = re.compile(
    r"No module named|ModuleNotFoundError|cannot load such file|Can't locate "
    r"\S+\.pm|module '[^']+' not found|Cannot find module|"
    r"ClassNotFoundException|NoClassDefFoundError|package org\.msgpack|undefined function "
    r"\S*msgpack|Class \"?MessagePack|"
    r"cannot find package|no required module provides package|is not in (?:GOROOT|std)\b|"
    r"can't find crate|no matching package|failed to load source for dependency|"
    r"msgpack\S* (?:No such file|file not found)|could not find module|Cannot find file unix\.cmxa|"
    r"fatal error: '?(?:bits/[\w-]+|std\w+|string|math|limits|errno|unistd|fcntl)\.h\b|"
    r"fatal error: '\w+' file not found|wasm-ld\S* error: (?:cannot open "
    r"\S*(?:crt1|libclang_rt)|unable to find library)",
    re.IGNORECASE,
)
TOO_OLD = re.compile(r"unsupported GOOS/GOARCH pair")
# In turn: the arena itself, a build's first word, env, a shell (dash and bash), the
# linkers of cargo, ghc and clang.
PROGRAM = re.compile(
    r"no such program: (\S+)|"
    r"needs '([^']+)', which is not on this machine|"
    r"\benv: (?:can't execute )?[\u2018'\"]?([\w+./-]+)[\u2019'\"]?: No such file or directory|"
    r"\bsh: (?:line )?(?:\d+: )?(?:exec: )?([\w+./-]+): (?:command )?not found|"
    r"linker `([^`\n]+)` not found|"
    r"could not execute: (\S+)|"
    r'Executable "([^"\n]+)" doesn\'t exist'
)
_MODULE = re.compile(r"No module named '?(\w{1,64})")
NOT_TO_BE_INSTALLED = ("khiva_kit", "khiva_arena")
"""Modules that come with a bot's folder, and with the arena."""
_NO_FILE = re.compile(
    r"No such file or directory|Permission "
    r"denied|NoSuchFileException|AccessDeniedException|Could not find file|cannot open:",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w.\\/-])/[\w.@+~-]+(?:/[\w.@+~-]+)*")
_OF_THE_SYSTEM = re.compile(r"/(?:usr|bin|sbin|lib\w*|dev|proc|sys)(?:/|$)")


def hint_of(
    language: str, notes: str, foreign: Sequence[str] = (), *, as_module: bool = False
) -> str:
    """Return the package to install if ``notes``, the bot's stderr or a build's end,
    names a missing program or library; "" for none.

    foreign: programs that do not come with the packages of the language
    as_module: its bot is built as a WebAssembly module
    """
    program = PROGRAM.search(notes)
    is_old = TOO_OLD.search(notes)
    if not program and not is_old and not LIBRARY.search(notes):
        return ""
    kit = shipped.languages().get(language)
    tools = kit and kit.tools(as_module)
    name = next(filter(None, program.groups())) if program else ""
    missing = "the compiler is too old for modules" if is_old else "a library is missing"
    problem = f"the program {name} is not on this machine" if program else missing
    if language == "python" and not program:
        return (
            f"{problem}: run the bot as {{python}}, the arena's own interpreter, which has "
            "msgpack, or install it for yours"
        )
    install = (
        shipped.installation(tools, tools.debian)
        if tools and tools.debian and name not in foreign
        else ""
    )
    advice = f"on Debian and Ubuntu: {install}" if install else "install it where bots can read it"
    return (
        f"{problem}; {advice}. Bots read the system's libraries and their own folder, nothing "
        "of your home"
    )


def module_of(
    language: str, notes: str, available: Mapping[str, Runtime], of_bot: Sequence[Runtime]
) -> str:
    """Return the module that a Python bot lacks, with the runtimes there are and the
    next thing to do; "" if it lacks none.

    known: the runtimes that the organiser has named
    used: those of them that the bot names
    """
    match = _MODULE.search(notes) if language == "python" else None
    if match is None or (match[1] == "msgpack" and not of_bot):
        return ""
    module = match[1]
    problem = f"the module {module} is missing"
    if of_bot and module not in NOT_TO_BE_INSTALLED:
        pip = shlex.quote(f"{of_bot[-1].prefix}/bin/pip")
        return (
            f"{problem} in the runtime {of_bot[-1].name}: {pip} install {module}, and msgpack, "
            "which the kit needs"
        )
    if having := [
        name for name, runtime in sorted(available.items()) if runtimes.has(runtime, module)
    ]:
        return f'{problem}: the runtime {having[0]} has it: run = "{{{having[0]}}} main.py"'
    absence = (
        f"the runtimes here ({', '.join(sorted(available))}) do not have it"
        if available
        else "no runtime is named here"
    )
    advice = f"python3 -m venv DIR && DIR/bin/pip install msgpack {module}, then --runtime NAME=DIR"
    return (
        f'{problem}: {absence}; the organiser makes one ({advice}), and run = "{{NAME}} '
        'main.py" takes it'
    )


def outside(notes: str) -> str:
    """Return the first file outside of the bot's folder and of the system that its
    stderr says it did not get, "" for none.
    """
    for line in notes.splitlines():
        if _NO_FILE.search(line):
            for path in _PATH.findall(line):
                if not _OF_THE_SYSTEM.match(path):
                    return str(path)
    return ""
