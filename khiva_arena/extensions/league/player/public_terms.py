"""The terms of a league, as its pages and its documents publish them."""

from pathlib import Path

import msgspec
from msgspec import structs

from khiva_arena.common import shipped
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.folder import final_folder
from khiva_arena.extensions.league.public_state import PublicTerms
from khiva_arena.records.replay.conditions import Conditions
from khiva_arena.records.store.db import Store


def terms_of(chain: Chain) -> PublicTerms:
    terms, conditions = chain.terms, msgspec.convert(chain.terms.conditions, Conditions)
    languages = shipped.languages()
    return PublicTerms(
        clock=str(conditions.clock),
        **structs.asdict(conditions.time),
        memory=conditions.limits.memory,
        policy=str(conditions.policy),
        languages={
            word: languages[word].title if word in languages else word
            for word in terms.interpreters or ()
        },
        publish_bots=terms.publishes_bots,
        anchor=chain.seasons[-1].anchor or terms.anchor,
        next_anchor=terms.anchor,
    )


def is_final_over(folder: Path, number: int, event: str) -> bool:
    """Tell whether all matches of a final of the league in a folder are
    recorded. ``event``: its id. Raises StoreError.
    """
    out = final_folder(folder, number)
    if not Store.check(out):
        return False
    with Store.read(out) as store:
        return store.conclusion(event) is not None
