"""The work of ``khiva-arena league serve``: the pages of a league, for everybody."""

from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.competition.run.live_views import LIVE_VIEWS
from khiva_arena.display.terminal.console import say
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.settings import options_of, publishes_bots_in
from khiva_arena.extensions.league.submissions.limits import limits_of
from khiva_arena.extensions.seats.relay_protocol import address, is_loopback

INHERIT = "inherit"
"""The word in place of an address for a socket that a service manager hands over."""


class ServeFlags(NamedTuple):
    """How a league is served, as the flags say.

    tls_cert, tls_key: files of the certificate and its key; None for plain HTTP.
    behind_proxy: whether a proxy on this machine speaks TLS.
    user: that root's server becomes; "" for none.
    page: the file of khiva-arena.html; None for none.
    """

    tls_cert: Path | None
    tls_key: Path | None
    behind_proxy: bool
    user: str
    page: Path | None


def serve(league: Path, listen: str, **flags: Any) -> None:
    """Serve until Ctrl-C. Raises ConfigError if that cannot be. ``flags``: those of
    ``ServeFlags``.
    """
    tls_cert, tls_key, behind_proxy, user, page = ServeFlags(**flags)
    LIVE_VIEWS.get("a page that is served")
    from khiva_arena.extensions.league.routes import served_page
    from khiva_arena.extensions.league.routes.app import SiteOptions  # Starlette comes with it
    from khiva_arena.extensions.league.routes.server import NO_TLS, ServerPlace
    from khiva_arena.extensions.league.routes.server import serve as serve_league
    from khiva_arena.extensions.serve.serving import inherited

    listener = None
    try:
        if listen == INHERIT:
            listener = inherited()
            host, port = listener.getsockname()[:2]
        else:
            host, port = address(listen)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"--listen {listen}: {getattr(error, 'strerror', None) or error}"
        ) from None
    if (tls_cert is None) != (tls_key is None):
        raise ConfigError("--tls-cert and --tls-key: give both or neither")
    options = options_of(league)
    tls = (tls_cert, tls_key) if tls_cert and tls_key else None
    if not (tls or behind_proxy or is_loopback(host)):
        raise ConfigError(f"--listen {listen}: {NO_TLS}")
    place = ServerPlace(host, port, tls, behind_proxy, user, listener)
    served = served_page.read(page) if page else None
    site = SiteOptions(publishes_bots_in(league), options.uploads_by_form, served)
    serve_league(league, place, limits_of(options), say, site)
