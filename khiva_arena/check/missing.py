"""What a bot's own words tell of something that is not there for it: a program, a library, a file outside of its folder."""

import re

from khiva_arena import shipped

LIBRARY = re.compile(
    r"No module named|ModuleNotFoundError|cannot load such file|Can't locate \S+\.pm|module '[^']+' not found|Cannot find module|"
    r"ClassNotFoundException|NoClassDefFoundError|package org\.msgpack|undefined function \S*msgpack|Class \"?MessagePack|"
    r"cannot find package|no required module provides package|is not in (?:GOROOT|std)\b|"
    r"can't find crate|no matching package|failed to load source for dependency|"
    r"msgpack\S* No such file|could not find module|Cannot find file unix\.cmxa|"
    r"fatal error: '?(?:std\w+|string|math|limits|errno|unistd|fcntl)\.h\b",
    re.IGNORECASE,
)
# In turn: the arena itself, a build's first word, env, a shell (dash and bash), cargo's and ghc's linker.
PROGRAM = re.compile(
    r"no such program: (\S+)|"
    r"needs '([^']+)', which is not on this machine|"
    r"\benv: (?:can't execute )?[\u2018'\"]?([\w+./-]+)[\u2019'\"]?: No such file or directory|"
    r"\bsh: (?:line )?(?:\d+: )?(?:exec: )?([\w+./-]+): (?:command )?not found|"
    r"linker `([^`\n]+)` not found|"
    r"could not execute: (\S+)"
)
_NO_FILE = re.compile(
    r"No such file or directory|Permission denied|NoSuchFileException|AccessDeniedException|Could not find file|cannot open:",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w.\\/-])/[\w.@+~-]+(?:/[\w.@+~-]+)*")
_OF_THE_SYSTEM = re.compile(r"/(?:usr|bin|sbin|lib\w*|dev|proc|sys)(?:/|$)")


def hint_of(language: str, said: str) -> str:
    """What to install where ``said``, the bot's stderr or a build's end, tells of a missing program or library; "" for none."""
    found = PROGRAM.search(said)
    if not found and not LIBRARY.search(said):
        return ""
    known = shipped.languages().get(language)
    what = f"the program {next(filter(None, found.groups()))} is not on this machine" if found else "a library is missing"
    if language == "python" and not found:
        return f"{what}: run the bot as {{python}}, the arena's own interpreter, which has msgpack, or install it for yours"
    install = f"apt install {' '.join(known.debian)}" if known and known.debian else ""
    how = f"on Debian and Ubuntu: {install}" if install else "install it where bots can read it"
    return f"{what}; {how}. Bots read the system's libraries and their own folder, nothing of your home"


def outside(notes: str) -> str:
    """The first file outside of the bot's folder and of the system that its stderr says it did not get, "" for none."""
    for line in notes.splitlines():
        if _NO_FILE.search(line):
            for path in _PATH.findall(line):
                if not _OF_THE_SYSTEM.match(path):
                    return str(path)
    return ""
