"""The rounds of an event as a page shows them: who sat at which table, what each made of it there, and who went on."""

from collections.abc import Iterable, Mapping, Sequence

from khiva_arena.page.data import PageLineUp, PageRound, PageSitter
from khiva_arena.result import Result
from khiva_arena.schedule.formats import FORMATS, DrawnRound, places
from khiva_arena.schedule.scores import BotSums, bot_sums
from khiva_arena.schedule.timetable import Timetable


def rounds_of(timetable: Timetable, results: Iterable[Result]) -> list[PageRound]:
    """Those that are drawn; none for a format that is not played in rounds. ``results``: all that are
    recorded, which are read only if they are needed."""
    if not FORMATS[timetable.terms.format].IN_ROUNDS:
        return []
    drawn = [found for shape in timetable.shapes if (found := timetable.round(shape.number)) is not None]
    of_rounds: list[list[Result]] = [[] for _ in timetable.shapes]
    for result in results:
        of_rounds[timetable.shape_of(result.ordinal).number].append(result)
    fields = [_field(one) for one in drawn[1:]]
    if sum(map(len, of_rounds)) == timetable.matches:
        fields.append({placing.bot for placing in places(timetable.terms, of_rounds) if placing.place == 1})
    return [
        _round(timetable, one, of_rounds[one.number], fields[at] if at < len(fields) else set()) for at, one in enumerate(drawn)
    ]


def _field(drawn: DrawnRound) -> set[int]:
    """The bots that are in before a round."""
    return {bot for table in drawn.line_ups for bot in table}.union(drawn.byes)


def _round(timetable: Timetable, drawn: DrawnRound, results: Sequence[Result], through: set[int]) -> PageRound:
    sums = dict(enumerate(bot_sums(timetable.terms.bots, results)))
    line_ups = [_line_up(table, sums, through) for table in drawn.line_ups]
    return PageRound(drawn.number + 1, drawn.first_ordinal, timetable.shapes[drawn.number].matches, list(drawn.byes), line_ups)


def _line_up(table: Sequence[int], sums: Mapping[int, BotSums], through: set[int]) -> PageLineUp:
    """In such a round, a bot sits at one table alone."""
    order = sorted(table, key=lambda bot: (bot not in through, -sums[bot].halves, -sums[bot].firsts, -sums[bot].game))
    sitters = [
        PageSitter(
            bot, None if (score := sums[bot].score) is None else round(float(100 * score), 3), sums[bot].game, bot in through
        )
        for bot in order
    ]
    went, left = [sums[bot] for bot in order if bot in through], [sums[bot] for bot in order if bot not in through]
    return PageLineUp(sitters, _decided(went[-1], left[0]) if went and left else "")


def _decided(last_in: BotSums, first_out: BotSums) -> str:
    """What parted two bots of equal score, as a knockout decides it."""
    if last_in.halves != first_out.halves:
        return ""
    if last_in.firsts != first_out.firsts:
        return "more first places"
    return "more points" if last_in.game != first_out.game else "the better seeding"
