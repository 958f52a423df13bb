"""The games as PettingZoo environments. An agent is a seat: "player_0" sits in seat 0.

An illegal action is answered as the arena answers a bot's: the default, index 0 of
``legal``, is played in its place, and ``infos[agent]["illegal"]`` is true until the
agent's next action.
"""

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from khiva_arena.bots.protocol.bot_function import Choose
from khiva_arena.env.coded_game import (
    DEFAULT,
    CodedGame,
    by_places,
    check_rewards,
    warn_of_slowness,
)
from khiva_arena.env.coding import WAIT, Coding
from khiva_arena.env.deals import Deals, Seed
from khiva_arena.env.matches import EngineMatch, Match, MatchInC
from khiva_arena.env.players import Players
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game, Plain, State

ANSI = "ansi"
"""The only render mode."""
SLOWER = 8
"""How many times as long a step takes without the rules in C, about."""
Observation = dict[str, Any]
"""A dict of two arrays. observation: the view as numbers. action_mask: 1 for each
action that is legal now.
"""


class _Seated:
    """The part that both kinds of environment share: spaces, observations, rewards."""

    def __init__(
        self,
        game: str | Game,
        seats: int | None,
        *,
        rules: Mapping[str, Plain] | None,
        rewards: str,
        coding: Coding | None,
        without: Sequence[str],
        opponents: Mapping[int, str | Choose] | None,
        render_mode: str | None,
    ) -> None:
        check_rewards(rewards)
        if render_mode not in (None, ANSI):
            raise ConfigError(f"render_mode: {render_mode!r} is neither None nor {ANSI!r}")
        self.table = CodedGame(game, seats, rules, coding, without)
        if not opponents:
            warn_of_slowness(self.table, SLOWER)
        self._opponents = _opponents(self.table, opponents or {})
        self.metadata = {
            "name": f"{self.table.game.name}_v{self.table.coding.version}",
            "render_modes": [ANSI],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self._seat_of = {
            f"player_{seat}": seat
            for seat in range(self.table.seats)
            if seat not in self._opponents
        }
        self.possible_agents = [*self._seat_of]
        self.agents: list[str] = []
        self._rewards = rewards
        self._deals = Deals()
        self._match: Match | None = None
        low, high = self.table.coding.bounds()
        self._blank = np.clip(np.float32(0), low, high)
        self._wait = np.zeros(self.table.coding.actions, dtype=np.int8)
        self._wait[WAIT] = 1
        # One space an agent: each has a generator of its own.
        self._action_spaces = {
            agent: spaces.Discrete(self.table.coding.actions) for agent in self.possible_agents
        }
        self._observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (self.table.coding.actions,), dtype=np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of an agent, the same object each time."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space of an agent, the same object each time."""
        return self._action_spaces[agent]

    @property
    def coding(self) -> Coding:
        """The coding of views and choices as numbers."""
        return self.table.coding

    @property
    def match(self) -> State:
        """The match as the engine has it, hidden hands included: for teachers and
        debugging, never for a policy. Raises RuntimeError before the first reset().
        """
        return self._played.state()

    @property
    def _played(self) -> Match:
        if self._match is None:
            raise RuntimeError("there is no match before the first reset()")
        return self._match

    def render(self) -> str | None:
        """Return the whole match as text in render mode "ansi", else None."""
        if self.render_mode != ANSI:
            return None
        return self.table.game.sketch(
            self.match, [f"player_{seat}" for seat in range(self.table.seats)]
        )

    def close(self) -> None:
        """Do nothing: an environment holds no resources."""

    def _begin(self, seed: Seed | None) -> None:
        if seed is not None:
            self._deals.seed(seed)
        secret = self._deals.next()
        quick = (
            self.table.in_c and len(self.possible_agents) == self.table.seats
        )  # opponents are told events
        match = self._match = (
            MatchInC(self.table, secret) if quick else EngineMatch(self.table, secret)
        )
        self.agents = self.possible_agents[:]
        self._opponents.begin(secret, secret[:8].hex(), match.events)
        self._gained = [0.0] * self.table.seats
        self._go_on()

    def _observation(self, seat: int, is_asked: bool) -> Observation:
        match = self._played
        return {
            "observation": match.observation(seat),
            "action_mask": match.mask(seat) if is_asked else self._wait.copy(),
        }

    def _index(self, agent: str, action: object) -> int | None:
        """Return the index into ``legal`` that an action means; None if it is illegal
        now. Raises TypeError if it is no whole number.
        """
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"{agent}: the action {action!r} is no whole number") from None
        return self._played.index(self._seat_of[agent], number)

    def _play(self, choices: Mapping[int, int]) -> dict[str, float]:
        """Apply a choice of each asked agent, and play the steps in which opponents
        alone are asked; return rewards.
        """
        self._step(choices)
        self._go_on()
        rewards, self._gained = self._gained, [0.0] * self.table.seats
        return {agent: rewards[seat] for agent, seat in self._seat_of.items()}

    def _go_on(self) -> None:
        while (asked := self._played.asked) and all(seat in self._opponents for seat in asked):
            self._step({})

    def _step(self, choices: Mapping[int, int]) -> None:
        """Apply one step of the arena, with the choices of the opponents, and add up
        its rewards.
        """
        match, counts_points = self._played, self._rewards == "points"
        before, others = (
            match.scores if counts_points else [],
            [seat for seat in match.asked if seat not in choices],
        )
        self._opponents.saw(
            match.apply(
                {
                    **choices,
                    **{seat: self._opponents.choose(match.state(), seat) for seat in others},
                }
            )
        )
        if counts_points:
            gains = [now - then for now, then in zip(match.scores, before, strict=True)]
        else:
            gains = [0] * self.table.seats if match.asked else by_places(match.ranks)
        self._gained = [
            float(sofar + more) for sofar, more in zip(self._gained, gains, strict=True)
        ]


def _opponents(table: CodedGame, bots: Mapping[int, str | Choose]) -> Players:
    """Return the players of the opponents. Raises ConfigError if an opponent has no
    seat, or no agent is left.
    """
    if wrong := [seat for seat in bots if seat not in range(table.seats)]:
        raise ConfigError(
            f"opponents: there is no seat {wrong[0]!r:.200}; seats are 0 to {table.seats - 1}"
        )
    if len(bots) == table.seats:
        raise ConfigError(
            "opponents: they have all seats, so there is no agent; khiva_arena.local plays "
            "bots among themselves"
        )
    return Players(table.game, table.seats, table.rules, bots)


class ArenaAEC(_Seated, AECEnv):  # type: ignore[misc]
    """A game in which agents act one after another: the agents that are asked, in seat
    order.
    """

    def reset(self, seed: Seed | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new match; equal seeds are followed by equal deals. There are no
        options.
        """
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: dict[int, int] = {}
        self._turn_to_next()

    def observe(self, agent: str) -> Observation:
        """Return the knowledge of an agent now. It shows no choice, not even the
        agent's own, before all choices of the step are made.
        """
        seat = self._seat_of[agent]
        return self._observation(seat, seat in self._played.asked and seat not in self._chosen)

    def step(self, action: int | None) -> None:
        """Take an action for ``agent_selection``."""
        match, agent = self._played, self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self._seat_of[agent]
        choice = self._index(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.infos[agent] = {} if choice is not None else {"illegal": True}
        self._chosen[seat] = DEFAULT if choice is None else choice
        if not self._waiting():
            self.rewards = self._play(self._chosen)
            self._chosen = {}
            self.terminations = dict.fromkeys(self.agents, not match.asked)
        self._accumulate_rewards()
        self._turn_to_next()

    def _waiting(self) -> list[str]:
        """Return the agents whose choices are still to come in this step."""
        asked = self._played.asked
        return [
            agent
            for agent, seat in self._seat_of.items()
            if seat in asked and seat not in self._chosen
        ]

    def _turn_to_next(self) -> None:
        self.agent_selection = next(iter(self._waiting() or self.possible_agents))


class ArenaParallel(_Seated, ParallelEnv):  # type: ignore[misc]
    """A game in which all agents act at once. Agents that are not asked wait; their
    actions are ignored.

    encode_all: agents that wait see their view, too; else a vector of zeros, where 0 is
        within the bounds.
    """

    def __init__(
        self, game: str | Game, seats: int | None, *, encode_all: bool, **how: Any
    ) -> None:
        super().__init__(game, seats, **how)
        self._encode_all = encode_all

    def reset(
        self, seed: Seed | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal a new match; equal seeds are followed by equal deals. There are no
        options.
        """
        self._begin(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Take one step of the arena; return observations, rewards, terminations,
        truncations, infos, each by agent.
        """
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        choices = {}
        agent_of_seat = {
            seat: agent for agent, seat in self._seat_of.items() if seat in self._played.asked
        }
        if missing := [agent for agent in agent_of_seat.values() if agent not in actions]:
            raise ValueError(
                f"no action for {', '.join(missing)}, who "
                f"{'is' if len(missing) == 1 else 'are'} asked"
            )
        for seat, agent in agent_of_seat.items():
            choice = self._index(agent, actions[agent])
            choices[seat] = DEFAULT if choice is None else choice
            if choice is None:
                infos[agent]["illegal"] = True
        rewards = self._play(choices)
        is_over = not self._played.asked
        result = (
            self._observations(),
            rewards,
            dict.fromkeys(self.agents, is_over),
            dict.fromkeys(self.agents, False),
            infos,
        )
        if is_over:
            self.agents = []
        return result

    def _observations(self) -> dict[str, Observation]:
        asked = self._played.asked
        return {
            agent: self._observation(seat, seat in asked)
            if self._encode_all or seat in asked
            else {"observation": self._blank.copy(), "action_mask": self._wait.copy()}
            for agent, seat in self._seat_of.items()
        }
