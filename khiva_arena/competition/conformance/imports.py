"""The imports of a bot's Python files, read without running them, and those of them
that its runtime does not declare.

The arena's own Python stands in an environment with many packages, and a bot can read
all of it. Only ``DECLARED`` is there for bots. Another module may be missing on the
next machine, or be another version.
"""

import ast
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from khiva_arena.entrants import runtimes
from khiva_arena.entrants.bots import PYTHON, Bot
from khiva_arena.entrants.runtimes import INTERPRETER
from khiva_arena.entrants.source_walk import is_shipped
from khiva_arena.entrants.sources import open_source

DECLARED = (
    "msgpack",
    "khiva_arena.crules",
    "khiva_arena.games",
    "khiva_arena.rng",
    "khiva_arena.errors",
)
"""The modules that ``{python}`` has for bots beside its standard library: the kit's,
and the rules for bots that search.
"""
LARGEST = 1_000_000
"""Bytes of a file that is read. Longer ones are data in most cases."""
_CATCH = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
_BY_NAME = {"import_module", "__import__"}


class BotImport(NamedTuple):
    """An import of a bot.

    file: its staged path.
    line: from 1.
    module: its whole name.
    """

    file: str
    line: int
    module: str


def python_files(bot: Bot) -> list[str]:
    """Return the staged paths of the bot's Python files."""
    return [name for name, _ in bot.sources if name.endswith(".py")]


def undeclared(bot: Bot, built: Iterable[str] = ()) -> list[BotImport]:
    """Return the imports of modules that the bot's runtime does not declare, each
    module of a file once.

    built: names of files that its build has left, which may be modules
    """
    own = {
        part.partition(".")[0]
        for name in (*(name for name, _ in bot.sources), *built)
        for part in name.split("/")
    }
    found: dict[tuple[str, str], BotImport] = {}
    for name, path in bot.sources:
        if name.endswith(".py") and not is_shipped(path):
            with open_source(path, bot.home) as file:
                text = file.read(LARGEST + 1)
            for one in imports_of(name, text) if len(text) <= LARGEST else ():
                if one.module.partition(".")[0] not in own and not _is_declared(one.module, bot):
                    found.setdefault((name, one.module), one)
    return list(found.values())


def _is_declared(module: str, bot: Bot) -> bool:
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    if has_of_the_arena(bot):
        return any(module == name or module.startswith(f"{name}.") for name in DECLARED)
    return any(runtimes.has(runtime, top) for runtime in bot.runtimes)


def has_of_the_arena(bot: Bot) -> bool:
    """Tell whether the bot runs with the arena's own Python, or with the one that runs
    bots in ticks.
    """
    return PYTHON in bot.run or f"{{{INTERPRETER}}}" in bot.run


def imports_of(name: str, text: bytes) -> list[BotImport]:
    """Return the imports of a file that fail if the module is missing; [] for a file
    that is no Python.

    Left out are relative ones, those for a type checker, and those within a ``try``
    that catches their failure or a ``suppress``.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the author's escapes in strings, say
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # the start shows what is wrong with it
    found: list[BotImport] = []
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt | ast.Call):
            found += (BotImport(name, node.lineno, module) for module in _modules(node))
        todo += _within(node)
    return sorted(found, key=lambda one: one.line)


def _modules(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=str(module), names=names, level=0):
            parts = module == "khiva_arena"  # what it is taken from says nothing
            yield from (f"{module}.{alias.name}" for alias in names) if parts else (module,)
        case ast.Call(
            func=ast.Name(id=called) | ast.Attribute(attr=called),
            args=[ast.Constant(value=str(module)), *_],
        ):
            if called in _BY_NAME and not module.startswith("."):
                yield module


def _within(node: ast.AST) -> list[ast.AST]:
    """Return the nodes of a node that count."""
    match node:
        case ast.With(items=items) if any(_suppresses(item.context_expr) for item in items):
            return []
        case ast.Try(body=body, handlers=handlers) if any(
            _catches(handler) for handler in handlers
        ):
            # The bot goes on without the module, so what the handlers import counts.
            return [one for one in ast.iter_child_nodes(node) if one not in body]
        case ast.If(
            test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), orelse=orelse
        ):
            return [*orelse]
    return [*ast.iter_child_nodes(node)]


def _catches(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler catches the failure of an import."""
    if handler.type is None:
        return True
    return _has_failure(
        handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    )


def _suppresses(manager: ast.expr) -> bool:
    """Tell whether a ``with`` is contextlib's, and goes on after the failure of an
    import.
    """
    match manager:
        case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress"), args=kinds):
            return _has_failure(kinds)
    return False


def _has_failure(kinds: Sequence[ast.expr]) -> bool:
    return any(isinstance(kind, ast.Name) and kind.id in _CATCH for kind in kinds)
