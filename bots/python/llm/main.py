"""A language model plays: any game, from its rules page, the view and the legal list, through an OpenAI-compatible endpoint.

docs/language-models.md says how it is set up, what it costs and what is recorded.
"""

import os
import sys
from time import monotonic

from khiva_kit import note
from khiva_spent import play
from settings import Wrong, settle

TOTALS = ("model", "retry", "lot", "failed", "tokens_in", "tokens_out", "waited_ms", "cost")
"""The totals that the arena is told: decisions by who made the choice, tokens, milliseconds, and millionths of the
currency. If the API did not tell the tokens of a try, ``tokens_in`` becomes ``tokens_in_told``."""


def main() -> None:
    try:
        settings = settle(sys.argv[1:], os.environ)
    except Wrong as what:
        sys.exit(f"llm: {what}")  # on stderr, and nobody is greeted
    player = None
    spent = dict.fromkeys(TOTALS if settings.prices else TOTALS[:-1], 0)

    def choose(decide: dict, match: dict) -> int:
        nonlocal player
        began = monotonic()
        if player is None:
            from player import Player  # HTTP, TLS and JSON, which a start does without

            player = Player(settings, match, spent)
        return player.choose(decide, began)

    play("llm", choose, spent, settings.currency, version="3")
    if player is not None:
        note(player.total())


if __name__ == "__main__":
    main()
