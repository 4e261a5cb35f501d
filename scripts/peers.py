"""The same work on other libraries, for `benchmark.py --peers`.

Each function prepares one peer, in the way that is fastest for it, and returns its `Work` or, for
PettingZoo, the environment. A peer that is not installed raises `MissingLibraryError`.
"""

from importlib import import_module
from random import random
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
import pettingzoo

from hanazono.scripts.measure import Work, optional, repeat_play

INSTALL = """\
Peers are measured if they are installed. Give them an environment of their own:
  python -m venv peers
  peers/bin/python -m pip install -e ".[train]" "pettingzoo[classic]" open_spiel pgx jax
  peers/bin/python scripts/benchmark.py --peers
"""
SCAN_LENGTH = 64  # decisions of each pgx game between two looks at the clock
SB3_ITERATION = 2048  # decisions of one default MaskablePPO iteration


def connect_four() -> Any:
    """PettingZoo's connect_four_v3 with its usual wrappers."""
    with optional("pettingzoo[classic]"):
        import_module("pygame")  # that this is missing pettingzoo.make tells by no ImportError
        return pettingzoo.make("aec", "classic/connect_four-v3")


def open_spiel_work(name: str) -> Work:
    """Random games of OpenSpiel from Python, observation tensor written into a NumPy array.

    All chance in these games is uniform, so chance is drawn like a decision but not counted.
    """
    with optional("open_spiel"):
        game = import_module("pyspiel").load_game(name)
        observation = import_module("open_spiel.python.observation").make_observation(game)

    def play() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                observation.set_from(state, state.current_player())
                decisions += 1
            state.apply_action(legal[int(random() * len(legal))])
        state.returns()
        return decisions

    return repeat_play(play)


def pgx_work(name: str, num_envs: int) -> Work:
    """Random play of many pgx games in one compiled scan, restarting finished games.

    The observation is part of the state that the scan carries, so it is computed at every step.
    """
    with optional("pgx"):
        jax, experimental = import_module("jax"), import_module("pgx.experimental")
        env = import_module("pgx").make(name)
    step = jax.vmap(experimental.auto_reset(env.step, env.init))

    def decide(carry: Any, _: None) -> tuple[Any, None]:
        state, key = carry
        key, act_key, step_key = jax.random.split(key, 3)
        actions = experimental.act_randomly(act_key, state.legal_action_mask)
        return (step(state, actions, jax.random.split(step_key, num_envs)), key), None

    scan = jax.jit(lambda carry: jax.lax.scan(decide, carry, None, SCAN_LENGTH)[0])
    keys = jax.random.split(jax.random.PRNGKey(0), num_envs)
    carry = jax.jit(jax.vmap(env.init))(keys), jax.random.PRNGKey(1)

    def play() -> int:
        nonlocal carry
        carry = jax.block_until_ready(scan(carry))
        return num_envs * SCAN_LENGTH

    return repeat_play(play)


class OneSeatAtATime(gymnasium.Env[np.ndarray, Any]):
    """An AEC game for a single learner that plays every seat in turn.

    This is the idea of PettingZoo's tutorial for MaskablePPO: `step` returns what the next seat
    sees and what the one that moved was paid. Whoever does not make the last move is never told
    how the game ended, see compare_rewards.py.
    """

    def __init__(self, env: Any) -> None:
        """Wrap an AEC environment whose observations carry an action mask."""
        self.env = env
        first = env.possible_agents[0]
        self.observation_space = env.observation_space(first)["observation"]
        self.action_space = env.action_space(first)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a game; return what its first seat sees."""
        self.env.reset(seed=seed, options=options)
        return self.env.last()[0]["observation"], {}

    def step(self, action: Any) -> tuple[np.ndarray, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play for the seat to move; return its pay, and what the next one sees."""
        env, mover = self.env, self.env.agent_selection
        env.step(int(action))
        seen = env.observe(env.agent_selection)["observation"]
        over, cut = env.terminations[mover], env.truncations[mover]
        return seen, env.rewards[mover], over, cut, env.infos[mover]

    def action_masks(self) -> np.ndarray:
        """The legal actions, as MaskablePPO asks for them."""
        return self.env.last()[0]["action_mask"]


def maskable_ppo_work() -> Work:
    """Training of sb3-contrib's MaskablePPO with its default settings on connect_four_v3."""
    with optional("sb3-contrib"):
        learner = import_module("sb3_contrib").MaskablePPO
    model = learner("MlpPolicy", OneSeatAtATime(connect_four()), device="cpu")

    def play() -> int:
        before = model.num_timesteps
        model.learn(SB3_ITERATION, reset_num_timesteps=False)
        return int(model.num_timesteps - before)

    return repeat_play(play)
