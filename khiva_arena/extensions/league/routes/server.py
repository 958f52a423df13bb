"""The server of a league's pages: a process that opens a socket, the queue and the
public folder, and then nothing any more.

The player has the secrets of batches in a file of its own. A server that a stranger has
taken over must not come to them. So it opens what it needs first, becomes another user
if root has started it, and confines itself for good before the first request.
"""

import os
import pwd
import resource
import signal
import socket
import ssl
from pathlib import Path
from typing import NamedTuple

import trio
from starlette.types import Receive, Scope, Send

from khiva_arena.bots.sandbox import own_cell, readable_paths
from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.routes.app import NOTHING_MORE, LeagueSite, SiteOptions
from khiva_arena.extensions.league.routes.desk import Desk
from khiva_arena.extensions.league.routes.guard import PublicGuard
from khiva_arena.extensions.league.routes.public_folder import PublicFolder
from khiva_arena.extensions.league.submissions.limits import UploadLimits
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.serve.connections import ConnectionBounds, PeerConnection
from khiva_arena.extensions.serve.serving import answer_all, listening

CONNECTIONS_MOST, OF_AN_ADDRESS_MOST = 1_200, 200
"""The connections at a time, and those of them from one address; a browser opens about
six for a page.
"""
OTHER_FILES = 100
"""The descriptors beside connections."""
NO_TLS = (
    "others on the way could read tokens; give --tls-cert FILE and --tls-key FILE, or listen at "
    "127.0.0.1, or give --behind-proxy if a proxy on this machine speaks TLS"
)
AS_ROOT = (
    "league serve: not as root, since what is served could read every secret; give --user NAME, a "
    "user that owns nothing of the league, as one of `useradd --system khiva-web`"
)


class ServerPlace(NamedTuple):
    """The place of a server.

    host, port: where it listens; 0 for a free port.
    tls: the files of its certificate and key, None for plain HTTP.
    behind_proxy: whether a proxy on this machine speaks TLS for it.
    user: the name of the user that it becomes; "" to stay the one that started it.
    listener: a socket that listens there already; None to open one.
    """

    host: str
    port: int
    tls: tuple[Path, Path] | None
    behind_proxy: bool
    user: str
    listener: socket.socket | None = None


def serve(
    folder: Path,
    place: ServerPlace,
    limits: UploadLimits,
    say: Say,
    options: SiteOptions = NOTHING_MORE,
) -> None:
    """Serve the pages of a league until it is interrupted. Raises ConfigError if that
    cannot be.

    limits: of uploads.
    options: what the site has beside its pages.
    """
    user = _user_of(folder, place.user)
    tls = _tls_of(place)
    try:
        listener = place.listener or listening(place.host, place.port)
    except OSError as error:
        raise ConfigError(
            f"--listen {place.host}:{place.port}: {error.strerror or error}; give another port"
        ) from None
    with own_cell.as_owner(folder):
        queue, public = Queue(folder), _public_of(folder)
    for line in own_cell.missing():
        say(
            f"{line}; have root start the server with --user, or it can read all that its user can",
            warning=True,
        )
    port = listener.getsockname()[1]
    _allow_connections()
    own_cell.confine(_readable(folder, public), user)
    host = f"[{place.host}]" if ":" in place.host else place.host
    say(harmless(f"serves {folder} at http{'s' if tls else ''}://{host}:{port}/ until Ctrl-C"))
    trio.run(
        _run,
        listener,
        LeagueSite(public, Desk(queue, limits), options),
        ConnectionBounds(CONNECTIONS_MOST, OF_AN_ADDRESS_MOST, tls),
        place.behind_proxy,
    )
    say("the pages are closed; the league goes on without them")


async def _run(
    listener: socket.socket,
    site: LeagueSite,
    bounds: ConnectionBounds,
    behind_proxy: bool,
) -> None:
    guard = PublicGuard(site.application(), behind_proxy)

    async def answer(
        connection: PeerConnection,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        connection.stays = True
        try:
            await guard(scope, receive, send)
        finally:
            connection.stays = False

    async with trio.open_nursery() as nursery:
        nursery.start_soon(_until_stopped, nursery.cancel_scope)
        nursery.start_soon(site.desk.refresh_again_and_again)
        nursery.start_soon(site.forms.drop_old_again_and_again)
        nursery.start_soon(answer_all, listener, answer, bounds)


async def _until_stopped(serving: trio.CancelScope) -> None:
    """End the serving at the first signal. In its cell the process can send itself
    none, by which others become interrupts.
    """
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async for _ in signals:
            serving.cancel()


def _user_of(folder: Path, name: str) -> pwd.struct_passwd | None:
    """Return the user that the server becomes, None for the one that it is. Raises
    ConfigError if it would be root, or could not be kept apart from the player.
    """
    if os.geteuid() != 0:
        if name:
            raise ConfigError(
                f"--user {name}: only root can become another user; leave it out, or start "
                "the server as root"
            )
        return None
    if not name:
        raise ConfigError(AS_ROOT)
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        raise ConfigError(
            f"--user {name}: no such user; make one with `useradd --system {name}`"
        ) from None
    files = [folder, *(file for file in folder.iterdir() if file.is_file())]
    if user.pw_uid == 0 or user.pw_uid in {file.lstat().st_uid for file in files}:
        raise ConfigError(
            f"--user {name}: this user owns files of the league, so it could read its "
            "secrets; give another one"
        )
    return user


def _tls_of(place: ServerPlace) -> ssl.SSLContext | None:
    """Return the TLS that is spoken, None for plain HTTP. Raises ConfigError if the
    files are not fit for it.
    """
    if place.tls is None:
        return None
    context, (cert, key) = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), place.tls
    try:
        context.load_cert_chain(cert, key)
    except OSError as error:  # which an SSLError is
        why = error.strerror or error
        raise ConfigError(
            f"--tls-cert {cert}, --tls-key {key}: {why}; give a certificate and its key as PEM"
        ) from None
    return context


def _public_of(folder: Path) -> PublicFolder:
    """Return the public folder of a league, which is made if the player has not done so
    yet. Raises ConfigError.
    """
    path = folder / PUBLIC
    try:
        path.mkdir(mode=0o755, exist_ok=True)
        return PublicFolder(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None


def _readable(folder: Path, public: PublicFolder) -> list[str]:
    """Return the paths that the server may open later: what is public, and Python with
    its libraries, as far as no league lies below.
    """
    league = folder.resolve()
    libraries = [*readable_paths.system(), *readable_paths.interpreter()]
    return [
        public.path,
        *(path for path in libraries if not league.is_relative_to(os.path.realpath(path))),
    ]


def _allow_connections() -> None:
    """Let this process have as many descriptors as connections need, as far as the
    system lets it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS_MOST + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
