"""Tools that tests need beyond Python. Where one is missing a test is skipped with the
reason and the command that installs it. Under ``KHIVA_TESTS=full``, as .ci/run sets it
once it has installed all, the test fails instead.
"""

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import NoReturn

import pytest

from khiva_arena import crules
from khiva_arena.common import shipped
from khiva_arena.entrants import interpreters

FULL = "KHIVA_TESTS"
PACKAGES = {
    "bwrap": "bubblewrap",
    "cc": "gcc libc6-dev",
    "chromedriver": "chromium-driver",
    "go": "golang-go",
    "ip": "iproute2",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "nm": "binutils",
    "node": "nodejs",
    "setpriv": "util-linux",
    "size": "binutils",
    "timeout": "coreutils",
    "tsc": "node-typescript",
    "unshare": "util-linux",
}
"""The packages of Debian that bring a program, where they are not named like it."""
_SKIPPED = re.compile(r"NOT TESTED: (?P<subject>[^:]+): .*; (?P<install>[^;]+)", re.DOTALL)
_only_python = False


def need(tool: str) -> None:
    """Skip the test where a program is missing."""
    if not shutil.which(tool):
        lacks(
            f"{tool}: it is not on this machine", install=f"apt install {PACKAGES.get(tool, tool)}"
        )


@pytest.fixture(scope="session")
def cc() -> None:
    """Skip the test where there is no C compiler."""
    need("cc")


@pytest.fixture(scope="session")
def rules_in_c() -> None:
    """Skip the test where the rules in C are not built."""
    if not crules.is_built():
        lacks("the rules in C: they are not built", install=f"apt install {PACKAGES['cc']}")


@contextmanager
def only_of_python() -> Iterator[None]:
    """Around a test that is not marked ``language``, and so is not in the target in
    which other languages are. It finds no interpreter that this checkout has built, to
    compile which takes ten seconds: it goes as in a checkout that has built none.
    """
    global _only_python
    _only_python, built = True, interpreters._built
    interpreters._built = lambda: built().with_name("not-built")
    try:
        yield
    finally:
        _only_python, interpreters._built = False, built


def need_language(name: str) -> None:
    """Skip the test where something is missing that the kit of a language needs."""
    assert name == "python" or not _only_python, (
        f"mark this test: @pytest.mark.language, it needs {name}"
    )
    if not _here(name):
        language = shipped.languages()[name]
        lacks(f"{language.title}: it is not on this machine", install=shipped.remedy(language))


def need_module_tools(name: str) -> None:
    """Skip the test where something is missing that makes a language's bots WebAssembly
    modules.
    """
    assert not _only_python, f"mark this test: @pytest.mark.language, it needs {name}"
    tools = shipped.languages()[name].module
    assert tools
    if shipped.lacks(tools):
        lacks(
            f"modules of {name}: they cannot be made on this machine", install=shipped.remedy(tools)
        )


@cache
def _here(name: str) -> bool:
    return shipped.is_here(shipped.languages()[name])


def lacks(why: str, *, may: bool = False, install: str = "") -> NoReturn:
    """End a test that this machine cannot make: skip it with the reason or, where all
    tools are installed, fail it.

    why: the reason, as "SUBJECT: what is missing" if there is a command that installs
        it.
    may: a machine with all tools may lack this, too.
    install: the command that gives a machine what is missing.
    """
    text = f"NOT TESTED: {why}" + (f"; {install}" if install else "")
    if os.environ.get(FULL) == "full" and not may:
        pytest.fail(text)
    pytest.skip(text)


def skipped_in_words(reasons: Iterable[str]) -> list[str]:
    """Return a line for each thing for want of which tests were skipped, the most
    first, with the command that installs it.
    """
    counts = Counter(
        (found["subject"], found["install"])
        for reason in reasons
        if (found := _SKIPPED.search(reason))
    )
    return [
        f"{number} test{'' if number == 1 else 's'} of {subject} skipped; {install}"
        for (subject, install), number in counts.most_common()
    ]
