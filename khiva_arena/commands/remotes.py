"""Bots that play from other machines: a hub at which their relays arrive, while a competition is played."""

import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from khiva_arena.competition.settings import Settings
from khiva_arena.entrants import guests
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ArenaError, ConfigError
from khiva_arena.terminal.console import say
from khiva_arena.text import harmless
from khiva_arena.words import count

FIGURES_SECONDS = 5.0
BEFORE_THE_END = 0.5
"""A seat whose relay is not there says so, so many seconds before its time to start is over."""
NO_TLS = (
    "other machines could listen in; give --tls-cert FILE and --tls-key FILE, or stay at 127.0.0.1 and let the relay's machine "
    "come by ssh: `ssh -L {port}:127.0.0.1:{port} THIS-MACHINE` there, or `ssh -R {port}:127.0.0.1:{port} THAT-MACHINE` here"
)


def seating(settings: Settings, entrants: Sequence[Bot]) -> Callable[[], AbstractContextManager[None]]:
    """What lasts while these are played. Raises ConfigError if they cannot be seated."""
    if persons := [bot for bot in entrants if bot.guest == guests.PERSON]:
        raise ConfigError(f"--bot {persons[0].asked_as}: {guests.NOT_HERE[guests.PERSON]}")
    remote = {guests.named(bot.asked_as)[1]: bot for bot in entrants if bot.guest == guests.REMOTE}
    if not remote:
        return nullcontext
    order = _order(settings, remote)
    return lambda: _seated(order)


def _order(settings: Settings, remote: dict[str, Bot]) -> dict[str, Any]:
    from khiva_arena.web.relay_protocol import address, is_loopback, token_folder  # not above: most runs have none
    from khiva_arena.web.tokens import token_of

    try:
        host, port = address(settings.listen)
    except ValueError as error:
        raise ConfigError(f"--listen: {error}") from None
    files = [str(file.absolute()) for file in (settings.tls_cert, settings.tls_key) if file]
    if len(files) == 1:
        raise ConfigError("--tls-cert and --tls-key: give both or neither")
    if missing := [file for file in files if not Path(file).is_file()]:
        raise ConfigError(f"--tls-cert, --tls-key: no such file: {missing[0]}")
    if not files and not is_loopback(host):
        raise ConfigError(f"--listen {settings.listen}: {NO_TLS.format(port=port)}")
    to = {*settings.network, *(word.partition("=")[0] for word in settings.env)}
    if opened := [bot.name for bot in remote.values() if bot.name in to]:
        raise ConfigError(f"--network, --env: {opened[0]} plays on another machine, where its relay says what it has")
    relays = {}
    for name, bot in remote.items():
        token, file = token_of(settings.tokens or token_folder(), name)
        relays[name] = {"token": token, "file": str(file.absolute()), "kept": bot.kept}
    reconnect = settings.reconnect_ms / 1000
    return {
        "listen": [host, port],
        "tls": files or None,
        "reconnect_s": reconnect,
        "waits_s": min(reconnect, max(0.0, settings.limits.startup - BEFORE_THE_END)),
        "relays": relays,
    }


@contextmanager
def _seated(order: dict[str, Any]) -> Iterator[None]:
    from khiva_arena.web.hub_process import Hub  # not above: most runs have none

    with Hub() as hub:
        hub.say({"socket": hub.socket, **order})
        first = hub.hear()
        if "cannot" in first:
            host, port = order["listen"]
            raise ArenaError(f"--listen {host}:{port}: {first['cannot']}; name another port, as {host}:{port + 1}")
        _wait(hub, order, first["port"])
        heard = _Heard(hub)
        over = False
        try:
            yield
            over = True
        finally:
            heard.end(over)


def _wait(hub: Any, order: dict[str, Any], port: int) -> None:
    """Until all relays are there."""
    host = order["listen"][0]
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    missing = dict(order["relays"])
    for name, relay in missing.items():
        say(f"waiting for {name}: khiva-arena relay {where} {name} --token {shlex.quote(relay['file'])} -- COMMAND")
    while missing:
        message = hub.hear()
        if name := message.get("here"):
            if missing.pop(name, None):
                say(f"{name} is there{', and keeps its process' if message['kept'] else ''}: round trip {_trip(message)}")
        elif message.get("why"):
            say(harmless(f"{message['away']} was cut off: it sent {message['why']}"))


def _trip(figures: dict[str, Any]) -> str:
    if figures["rtt_ms"] is None:
        return "unknown"
    high = "" if figures["rtt_high_ms"] is None else f", 95 % of them within {figures['rtt_high_ms']:.1f} ms"
    return f"{figures['rtt_ms']:.1f} ms{high}"


class _Heard:
    """What the hub says while matches are played, so that it never waits for us."""

    def __init__(self, hub: Any) -> None:
        self._hub = hub
        self._cut_off: dict[str, str] = {}
        self._figures: list[dict[str, Any]] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while not self._figures:
            try:
                message = self._hub.hear()
            except ArenaError:
                return
            if message.get("why"):
                self._cut_off[message["away"]] = message["why"]
            self._figures = message.get("figures", [])

    def end(self, over: bool) -> None:
        """Send the relays away and say what was measured of each."""
        try:
            self._hub.say({"over": over})
        except ArenaError as error:
            say(str(error))
            return
        self._thread.join(FIGURES_SECONDS)
        for one in self._figures:
            away = f"; its link was lost {count(one['away'], 'time')}, for {one['away_s']:.1f} s in all" if one["away"] else ""
            say(f"{one['relay']}: round trip {_trip(one)}{away}")
        for name, why in self._cut_off.items():
            say(harmless(f"{name} was cut off: it sent {why}"))
