"""The settings of a training run. YAML files in `configs` hold what differs from these."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class PPOConfig:
    """Settings of a training run.

    Attributes:
        game: Name of the game.
        num_players: Number of seats.
        options: Rule options of the game.
        seed: Fixes everything: weights, deals, actions, order of the samples.
        total_decisions: Length of the run, in decisions of all seats together.
        num_envs: Games played side by side.
        horizon: Decisions a game goes on between two updates.
        threads: Threads that share a gradient; another number gives other roundings.
        epochs: Times each decision is used in an update.
        minibatch_size: Decisions in one gradient step.
        learning_rate: Adam's step size at the start; it falls linearly to 0.
        gamma: Discount from a seat's decision to its next.
        gae_lambda: Weight of longer advantage estimates.
        clip: How far the probability ratio may move the objective.
        value_coef: Weight of the value loss.
        entropy_coef: Weight of the entropy bonus at the start; it falls linearly to a tenth.
        max_grad_norm: Longest gradient, as a norm over all weights.
        score_weight: Share of the score margin in the reward; the rest is the outcome.
        network: Kind of network, "pieces" or "mlp".
        hidden: Sizes of the hidden layers.
        pool_fraction: Share of the games with past selves on all seats but one.
        pool_size: Most past selves kept.
        pool_every: Updates between two past selves joining.
        eval_every: Updates between two measurements against the bots; 0 for none.
        eval_deals: Deals in one such measurement, each played from every seat.
        save_every: Updates between two saves of the run.
    """

    game: str = "ohanami"
    num_players: int = 2
    options: dict[str, int | str] = field(default_factory=dict)
    seed: int = 0
    total_decisions: int = 5_000_000
    num_envs: int = 512
    horizon: int = 128
    threads: int = 2
    epochs: int = 1
    minibatch_size: int = 1024
    learning_rate: float = 2e-3
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip: float = 0.2
    value_coef: float = 0.5
    entropy_coef: float = 0.02
    max_grad_norm: float = 0.5
    score_weight: float = 0.5
    network: str = "pieces"
    hidden: list[int] = field(default_factory=lambda: [128, 128])
    pool_fraction: float = 0.2
    pool_size: int = 8
    pool_every: int = 20
    eval_every: int = 50
    eval_deals: int = 200
    save_every: int = 20

    def __post_init__(self) -> None:
        """Reject settings that cannot work, naming what is allowed."""
        at_least_one = ("total_decisions", "num_envs", "horizon", "threads", "epochs",
                        "minibatch_size", "pool_every", "save_every")  # fmt: skip
        for name in at_least_one:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("gamma", "gae_lambda", "score_weight", "pool_fraction"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, got {getattr(self, name)}")
        for name in ("eval_every", "pool_size", "entropy_coef", "value_coef"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")
        for name in ("learning_rate", "clip", "max_grad_norm"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0 <= self.seed < 2**64:
            raise ValueError(f"seed must be from 0 to 2**64 - 1, got {self.seed}")
        if self.eval_every and self.eval_deals < 2:
            raise ValueError(f"eval_deals must be at least 2, got {self.eval_deals}")
