"""Gradients in several threads are the gradients of the whole batch."""

import pytest
import torch
from torch import nn

from hanazono.training.parallel import GradientThreads


def new_network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))


def batch_of(size: int) -> dict[str, torch.Tensor]:
    chance = torch.Generator().manual_seed(size)
    return {
        "x": torch.randn(size, 5, generator=chance),
        "y": torch.randn(size, 1, generator=chance),
    }


def loss(network: nn.Module, batch: dict[str, torch.Tensor]):
    """A mean over samples, and two means for the log."""
    error = (network(batch["x"]) - batch["y"]).square().mean()
    return error, {"error": error.detach(), "target": batch["y"].mean()}


def gradients(network: nn.Module) -> list[torch.Tensor]:
    return [parameter.grad.clone() for parameter in network.parameters()]


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_shares_add_up_to_the_whole(threads, size):
    network, batch = new_network(), batch_of(size)
    logged = GradientThreads(network, threads).gradient(loss, batch)
    shared = gradients(network)
    network.zero_grad()
    whole, parts = loss(network, batch)
    torch.autograd.backward(whole)
    for mine, theirs in zip(shared, gradients(network), strict=True):
        torch.testing.assert_close(mine, theirs)
    for name, part in parts.items():
        torch.testing.assert_close(logged[name], part)


def test_gradients_do_not_pile_up_and_follow_the_weights():
    network, batch = new_network(), batch_of(64)
    shared = GradientThreads(network, 3)
    shared.gradient(loss, batch)
    first = gradients(network)
    shared.gradient(loss, batch)
    for mine, before in zip(gradients(network), first, strict=True):
        assert torch.equal(mine, before)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(2)
    shared.gradient(loss, batch)
    after = gradients(network)
    GradientThreads(network, 1).gradient(loss, batch)
    for mine, alone, before in zip(after, gradients(network), first, strict=True):
        torch.testing.assert_close(mine, alone)
        assert not torch.equal(mine, before)


def test_the_same_number_of_threads_gives_the_same_bits():
    found = []
    for _ in range(20):
        network = new_network()
        GradientThreads(network, 4).gradient(loss, batch_of(999))
        found.append(gradients(network))
    for other in found[1:]:
        assert all(torch.equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_an_error_in_a_thread_is_an_error():
    def failing(network: nn.Module, batch: dict[str, torch.Tensor]):
        if (batch["x"] == 7).any():
            raise FloatingPointError("a share went wrong")
        return loss(network, batch)

    batch = batch_of(10)
    batch["x"][9] = 7  # in the last share
    with pytest.raises(FloatingPointError, match="a share went wrong"):
        GradientThreads(new_network(), 3).gradient(failing, batch)
