"""Networks from observation vectors to action logits and a value. They see sizes and pieces only.

Shapes: B batch, O observation values, A actions, F features of an item, N items of a group.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Group:
    """Actions start … start + N - 1 choose item 0 … N - 1, described by `columns`.

    Attributes:
        start: first action id.
        columns: F lists of N places in the observation; feature f of item i is
            observation[columns[f][i]].
    """

    start: int
    columns: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Spec:
    """All that a network has to know of a game, as plain values, so that a checkpoint keeps it.

    Attributes:
        observation_size: O.
        num_actions: A.
        groups: actions that can be scored by their item's own features.
    """

    observation_size: int
    num_actions: int
    groups: tuple[Group, ...] = field(default=())

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> "Spec":
        """The spec that `dataclasses.asdict` turned into plain values."""
        groups = tuple(
            Group(int(g["start"]), tuple(tuple(map(int, row)) for row in g["columns"]))
            for g in values["groups"]
        )
        return cls(int(values["observation_size"]), int(values["num_actions"]), groups)


def trunk(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers with ReLU; orthogonal weights of gain sqrt(2), as usual for PPO."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [linear(inputs, outputs, 2**0.5), nn.ReLU()]
    return nn.Sequential(*layers)


def linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A linear layer with orthogonal weights and no offset to start with."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class MLPNetwork(nn.Module):
    """A plain multi-layer perceptron on the flat vector."""

    def __init__(self, spec: Spec, hidden: Sequence[int]) -> None:
        super().__init__()
        self.trunk = trunk([spec.observation_size, *hidden])
        self.logits = linear(hidden[-1], spec.num_actions, 0.01)
        self.value = linear(hidden[-1], 1, 1.0)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Map float32 [B, O] to unmasked logits [B, A] and values [B]."""
        features = self.trunk(observation)
        return self.logits(features), self.value(features).squeeze(-1)


class PieceNetwork(MLPNetwork):
    """The MLP, plus for every item of a group a weighted sum of that item's own features.

    The weights come from the trunk and are the same for all items of a group, so what is learned
    about one card holds for all of them.
    """

    def __init__(self, spec: Spec, hidden: Sequence[int]) -> None:
        super().__init__(spec, hidden)
        self.items = [Items(group) for group in spec.groups]
        self.weights = nn.ModuleList(
            linear(hidden[-1], len(group.columns), 0.01) for group in spec.groups
        )

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Map float32 [B, O] to unmasked logits [B, A] and values [B]."""
        features = self.trunk(observation)
        logits = self.logits(features)
        for items, weights in zip(self.items, self.weights, strict=True):
            own = torch.bmm(weights(features).unsqueeze(1), items(observation)).squeeze(1)
            logits[:, items.actions] += own
        return logits, self.value(features).squeeze(-1)


class Items:
    """Cuts the features of a group's items out of observations."""

    def __init__(self, group: Group) -> None:
        columns = np.asarray(group.columns)
        self.shape = columns.shape
        self.actions = slice(group.start, group.start + columns.shape[1])
        self._first = int(columns[0, 0])
        # Pieces that lie side by side, as they usually do, need no copy.
        side_by_side = np.array_equal(columns.ravel(), self._first + np.arange(columns.size))
        self._index = None if side_by_side else torch.from_numpy(columns.ravel())

    def __call__(self, observation: Tensor) -> Tensor:
        """Features by item: [B, O] -> [B, F, N]."""
        if self._index is None:
            cut = observation[:, self._first : self._first + self.shape[0] * self.shape[1]]
        else:
            cut = observation.index_select(1, self._index.to(observation.device))
        return cut.reshape(-1, *self.shape)


NETWORKS: dict[str, type[MLPNetwork]] = {"pieces": PieceNetwork, "mlp": MLPNetwork}


def make_network(kind: str, spec: Spec, hidden: Sequence[int]) -> MLPNetwork:
    """A freshly initialised network of a kind in NETWORKS.

    Raises:
        ValueError: for an unknown kind or sizes that are not positive, naming what is allowed.
    """
    if kind not in NETWORKS:
        raise ValueError(f"network must be one of {list(NETWORKS)}, got {kind!r}")
    if not hidden or min(hidden) < 1:
        raise ValueError(f"hidden must list at least one positive size, got {list(hidden)}")
    return NETWORKS[kind](spec, hidden)
