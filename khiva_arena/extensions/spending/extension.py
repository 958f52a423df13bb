"""The hooks that the extension ``spending`` fills: the reports of bots in tables, and their transcripts."""

from khiva_arena.competition.events.transcripts import KEEPS_TRANSCRIPTS
from khiva_arena.extensions.spending.spent_columns import SpentColumns
from khiva_arena.extensions.spending.transcript_room import Transcripts
from khiva_arena.rating.report.reported import SHOWS_SPENT

EXTENSION = (SHOWS_SPENT.filled(SpentColumns()), KEEPS_TRANSCRIPTS.filled(Transcripts()))
