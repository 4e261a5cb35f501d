"""Masked policies: illegal actions never happen, and nothing becomes NaN on the way."""

import numpy as np
import pytest
import torch
from torch import nn

from hanazono.models.policy import EmptyMaskError, Policy, entropy, masked_log_probs, sample

HUGE = [1.0, 65_504.0, 1e9, 1e12, 1e30]  # 65504: the largest float16


def rows(count: int, actions: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Random logits and masks, each row with one legal action at least."""
    chance = torch.Generator().manual_seed(seed)
    logits = torch.randn(count, actions, generator=chance)
    mask = torch.rand(count, actions, generator=chance) < 0.4
    mask[torch.arange(count), torch.randint(actions, (count,), generator=chance)] = True
    return logits, mask


class Fixed(nn.Module):
    """A network that answers with the same logits, whatever it sees."""

    def __init__(self, logits: torch.Tensor) -> None:
        super().__init__()
        self.answer = logits

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.answer.expand(len(observation), -1), torch.zeros(len(observation))


@pytest.mark.parametrize("actions", [2, 133, 8000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_log_probs_are_those_of_the_legal_actions_alone(actions, dtype):
    logits, mask = rows(16, actions)
    log_probs = masked_log_probs(logits.to(dtype), mask)
    assert log_probs.dtype == torch.float32
    assert torch.isfinite(log_probs).all()
    for row, own, legal in zip(log_probs, logits.to(dtype).double(), mask, strict=True):
        expected = torch.log_softmax(own[legal], dim=-1)
        torch.testing.assert_close(row[legal].double(), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("mask_type", [torch.bool, torch.int8, torch.float32])
def test_illegal_actions_have_probability_zero(mask_type):
    logits, mask = rows(64, 50)
    probabilities = masked_log_probs(logits, mask.to(mask_type)).exp()
    assert (probabilities[~mask] == 0).all()
    torch.testing.assert_close(probabilities.sum(dim=-1), torch.ones(64))


@pytest.mark.parametrize("scale", HUGE)
@pytest.mark.parametrize("sign", [1, -1])
def test_huge_logits_leave_only_legal_actions(scale, sign):
    logits, mask = rows(32, 20)
    logits = logits.abs() * sign * scale
    logits[~mask] = -sign * logits[~mask]  # the illegal ones far on the other side
    log_probs = masked_log_probs(logits, mask)
    assert torch.isfinite(log_probs).all()
    assert (log_probs.exp()[~mask] == 0).all()
    best = torch.where(mask, logits, -torch.inf).argmax(dim=-1)
    assert (log_probs.argmax(dim=-1) == best).all()
    drawn = sample(log_probs, torch.Generator().manual_seed(1))
    assert mask[torch.arange(32), drawn].all()
    assert torch.isfinite(entropy(log_probs)).all()


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e30])
def test_gradients_are_finite_and_illegal_logits_get_none(scale):
    logits, mask = rows(32, 1000)
    logits = (logits * scale).requires_grad_()
    log_probs = masked_log_probs(logits, mask)
    chosen = log_probs.gather(1, sample(log_probs.detach())[:, None])
    torch.autograd.backward(chosen.sum() + entropy(log_probs).sum())
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[~mask] == 0).all()
    if scale == 1:
        assert (logits.grad[mask] != 0).any()


def test_half_precision_gradients_are_finite():
    logits, mask = rows(8, 3000)
    logits = logits.half().requires_grad_()
    log_probs = masked_log_probs(logits, mask)
    torch.autograd.backward(entropy(log_probs).sum())
    assert torch.isfinite(logits.grad).all()


def test_entropy_is_that_of_the_reduced_distribution():
    logits, mask = rows(64, 40)
    found = entropy(masked_log_probs(logits, mask))
    expected = [
        torch.distributions.Categorical(logits=row[legal]).entropy()
        for row, legal in zip(logits, mask, strict=True)
    ]
    torch.testing.assert_close(found, torch.stack(expected))


def test_entropy_of_a_single_legal_action_is_zero():
    mask = torch.eye(6)
    log_probs = masked_log_probs(torch.randn(6, 6) * 100, mask)
    assert entropy(log_probs).abs().max() == 0


def test_entropy_where_a_legal_action_has_no_probability_left():
    log_probs = masked_log_probs(
        torch.tensor([[0.0, -1e4, 0.0, 7.0]]), torch.tensor([[1, 1, 1, 0]])
    )
    assert entropy(log_probs).item() == pytest.approx(np.log(2))


def test_an_empty_mask_is_an_error_that_names_the_rows():
    logits, mask = rows(9, 4)
    mask[[2, 7]] = False
    with pytest.raises(EmptyMaskError, match=r"row\(s\) \[2, 7\]"):
        masked_log_probs(logits, mask)
    with pytest.raises(EmptyMaskError, match=r"\[2, 7\]"):
        Policy(Fixed(logits[0])).act(torch.zeros(9, 3), mask)


def test_an_empty_mask_is_a_value_error_and_lists_few_rows():
    with pytest.raises(ValueError, match=r"\[0, 1, 2, 3, 4, 5, 6, 7, 8, 9\] of the batch"):
        masked_log_probs(torch.zeros(50, 3), torch.zeros(50, 3))


def test_sampling_frequencies_match_the_probabilities():
    logits = torch.tensor([2.0, 0.0, -1.0, 5.0, 1.0, -4.0])
    mask = torch.tensor([1, 1, 1, 0, 1, 1])
    draws = 200_000
    log_probs = masked_log_probs(logits.expand(draws, -1), mask.expand(draws, -1))
    drawn = sample(log_probs, torch.Generator().manual_seed(3))
    share = torch.bincount(drawn, minlength=6) / draws
    probability = log_probs[0].exp()
    assert share[3] == 0
    error = (probability * (1 - probability) / draws).sqrt()
    assert ((share - probability).abs() <= 5 * error).all()


def test_sampling_among_thousands_of_actions_is_even():
    actions, draws = 4000, 100
    log_probs = masked_log_probs(torch.zeros(draws * 10, actions), torch.ones(1, actions))
    drawn = sample(log_probs, torch.Generator().manual_seed(4)).double()
    middle, error = (actions - 1) / 2, actions / 12**0.5 / (draws * 10) ** 0.5
    assert abs(drawn.mean() - middle) < 5 * error
    assert len(drawn.unique()) > 800  # 1000 draws out of 4000: about 885 distinct


def test_sampling_is_never_illegal():
    logits, mask = rows(20_000, 30)
    drawn = sample(masked_log_probs(logits * 20, mask), torch.Generator().manual_seed(5))
    assert mask[torch.arange(len(mask)), drawn].all()


def test_sampling_follows_its_generator():
    log_probs = masked_log_probs(*rows(200, 30))
    first, again, other = (sample(log_probs, torch.Generator().manual_seed(s)) for s in (6, 6, 7))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_greedy_plays_the_likeliest_legal_action():
    logits = torch.tensor([0.0, 3.0, 9.0, 2.0])
    mask = torch.tensor([[1, 1, 0, 1], [1, 0, 0, 1], [1, 1, 1, 1], [1, 0, 0, 0]], dtype=torch.int8)
    policy = Policy(Fixed(logits), greedy=True)
    assert policy.act(torch.zeros(4, 1), mask).tolist() == [1, 3, 2, 0]


def test_a_policy_draws_legal_actions_and_keeps_no_gradient():
    logits, mask = rows(1, 10)
    network = Fixed(nn.Parameter(logits[0]))
    drawn = Policy(network).act(torch.zeros(500, 1), mask.expand(500, -1), torch.Generator())
    assert drawn.dtype == torch.int64
    assert not drawn.requires_grad
    assert set(drawn.tolist()) == set(mask[0].nonzero().flatten().tolist())
