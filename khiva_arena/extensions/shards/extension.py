"""The hook that the extension ``shards`` fills: all about plans."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from khiva_arena.common.say import Say
from khiva_arena.competition.run.options import PlanFlags, RunOptions
from khiva_arena.competition.run.plans import PLANS, PlannedCompetition
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot

# Each function imports what it needs when it is called: a refusal needs little.


class _Plans:
    """Plans, as ``competition.plans.Plans`` wants them."""

    def check_together(
        self, flags: PlanFlags, config: Path | None, options: RunOptions, *, shipped: bool
    ) -> None:
        from khiva_arena.extensions.shards.plans import check_together

        check_together(flags, config, options, shipped=shipped)

    def why_not_in_shards(self, form: str, stages: int = 1) -> str:
        from khiva_arena.extensions.shards.plan_settings import why_not_in_shards

        return why_not_in_shards(form, stages)

    def refuse_shard(self, stages: Sequence[Settings]) -> NoReturn:
        from khiva_arena.extensions.shards.plans import refuse_shard

        refuse_shard(stages)

    def check_plannable(
        self, path: Path, stages: Sequence[Settings], entrants: Sequence[Bot]
    ) -> None:
        from khiva_arena.extensions.shards.plan import check_plannable

        check_plannable(path, stages, entrants)

    def print_plan(
        self, path: Path, stages: Sequence[Settings], entrants: Sequence[Bot], as_json: bool
    ) -> None:
        from khiva_arena.extensions.shards.plans import print_plan

        print_plan(path, stages, entrants, as_json)

    def game_of(self, path: Path) -> str:
        from khiva_arena.extensions.shards.plan_file import read_plan

        return read_plan(path).game

    def competition_of_plan(
        self, path: Path, word: str | None, flags: Mapping[str, Any], any_engine: bool, say: Say
    ) -> PlannedCompetition:
        from khiva_arena.extensions.shards.plan_settings import competition_of_plan

        return competition_of_plan(path, word, flags, any_engine, say)


EXTENSION = (PLANS.filled(_Plans()),)
