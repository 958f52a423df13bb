"""Bots that play in this process: functions, and the Python bots that come with the
arena.

Each shipped bot has modules of its own. There is no sandbox, clock or record: a mistake
of a bot is raised.
"""

import builtins
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from operator import index
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from khiva_arena.bots.protocol.bot_function import Choose
from khiva_arena.common import shipped
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.games.base import Event, Game, Plain, State, seen_by
from khiva_arena.records.replay.seeds import seat_number

_WORD = f"{shipped.WORD}python/"
_TIME = {"startup_ms": 10_000, "turn_ms": 1_000, "bank_ms": 10_000}
"""The times that bots are told, which nobody measures: the defaults of a run."""
_HELLO = {"type": "hello", "protos": [1], "caps": []}
_module_numbers = count(1)


class NamedChooser(NamedTuple):
    """The name and the function of a bot that plays in this process."""

    name: str
    choose: Choose


def chooser(bot: str | Choose, game: str) -> NamedChooser:
    """Load a bot that plays in this process. Raises ConfigError, BotError."""
    if callable(bot):
        function = bot
        while isinstance(function, partial):
            function = function.func
        return NamedChooser(getattr(function, "__name__", type(function).__name__), bot)
    if not isinstance(bot, str) or not bot.startswith(_WORD):
        raise ConfigError(
            f"bots: {bot!r:.200} does not play in this process: functions choose(decide, match) "
            f"do, and bots such as {_WORD}greedy; khiva_arena.run and match play all others"
        )
    folder = shipped.bots().get(bot)
    if folder is None:
        words = [word for word in shipped.bots() if word.startswith(_WORD)]
        raise ConfigError(f"bots: there is no {bot}; there are {', '.join(words)}")
    manifest = tomllib.loads((folder / "bot.toml").read_text("utf-8"))
    if game not in manifest.get("games", [game]):
        raise ConfigError(f"bots: {bot} plays {', '.join(manifest['games'])} and not {game}")
    files = [*folder.glob("*.py"), *(folder / path for path in manifest.get("include", ()))]
    main = _Modules({path.stem: path for path in files}).load("main")
    choose = getattr(main, "choose", None)
    if not callable(choose):
        raise ConfigError(
            f"bots: {bot} needs more than a function of Python, so it does not play in this process"
        )
    return NamedChooser(manifest["name"], choose)


class _Modules:
    """The modules of a bot, which import each other by their names, as in the folder
    where a bot is staged.

    Python knows them by names that have a prefix for each bot, since bots have
    different modules of one name.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files
        self._prefix = f"_khiva_arena_bot_{next(_module_numbers)}_"

    def load(self, name: str) -> ModuleType:
        """Return a module, which is run once."""
        full = self._prefix + name
        if full in sys.modules:
            return sys.modules[full]
        spec = spec_from_file_location(full, self._files[name])
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[full] = module_from_spec(spec)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
        try:
            spec.loader.exec_module(module)
        except ImportError as error:
            del sys.modules[full]
            raise BotError(f"{self._files[name].parent.name}: {error}") from None
        return module

    def _import(self, name: str, *arguments: Any) -> ModuleType:
        return self.load(name) if name in self._files else builtins.__import__(name, *arguments)


class Asked(Mapping[str, Any]):
    """A request in the form of ``decide``. View and events are made when they are
    looked at: they take most of the time.
    """

    __slots__ = ("_given", "_makers")

    def __init__(self, given: dict[str, Any], makers: Mapping[str, Callable[[], Any]]) -> None:
        self._given = given
        self._makers = makers

    def __getitem__(self, key: str) -> Any:
        given = self._given
        if key not in given:
            given[key] = self._makers[key]()
        return given[key]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._given, *self._makers)))

    def __len__(self) -> int:
        return len(self._given.keys() | self._makers.keys())

    def __repr__(self) -> str:
        return repr(dict(self))


class Players:
    """Bots in seats of a match, with the messages of a run. Pickled by their words, and
    functions as they are.
    """

    def __init__(
        self, game: Game, seats: int, rules: Mapping[str, Plain], bots: Mapping[int, str | Choose]
    ) -> None:
        self._told = {
            **_HELLO,
            "game": game.name,
            "rules": rules,
            "rules_version": game.rules_version,
            "seats": seats,
        }
        self._bots = dict(bots)
        self._seated = {seat: chooser(bot, game.name) for seat, bot in self._bots.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_seated"}

    def __setstate__(self, held: dict[str, Any]) -> None:
        self.__dict__.update(held)
        self._seated = {
            seat: chooser(bot, held["_told"]["game"]) for seat, bot in self._bots.items()
        }

    def __contains__(self, seat: int) -> bool:
        return seat in self._bots

    def begin(self, secret: bytes, match: str, events: Sequence[Event]) -> None:
        """Begin a match: prepare the hello message of each bot."""
        self._events = list(events)
        self._read = dict.fromkeys(self._bots, 0)
        hello = {**self._told, "match": match, "time": _TIME, "commit": "0" * 64}
        self._hellos = {
            seat: {**hello, "seat": seat, "seed": seat_number(secret, match, seat)}
            for seat in self._bots
        }

    def saw(self, events: Sequence[Event]) -> None:
        """Add the events of a step."""
        self._events += events

    def choose(self, state: State, seat: int) -> int:
        """Return the choice of a seat. Raises BotError for a value that is not an index
        into ``legal``.
        """
        decision = state.pending()[seat]
        legal = [list(entry) for entry in decision.legal]
        since, self._read[seat] = self._read[seat], len(self._events)
        request = Asked(
            {
                "type": "decide",
                "req": since + 1,
                "kind": decision.kind,
                "turn_ms": _TIME["turn_ms"],
                "bank_ms": _TIME["bank_ms"],
            }
            | {"legal": legal},
            {
                "view": lambda: state.view(seat),
                "events": lambda: seen_by(self._events[since : self._read[seat]], seat),
            },
        )
        name, choose = self._seated[seat]
        answer: Any = choose(request, self._hellos[seat])
        try:
            choice = index(answer)
        except TypeError:
            choice = -1
        if not 0 <= choice < len(legal) or isinstance(answer, bool):
            raise BotError(
                f"{name}: {answer!r:.200} is no index into the {len(legal)} entries of legal"
            )
        return choice
