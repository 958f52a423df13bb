"""make schema: the ladders of bots in bots/README.md from
khiva_arena/common/strength.json, and the page in brief of each game, whose rules,
decision and ladder are those of AGENTS.md.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from generated_parts import with_parts

from khiva_arena.common import shipped, strength
from khiva_arena.games.registry import GAMES
from khiva_arena.interface.commands import new_agents

ROOT = Path(__file__).parents[2]
ALL_SEATS = range(2, 11)


def pages() -> dict[Path, dict[str, str]]:
    """Return by page its generated parts, by the name in their marks."""
    whole = "\n\n".join(
        f"**{GAMES[game].title}**\n\n{_tables(game, ALL_SEATS)}" for game in strength.ladders()
    )
    return {ROOT / "bots" / "README.md": {"ladders": whole, "steps": steps()}} | {
        brief_page(game): {"facts": f"{_begin(game)}\n\n{new_agents.facts(game)}"} for game in GAMES
    }


def brief_page(game: str) -> Path:
    """Return the page that tells a game in brief."""
    return ROOT / "docs" / f"{game.replace('_', '-')}.md"


def _begin(game: str) -> str:
    """Return the commands that make the strongest bots to begin with, in Python and in
    C.
    """
    found = [new_agents.strongest(shipped.languages()[name], game) for name in ("python", "c")]
    return (
        f"Begin with {' or '.join(f'`khiva-arena new {best.words}`' for best in found if best)}, "
        "the strongest starts."
    )


def _tables(game: str, seats: Sequence[int]) -> str:
    return f"{strength.ladder_table(game, seats)}\n\n{strength.twice_line(game, seats)}"


def steps() -> str:
    """Return the table of all steps that were measured."""
    lines = [
        "| game | seats | bot | over | Elo | deals | measured |",
        "|---|---|---|---|---|---|---|",
    ]
    for game, by_seats in strength.ladders().items():
        for seats, ladder in by_seats.items():
            for step in ladder.steps:
                cells = (
                    GAMES[game].title,
                    seats,
                    step.bot,
                    step.over,
                    step.in_words,
                    step.deals,
                    step.measured,
                )
                lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if "--write" not in sys.argv:
        sys.exit("nothing is written without --write")
    for page, parts in pages().items():
        page.write_text(with_parts(page.read_text("utf-8"), parts), "utf-8")
