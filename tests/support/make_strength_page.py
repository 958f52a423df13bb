"""make schema: the ladders of bots in bots/README.md and docs/games.md, from khiva_arena/common/strength.json."""

import sys
from collections.abc import Sequence
from pathlib import Path

from generated_parts import with_parts

from khiva_arena.common import strength
from khiva_arena.games.registry import GAMES

ROOT = Path(__file__).parents[2]
ALL_SEATS = range(2, 11)


def pages() -> dict[Path, dict[str, str]]:
    """Return by page its generated parts, by the name in their marks."""
    brief = {game: _tables(game, strength.TABLED) for game in strength.ladders()}
    whole = "\n\n".join(f"**{GAMES[game].title}**\n\n{_tables(game, ALL_SEATS)}" for game in strength.ladders())
    return {ROOT / "bots" / "README.md": {"ladders": whole, "steps": steps()}, ROOT / "docs" / "games.md": brief}


def _tables(game: str, seats: Sequence[int]) -> str:
    return f"{strength.ladder_table(game, seats)}\n\n{strength.twice_line(game, seats)}"


def steps() -> str:
    """Return the table of all steps that were measured."""
    lines = ["| game | seats | bot | over | Elo | deals | measured |", "|---|---|---|---|---|---|---|"]
    for game, by_seats in strength.ladders().items():
        for seats, ladder in by_seats.items():
            for step in ladder.steps:
                elo = f"above {step.least:.0f}" if step.least is not None else strength.measured(step.elo, step.error)
                cells = (GAMES[game].title, seats, step.bot, step.over, elo, step.deals, step.measured)
                lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if "--write" not in sys.argv:
        sys.exit("nothing is written without --write")
    for page, parts in pages().items():
        page.write_text(with_parts(page.read_text("utf-8"), parts), "utf-8")
