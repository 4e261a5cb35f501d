"""Gradients in several threads, each with a copy of the network and half, a third, … of a batch.

torch's own threads meet after every operation and wait for each other at full speed, which on a
busy machine can cost ten times what it gains. These meet once a gradient.
"""

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor, nn

Batch = dict[str, Tensor]
Loss = Callable[[nn.Module, Batch], tuple[Tensor, dict[str, Tensor]]]


def one_thread_each() -> None:
    """Let every thread of this process do its torch operations alone."""
    torch.set_num_threads(1)


class GradientThreads:
    """Computes the gradient of a mean loss over a batch; the result depends on `threads` only by
    rounding, and not on how the threads are scheduled."""

    def __init__(self, network: nn.Module, threads: int) -> None:
        """Share the work on `network` between so many threads, this one included."""
        self._networks = [network, *(copy.deepcopy(network) for _ in range(threads - 1))]
        self._pool = ThreadPoolExecutor(max(threads - 1, 1), initializer=one_thread_each)

    def gradient(self, loss: Loss, batch: Batch) -> dict[str, Tensor]:
        """Set the gradients of the network to those of the loss over the batch.

        Args:
            loss: maps a network and a batch to the mean loss and to other means for the log.
            batch: tensors with one row for each sample.

        Returns:
            The means for the log, over the whole batch.
        """
        network, copies = self._networks[0], self._networks[1:]
        with torch.no_grad():
            for other in copies:
                for theirs, ours in zip(other.parameters(), network.parameters(), strict=True):
                    theirs.copy_(ours)
        names = list(batch)
        pieces = zip(*(batch[name].chunk(len(self._networks)) for name in names), strict=True)
        shares = [dict(zip(names, piece, strict=True)) for piece in pieces]
        total = len(batch[names[0]])
        jobs = [
            self._pool.submit(_backward, other, loss, share, total)
            for other, share in zip(copies, shares[1:], strict=False)
        ]
        logs = [_backward(network, loss, shares[0], total), *(job.result() for job in jobs)]
        for other in copies[: len(jobs)]:
            for theirs, ours in zip(other.parameters(), network.parameters(), strict=True):
                if ours.grad is not None and theirs.grad is not None:
                    ours.grad += theirs.grad
        return {name: torch.stack([log[name] for log in logs]).sum() for name in logs[0]}

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown()


def _backward(network: nn.Module, loss: Loss, share: Batch, total: int) -> dict[str, Tensor]:
    """Gradients of a share's part in the mean over `total` samples; returns its part in the log."""
    weight = len(next(iter(share.values()))) / total
    network.zero_grad(set_to_none=True)
    value, parts = loss(network, share)
    torch.autograd.backward(value * weight)
    return {name: part.detach() * weight for name, part in parts.items()}
