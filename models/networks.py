"""Networks from observation vectors to action logits and a value. They see sizes and pieces only.

Shapes: B batch, O observation values, A actions, F features of an item, N items of a group.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

NARROW = 32  # width of the layer through which the trunk reads a group's items


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

    def features(self, observation: Tensor) -> Tensor:
        """What the last hidden layer makes of float32 [B, O]: [B, hidden[-1]]."""
        return self.trunk(observation)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Map float32 [B, O] to unmasked logits [B, A] and values [B]."""
        features = self.features(observation)
        return self.logits(features), self.value(features).squeeze(-1)


class PieceNetwork(MLPNetwork):
    """An MLP that knows which actions choose which item, and which features an item has.

    The logit of an item's action gets, besides what the trunk says of it, a weighted sum of the
    item's own features. The weights come from the trunk and are the same for all items of a
    group, so what is learned about one card holds for all of them. The trunk reads the items, most
    of the observation, through a narrow linear layer, which makes it twice as fast.
    """

    def __init__(self, spec: Spec, hidden: Sequence[int]) -> None:
        items = [Items(group) for group in spec.groups]
        described = {place for group in spec.groups for row in group.columns for place in row}
        rest = [place for place in range(spec.observation_size) if place not in described]
        width = len(rest) + sum(min(cut.size, NARROW) for cut in items)
        super().__init__(Spec(width, spec.num_actions), hidden)
        self.items = items
        self.rest = Cut(rest)
        self.narrow = nn.ModuleList(
            linear(cut.size, NARROW, 1.0) if cut.size > NARROW else nn.Identity() for cut in items
        )
        self.weights = nn.ModuleList(
            linear(hidden[-1], len(group.columns), 0.01) for group in spec.groups
        )

    def features(self, observation: Tensor) -> Tensor:
        """What the last hidden layer makes of float32 [B, O]: [B, hidden[-1]]."""
        read = [
            narrow(cut(observation)) for narrow, cut in zip(self.narrow, self.items, strict=True)
        ]
        return self.trunk(torch.cat([self.rest(observation), *read], dim=1))

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Map float32 [B, O] to unmasked logits [B, A] and values [B]."""
        features = self.features(observation)
        logits = self.logits(features)
        for cut, weights in zip(self.items, self.weights, strict=True):
            items = cut(observation).reshape(-1, *cut.shape)
            logits[:, cut.actions] += torch.bmm(weights(features).unsqueeze(1), items).squeeze(1)
        return logits, self.value(features).squeeze(-1)


class Cut:
    """Cuts given places out of observations."""

    def __init__(self, places: Sequence[int]) -> None:
        self.size = len(places)
        first = places[0] if places else 0
        # Pieces that lie side by side, as they usually do, need no copy.
        side_by_side = list(places) == list(range(first, first + self.size))
        self._slice = slice(first, first + self.size)
        self._index = None if side_by_side else torch.tensor(places)

    def __call__(self, observation: Tensor) -> Tensor:
        """[B, O] -> [B, number of places]."""
        if self._index is None:
            return observation[:, self._slice]
        return observation.index_select(1, self._index.to(observation.device))


class Items(Cut):
    """Cuts the features of a group's items out of observations: [B, O] -> [B, F N]."""

    def __init__(self, group: Group) -> None:
        super().__init__([place for row in group.columns for place in row])
        self.shape = (len(group.columns), len(group.columns[0]))
        self.actions = slice(group.start, group.start + self.shape[1])


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
