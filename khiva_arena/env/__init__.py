"""The games as environments for trainers: PettingZoo's here, OpenSpiel's in
``khiva_arena.env.openspiel``. See docs/trainers.md.

No library of a trainer is imported before it is needed.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from khiva_arena.env.deals import Seed as Seed
from khiva_arena.env.policy import player as player
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game, Plain

if TYPE_CHECKING:
    from khiva_arena.bots.protocol.bot_function import Choose
    from khiva_arena.env.coding import Coding
    from khiva_arena.env.vector_env import VectorEnv
    from khiva_arena.env.zoo import ArenaAEC, ArenaParallel


def aec(
    game: "str | Game",
    seats: int | None = None,
    *,
    rules: Mapping[str, Plain] | None = None,
    rewards: str = "places",
    coding: "Coding | None" = None,
    without: Sequence[str] = (),
    opponents: "Mapping[int, str | Choose] | None" = None,
    render_mode: str | None = None,
) -> "ArenaAEC":
    """Return a game as PettingZoo's AECEnv: one agent acts after another; simultaneous
    choices stay secret until all are made.

    game: its name, or a Game.
    seats: by default the fewest that the game has.
    rules: the rules that differ from the defaults.
    rewards: "places": at the end, 1 for each seat that finished behind and -1 for each
        before; "points": points as they come.
    coding: how views and choices are numbers, for a game that does not ship with the
        arena.
    without: keys of the view that an observation leaves out, as ("history",).
    opponents: by seat, bots that play there in this process: functions, or words as
        "shipped:python/greedy". Their seats have no agent.
    render_mode: "ansi" for text that shows all hands.

    Raises ConfigError for wrong arguments, and without PettingZoo.
    """
    _installed()
    from khiva_arena.env.zoo import ArenaAEC

    options: dict[str, Any] = {
        "coding": coding,
        "without": without,
        "opponents": opponents,
        "render_mode": render_mode,
    }
    return ArenaAEC(game, seats, rules=rules, rewards=rewards, **options)


def parallel(
    game: "str | Game",
    seats: int | None = None,
    *,
    rules: Mapping[str, Plain] | None = None,
    rewards: str = "places",
    coding: "Coding | None" = None,
    without: Sequence[str] = (),
    opponents: "Mapping[int, str | Choose] | None" = None,
    encode_all: bool = False,
    render_mode: str | None = None,
) -> "ArenaParallel":
    """Return a game as PettingZoo's ParallelEnv: a step is one of the arena's. Agents
    that are not asked can only wait, action 0.

    encode_all: agents that wait see their view, too; else zeros, which takes less time.

    Other arguments and errors are those of ``aec``.
    """
    _installed()
    from khiva_arena.env.zoo import ArenaParallel

    options: dict[str, Any] = {
        "coding": coding,
        "without": without,
        "opponents": opponents,
        "render_mode": render_mode,
    }
    return ArenaParallel(
        game, seats, rules=rules, rewards=rewards, encode_all=encode_all, **options
    )


def vector(
    game: "str | Game",
    seats: int | None = None,
    games: int = 1024,
    *,
    rules: Mapping[str, Plain] | None = None,
    rewards: str = "places",
    without: Sequence[str] = (),
) -> "VectorEnv":
    """Return so many matches of a game that are stepped together, in the shapes of
    Gymnasium's vector environments.

    One seat of each match acts in a step, and its row shows the seat that acts next.
    Rewards have a column a seat.

    game: the name of a game that ships with the arena, or that Game.

    Other arguments and errors are those of ``aec``. Where the rules in C are not built,
    steps take far longer, and a warning says so.
    """
    from khiva_arena.env.vector_env import VectorEnv

    return VectorEnv(game, seats, games, rules=rules, rewards=rewards, without=without)


def _installed() -> None:
    if not find_spec("pettingzoo"):
        raise ConfigError(
            "these environments are PettingZoo's, which is not installed: pip install "
            "'khiva-arena[pettingzoo]'"
        )
