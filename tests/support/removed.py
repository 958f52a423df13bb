"""Copies of the package without some of its extensions, and programs that import such a
copy and no other.
"""

import json
import os
import re
import shutil
import site
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from venv import EnvBuilder

from arena import ROOT, SECONDS
from sides import PACKAGE

BESIDE = ("bots", "docs", "protocol")
"""The folders that a checkout has beside the package."""
LIST = Path("extensions", "__init__.py")
_ROWS = re.compile(r"^ROWS: tuple\[ExtensionRow, \.\.\.\] = \(([^)]*)\)$", re.MULTILINE)
_BEGINNING = """
import sys
from pathlib import Path
import khiva_arena
assert Path(khiva_arena.__file__).is_relative_to(sys.argv[1]), khiva_arena.__file__
"""
_COMMANDS = """
import gc, json, os, tempfile
from importlib import import_module
from khiva_arena.interface.cli import main

def ended(where, words):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if not (pid := os.fork()):
            os.chdir(where)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = main.run(words)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
        return [code, *texts]

gc.disable()  # a tenth of the time
first, where, commands = json.load(sys.stdin)
for name in first:
    import_module(name)
json.dump([ended(where, words) for words in commands], sys.stdout)
"""
"""Runs commands one after another, each in a fork of a process that has imported some
modules.
"""


class Ended(NamedTuple):
    """A command that has ended.

    words: behind ``khiva-arena``.
    code: its exit code.
    out, err: the text of its streams.
    """

    words: tuple[str, ...]
    code: int
    out: str
    err: str


class Copy(NamedTuple):
    """A copy of the package, with an environment of Python that finds it and, of other
    packages, those of this process.

    folder: that holds the package, with links to the folders beside it.
    """

    folder: Path

    @property
    def interpreter(self) -> Path:
        """The Python that imports the copy: so does each process that is started by
        ``sys.executable`` there.
        """
        return self.folder / ".venv" / "bin" / "python"

    @property
    def packages(self) -> Path:
        """The folder of packages of this environment, in which a file names those of
        the process that made the copy.
        """
        (folder,) = self.folder.glob(".venv/lib/python*/site-packages")
        return folder

    def core_modules(self) -> list[str]:
        """Return the names of all modules of the core, but for those that are only
        started.
        """
        package = self.folder / "khiva_arena"
        files = [
            file.relative_to(self.folder).with_suffix("") for file in sorted(package.rglob("*.py"))
        ]
        names = [".".join(file.parts).removesuffix(".__init__") for file in files]
        return [
            name
            for name in names
            if not name.startswith("khiva_arena.extensions.") and not name.endswith(".__main__")
        ]

    def python(self, code: str, *words: str, cwd: Path) -> str:
        """Run Python code that imports the copy, and return what it prints on
        stdout. ``words``: ``sys.argv[2:]``.
        """
        return self._run(_BEGINNING + code, words, cwd)

    def commands(
        self, lines: Iterable[Sequence[str]], cwd: Path, first: Sequence[str] = ()
    ) -> list[Ended]:
        """Run command lines of ``khiva-arena`` one after another. ``first``: modules
        that are imported once for all of them.
        """
        lines = [tuple(words) for words in lines]
        given = json.dumps([[*first], str(cwd), lines])
        ended = json.loads(self._run(_BEGINNING + _COMMANDS, (), cwd, given))
        return [Ended(words, *one) for words, one in zip(lines, ended, strict=True)]

    def _run(self, code: str, words: Sequence[str], cwd: Path, given: str = "") -> str:
        done = subprocess.run(
            [self.interpreter, "-P", "-c", code, str(self.folder), *words],
            cwd=cwd,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            input=given,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def copy_without(folder: Path, *extensions: str) -> Copy:
    """Copy the package into a new folder, and remove the folders of extensions and
    their lines in the list of them.
    """
    package = Path(
        shutil.copytree(PACKAGE, folder / "khiva_arena")
    )  # with bytecode, or each child compiles the modules again
    for name in BESIDE:
        (folder / name).symlink_to(ROOT / name)
    for extension in extensions:
        shutil.rmtree(package / "extensions" / extension)
    listed = package / LIST
    listed.write_text(_without_rows(listed.read_text(), extensions))
    EnvBuilder(symlinks=True).create(folder / ".venv")
    copy = Copy(folder)
    (copy.packages / "copy.pth").write_text(
        "\n".join([str(folder), *site.getsitepackages()])
    )  # no .pth below these is read
    return copy


def _without_rows(text: str, extensions: Sequence[str]) -> str:
    """Return the list of extensions without the import and the place of some."""
    for extension in extensions:
        line = f"from khiva_arena.extensions.{extension}.row import ROW as {extension.upper()}\n"
        assert line in text, f"{LIST} does not import {extension} as the others are"
        text = text.replace(line, "")
    rows = _ROWS.search(text)
    assert rows, f"{LIST} has no line of ROWS"
    names = [name for name in rows[1].replace(",", " ").split() if name.lower() not in extensions]
    return _ROWS.sub(
        f"ROWS: tuple[ExtensionRow, ...] = ({''.join(f'{name}, ' for name in names).rstrip()})",
        text,
    )
