"""The hooks that the extension ``spending`` fills: the reports of bots in tables, and language models as bots."""

from khiva_arena.entrants.bot_lists import BOT_LISTS
from khiva_arena.extensions.spending.model_bots import ModelBots
from khiva_arena.extensions.spending.spent_columns import SpentColumns
from khiva_arena.rating.report.reported import SHOWS_SPENT

EXTENSION = (SHOWS_SPENT.filled(SpentColumns()), BOT_LISTS.filled(ModelBots()))
