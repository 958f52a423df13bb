"""The hooks that the extension ``spending`` fills: columns of reports, caps,
transcripts, and language models as bots.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from khiva_arena.common.say import Say
from khiva_arena.competition.events.transcripts import KEEPS_TRANSCRIPTS
from khiva_arena.competition.run.caps import CAPS
from khiva_arena.entrants.bot_lists import BOT_LISTS
from khiva_arena.extensions.spending.model_bots import ModelBots
from khiva_arena.extensions.spending.spent_columns import SpentColumns
from khiva_arena.extensions.spending.transcript_room import Transcripts
from khiva_arena.rating.report.reported import SHOWS_SPENT

if TYPE_CHECKING:  # tables load this module, too
    from khiva_arena.competition.run.budget import Proposal
    from khiva_arena.competition.settings.settings import Settings
    from khiva_arena.entrants.bots import Bot


class SpendCaps:
    """Caps, as ``competition.run.caps.Caps`` wants them."""

    def propose(
        self,
        stages: "Sequence[Settings]",
        entrants: "Sequence[Bot]",
        cap: str,
        say: Say,
        *,
        new_event: bool,
    ) -> "Proposal":
        from khiva_arena.extensions.spending.spend_option import propose

        return propose(stages, entrants, cap, say, new_event=new_event)


EXTENSION = (
    SHOWS_SPENT.filled(SpentColumns()),
    CAPS.filled(SpendCaps()),
    BOT_LISTS.filled(ModelBots()),
    KEEPS_TRANSCRIPTS.filled(Transcripts()),
)
