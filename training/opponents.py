"""Past selves as opponents: frozen when they join, bound to seats when a game is dealt."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor

from hanazono.models.networks import MLPNetwork
from hanazono.models.policy import Policy

LEARNER = -1  # in `Opponents.holder`: the seat is the learner's


@dataclass(frozen=True)
class PastSelf:
    """The weights of a past self as immutable bytes, so that no training can change them."""

    weights: bytes

    @classmethod
    def of(cls, network: MLPNetwork) -> "PastSelf":
        """A copy of the network as it is now."""
        return cls(save({k: v.detach().contiguous() for k, v in network.state_dict().items()}))

    @property
    def digest(self) -> str:
        """Sixteen hex digits that identify the weights."""
        return hashlib.sha256(self.weights).hexdigest()[:16]


class Opponents:
    """Who holds which seat in each game, and how past selves act.

    Attributes:
        holder: int64 [B, P], LEARNER or the number of a past self. It changes for a game only
            when that game is dealt.
        pool: past selves that new games may get, by number.
        playing: past selves that left the pool, kept while their games last.
    """

    def __init__(
        self,
        build: Callable[[], MLPNetwork],
        num_envs: int,
        num_players: int,
        fraction: float,
        size: int,
    ) -> None:
        """Start with an empty pool; all seats are the learner's.

        Args:
            build: makes a network of the learner's kind.
            num_envs: number of games.
            num_players: seats in each.
            fraction: share of the games in which the learner holds one seat and a past self
                the others.
            size: most past selves in the pool.
        """
        self._build = build
        self.fraction, self.size = fraction, size
        self.holder = np.full((num_envs, num_players), LEARNER, np.int64)
        self.pool: dict[int, PastSelf] = {}
        self.playing: dict[int, PastSelf] = {}
        self._policies: dict[int, Policy] = {}
        self._next = 0

    def add(self, network: MLPNetwork) -> None:
        """Let the network as it is now join the pool. A full pool gives up every second member."""
        if self.size < 1:
            return
        if len(self.pool) >= self.size:
            for number in list(self.pool)[1::2] or list(self.pool):
                self.playing[number] = self.pool.pop(number)
        self.pool[self._next] = PastSelf.of(network)
        self._next += 1
        self._forget()

    def _forget(self) -> None:
        in_use = set(np.unique(self.holder).tolist())
        for number in set(self.playing) - in_use:
            del self.playing[number]
        for number in set(self._policies) - set(self.pool) - set(self.playing):
            del self._policies[number]

    def seat(self, games: np.ndarray, generator: torch.Generator) -> None:
        """Give out the seats of newly dealt games."""
        count, seats = len(games), self.holder.shape[1]
        self.holder[games] = LEARNER
        chance = torch.rand(3, count, generator=generator).numpy()
        if not self.pool:
            return
        numbers = np.array(list(self.pool))
        member = numbers[(chance[1] * len(numbers)).astype(np.int64)]
        own_seat = (chance[2] * seats).astype(np.int64)
        against = chance[0] < self.fraction
        self.holder[games[against]] = member[against, None]
        self.holder[games[against], own_seat[against]] = LEARNER

    def act(
        self,
        holder: np.ndarray,
        observation: Tensor,
        mask: Tensor,
        action: Tensor,
        generator: torch.Generator,
    ) -> None:
        """Overwrite `action` (int64 [B]) where a past self decides; `holder` int64 [B] says who."""
        for number in np.unique(holder[holder != LEARNER]).tolist():
            rows = torch.from_numpy(np.flatnonzero(holder == number))
            action[rows] = self._policy(number).act(observation[rows], mask[rows], generator)

    def _policy(self, number: int) -> Policy:
        if number not in self._policies:
            network = self._build()
            past = self.pool.get(number) or self.playing[number]
            network.load_state_dict(load(past.weights))
            self._policies[number] = Policy(network.eval().requires_grad_(False))
        return self._policies[number]

    def state(self) -> dict[str, Tensor]:
        """Everything needed to go on, as tensors."""
        tensors = {"holder": torch.from_numpy(self.holder), "next": torch.tensor(self._next)}
        for group, members in (("pool", self.pool), ("playing", self.playing)):
            for number, past in members.items():
                weights = torch.frombuffer(bytearray(past.weights), dtype=torch.uint8)
                tensors[f"{group}.{number}"] = weights
        return tensors

    def set_state(self, tensors: dict[str, Tensor]) -> None:
        """Go on from what `state` returned."""
        self.holder = tensors["holder"].numpy().copy()
        self._next = int(tensors["next"])
        self.pool, self.playing, self._policies = {}, {}, {}
        for group, members in (("pool", self.pool), ("playing", self.playing)):
            names = [name for name in tensors if name.startswith(f"{group}.")]
            for number in sorted(int(name.split(".")[1]) for name in names):
                members[number] = PastSelf(tensors[f"{group}.{number}"].numpy().tobytes())
