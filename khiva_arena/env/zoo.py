"""The games as PettingZoo environments. An agent is a seat: "player_0" sits in seat 0.

An action that is not legal is answered as the arena answers a bot's: the default, index 0 of ``legal``, is played in its place,
and ``infos[agent]["illegal"]`` is true until the agent's next action.
"""

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from khiva_arena.env.coded_game import DEFAULT, CodedGame, by_places, check_rewards
from khiva_arena.env.coding import WAIT, Coding
from khiva_arena.env.deals import Deals
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game, Plain, State

ANSI = "ansi"
"""The one render mode."""
Observation = dict[str, Any]
"""observation: the view as numbers. action_mask: 1 for each action that is legal now."""


class _Seated:
    """What both kinds of environment share: spaces, observations, rewards."""

    def __init__(
        self,
        game: str | Game,
        seats: int | None,
        *,
        rules: Mapping[str, Plain] | None,
        rewards: str,
        coding: Coding | None,
        render_mode: str | None,
    ) -> None:
        check_rewards(rewards)
        if render_mode not in (None, ANSI):
            raise ConfigError(f"render_mode: {render_mode!r} is neither None nor {ANSI!r}")
        self.table = CodedGame(game, seats, rules, coding)
        self.metadata = {
            "name": f"{self.table.game.name}_v{self.table.coding.version}",
            "render_modes": [ANSI],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.table.seats)]
        self.agents: list[str] = []
        self._rewards = rewards
        self._deals = Deals()
        self._state: State | None = None
        low, high = self.table.coding.bounds()
        # One space an agent: each has a generator of its own.
        self._action_spaces = {agent: spaces.Discrete(self.table.coding.actions) for agent in self.possible_agents}
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
        """The same object each time."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The same object each time."""
        return self._action_spaces[agent]

    @property
    def coding(self) -> Coding:
        """How views and choices are numbers."""
        return self.table.coding

    @property
    def match(self) -> State:
        """The match as the engine has it, hidden hands included: for teachers and debugging, never for a policy."""
        if self._state is None:
            raise RuntimeError("there is no match before the first reset()")
        return self._state

    def render(self) -> str | None:
        """The whole match as text, in render mode "ansi"."""
        if self.render_mode != ANSI:
            return None
        return self.table.game.sketch(self.match, self.possible_agents)

    def close(self) -> None:
        """Nothing is held."""

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            self._deals.seed(seed)
        self._state, _ = self.table.game.new(self.table.seats, self.table.rules, self._deals.next())
        self.agents = self.possible_agents[:]

    def _observation(self, seat: int, legal: list[int]) -> Observation:
        mask = np.zeros(self.table.coding.actions, dtype=np.int8)
        mask[legal] = 1
        return {"observation": self.table.coding.encode(self.match.view(seat)), "action_mask": mask}

    def _index(self, agent: str, action: object) -> int | None:
        """The index into ``legal`` that an action means; None if it is not legal now. Raises TypeError if it is no number."""
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"{agent}: the action {action!r} is no whole number") from None
        return self.table.index(self.match, self.possible_agents.index(agent), number)

    def _play(self, choices: Mapping[int, int]) -> list[float]:
        """Apply a choice of each asked seat; returns the rewards by seat."""
        before = self.match.scores
        self.match.apply(choices)
        if self._rewards == "points":
            return [float(now - then) for now, then in zip(self.match.scores, before, strict=True)]
        return [float(reward) for reward in by_places(self.match.ranks)] if self.match.is_over else [0.0] * self.table.seats


class ArenaAEC(_Seated, AECEnv):  # type: ignore[misc]
    """A game in which agents act one after another: those that are asked, in seat order."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new match; equal seeds are followed by equal deals. There are no options."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: dict[int, int] = {}
        self._turn_to_next()

    def observe(self, agent: str) -> Observation:
        """What the agent knows now; of a choice that it has made, nothing before all are made."""
        seat = self.possible_agents.index(agent)
        asked = seat in self.match.pending() and seat not in self._chosen
        return self._observation(seat, self.table.legal(self.match, seat) if asked else [WAIT])

    def step(self, action: int | None) -> None:
        """Take an action for ``agent_selection``."""
        pending = self.match.pending()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        choice = self._index(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.infos[agent] = {} if choice is not None else {"illegal": True}
        self._chosen[seat] = DEFAULT if choice is None else choice
        if len(self._chosen) == len(pending):
            gained = self._play(self._chosen)
            self._chosen = {}
            self.rewards = dict(zip(self.agents, gained, strict=True))
            self.terminations = dict.fromkeys(self.agents, self.match.is_over)
        self._accumulate_rewards()
        self._turn_to_next()

    def _turn_to_next(self) -> None:
        waiting = [seat for seat in self.match.pending() if seat not in self._chosen]
        self.agent_selection = self.possible_agents[waiting[0] if waiting else 0]


class ArenaParallel(_Seated, ParallelEnv):  # type: ignore[misc]
    """A game in which all agents act at once. Those that are not asked wait; whatever they send is ignored."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal a new match; equal seeds are followed by equal deals. There are no options."""
        self._begin(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """One step of the arena: observations, rewards, terminations, truncations, infos."""
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        choices = {}
        asked = {seat: self.possible_agents[seat] for seat in self.match.pending()}
        if missing := [agent for agent in asked.values() if agent not in actions]:
            raise ValueError(f"an action is missing of {', '.join(missing)}, who {'is' if len(missing) == 1 else 'are'} asked")
        for seat, agent in asked.items():
            choice = self._index(agent, actions[agent])
            choices[seat] = DEFAULT if choice is None else choice
            if choice is None:
                infos[agent]["illegal"] = True
        gained = dict(zip(self.possible_agents, self._play(choices), strict=True))
        over = self.match.is_over
        found = self._observations(), gained, dict.fromkeys(self.agents, over), dict.fromkeys(self.agents, False), infos
        if over:
            self.agents = []
        return found

    def _observations(self) -> dict[str, Observation]:
        return {
            agent: self._observation(seat, self.table.legal(self.match, seat)) for seat, agent in enumerate(self.possible_agents)
        }
