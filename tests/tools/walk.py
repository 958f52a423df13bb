"""Follow one value through the calls of the package, and count how far it goes back and
forth.

``python -m tests.tools walk khiva_arena/competition/run/run.py:Run.play:self`` reads
the code in its order, one branch after another, and runs none of it. A call that hands
the value on leads into the function that it calls.

The value is what the parameter names, its attributes and elements, a list that it is
put into, and other names for it. The result of a function of the package is the value
again if the function returns it. What a constructor or a function outside makes of it
counts where it is handed on at once or returned. A comparison, a text that tells of the
value, and a name after ``with`` do not.

stays: functions that the value is handed to. Those that follow one another in one file
    are one stay.
files: those with a stay.
climbs: stays in a higher layer than the one before. A room of the package is one layer
    above the highest room that it imports.
returns: stays in a file that the value had left.

Hidden state counts: a function that reads a global, an attribute or a closure with the
value in it has a stay, too, although no argument hands the value over. A function that
was walked already is entered again, but not walked again. A function that only looks at
its argument is no stay: it neither keeps the value, nor takes it apart, nor hands it to
any function but such ones.

A call that may mean one of several functions is not followed: through a table, a
protocol, ``cls``, a method that is inherited or overridden, or an object without an
annotation. Nor is a ``raise``, where a trip ends.

In commit b26392cc ``Run.play:self`` has 87 stays and 55 returns, and
``examine_next:league`` 102 and 68.
"""

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from meanings import (
    Class,
    Def,
    Frame,
    Function,
    Meaning,
    Module,
    Names,
    Note,
    element,
    layers,
    modules_of,
    pairs,
    words_of,
)

KEEPERS = {"add", "append", "appendleft", "extend", "insert", "put", "setdefault", "update"}
"""Methods by which a container keeps what it is handed."""


class Place(NamedTuple):
    """A global, or an attribute of a class, into which the value was put."""

    path: str
    owner: str
    name: str


class Step(NamedTuple):
    """A function that the value enters, and its name there."""

    path: str
    function: str
    name: str


class Walk:
    """A trip of a value: ``steps`` has each function that it entered, ``put`` each
    place that it was put into.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.steps: list[Step] = []
        self.put: set[Place] = set()
        self._passed: dict[ast.AST, tuple[bool, bool]] = {}
        self._moved = 0

    def enter(
        self, function: Function, held: dict[str, Function | None], hidden: Iterable[str] = ()
    ) -> bool:
        """Walk a function, and return whether it returns the value.

        held: the names that the arguments give to the value, and the nested function
            that one of them is.
        hidden: names of the value there that no argument gives.
        """
        before, start, self._moved = self._moved, len(self.steps), 0
        self.steps.append(
            Step(function.module.path, function.name, next(iter((*held, *sorted(hidden)))))
        )
        if function.node not in self._passed:
            self._passed[function.node] = False, False
            outer = function.frame or Frame(function, set())
            noted = {word.arg: word.annotation for word in function.arguments if word.annotation}
            notes = {
                name: Note(node, function.module, function.owner) for name, node in noted.items()
            }
            nested = outer.nested | {name: one for name, one in held.items() if one}
            frame = Frame(function, {*held, *hidden}, outer.notes | notes, nested)
            if isinstance(function.node, ast.Lambda):
                frame.returns = self.look(function.node.body, frame)
            else:
                self.run(function.node.body, frame)
            self._passed[function.node] = frame.returns, not self._moved
        returns, only_looks = self._passed[function.node]
        only_looks = only_looks and bool(held)  # hidden state counts even where it is only read
        if only_looks:
            del self.steps[start:]
        self._moved = before + (not only_looks)
        return returns

    # --- what a name means in a function ---

    def meaning(self, node: ast.expr, frame: Frame) -> Meaning:
        match node:
            case ast.Name() if node.id in frame.nested:
                return frame.nested[node.id]
            case ast.Attribute() if not self.names.meaning(node, frame.function.module):
                inner = (
                    self.meaning(node.value, frame) if isinstance(node.value, ast.Name) else None
                )
                owner = (
                    inner
                    if isinstance(inner, Class)
                    else self.names.class_of(self.note(node.value, frame))
                )
                return self.names.method(owner, node.attr) if owner else None
        return self.names.meaning(node, frame.function.module)

    def note(self, node: ast.expr, frame: Frame) -> Note | None:
        """Return the annotation of an expression."""
        match node:
            case ast.Name(id="self") if frame.function.owner:
                return Note(ast.Name("Self"), frame.function.module, frame.function.owner)
            case ast.Name():
                return frame.notes.get(node.id)
            case ast.Attribute():
                owner = self.names.class_of(self.note(node.value, frame))
                return self.names.noted(owner, node.attr) if owner else None
            case ast.Subscript():
                return element(self.note(node.value, frame))
            case ast.Await() | ast.NamedExpr():
                return self.note(node.value, frame)
            case ast.IfExp():
                return self.note(node.body, frame) or self.note(node.orelse, frame)
            case ast.Call(func=ast.Attribute(attr="enter_context"), args=[manager]):
                return self.note(manager, frame)
            case ast.Call():
                match self.meaning(node.func, frame):
                    case Class() as made:
                        return Note(ast.Name("Self"), made.module, made)
                    case Function(node=ast.FunctionDef(returns=ast.expr() as result)) as called:
                        return Note(result, called.module, called.owner)
        return None

    # --- expressions ---

    def look(self, node: ast.expr | None, frame: Frame, *, kept: bool = False) -> bool:
        """Walk an expression, and return whether it is the value. ``kept``: for more
        than this line.
        """
        match node:
            case None | ast.Constant():
                return False
            case ast.Name():
                return node.id in frame.held or not self.put.isdisjoint(self._places(node, frame))
            case ast.Attribute():
                return self.look(node.value, frame, kept=kept) or not self.put.isdisjoint(
                    self._places(node, frame)
                )
            case ast.Call():
                return self.call(node, frame, kept)
            case ast.Lambda():
                return bool(_captured(_nested(node, frame)))
            case ast.IfExp():
                self.look(node.test, frame)
                return self.look(node.body, frame, kept=kept) | self.look(
                    node.orelse, frame, kept=kept
                )
            case ast.Await():
                return self.look(node.value, frame, kept=kept)
            case ast.NamedExpr():
                return self.assign(node.target, node.value, frame)
            case ast.Subscript():
                return self.look(node.value, frame) | (self.look(node.slice, frame) and False)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for part in node.generators:
                    self.take_apart(part.target, part.iter, frame)
                    self._look_at(part.ifs, frame)
                return self._look_at(
                    [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt], frame
                )
        found = self._look_at(
            [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)], frame
        )
        return found and not isinstance(
            node, ast.Compare | ast.JoinedStr | ast.Yield | ast.YieldFrom
        )

    def _look_at(self, nodes: Sequence[ast.expr], frame: Frame) -> bool:
        return sum(self.look(node, frame) for node in nodes) > 0  # any() would leave out the rest

    def _places(self, node: ast.expr, frame: Frame) -> list[Place]:
        """Return the places that a name or an attribute may mean: here, or where it is
        imported from.
        """
        module = frame.function.module
        match node:
            case ast.Name(id=name):
                origin, inner = module.imports.get(name, ("", ""))
                files = [
                    module,
                    *([self.names.modules[origin]] if origin in self.names.modules else []),
                ]
                own = name in words_of(frame.function)[1]
                return (
                    []
                    if own
                    else [
                        Place(file.path, "", inner if number else name)
                        for number, file in enumerate(files)
                    ]
                )
            case ast.Attribute(attr=name):
                if isinstance(file := self.names.meaning(node.value, module), Module):
                    return [Place(file.path, "", name)]
                owner = self.names.class_of(self.note(node.value, frame))
                return [Place(owner.module.path, owner.node.name, name)] if owner else []
        return []

    def call(self, node: ast.Call, frame: Frame, kept: bool) -> bool:
        """Walk a call, and return whether its result is the value."""
        called = self.meaning(node.func, frame)
        before = self.look(node.func.value if isinstance(node.func, ast.Attribute) else None, frame)
        given = [(word, value, self.look(value, frame)) for word, value in _arguments(node, called)]
        handed = any(held for _, _, held in given)
        if (
            handed
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in KEEPERS
            and not called
        ):
            self.hold(node.func.value, frame)
        made = isinstance(called, Class)
        if isinstance(called, Class):
            called = self.names.method(called, "__init__")
        if not isinstance(called, Function):
            self._moved += handed
            return (before or handed) and not kept
        held = {word: self._function(value, frame) for word, value, held in given if held and word}
        hidden = _captured(called) if called.frame else self._read(called)
        returned = self.enter(called, held, hidden) if held or hidden else False
        return returned or (made and handed and not kept)

    def _read(self, function: Function) -> set[str]:
        """Return the places with the value that a function reads."""
        frame = Frame(function, set())
        nodes = (
            [node for node in ast.walk(function.node) if isinstance(node, ast.Name | ast.Attribute)]
            if self.put
            else []
        )
        read = [
            node
            for node in nodes
            if isinstance(node.ctx, ast.Load) and not self.put.isdisjoint(self._places(node, frame))
        ]
        return {ast.unparse(node) for node in read}

    def _function(self, node: ast.expr, frame: Frame) -> Function | None:
        """Return the nested function that an argument is."""
        return (
            _nested(node, frame)
            if isinstance(node, ast.Lambda)
            else frame.nested.get(getattr(node, "id", ""))
        )

    # --- statements ---

    def assign(
        self, target: ast.expr, value: ast.expr, frame: Frame, note: Note | None = None
    ) -> bool:
        held = False
        for part, one in pairs(target, value):
            held |= (found := self.look(one, frame, kept=True))
            self.bind(part, note or self.note(one, frame), found, frame)
        return held

    def take_apart(self, target: ast.expr, whole: ast.expr, frame: Frame) -> None:
        held = self.look(whole, frame)
        self._moved += held
        self.bind(target, element(self.note(whole, frame)), held, frame)

    def bind(self, target: ast.expr, note: Note | None, held: bool, frame: Frame) -> None:
        """Give a name to something. ``held``: it is the value."""
        match target:
            case ast.Tuple() | ast.List():
                for number, part in enumerate(target.elts):
                    self.bind(part, element(note, number), held, frame)
            case ast.Starred():
                self.bind(target.value, note, held, frame)
            case _:
                if held:
                    self.hold(target, frame)
                if isinstance(target, ast.Name) and note:
                    frame.notes[target.id] = note

    def hold(self, target: ast.expr, frame: Frame) -> None:
        """Let a name, or the place that it means, hold the value."""
        match target:
            case ast.Name(id=name) if name in words_of(frame.function)[1] or frame.function.frame:
                frame.held.add(name)
            case ast.Name() | ast.Attribute() if places := self._places(target, frame):
                self._moved += 1
                self.put.add(places[-1])
            case ast.Attribute() | ast.Subscript() | ast.Starred():
                self.hold(target.value, frame)

    def run(self, body: Iterable[ast.stmt], frame: Frame) -> None:
        for statement in body:
            self.walk(statement, frame)

    def walk(self, node: ast.stmt, frame: Frame) -> None:
        """Walk a statement."""
        match node:
            case ast.Assign():
                for target in node.targets:
                    self.assign(target, node.value, frame)
            case ast.AnnAssign(value=ast.expr() as value):
                self.assign(
                    node.target,
                    value,
                    frame,
                    Note(node.annotation, frame.function.module, frame.function.owner),
                )
            case ast.AugAssign():
                self.assign(node.target, node.value, frame)
            case ast.For() | ast.AsyncFor():
                self.take_apart(node.target, node.iter, frame)
                self.run([*node.body, *node.orelse], frame)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self.look(item.context_expr, frame)
                self.run(node.body, frame)
            case ast.Return():
                frame.returns |= self.look(node.value, frame)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                nested = frame.nested[node.name] = _nested(node, frame)
                frame.held |= {node.name} if _captured(nested) else set()
            case ast.Raise() | ast.ClassDef():
                pass
            case _:
                for part in ast.iter_child_nodes(node):
                    self._part(part, frame)

    def _part(self, part: ast.AST, frame: Frame) -> None:
        if isinstance(part, ast.stmt):
            self.walk(part, frame)
        elif isinstance(part, ast.expr):
            self.look(part, frame)
        elif isinstance(part, ast.ExceptHandler | ast.match_case):
            self.run(part.body, frame)


def _nested(node: Def | ast.Lambda, frame: Frame) -> Function:
    name = "lambda" if isinstance(node, ast.Lambda) else node.name
    return Function(
        frame.function.module, f"{frame.function.name}.{name}", node, frame.function.owner, frame
    )


def _captured(function: Function) -> set[str]:
    """Return the names of the value that a nested function takes from the one around
    it.
    """
    used, own, _ = words_of(function)
    return set((used - own) & function.frame.held) if function.frame else set()


def _arguments(node: ast.Call, called: Meaning) -> Iterator[tuple[str, ast.expr]]:
    """Yield the arguments of a call, each with the name that it has in the function."""
    made = (
        called.module.functions.get(f"{called.node.name}.__init__")
        if isinstance(called, Class)
        else called
    )
    words: list[str] = []
    if isinstance(made, Function):
        arguments = made.node.args
        static = isinstance(made.node, Def) and any(
            isinstance(word, ast.Name) and word.id == "staticmethod"
            for word in made.node.decorator_list
        )
        bound = made.owner is not None and made.frame is None and not static
        words = [word.arg for word in (*arguments.posonlyargs, *arguments.args)][bound:]
        words += [arguments.vararg.arg] * len(node.args) if arguments.vararg else []
    for number, value in enumerate(node.args):
        yield words[number] if number < len(words) else "", value
    yield from ((word.arg or "", word.value) for word in node.keywords)


def main(words: Sequence[str]) -> None:
    """Print the stays of a value, a line each, and their sums."""
    parser = argparse.ArgumentParser(
        prog="walk", description="follow one value through the calls of the package"
    )
    parser.add_argument(
        "start",
        metavar="FILE:FUNCTION:PARAM",
        help="as khiva_arena/competition/run/run.py:Run.play:self",
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(__file__).parents[2],
        help="the checkout; this one unless you name one",
    )
    options = parser.parse_args(words)
    path, name, word = options.start.split(":")
    modules = modules_of(options.root)
    start = next(
        (module.functions.get(name) for module in modules.values() if module.path == path), None
    )
    if start is None or word not in [argument.arg for argument in start.arguments]:
        parser.error(f"{path} has no function {name} with a parameter {word}")
    trip, layer = Walk(Names(modules)), layers(modules)
    trip.enter(start, {word: None})
    steps = trip.steps or [Step(path, name, word)]
    stays = [next(group) for _, group in groupby(steps, lambda step: step.path)]
    rises = [layer[after.path] - layer[before.path] for before, after in pairwise(stays)]
    visits = Counter[str]()
    for number, (stay, rise) in enumerate(zip(stays, [0, *rises], strict=True), 1):
        visits[stay.path] += 1
        way = f"up {rise}" if rise > 0 else f"down {-rise}" if rise else "level"
        print(
            f"{number:4}  {stay.path}  {stay.function} as {stay.name}  visit "
            f"{visits[stay.path]}  {way}"
        )
    climbs = sum(rise > 0 for rise in rises)
    print(
        f"{len(stays)} stays, {len(visits)} files, {climbs} climbs, "
        f"{len(stays) - len(visits)} returns"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
