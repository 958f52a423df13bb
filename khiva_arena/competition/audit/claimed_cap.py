"""The check of the cap that a bundle says ended an event: nobody can replay it, but
matches can contradict it.
"""

from collections.abc import Collection, Iterator, Mapping

from khiva_arena.competition.events.find import may_be_capped
from khiva_arena.rating.report.capped import EndedByCap
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.bundle import NUMBER_MOST


def misfits_of_cap(
    cap: EndedByCap, definition: Definition, recorded: Collection[int], costs: Mapping[str, int]
) -> Iterator[str]:
    """Yield each contradiction between a cap and the matches of the event that it
    ended.

    recorded: ordinals.
    costs: by currency, the sum that the bots of these matches reported, in millionths.
    """
    if not may_be_capped(definition, recorded):
        has = "others" if recorded else "none"
        yield (
            "its end: by its cap it would have whole tables, the first of the schedule, and it "
            f"has {has}"
        )
    if cap.currency not in costs:
        yield "its end: no bot reported a cost in the currency of its cap"
    elif min(costs[cap.currency], NUMBER_MOST) > cap.spent:  # no bundle holds a higher sum
        yield "its end: its bots reported more than its cap says was spent"
