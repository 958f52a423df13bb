"""The parts of /usr that a program's runtime needs, for bots whose files are kept warm.

All of /usr would be too much to read (warm.py). The folders of other runtimes, manuals,
headers and sources are left out. A program that is not known gets all of /usr.
"""

import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from khiva_arena.bots.sandbox.readable_paths import (
    is_below,
    is_of_the_system,
    leads_out,
    named_first,
    outermost,
    system,
    toolchain,
)

USR = "/usr"
# Programs and libraries, whichever runtime: patterns below /usr.
BASE = (
    *(
        "bin",
        "sbin",
        "lib64",
        "lib32",
        "libx32",
        "lib/*-linux-*",
        "lib/*.so",
        "lib/*.so.*",
        "lib/locale/C.*",
        "lib/ssl",
    ),
    *("lib/os-release", "share/zoneinfo", "local/bin", "local/lib/*.so*"),
)
# By the name of a program, or of the file it leads to by a link.
OF_RUNTIMES = (
    (
        r"python[\d.]*|pypy[\d.]*",
        ("lib/python*", "lib/pypy*", "share/python*", "share/pypy*", "local/lib/python*"),
    ),
    (
        r"node(js)?",
        (
            "lib/node_modules",
            "share/nodejs",
            "share/node_modules",
            "lib/nodejs",
            "local/lib/node_modules",
        ),
    ),
    (r"java", ("lib/jvm", "share/java", "share/maven-repo", "local/share/java")),
    (
        r"ruby[\d.]*",
        ("lib/ruby", "share/ruby*", "share/rubygems-integration", "local/lib/site_ruby"),
    ),
    (r"php[\d.]*", ("lib/php", "share/php*")),
    (r"perl[\d.]*", ("lib/perl*", "share/perl*", "local/lib/*-linux-*/perl", "local/share/perl")),
    (r"lua(jit)?[\d.]*", ("lib/lua", "share/lua*", "local/lib/lua", "local/share/lua")),
    (r"mono(-sgen)?", ("lib/mono", "lib/cli", "share/cli-common")),
    (r"racket", ("lib/racket*", "share/racket")),
    (r"sbcl", ("lib/sbcl", "local/lib/sbcl")),
    (r"R|Rscript", ("lib/R", "share/R", "local/lib/R")),
    (
        r"erl|escript|elixir|iex",
        ("lib/erlang", "lib/elixir", "local/lib/erlang", "local/lib/elixir"),
    ),
    (r"guile[\d.]*", ("share/guile",)),
)


def all_of(program: str, extra: Sequence[str], own_folder: str = "") -> tuple[str, ...]:
    """Return all paths that a bot may read, without its ``own_folder``, less the paths
    that its runtime does not need.

    ``readable_paths.all_of`` gives the same without that reduction.
    """
    inside = bool(own_folder) and is_below(
        program, own_folder
    )  # then nothing in the folder opens another folder
    # A script of a known runtime, as elixir is one of sh: the program that it starts is
    # known.
    runner = (
        ""
        if _of_runtime(program) or (inside and leads_out(program, own_folder, extra))
        else named_first(program)
    )
    programs = [program, runner] if runner else [program]
    parts = {part for one in programs for part in of_usr(one)}
    usr = (USR,) if USR in parts else tuple(sorted(parts))
    tools = [
        path for one in programs if not inside or is_of_the_system(one) for path in toolchain(one)
    ]
    return (*(path for path in system() if path != USR), *usr, *outermost([*tools, *extra]))


@cache
def of_usr(program: str) -> tuple[str, ...]:
    """Return the folders and files of /usr that a program needs; /usr itself if they
    are not known. ``program``: an absolute path.
    """
    if not any(Path(USR).glob("lib/*-linux-*")) and os.path.realpath("/usr/lib64") != "/usr/lib64":
        return (USR,)  # a system that keeps libraries and everything else in one folder
    real, patterns = os.path.realpath(program), _of_runtime(program)
    if not patterns and real.startswith("/usr/"):
        return (USR,)  # a shell, too: the programs that it starts are not known
    paths = {str(path) for pattern in (*BASE, *patterns) for path in Path(USR).glob(pattern)}
    return tuple(sorted(paths | ({"/usr/local"} if real.startswith("/usr/local/") else set())))


def _of_runtime(program: str) -> list[str]:
    """Return the patterns of the runtimes that a program's names point to, none for one
    that is not known.
    """
    names = {os.path.basename(program), os.path.basename(os.path.realpath(program))}
    return [
        path
        for pattern, patterns in OF_RUNTIMES
        if any(re.fullmatch(pattern, name) for name in names)
        for path in patterns
    ]
