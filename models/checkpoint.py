"""Checkpoints: one safetensors file whose header holds a JSON card. No pickle, no code.

The card is written a second time as `card.json` beside the weights, for people; the header is
what counts. A zip file of Stable-Baselines3 can be read as well: see `sb3_zip.py`.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor

from hanazono.models.networks import MLPNetwork, Spec, make_network
from hanazono.models.sb3_zip import ZipError, read_zip

FORMAT = 1
POLICY_FILE = "policy.safetensors"


class CheckpointError(ValueError):
    """A file that cannot be used as a checkpoint; the message says why."""


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends without error."""
    # tempfile and safetensors' save_file would make it a file that only its owner may read. One
    # fixed name, so that what a kill leaves behind is overwritten by the next save.
    temporary = path.with_name(f".{path.name}.partial")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def save_tensors(path: Path, tensors: Mapping[str, Tensor], card: Mapping[str, Any]) -> None:
    """Write tensors and a JSON card; the file appears whole or not at all."""
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with whole_file(path) as temporary:
        header = {"card": json.dumps({"format": FORMAT, **card})}
        temporary.write_bytes(save(contiguous, header))


def read_card(path: Path) -> dict[str, Any]:
    """The card of a checkpoint file.

    Raises:
        CheckpointError: if there is no such file or it is no checkpoint of this project.
    """
    if not path.is_file():
        raise CheckpointError(f"there is no checkpoint file {path}")
    try:
        with safe_open(path, "pt") as file:
            header = file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path} is damaged or no safetensors file: {error}") from error
    if "card" not in header:
        raise CheckpointError(f"{path} is a safetensors file without a card: it is not ours")
    try:
        card: dict[str, Any] = json.loads(header["card"])
        written = card.get("format")
    except (ValueError, AttributeError) as error:
        raise CheckpointError(f"{path} has a card that is not ours: {error}") from error
    if written != FORMAT:
        raise CheckpointError(
            f"{path} has checkpoint format {written}, this version reads {FORMAT}"
        )
    return card


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and card of a checkpoint file; errors as in `read_card`."""
    card = read_card(path)
    return load_file(path), card


def policy_path(path: str | Path) -> Path:
    """The checkpoint file that `path` names: itself, or the newest policy of a run's folder."""
    path = Path(path)
    return path / POLICY_FILE if path.is_dir() else path


def save_policy(
    folder: Path,
    network: MLPNetwork,
    spec: Spec,
    kind: str,
    hidden: list[int],
    card: Mapping[str, Any],
) -> None:
    """Write a network to `folder`, with what it takes to build it again and the facts in `card`."""
    full = {"network": kind, "hidden": list(hidden), "spec": asdict(spec), **card}
    save_tensors(folder / POLICY_FILE, network.state_dict(), full)
    shown = {name: value for name, value in full.items() if name != "spec"}
    with whole_file(folder / "card.json") as temporary:
        temporary.write_text(json.dumps(shown, indent=2) + "\n", encoding="utf-8")


def load_policy(
    path: str | Path, expected: Mapping[str, Any] | None = None
) -> tuple[MLPNetwork, dict[str, Any]]:
    """Read a network and its card.

    Args:
        path: a checkpoint file, a run's folder, or a zip file of Stable-Baselines3 whose policy
            has a card.
        expected: entries that the card must have, such as the game and its observation schema.

    Raises:
        CheckpointError: if the file cannot be used, saying what is wrong or what differs.
    """
    file = policy_path(path)
    zipped = file.suffix == ".zip"
    try:
        tensors, card = read_zip(file) if zipped else ({}, read_card(file))
    except ZipError as error:
        raise CheckpointError(str(error)) from error
    differences = [
        f"{name} is {card.get(name)!r}, needed {value!r}"
        for name, value in (expected or {}).items()
        if card.get(name) != value
    ]
    if differences:
        raise CheckpointError(f"{file} does not fit: {'; '.join(differences)}")
    try:
        network = make_network(card["network"], Spec.from_values(card["spec"]), card["hidden"])
        network.load_state_dict(tensors if zipped else load_file(file))
    except (KeyError, TypeError, RuntimeError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{file} holds no network of its card: {error}") from error
    network.eval()
    return network, card
