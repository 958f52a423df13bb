"""The process in which the code of a game from outside runs. The arena has nothing at
stake in it.

The process imports the game once and forks for each match. So a match begins as the
game was when it was imported, whatever the matches before it left behind, and can be
ended by itself. Nothing is ever sent on its input, a pipe: when that ends, because the
arena is done or dead, the process and its forks exit. A request for a fork brings along
a socket of the fork's own, on which the fork is called; see ``game_process.py`` for the
other side.
"""

import importlib
import importlib.machinery
import importlib.util
import math
import os
import resource
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import Any, NamedTuple, NoReturn

import msgspec

from khiva_arena.errors import ConfigError, IllegalChoice, RulesError
from khiva_arena.extensions.own_games.calls import (
    CONFIG,
    CPU_SECONDS,
    DONE,
    FAULT,
    FORK,
    ILLEGAL,
    NUMBER,
    RULES,
    STOP,
    STOP_SECONDS,
    Spec,
    Unplain,
    frame_of,
    payload_of,
)
from khiva_arena.extensions.own_games.forked_match import ForkedMatch, error_words
from khiva_arena.extensions.own_games.running import last_words, leave_last_words
from khiva_arena.games.base import Game
from khiva_arena.words import an

MEMORY = 4 * 2**30
STATUSES_HELD = 10_000
MAY_RAISE = {"rules": ConfigError, "check_seats": ConfigError, "apply": IllegalChoice}
"""Errors that a call may raise to refuse a user's word, or a choice that it was
offered, by call.
"""


def main() -> None:
    """Serve on the socket that the command line names, and leave last words in the pipe
    that it names.
    """
    control = socket.socket(fileno=int(sys.argv[1]))
    leave_last_words(int(sys.argv[2]))
    life = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # prints of a game must not reach the protocol or the terminal
        os.dup2(nothing, descriptor)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  as long as the process lives
    spec = msgspec.msgpack.decode(payload_of(control), type=Spec)
    _ends_with(life)
    _limit(MEMORY)
    try:
        game = _game_of(_import(spec), spec)
        front = _front(game)
    except BaseException as error:
        control.sendall(frame_of([FAULT, error_words(error, spec) + _several_files(error, spec)]))
        return
    control.sendall(frame_of([DONE, front]))
    _fork_on_request(control, life, game, spec)


def _limit(memory: int) -> None:
    for resource_number, limit in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(resource_number)[1]
        resource.setrlimit(
            resource_number, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard)
        )
    _allow_cpu(CPU_SECONDS)


def _allow_cpu(seconds: float) -> None:
    """Allow so many seconds of CPU from now on; the system ends the process after that,
    whatever it does.
    """
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(usage.ru_utime + usage.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _ends_with(life: int) -> None:
    def wait() -> NoReturn:
        signal.pthread_sigmask(
            signal.SIG_BLOCK, [signal.SIGXCPU]
        )  # the main thread gets it, and its stack is written
        os.read(life, 1)
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


# --- the game ---


class FromSource(SourceFileLoader):
    """A loader that has the source as it was hashed, and never reads bytecode: that of
    ``__pycache__`` may come from another source, since Python takes it if the time and
    size of the source fit.

    files: the contents of the game's files, by path.
    """

    def __init__(self, fullname: str, path: str, files: Mapping[str, bytes]) -> None:
        super().__init__(fullname, path)
        self._files = files

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of a module, compiled from its source. Raises ImportError for
        a file that was not hashed.
        """
        if (source := self._files.get(_real(self.path))) is None:
            raise ImportError(
                f"{os.path.basename(self.path)} is new since the game was hashed", name=fullname
            )
        return self.source_to_code(source, self.path)


def _real(path: str) -> str:
    """Return the path of a file as it was hashed: a file of a package may itself be a
    link.
    """
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


class OwnCode:
    """A finder that finds modules as Python does, and has those of a game read from
    source.

    folder: the beginning of the game's paths.
    files: as for ``FromSource``.
    """

    def __init__(self, folder: str, files: Mapping[str, bytes]) -> None:
        self._folder, self._files = folder, files

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module, with a loader from source if the module is the
        game's; None if it is not found.
        """
        specs = (
            finder.find_spec(fullname, path, target)
            for finder in sys.meta_path
            if finder is not self
        )
        spec = next(filter(None, specs), None)
        if (
            spec
            and isinstance(spec.loader, SourceFileLoader)
            and _real(spec.loader.path).startswith(self._folder)
        ):
            spec.loader = FromSource(fullname, spec.loader.path, self._files)
        return spec


def _import(spec: Spec) -> ModuleType:
    if spec.folder:
        sys.meta_path.insert(0, OwnCode(spec.folder, spec.files))
    if not spec.path:
        return importlib.import_module(spec.module)
    if spec.content is None:
        loader, inside = (
            FromSource(spec.module, spec.path, spec.files),
            [os.path.dirname(spec.path)],
        )
        module_spec = importlib.util.spec_from_file_location(
            spec.module, loader=loader, submodule_search_locations=inside
        )
        assert module_spec is not None
        module = importlib.util.module_from_spec(module_spec)
        sys.modules[spec.module] = module
        loader.exec_module(module)
        return module
    module = ModuleType(spec.module)
    module.__file__ = spec.path
    sys.modules[spec.module] = module
    exec(compile(spec.content, spec.path, "exec"), module.__dict__)
    return module


def _game_of(module: ModuleType, spec: Spec) -> Game:
    if spec.attribute:
        game: Any = module
        for name in spec.attribute.split("."):
            game = getattr(game, name)
    elif hasattr(module, "GAME"):
        game = module.GAME
    else:
        classes = [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, Game)
            and value.__module__ == module.__name__
        ]
        if not classes:
            raise TypeError("it has no game: a class that is a khiva_arena.Game")
        if len(classes) > 1:
            raise TypeError(
                f"it has {len(classes)} classes of games; name the one to play: GAME = MyGame()"
            )
        game = classes[0]
    if isinstance(game, type) and issubclass(game, Game):
        game = game()
    if not isinstance(game, Game):
        raise TypeError(f"its game is {an(type(game).__name__)}, not a khiva_arena.Game")
    return game


def _front(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "rules_version": game.rules_version,
        "seats": list(game.seats),
        "variants": dict(game.variants),
        "samples": [dict(sample) for sample in game.samples],
        "scenery": dict(game.scenery),
    }


# --- forks ---


class Forks(NamedTuple):
    """The running and the ended forks of a game.

    pipes: the pipe for the last words of each running process.
    reaped: the status and last words of each ended process.
    """

    pipes: dict[int, int]
    reaped: dict[int, tuple[int, str]]

    def note(self, pid: int, status: int) -> None:
        """Note that a fork has ended, with its status."""
        self.reaped[pid] = status, last_words(self.pipes.pop(pid))
        if len(self.reaped) > STATUSES_HELD:
            del self.reaped[next(iter(self.reaped))]


def _fork_on_request(control: socket.socket, life: int, game: Game, spec: Spec) -> None:
    forks = Forks({}, {})
    while True:
        word, descriptors, _, _ = socket.recv_fds(control, 1 + NUMBER.size, 1)
        if not word:
            return
        _collect(forks)
        if word[:1] == FORK:
            _allow_cpu(CPU_SECONDS)
            words, leave = os.pipe()
            pid = os.fork()
            if pid == 0:
                control.close()
                leave_last_words(leave)
                _serve(socket.socket(fileno=descriptors[0]), life, game, spec)
            os.close(descriptors[0])
            os.close(leave)
            forks.pipes[pid] = words
            control.sendall(NUMBER.pack(pid))
        else:
            (pid,) = NUMBER.unpack(word[1:])
            if pid in forks.pipes:
                forks.note(pid, _wait_for(pid, word[:1] == STOP))
            control.sendall(frame_of(forks.reaped.pop(pid)))


def _wait_for(pid: int, on_request: bool) -> int:
    """End a fork, and return its status. ``on_request``: whether the fork gets time to
    tell its place first.
    """
    until = time.monotonic() + (STOP_SECONDS if on_request else 0)
    if on_request:
        os.kill(pid, signal.SIGXCPU)
    while time.monotonic() < until:
        child, status = os.waitpid(pid, os.WNOHANG)
        if child:
            return status
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _collect(forks: Forks) -> None:
    """Reap forks that have ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        forks.note(pid, status)


def _serve(calls: socket.socket, life: int, game: Game, spec: Spec) -> NoReturn:
    _ends_with(life)
    match = ForkedMatch(game, spec)
    try:
        while request := payload_of(calls):
            name, seconds, arguments = msgspec.msgpack.decode(request)
            _allow_cpu(seconds)
            calls.sendall(_answer(match, name, arguments, spec))
    except (OSError, struct.error):
        pass  # the arena is gone
    finally:
        os._exit(0)


def _answer(match: "ForkedMatch", name: str, arguments: list[Any], spec: Spec) -> bytes:
    match.calling = name
    try:
        return frame_of([DONE, getattr(match, name)(*arguments)])
    except Unplain as error:
        return frame_of([FAULT, f"{match.calling}() {error}"])
    except BaseException as error:
        if isinstance(error, MAY_RAISE.get(match.calling, ())):
            return frame_of(_refusal(error))
        return frame_of([FAULT, f"{match.calling}() {error_words(error, spec)}"])


def _refusal(error: BaseException) -> list[Any]:
    """Return the answer for an error that the contract allows; any other error is the
    game's fault.
    """
    if isinstance(error, ConfigError):
        return [RULES if isinstance(error, RulesError) else CONFIG, list(error.problems)]
    return [ILLEGAL, str(error)]


def _several_files(error: BaseException, spec: Spec) -> str:
    """Return advice about a file beside the game's, "" if there is none. Such a file is
    not imported, since it would not be hashed.
    """
    name = str(getattr(error, "name", None) or "").partition(".")[0]
    beside = os.path.join(os.path.dirname(spec.path), f"{name}.py")
    if (
        not isinstance(error, ModuleNotFoundError)
        or spec.content is None
        or not os.path.exists(beside)
    ):
        return ""
    return (
        "; a game of several files is a folder with an __init__.py, in which they are imported "
        f"as `from . import {name}`"
    )


if __name__ == "__main__":
    main()
