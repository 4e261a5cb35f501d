"""GameEnv: one PettingZoo AEC environment for all games."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from hanazono.envs.core.batch import (
    BatchEnv,
    IllegalKind,
    RewardKind,
    check_choice,
    check_seed,
    fresh_seed,
    illegal_action,
)
from hanazono.envs.core.game import Game
from hanazono.envs.core.record import GameRecord
from hanazono.envs.core.rng import mix

WHOLE = int | np.integer  # built once: it is asked for at every step
SETTINGS = ("num_players", "render_mode", "reward", "illegal")
RENDER_MODES = ("ansi",)  # "svg" and "rgb_array" join when the drawing does


@dataclass(frozen=True)
class EnvState:
    """A whole environment as a value: the game's state, its history, and who is still seated."""

    state: np.ndarray
    actions: tuple[int, ...]
    agents: tuple[str, ...]


class GameEnv(AECEnv):
    """A game as a PettingZoo AEC environment with action masks.

    Agents are "player_0" … "player_{n-1}", by seat. An observation is a dict with "observation",
    float32 [O] (see `game.layout.describe()`), and "action_mask", int8 [A], 1 = legal. The mask
    of a seat that is not to move, or of a finished game, is all 0. `infos[agent]["action_mask"]`
    is the same mask; when the game has ended, `infos` also carry "score", "rank" (0 = winner) and
    "winner_share". Rewards are paid when the game ends. All seats terminate in the same step;
    each then takes its closing step(None).
    """

    def __init__(
        self,
        game: Game,
        num_players: int,
        *,
        render_mode: str | None = None,
        reward: RewardKind = "outcome",
        illegal: IllegalKind = "raise",
        **options: Any,
    ) -> None:
        """Prepare the environment; `reset` deals.

        Args:
            game: which game.
            num_players: number of seats.
            render_mode: None or "ansi" (`render` then returns text).
            reward: "outcome" or "score", see `BatchEnv`.
            illegal: "raise" leaves the game unchanged; "forfeit" loses it for the mover.
            options: rule options of the game.

        Raises:
            ValueError: naming what is allowed.
        """
        super().__init__()
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        self.game, self.render_mode = game, render_mode
        self.reward, self.illegal = reward, illegal
        self.num_players = game.check_players(num_players)
        self.options = game.check_options(options, SETTINGS)
        self.metadata = {
            "name": f"{game.name}_v{game.rules_version}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{p}" for p in range(self.num_players)]
        self._seats = {agent: p for p, agent in enumerate(self.possible_agents)}
        low, high = game.layout.bounds()
        self._observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._action_spaces = {
            agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents
        }
        self._make_table()

    def _make_table(self) -> None:
        """The batch of one game behind this environment, and the names used most."""
        self._batch = BatchEnv(
            self.game,
            1,
            self.num_players,
            reward=self.reward,
            illegal=self.illegal,
            auto_reset=False,
            options=self.options,
        )
        states = self._batch.states
        self._s = states.view(np.recarray)[0]
        # Views of its fields: a record looks a field up by name each time, which is slow.
        self._seed, self._paid = states["seed"], states["rewards"][0, : self.num_players]
        self._observation = self._batch.observation[0]
        self._mask = self._batch.action_mask[0]
        self._player = self._batch.current_player
        self._over = self._batch.terminated
        self._action = np.zeros(1, np.int64)
        self._no_action = np.zeros(self.game.num_actions, np.int8)
        self._no_action.flags.writeable = False
        self._actions: list[int] = []
        self._dealt = False
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space:
        """The space of `observe(agent)`; always the same object."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """Discrete(A); always the same object."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game.

        Args:
            seed: the deal seed, 0 … 2**64 - 1. Without one, the next deal follows from the last
                seed; the first is drawn from the operating system.
            options: ignored; rule options belong to the constructor.
        """
        if seed is not None:
            deal_seed = check_seed(seed)
        else:
            deal_seed = int(mix(self._seed[0])) if self._dealt else fresh_seed()
        self._batch.reset(seeds=np.full(1, deal_seed, np.uint64))
        self._dealt = True
        self._actions = []
        self._take_seats(self.possible_agents)

    def _take_seats(self, agents: list[str] | tuple[str, ...]) -> None:
        """Set all PettingZoo attributes from the state, with `agents` still at the table."""
        over = bool(self._over[0])
        self.agents = list(agents)
        paid = self._paid.tolist()
        self._cumulative_rewards = {a: paid[self._seats[a]] for a in agents}
        self.rewards = dict(self._cumulative_rewards)
        if len(agents) < self.num_players:  # some have left, which clears what was paid last
            self._clear_rewards()
        self.terminations = dict.fromkeys(agents, over)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {
            a: {"action_mask": self._no_action} for a in agents
        }
        if over:
            self._close_game()
        else:
            self.agent_selection = self.possible_agents[self._player[0]]
            self.infos[self.agent_selection] = {"action_mask": self._mask.copy()}

    def _close_game(self) -> None:
        self._batch.score()
        ranks = self._batch.final_ranks[0, : self.num_players]
        winners = int((ranks == 0).sum())
        for agent in self.agents:
            seat = self._seats[agent]
            self.infos[agent] |= {
                "score": float(self._batch.final_scores[0, seat, 0]),
                "rank": int(ranks[seat]),
                "winner_share": 1 / winners if ranks[seat] == 0 else 0.0,
            }
        self.agent_selection = self.agents[0] if self.agents else self.possible_agents[-1]

    def step(self, action: int | None) -> None:
        """Play `action` for `agent_selection`; None where that seat's game is over.

        Raises:
            ValueError: for an illegal action where illegal="raise" (the game is unchanged), or
                an action other than None in a finished game.
            RuntimeError: before the first reset, or when all seats have left the table.
        """
        self._check_dealt()
        if not self.agents:
            raise RuntimeError("the game is finished; call reset() to deal")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._leave(agent, action)
            return
        self._action[0] = self._check_action(action)
        self._cumulative_rewards[agent] = 0.0
        self._batch.advance(self._action)
        self._actions.append(int(self._action[0]))
        if self._over[0]:
            if self._s.forfeited >= 0:
                self._actions.pop()
            self._take_seats(self.possible_agents)
            return
        self.infos[agent] = {"action_mask": self._no_action}
        self.agent_selection = agent = self.possible_agents[self._player[0]]
        self.infos[agent] = {"action_mask": self._mask.copy()}

    def _check_dealt(self) -> None:
        if not self._dealt:
            raise RuntimeError("the game has not started; call reset() to deal")

    def _check_action(self, action: Any) -> int:
        """The action as an integer, -1 for a forfeit."""
        whole = isinstance(action, WHOLE) and not isinstance(action, bool)
        if whole and 0 <= action < self.game.num_actions and self._mask[action]:
            return int(action)
        if self.illegal == "raise":
            if not whole:
                raise ValueError(
                    f"{self.agent_selection} must play an action number, got {action!r}"
                )
            raise ValueError(illegal_action(self.game, self._batch.states, int(action), self._mask))
        return -1

    def _leave(self, agent: str, action: Any) -> None:
        if action is not None:
            raise ValueError(f"the game is over; {agent} can only step(None), got {action!r}")
        for table in (
            self.rewards,
            self._cumulative_rewards,
            self.terminations,
            self.truncations,
            self.infos,
        ):
            del table[agent]
        self.agents.remove(agent)
        self._clear_rewards()
        if self.agents:
            self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What `agent` knows: {"observation": float32 [O], "action_mask": int8 [A]}, new arrays."""
        seat = self._seats[agent]
        if seat == self._player[0] and not self._over[0]:
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        seen = self._batch.observe(np.full(1, seat))[0]
        return {"observation": seen, "action_mask": self._no_action.copy()}

    def render(self) -> str | None:
        """The table as text, as far as the player to move knows it; None without render_mode."""
        if self.render_mode is None:
            return None
        return self.game.words.text(self._s, self._seats[self.agent_selection])

    def close(self) -> None:
        """Nothing to release."""

    def action_words(self, action: int) -> str:
        """What `action` means now, in words."""
        return self.game.words.action(self._s, action)

    def to_dict(self) -> dict[str, Any]:
        """The full state in words, hidden cards included, as plain JSON values."""
        return self._told(None)

    def view(self, agent: str) -> dict[str, Any]:
        """What `agent` may know in words, as plain JSON values."""
        return self._told(self._seats[agent])

    def _told(self, seat: int | None) -> dict[str, Any]:
        head = {"game": self.game.name, "num_players": self.num_players, "options": self.options}
        return head | self.game.words.view(self._s, seat)

    def record(self) -> GameRecord:
        """The game so far: deal seed, options and actions; replays to the same state.

        Raises:
            RuntimeError: before the first reset.
        """
        self._check_dealt()
        return GameRecord(
            game=self.game.name,
            rules_version=self.game.rules_version,
            num_players=self.num_players,
            options=dict(self.options),
            seed=int(self._s.seed),
            actions=tuple(self._actions),
            forfeited=bool(self._s.forfeited >= 0),
        )

    def get_state(self) -> EnvState:
        """The environment as a value; `set_state` returns to it, here or in another copy.

        Raises:
            RuntimeError: before the first reset.
        """
        self._check_dealt()
        return EnvState(self._batch.get_states(), tuple(self._actions), tuple(self.agents))

    def set_state(self, value: EnvState) -> None:
        """Go to a state from `get_state` of an environment with the same game and seats.

        Raises:
            ValueError: if the state belongs to another game, seat count or options.
        """
        same = value.state.dtype == self.game.dtype and all(
            value.state[name][0] == expected
            for name, expected in {"num_players": self.num_players, **self.options}.items()
        )
        if not same:
            raise ValueError(
                f"this is no state of {self.game.title} for {self.num_players} players "
                f"with options {self.options}"
            )
        self._batch.set_states(value.state)
        self._dealt = True
        self._actions = list(value.actions)
        self._take_seats(value.agents)

    def __reduce__(self) -> tuple[Any, ...]:
        settings: Mapping[str, Any] = {
            "render_mode": self.render_mode,
            "reward": self.reward,
            "illegal": self.illegal,
            **self.options,
        }
        spaces_in_use = (self._observation_spaces, self._action_spaces)
        state = self.get_state() if self._dealt else None
        return _rebuild, (self.game, self.num_players, dict(settings), spaces_in_use, state)


def _rebuild(
    game: Game,
    num_players: int,
    settings: dict[str, Any],
    spaces_in_use: tuple[dict[str, spaces.Dict], dict[str, spaces.Discrete]],
    state: EnvState | None,
) -> GameEnv:
    """The other half of `GameEnv.__reduce__`, for copy.deepcopy and pickle."""
    env = GameEnv(game, num_players, **settings)
    env._observation_spaces, env._action_spaces = spaces_in_use
    if state is not None:
        env.set_state(state)
    return env
