"""The meanings of names in the sources of the package: modules, classes, functions, and
the annotations that tell which one.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = "khiva_arena"
Def = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Module:
    """A file of the package, and the names that it defines or imports."""

    path: str
    tree: ast.Module
    functions: dict[str, "Function"] = field(default_factory=dict)
    classes: dict[str, "Class"] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Class:
    """A class of the package."""

    module: Module
    node: ast.ClassDef


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the package. ``owner``: its class; ``frame``: the function around a
    nested one, as far as it was walked.
    """

    module: Module
    name: str
    node: Def | ast.Lambda
    owner: Class | None = None
    frame: "Frame | None" = None

    @property
    def arguments(self) -> list[ast.arg]:
        words = self.node.args
        return [*words.posonlyargs, *words.args, *words.kwonlyargs]


class Note(NamedTuple):
    """An annotation, where it was written."""

    node: ast.expr
    module: Module
    owner: Class | None


@dataclass(eq=False)
class Frame:
    """A function while it is walked: the names of the value in it, what other names
    are, and whether it returns the value.
    """

    function: Function
    held: set[str]
    notes: dict[str, Note] = field(default_factory=dict)
    nested: dict[str, Function] = field(default_factory=dict)
    returns: bool = False


Meaning = Module | Class | Function | None
"""What a name in the package means, None if that is not told."""


def module_of(path: str, text: str) -> Module:
    """Return a file with its names; imports within functions count as those above."""
    module = Module(path, ast.parse(text))
    for node in ast.walk(module.tree):
        match node:
            case ast.Import():
                module.imports.update(
                    {name.asname: (name.name, "") for name in node.names if name.asname}
                )
            case ast.ImportFrom(module=str(origin)):
                module.imports.update(
                    {name.asname or name.name: (origin, name.name) for name in node.names}
                )
    for node in module.tree.body:
        if isinstance(node, Def):
            module.functions[node.name] = Function(module, node.name, node)
        if isinstance(node, ast.ClassDef):
            owner = module.classes[node.name] = Class(module, node)
            methods = [
                (f"{node.name}.{part.name}", part) for part in node.body if isinstance(part, Def)
            ]
            module.functions.update(
                {name: Function(module, name, part, owner) for name, part in methods}
            )
    return module


def modules_of(root: Path) -> dict[str, Module]:
    """Return the modules of the package by their dotted names, without copies that a
    build puts beside them.
    """
    files = [
        path.relative_to(root)
        for path in sorted((root / PACKAGE).rglob("*.py"))
        if "_shipped" not in path.parts
    ]
    dotted = {
        ".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in files
    }
    return {
        name: module_of(path.as_posix(), (root / path).read_text(encoding="utf-8"))
        for name, path in dotted.items()
    }


class Names:
    """What the names of the package mean."""

    def __init__(self, modules: dict[str, Module]) -> None:
        self.modules = modules
        self.heirs: dict[Class, list[Class]] = {}
        for heir in [one for module in modules.values() for one in module.classes.values()]:
            for base in heir.node.bases:
                if isinstance(found := self.meaning(base, heir.module), Class):
                    self.heirs.setdefault(found, []).append(heir)

    def named(self, module: Module, name: str) -> Meaning:
        """Return what a name means in a module."""
        if found := module.functions.get(name) or module.classes.get(name):
            return found
        origin, inner = module.imports.get(name, ("", ""))
        whole = self.modules.get(f"{origin}.{inner}" if inner else origin)
        return whole or (
            self.named(self.modules[origin], inner)
            if self.modules.get(origin, module) is not module
            else None
        )

    def meaning(self, node: ast.expr, module: Module) -> Meaning:
        """Return what a name, or a name after a module, means in a module."""
        match node:
            case ast.Name():
                return self.named(module, node.id)
            case ast.Attribute() if isinstance(found := self.meaning(node.value, module), Module):
                return self.named(found, node.attr)
        return None

    def method(self, owner: Class, name: str) -> Function | None:
        """Return a method of a class itself, None if objects of the class may have
        another one.
        """
        protocol = any(
            isinstance(base, ast.Name) and base.id == "Protocol" for base in owner.node.bases
        )
        return (
            None
            if protocol or self._overridden(owner, name)
            else owner.module.functions.get(f"{owner.node.name}.{name}")
        )

    def _overridden(self, owner: Class, name: str) -> bool:
        heirs = self.heirs.get(owner, [])
        return any(
            f"{heir.node.name}.{name}" in heir.module.functions or self._overridden(heir, name)
            for heir in heirs
        )

    def class_of(self, note: Note | None) -> Class | None:
        """Return the class that an annotation names, None if it names several."""
        match note and plain(note.node):
            case ast.Name(id="Self") if note:
                return note.owner
            case (ast.Name() | ast.Attribute()) as node if note:
                found = self.meaning(node, note.module)
                return found if isinstance(found, Class) else None
        return None

    def noted(self, owner: Class, name: str) -> Note | None:
        """Return the annotation of an attribute, a property or a method's result."""
        first = owner.module.functions.get(f"{owner.node.name}.__init__")
        given = (
            {word.arg: word.annotation for word in first.arguments if word.annotation}
            if first
            else {}
        )
        for node in ast.walk(owner.node):
            match node:
                case ast.AnnAssign(target=ast.Name(id=word) | ast.Attribute(attr=word)) if (
                    word == name
                ):
                    return Note(node.annotation, owner.module, owner)
                case ast.FunctionDef(name=word, returns=ast.expr() as result) if word == name:
                    return Note(result, owner.module, owner)
                case ast.Assign(targets=[target]):
                    for part, value in pairs(target, node.value):
                        made = (
                            value.func
                            if isinstance(value, ast.Call)
                            else given.get(getattr(value, "id", ""))
                        )
                        if isinstance(part, ast.Attribute) and part.attr == name and made:
                            return Note(made, owner.module, owner)
        return None


def plain(node: ast.expr) -> ast.expr:
    """Return an annotation without quotes, and without None beside it."""
    match node:
        case ast.Constant(value=str(text)):
            return plain(ast.parse(text, mode="eval").body)
        case (
            ast.BinOp(left=one, right=ast.Constant(value=None))
            | ast.BinOp(left=ast.Constant(value=None), right=one)
        ):
            return plain(one)
    return node


def element(note: Note | None, number: int = -1) -> Note | None:
    """Return the annotation of an element: of the last kind that is named unless a
    number says which.
    """
    match note and plain(note.node):
        case ast.Subscript(slice=ast.Tuple(elts=kinds)) if note:
            kinds = [kind for kind in kinds if not isinstance(kind, ast.Constant)]
            return note._replace(node=kinds[number if number < len(kinds) else -1])
        case ast.Subscript(slice=kind) if note:
            return note._replace(node=kind)
    return None


def pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what is assigned to what: one pair, or one for each element of two
    tuples.
    """
    if (
        isinstance(target, ast.Tuple)
        and isinstance(value, ast.Tuple)
        and len(target.elts) == len(value.elts)
    ):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


@cache
def words_of(function: Function) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the names that a function uses, those of them that are its own, and those
    that it says are global.
    """
    nodes = list(ast.walk(function.node))
    outer = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    names = {
        (node.id, isinstance(node.ctx, ast.Store)) for node in nodes if isinstance(node, ast.Name)
    }
    own = {name for name, stored in names if stored} | {word.arg for word in function.arguments}
    return frozenset(name for name, _ in names), frozenset(own - outer), frozenset(outer)


def layers(modules: dict[str, Module]) -> dict[str, int]:
    """Return the layer of each file by its path, that of its room."""
    rooms = {name: [*name.split("."), ""][1] for name in modules}
    below: dict[str, set[str]] = {room: set() for room in rooms.values()}
    for name, module in modules.items():
        origins = [
            f"{origin}.{inner}"
            for origin, inner in module.imports.values()
            if origin.split(".")[0] == PACKAGE
        ]
        below[rooms[name]] |= {origin.split(".")[1] for origin in origins} - {rooms[name]}

    known: dict[str, int] = {}

    def layer(room: str, above: tuple[str, ...]) -> int:
        if room not in known:
            others = [other for other in below.get(room, ()) if other not in above]
            known[room] = 1 + max((layer(other, (*above, room)) for other in others), default=0)
        return known[room]

    return {module.path: layer(rooms[name], ()) for name, module in modules.items()}
