"""Policies out of the zip files that Stable-Baselines3 saves, without running what is in them.

Such a file holds pickled objects, which can do anything when they are loaded: `MaskablePPO.load`
is for files you trust. Here only two parts are read. `data` is JSON, in which the pickled objects
are texts that nobody decodes; our policies put their card into it as plain values. `policy.pth`
is read by torch's loader for weights, which refuses everything but tensors.
"""

import json
import pickle
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

MODEL_FILE = "model.zip"  # in a run's folder
# Where the network's weights lie in the policies of hanazono.training.sb3_policies, and whether
# they are action values, of which only the highest means anything.
PREFIXES = {"network.": False, "q_net.network.": True}


class ZipError(ValueError):
    """A zip file that holds no policy of ours; the message says why."""


def read_zip(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The network's tensors and card in a file that a model's `save` wrote.

    Raises:
        ZipError: if it is no such file, or its policy has no card.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("data"))
            weights = BytesIO(archive.read("policy.pth"))
        state = torch.load(weights, map_location="cpu", weights_only=True)
        card = data["policy_kwargs"].get("card")
        parts = {name: tensor for name, tensor in state.items() if isinstance(tensor, Tensor)}
    except (
        OSError, EOFError, RuntimeError, zipfile.BadZipFile, pickle.UnpicklingError
    ) as error:  # fmt: skip
        raise ZipError(f"{path} is damaged or no zip file: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ZipError(f"{path} was not saved by Stable-Baselines3: {error}") from error
    if not isinstance(card, dict):
        raise ZipError(f"{path} holds a policy without a card: train it with NetworkPolicy")
    for prefix, greedy in PREFIXES.items():
        found = {k.removeprefix(prefix): v for k, v in parts.items() if k.startswith(prefix)}
        if found:
            return found, card | {"greedy": greedy}
    raise ZipError(f"{path} has a card, but no network of ours")
