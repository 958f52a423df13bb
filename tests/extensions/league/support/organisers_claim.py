"""What an organiser claims who cheats."""

from datetime import UTC, datetime
from typing import Any

import pytest
from claims import Claim, chained, of_batch
from made_league import MadeLeague, Shape
from msgspec import structs

from khiva_arena.competition.events.stored import run_digest_of
from khiva_arena.extensions.league.chain.links import AnyLink, Entered, Season, StateChanged
from khiva_arena.extensions.league.chain.stored_chain import links_of, next_place

NOWHERE = {"number": 0, "before": "0" * 64, "at": datetime.now(UTC).isoformat(timespec="seconds")}


@pytest.fixture(scope="module")
def claimed(tmp_path_factory: pytest.TempPathFactory) -> Claim:
    """Five batches of a league: a second version, a bot that is suspended for a batch,
    one that is retired, and a newcomer.
    """
    with MadeLeague(tmp_path_factory.mktemp("made") / "league", Shape(seeds=1)) as made:
        first, bob = made.enter("ann v1", 1, 1), made.enter("bob v1", 2, 2)
        made.enter("eve v1", 3, 3)
        made.batch()
        made.enter("ann v2", 1, 1)
        made.add(Season(**next_place(made.chain), name="two"))
        made.add(
            StateChanged(**next_place(made.chain), identity=bob, state="suspended", why="a rival")
        )
        made.batch()
        made.add(StateChanged(**next_place(made.chain), identity=bob, state="active"))
        made.add(StateChanged(**next_place(made.chain), identity=first, state="retired"))
        made.batch()
        made.decide()
        made.enter("kim v1", 4, 4)
        made.batch()
        made.batch()
        events = made.store.events()
        return Claim(
            links_of(made.store),
            events,
            {event.id: run_digest_of(made.store, event) for event in events},
        )


@pytest.fixture
def honest(claimed: Claim) -> Claim:
    """A claim of its own for each test."""
    return Claim(list(claimed.links), list(claimed.events), dict(claimed.digests))


def entered(claim: Claim, name: str) -> Entered:
    return next(link for link in claim.links if isinstance(link, Entered) and link.name == name)


def inserted(claim: Claim, batch: int, *links: AnyLink) -> Claim:
    """Return the claim with more links before a batch is drawn."""
    at = of_batch(claim, batch)[0]
    return claim._replace(links=chained([*claim.links[:at], *links, *claim.links[at:]]))


def changed(claim: Claim, link: AnyLink, **changes: Any) -> Claim:
    """Return the claim with a link that says something else, and all later ones made to
    fit.
    """
    return claim._replace(
        links=chained(
            [structs.replace(one, **changes) if one == link else one for one in claim.links]
        )
    )
