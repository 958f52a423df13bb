"""The bots that bundles of a league may hold, as ``publish_bots`` of its first link
says. The extension ``league`` defines the links.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from khiva_arena.records.store.db import Store  # a page that checks a bundle has none


def not_published(bot: str) -> str:
    """Return in words why a match is not run again. ``bot``: the name of one in it that
    bundles may not hold.
    """
    return (
        f"its league does not publish {bot}, so only the organiser and its author can run it again"
    )


def published_bots(links: Sequence[Any]) -> frozenset[str] | None:
    """Return the identities of the bots that bundles of a league may hold: its anchors;
    None for all bots, or without a league.

    links: of the league, as plain values of any shape.
    """
    match links[:1]:
        case [{"kind": "league", "terms": {"publish_bots": False}, "anchors": [*anchors]}]:
            found = [anchor.get("identity") for anchor in anchors if isinstance(anchor, dict)]
            return frozenset(identity for identity in found if isinstance(identity, str))
    return None


def published_in(store: "Store") -> frozenset[str] | None:
    """Return the bots of the league in a store that bundles may hold, as
    ``published_bots`` does.
    """
    return published_bots(
        [msgspec.json.decode(link.text) for link in store.links(0, 1) if link.intact]
    )
