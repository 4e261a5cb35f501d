"""Self-play experience: what was seen, done and paid, and each seat's advantages from it.

Shapes: T steps, B games, P seats, A actions, O observation values.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from hanazono.envs.core.batch import BatchEnv
from hanazono.models.policy import Policy, masked_log_probs, sample
from hanazono.training.opponents import LEARNER, Opponents


@dataclass
class Rollout:
    """T decisions in each of B games, and what followed.

    Attributes:
        observation, mask: float32 [T, B, O] and bool [T, B, A].
        action, log_prob, value: int64 and float32 [T, B], of the player that decided; log_prob
            and value are the learner's, also where an opponent chose.
        player: int64 [T, B], the seat that decided.
        learner: bool [T, B], whether the learner decided.
        rewards: float32 [T, B, P], paid by the step.
        terminated: bool [T, B], whether the step ended the game.
        winner_share: float64 [P], sum of win shares by seat over the games that ended.
        games: number of games that ended.
    """

    observation: Tensor
    mask: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    player: np.ndarray
    learner: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    winner_share: np.ndarray
    games: int

    @classmethod
    def empty(cls, env: BatchEnv, steps: int) -> "Rollout":
        """Buffers for `steps` decisions in every game of `env`; they are filled again and again."""
        shape, game = (steps, env.num_envs), env.game
        return cls(
            observation=torch.empty(*shape, game.layout.size),
            mask=torch.empty(*shape, game.num_actions, dtype=torch.bool),
            action=torch.empty(shape, dtype=torch.int64),
            log_prob=torch.empty(shape),
            value=torch.empty(shape),
            player=np.empty(shape, np.int64),
            learner=np.empty(shape, bool),
            rewards=np.empty((*shape, game.max_players), np.float32),
            terminated=np.empty(shape, bool),
            winner_share=np.zeros(game.max_players),
            games=0,
        )


@torch.no_grad()
def collect(
    env: BatchEnv,
    policy: Policy,
    opponents: Opponents,
    rollout: Rollout,
    score_weight: float,
    generator: torch.Generator,
) -> None:
    """Fill `rollout`: the policy decides for all seats that are not an opponent's.

    Args:
        env: the games, with auto_reset and reward="outcome"; they go on where they stand.
        policy: the learner.
        opponents: who holds which seat; seats of a new game are given out when it is dealt.
        rollout: buffers to overwrite.
        score_weight: share of the score reward in the reward, 0 … 1; the rest is the outcome.
        generator: all chance.
    """
    everyone = np.arange(env.num_envs)
    rollout.winner_share[:] = 0
    rollout.games = 0
    for t in range(len(rollout.player)):
        observation = torch.from_numpy(env.observation)
        mask = torch.from_numpy(env.action_mask)
        logits, value = policy.network(observation)
        log_probs = masked_log_probs(logits, mask)
        action = sample(log_probs, generator)
        holder = opponents.holder[everyone, env.current_player]
        opponents.act(holder, observation, mask, action, generator)
        rollout.observation[t] = observation
        rollout.mask[t] = mask != 0
        rollout.action[t] = action
        rollout.log_prob[t] = log_probs.gather(1, action[:, None]).squeeze(1)
        rollout.value[t] = value
        rollout.player[t] = env.current_player
        rollout.learner[t] = holder == LEARNER
        env.step(action.numpy())
        ended = env.terminated != 0
        rollout.terminated[t] = ended
        rollout.rewards[t] = env.rewards
        if ended.any():
            add_results(env, ended, rollout, t, score_weight)
            opponents.seat(np.flatnonzero(ended), generator)


def add_results(
    env: BatchEnv, ended: np.ndarray, rollout: Rollout, t: int, score_weight: float
) -> None:
    """Mix the score into the rewards of the games that ended at step t, and count their wins."""
    n = env.num_players
    points = env.final_scores[ended, :n, 0]
    margin = (points - points.mean(axis=1, keepdims=True)) / env.game.score_scale
    outcome = env.rewards[ended, :n]
    rollout.rewards[t, ended, :n] = (1 - score_weight) * outcome + score_weight * margin
    won = env.final_ranks[ended, :n] == 0
    rollout.winner_share[:n] += (won / won.sum(axis=1, keepdims=True)).sum(axis=0)
    rollout.games += int(ended.sum())


def seat_advantages(
    value: np.ndarray,
    player: np.ndarray,
    rewards: np.ndarray,
    terminated: np.ndarray,
    gamma: float,
    gae_lambda: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimates along each seat's own decisions (Schulman et al. 2016).

    The decision that follows one of a seat is that seat's next decision in the same game; its
    reward is what the seat was paid from the one to the other, or to the end of the game. A
    decision with neither in the window is open: nothing is known of what came of it, so it gets
    no advantage, and the estimates before it rest on its value.

    Args:
        value: float [T, B].
        player: int [T, B].
        rewards: float [T, B, P], paid to each seat by the step after the decision.
        terminated: bool [T, B], whether that step ended the game.
        gamma: discount from a seat's decision to its next.
        gae_lambda: weight of longer estimates.

    Returns:
        Advantages float32 [T, B], 0 where open, and bool [T, B], True where not open.
    """
    steps, games, seats = rewards.shape
    advantage = np.zeros((steps, games), np.float32)
    closed = np.zeros((steps, games), bool)
    next_value = np.zeros((games, seats), np.float32)
    next_advantage = np.zeros((games, seats), np.float32)
    paid = np.zeros((games, seats), np.float32)
    known = np.zeros((games, seats), bool)
    row = np.arange(games)
    for t in range(steps - 1, -1, -1):
        ended = terminated[t]
        next_value[ended] = 0
        next_advantage[ended] = 0
        paid[ended] = 0
        known[ended] = True
        paid += rewards[t]
        at = (row, player[t])
        delta = paid[at] + gamma * next_value[at] - value[t]
        closed[t] = known[at]
        advantage[t] = np.where(known[at], delta + gamma * gae_lambda * next_advantage[at], 0)
        next_value[at] = value[t]
        next_advantage[at] = advantage[t]
        paid[at] = 0
        known[at] = True
    return advantage, closed
