"""The command's side of remote seats: the hub's orders, the wait for all relays, and
news of their links.
"""

import os
import queue
import secrets
import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from khiva_arena.common.say import Say
from khiva_arena.common.stream import LinkNews
from khiva_arena.common.text import harmless
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.display.terminal.stream_messages import message_of
from khiva_arena.entrants import guests
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ArenaError, ConfigError
from khiva_arena.extensions.seats.hub_process import Hub
from khiva_arena.extensions.seats.relay_protocol import (
    address,
    is_loopback,
    read_token,
    token_folder,
)

FIGURES_SECONDS = 5.0
BEFORE_THE_END = 0.5
"""The seconds before the end of its time to start at which a seat gives up a relay that
is not there.
"""
NEWS_MOST = 100
"""The most news of one link: a relay may come and go all the time."""
NO_TLS = (
    "other machines could listen in; give --tls-cert FILE and --tls-key FILE, or stay at 127.0.0.1 "
    "and let the relay's machine come by ssh: `ssh -L {port}:127.0.0.1:{port} THIS-MACHINE` there, "
    "or `ssh -R {port}:127.0.0.1:{port} THAT-MACHINE` here"
)


def seating(
    settings: Settings, entrants: Sequence[Bot], say: Say
) -> Callable[[], AbstractContextManager["Links | None"]]:
    """Return the context in which these bots are played, which first waits for all
    relays. Raises ConfigError if that cannot be.
    """
    if persons := [bot for bot in entrants if bot.guest == guests.PERSON]:
        raise ConfigError(f"--bot {persons[0].asked_as}: {guests.NOT_HERE[guests.PERSON]}")
    order = relays_order(settings, entrants)
    return (lambda: _seated(order, say)) if order else nullcontext


def relays_order(settings: Settings, entrants: Sequence[Bot]) -> dict[str, Any]:
    """Return the hub's order for relays; empty if no bot plays by a relay. Raises
    ConfigError.
    """
    remote = {
        guests.guest_of(bot.asked_as).name: bot for bot in entrants if bot.guest == guests.REMOTE
    }
    if not remote:
        return {}
    try:
        host, port = address(settings.of_extensions["listen"])
    except ValueError as error:
        raise ConfigError(f"--listen: {error}") from None
    files = [
        str(file.absolute())
        for file in (settings.of_extensions["tls_cert"], settings.of_extensions["tls_key"])
        if file
    ]
    if len(files) == 1:
        raise ConfigError("--tls-cert and --tls-key: give both or neither")
    if missing := [file for file in files if not Path(file).is_file()]:
        raise ConfigError(f"--tls-cert, --tls-key: no such file: {missing[0]}")
    if not files and not is_loopback(host):
        raise ConfigError(
            f"--listen {settings.of_extensions['listen']}: {NO_TLS.format(port=port)}"
        )
    to = {*settings.network, *(word.partition("=")[0] for word in settings.env)}
    if names := [bot.name for bot in remote.values() if bot.name in to]:
        raise ConfigError(
            f"--network, --env: {names[0]} plays on another machine; give its network and "
            "variables to its relay there"
        )
    relays = {}
    for name, bot in remote.items():
        token, file = token_of(settings.of_extensions["tokens"] or token_folder(), name)
        relays[name] = {"token": token, "file": str(file.absolute()), "kept": bot.kept}
    reconnect = settings.of_extensions["reconnect"] / 1000
    return {
        "listen": [host, port],
        "tls": files or None,
        "reconnect_s": reconnect,
        "waits_s": min(reconnect, max(0.0, settings.limits.startup - BEFORE_THE_END)),
        "relays": relays,
    }


@contextmanager
def _seated(order: dict[str, Any], say: Say) -> Iterator["Links"]:
    with Hub() as hub:
        hub.say({"socket": hub.socket, **order})
        with linked(hub, order, say) as links:
            yield links


@contextmanager
def linked(hub: Hub, order: dict[str, Any], say: Say) -> Iterator["Links"]:
    """Wait for the relays of an order that the hub was just given; at the end of this
    context they are sent away.
    """
    first = hub.hear()
    host, port = order["listen"]
    if "cannot" in first:
        raise ArenaError(
            f"--listen {host}:{port}: {first['cannot']}; name another port, as {host}:{port + 1}"
        )
    _wait(hub, order, first["port"], say)
    links = Links(hub, order["reconnect_s"], say)
    try:
        yield links
    except BaseException:
        links.end(over=False)
        raise
    links.end(over=True)


def _wait(hub: Hub, order: dict[str, Any], port: int, say: Say) -> None:
    """Wait until all relays are there."""
    host = order["listen"][0]
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    missing = dict(order["relays"])
    for name, relay in missing.items():
        say(
            f"waiting for {name}: khiva-arena relay {where} {name} --token "
            f"{shlex.quote(relay['file'])} -- COMMAND"
        )
    while missing:
        message = hub.hear()
        _tell(_news(message, order["reconnect_s"]), say)
        missing.pop(message.get("here", ""), None)


def _tell(news: LinkNews, say: Say) -> None:
    """Tell people the news of a link."""
    message = message_of(news, ())
    assert message is not None
    say(harmless(message.text()))


def _news(message: dict[str, Any], reconnect_s: float) -> LinkNews:
    """Return the news of a link from the hub's message."""
    if name := message.get("here"):
        note = "it keeps its process" if message["kept"] else ""
        return LinkNews(
            t=0.0,
            relay=name,
            what=message["what"],
            seconds=message["seconds"],
            why=note,
            **_trips(message),
        )
    if name := message.get("lost"):
        return LinkNews(t=0.0, relay=name, what="lost", seconds=reconnect_s)
    reason = message["why"]
    return LinkNews(
        t=0.0,
        relay=message["away"],
        what="cut" if reason else "away",
        seconds=reconnect_s,
        why=reason,
    )


def _trips(figures: dict[str, Any]) -> dict[str, Any]:
    return {"median_ms": figures["rtt_ms"], "p95_ms": figures["rtt_high_ms"]}


class Links:
    """A thread that hears the hub's messages while matches are played, so that the hub
    never waits for this process.
    """

    def __init__(self, hub: Hub, reconnect_s: float, say: Say) -> None:
        self._hub = hub
        self._reconnect_s = reconnect_s
        self._say = say
        self._take: Callable[[LinkNews], None] = self._tell_people
        self._times: dict[str, int] = {}
        self._has_figures = self._ending = False
        self._figures: queue.SimpleQueue[list[dict[str, Any]]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _tell_people(self, news: LinkNews) -> None:
        _tell(news, self._say)

    def tell(self, take: Callable[[LinkNews], None] | None) -> None:
        """Hand the news to ``take`` from now on, in another thread; None: they are
        printed.
        """
        self._take = take or self._tell_people

    def figures(self) -> list[LinkNews]:
        """Return the round trips of each link so far, and how often it was lost."""
        self._has_figures = True
        return [
            LinkNews(
                t=0.0,
                relay=row["relay"],
                what="figures",
                times=row["away"],
                seconds=row["away_s"],
                **_trips(row),
            )
            for row in self._ask({"figures": True})
        ]

    def end(self, *, over: bool) -> None:
        """Send the relays away, and tell the figures of each link unless they were
        asked for before.
        """
        news = [] if self._has_figures else self.figures()
        self._ending = True
        self._ask({"over": over})
        for figure in news:
            self._take(figure)

    def _ask(self, order: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the hub's figures; [] if it has ended, which the matches notice by
        themselves.
        """
        try:
            self._hub.say(order)
            return self._figures.get(timeout=FIGURES_SECONDS)
        except (ArenaError, queue.Empty):
            return []

    def _listen(self) -> None:
        while True:
            try:
                message = self._hub.hear()
            except ArenaError:
                return
            if "figures" in message:
                self._figures.put(message["figures"])
                if self._ending:
                    return
                continue
            self._pass_on(_news(message, self._reconnect_s))

    def _pass_on(self, news: LinkNews) -> None:
        often = self._times[news.relay] = self._times.get(news.relay, 0) + 1
        if often < NEWS_MOST:
            self._take(news)
        elif often == NEWS_MOST:
            self._take(replace(news, what="enough"))


class Token(NamedTuple):
    """The token of a relay.

    text: the token.
    file: the file that holds it.
    """

    text: str
    file: Path


def token_of(folder: Path, name: str) -> Token:
    """Return the token of a relay; a new one is made if there is none. Raises
    ConfigError.
    """
    file = folder / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass  # of an earlier run
        else:
            with os.fdopen(descriptor, "w") as new:
                new.write(f"{secrets.token_urlsafe(32)}\n")
        return Token(read_token(file), file)
    except ValueError as error:
        raise ConfigError(f"--tokens: {error}") from None
    except OSError as error:
        raise ConfigError(f"--tokens {file}: {error.strerror}") from None
