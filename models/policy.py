"""Policies: a network, made to respect the action mask."""

import torch
from torch import Tensor, nn

# A finite stand-in for minus infinity, so that neither entropies nor gradients can become NaN. It
# lies below every logit that a network may give, even one that has diverged.
ILLEGAL_LOGIT = -1e38


class EmptyMaskError(ValueError):
    """A game asked for a decision and offered no legal action."""


def masked_log_probs(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities of the legal actions, in float32.

    Args:
        logits: [B, A], any floating dtype.
        mask: [B, A], nonzero = legal.

    Returns:
        float32 [B, A]; about ILLEGAL_LOGIT for illegal actions.

    Raises:
        EmptyMaskError: naming the rows that have no legal action.
    """
    legal = mask.bool()
    possible = legal.any(dim=-1)
    if not bool(possible.all()):
        rows = torch.nonzero(~possible).flatten().tolist()
        raise EmptyMaskError(f"no legal action in row(s) {rows[:10]} of the batch")
    return torch.log_softmax(logits.float().masked_fill(~legal, ILLEGAL_LOGIT), dim=-1)


def entropy(log_probs: Tensor) -> Tensor:
    """Entropy in nats over the legal actions: [B, A] -> [B]."""
    # An illegal action adds exp(0) * 0: exactly nothing, and no slow exp() of a huge number.
    legal_only = log_probs.masked_fill(log_probs < ILLEGAL_LOGIT / 2, 0.0)
    return -(legal_only.exp() * legal_only).sum(dim=-1)


def sample(log_probs: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """Draw one action a row: [B, A] -> int64 [B].

    The largest of log-probability plus Gumbel noise is a fair draw; an illegal action cannot win.
    """
    uniform = torch.rand(log_probs.shape, generator=generator, device=log_probs.device)
    gumbel = -torch.log(-torch.log(uniform.clamp(1e-10, 1 - 1e-7)))
    return (log_probs + gumbel).argmax(dim=-1)


def draw(log_probs: Tensor, uniform: Tensor) -> Tensor:
    """Choose one action a row by a given number: [B, A] and [B] in 0 … 1, 1 excluded -> int64 [B].

    The first action at which the summed probability exceeds the number; an illegal one adds 0.
    """
    total = log_probs.double().exp().cumsum(dim=-1)
    return torch.searchsorted(total, uniform[:, None] * total[:, -1:], right=True).squeeze(-1)


class Policy:
    """A learned player: acts from an observation and its mask, which it always needs."""

    def __init__(self, network: nn.Module, *, greedy: bool = False) -> None:
        """Wrap a network.

        Args:
            network: maps [B, O] to logits [B, A] and values [B].
            greedy: play the likeliest action instead of drawing one.
        """
        self.network = network
        self.greedy = greedy

    @torch.no_grad()
    def log_probs(self, observation: Tensor, mask: Tensor) -> Tensor:
        """Log-probabilities of the legal actions; arguments and result as in masked_log_probs."""
        return masked_log_probs(self.network(observation)[0], mask)

    def probabilities(self, observation: Tensor, mask: Tensor) -> Tensor:
        """How likely it plays which action: float64 [B, A]; arguments as `log_probs`."""
        log_probs = self.log_probs(observation, mask)
        if self.greedy:
            return torch.nn.functional.one_hot(log_probs.argmax(dim=-1), mask.shape[-1]).double()
        return log_probs.double().exp()

    @torch.no_grad()
    def act(
        self, observation: Tensor, mask: Tensor, generator: torch.Generator | None = None
    ) -> Tensor:
        """Choose actions.

        Args:
            observation: float32 [B, O].
            mask: [B, A], nonzero = legal.
            generator: source of chance for drawing.

        Returns:
            int64 [B], legal actions.
        """
        log_probs = self.log_probs(observation, mask)
        return log_probs.argmax(dim=-1) if self.greedy else sample(log_probs, generator)
