"""The hook that the extension ``spending`` fills: the reports of bots in tables."""

from khiva_arena.extensions.spending.spent_columns import SpentColumns
from khiva_arena.rating.report.reported import SHOWS_SPENT

EXTENSION = (SHOWS_SPENT.filled(SpentColumns()),)
