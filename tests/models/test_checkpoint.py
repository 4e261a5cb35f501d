"""Checkpoints: what is saved comes back bit by bit, and nothing else passes for one."""

import json
import os
import pickle
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from hanazono.envs import get_game
from hanazono.envs.core.observation import Piece
from hanazono.models.checkpoint import (
    FORMAT,
    POLICY_FILE,
    CheckpointError,
    load_policy,
    load_tensors,
    policy_path,
    read_card,
    save_policy,
    save_tensors,
    whole_file,
)
from hanazono.models.networks import make_network
from hanazono.training.players import game_card, load_player, network_spec
from toys import kuhn

OHANAMI = get_game("ohanami")
HIDDEN = [8, 8]


def save(folder: Path, game=OHANAMI, num_players=2, options=None, kind="pieces"):
    """Save a new network as the policy of `folder`."""
    spec = network_spec(game)
    network = make_network(kind, spec, HIDDEN)
    card = game_card(game, num_players, options or {}) | {"results": {"win_share_random": 0.5}}
    save_policy(folder, network, spec, kind, HIDDEN, card)
    return network


def write_card(path: Path, card: str) -> Path:
    """A safetensors file with this text as its card."""
    save_file({"x": torch.zeros(2)}, path, {"card": card})
    return path


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """The folder of a policy for Ohanami with two."""
    folder = tmp_path_factory.mktemp("saved")
    save(folder)
    return folder


# --- what is saved comes back ---


@pytest.mark.parametrize("kind", ["pieces", "mlp"])
@pytest.mark.parametrize("game", [OHANAMI, kuhn.GAME], ids=lambda game: game.name)
def test_a_policy_comes_back_bit_by_bit(tmp_path, game, kind):
    before = save(tmp_path, game, kind=kind)
    after, card = load_policy(tmp_path)
    assert type(after) is type(before)
    assert not after.training
    assert before.state_dict().keys() == after.state_dict().keys()
    for name, tensor in before.state_dict().items():
        assert torch.equal(tensor, after.state_dict()[name])
    observation = torch.randn(5, game.layout.size)
    for mine, theirs in zip(before(observation), after(observation), strict=True):
        assert torch.equal(mine, theirs)
    assert card["network"] == kind
    assert card["observation_schema"] == game.layout.schema_hash


def test_tensors_of_every_kind_come_back(tmp_path):
    tensors = {
        "bytes": torch.arange(256).to(torch.uint8),
        "whole": torch.tensor([-1, 2**62]),
        "turned": torch.randn(3, 4).T,
        "scalar": torch.tensor(3.5),
        "special": torch.tensor([float("nan"), float("inf"), -0.0]),
        "weights": torch.nn.Parameter(torch.randn(2, 2)),
    }
    save_tensors(tmp_path / "t", tensors, {"why": "ü"})
    loaded, card = load_tensors(tmp_path / "t")
    assert card == {"format": FORMAT, "why": "ü"}
    assert loaded.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert loaded[name].dtype == tensor.dtype
        assert loaded[name].numpy().tobytes() == tensor.detach().contiguous().numpy().tobytes()


def test_a_folder_and_its_file_name_the_same_policy(saved):
    assert policy_path(saved) == policy_path(str(saved / POLICY_FILE)) == saved / POLICY_FILE
    assert load_policy(saved)[1] == load_policy(str(saved / POLICY_FILE))[1]


def test_card_json_is_the_card_without_what_only_networks_need(saved):
    header = read_card(saved / POLICY_FILE)
    shown = json.loads((saved / "card.json").read_text(encoding="utf-8"))
    assert header.pop("format") == FORMAT
    assert header.pop("spec")["observation_size"] == OHANAMI.layout.size
    assert shown == header
    assert shown["game"] == "ohanami"
    assert shown["results"] == {"win_share_random": 0.5}


def test_the_file_is_plain_safetensors_and_no_pickle(saved):
    file = saved / POLICY_FILE
    content = file.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    assert json.loads(header["__metadata__"]["card"])["game"] == "ohanami"
    assert sum(v["data_offsets"][1] == len(content) - 8 - length for v in header.values()
               if "data_offsets" in v) == 1  # fmt: skip
    with safe_open(file, "pt") as opened:
        names = set(opened.keys())
    assert names == set(load_file(file))
    with pytest.raises((pickle.UnpicklingError, EOFError, ValueError)):
        pickle.loads(content)


# --- whole or not at all ---


def test_a_file_appears_only_when_it_is_whole(tmp_path):
    path = tmp_path / "file"
    with whole_file(path) as temporary:
        temporary.write_text("new")
        assert temporary.parent == tmp_path  # on the same disk, so that the renaming is atomic
        assert not path.exists()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "file"
    path.write_text("old")

    def interrupted() -> None:
        with whole_file(path) as temporary:
            temporary.write_text("ne")
            raise error

    with pytest.raises(error):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_tensors_that_cannot_be_saved_leave_the_old_file(tmp_path):
    path = tmp_path / "t"
    save_tensors(path, {"x": torch.ones(3)}, {})
    old = path.read_bytes()
    with pytest.raises(TypeError):
        save_tensors(path, {"x": torch.zeros(3)}, {"card": object()})
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_a_kill_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from hanazono.models.checkpoint import whole_file\n"
        "with whole_file(Path(sys.argv[1])) as temporary:\n"
        "    temporary.write_text('ne')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    result = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert result.returncode == -signal.SIGKILL
    assert path.read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="permissions are posix")
def test_files_get_the_permissions_that_the_user_has_set(tmp_path):
    before = os.umask(0o027)
    try:
        save_tensors(tmp_path / "t", {"x": torch.ones(3)}, {})
        save(tmp_path)
    finally:
        os.umask(before)
    for name in ("t", POLICY_FILE, "card.json"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o640


# --- nothing else passes for a checkpoint ---


@pytest.mark.parametrize("keep", [0, 4, 100, -1])
def test_a_truncated_file_is_refused(tmp_path, saved, keep):
    file = tmp_path / "cut.safetensors"
    file.write_bytes((saved / POLICY_FILE).read_bytes()[:keep])
    with pytest.raises(CheckpointError, match=r"cut\.safetensors is damaged"):
        load_policy(file)


@pytest.mark.parametrize(
    "content", [b"a text file\n" * 50, b"\x80\x04K\x01.", pickle.dumps({"weights": [0.0] * 99})]
)
def test_another_kind_of_file_is_refused(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(CheckpointError, match="other is damaged or no safetensors file"):
        load_policy(tmp_path / "other")


@pytest.mark.parametrize("metadata", [None, {"format": "pt"}])
def test_a_foreign_safetensors_file_is_refused(tmp_path, metadata):
    save_file({"x": torch.zeros(2)}, tmp_path / "foreign", metadata)
    with pytest.raises(CheckpointError, match="without a card"):
        load_policy(tmp_path / "foreign")


@pytest.mark.parametrize("card", ["Model card: a fine model", "[1]", "3", "null"])
def test_a_foreign_card_is_refused(tmp_path, card):
    with pytest.raises(CheckpointError, match="has a card that is not ours"):
        load_policy(write_card(tmp_path / "foreign", card))


@pytest.mark.parametrize("card", [{}, {"format": FORMAT + 1}])
def test_another_format_is_refused(tmp_path, card):
    path = write_card(tmp_path / "later", json.dumps(card))
    told = f"later has checkpoint format {card.get('format')}, this version reads {FORMAT}"
    with pytest.raises(CheckpointError, match=told):
        load_policy(path)


@pytest.mark.parametrize(
    "change",
    [
        {"network": "transformer"},
        {"hidden": 8},
        {"hidden": [9, 9]},
        {"spec": [1, 2]},
        {"spec": {"observation_size": 3, "num_actions": 2, "groups": []}},
        {"spec": {}},
        {},
    ],
)
def test_a_card_that_fits_no_weights_is_refused(tmp_path, saved, change):
    card = read_card(saved / POLICY_FILE) | change
    if not change:
        del card["network"]
    save_tensors(tmp_path / "odd", load_file(saved / POLICY_FILE), card)
    with pytest.raises(CheckpointError, match="odd holds no network of its card"):
        load_policy(tmp_path / "odd")


@pytest.mark.parametrize("name", ["missing", "missing/policy.safetensors"])
def test_a_missing_file_is_named(tmp_path, name):
    with pytest.raises(CheckpointError, match=f"there is no checkpoint file .*{name}"):
        load_policy(tmp_path / name)


def test_a_folder_without_a_policy_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=r"there is no checkpoint file .*policy\.safetensors"):
        load_policy(tmp_path)


# --- a mismatch says what differs ---


def test_another_game_is_told(saved):
    with pytest.raises(CheckpointError, match="game is 'ohanami', needed 'kuhn'"):
        load_player(str(saved), kuhn.GAME, 2)


def test_another_seat_count_is_told(saved):
    with pytest.raises(CheckpointError, match=r"does not fit: num_players is 2, needed 3$"):
        load_player(str(saved), OHANAMI, 3)


def test_other_options_are_told(tmp_path):
    save(tmp_path, kuhn.GAME, options={"cards": 4})
    with pytest.raises(CheckpointError, match=r"options is {'cards': 4}, needed {'cards': 3}$"):
        load_player(str(tmp_path), kuhn.GAME, 2)
    assert load_player(str(tmp_path), kuhn.GAME, 2, {"cards": 4}).name == str(tmp_path)


def test_another_observation_is_told(saved):
    pieces = (*OHANAMI.pieces, Piece("mood", (1,), 0, 1, "of the dealer"))
    game = replace(OHANAMI, pieces=pieces)
    told = f"observation_schema is '{OHANAMI.layout.schema_hash}', needed"
    with pytest.raises(CheckpointError, match=told):
        load_player(str(saved), game, 2)


def test_other_rules_are_told_with_all_that_differs(saved):
    game = replace(OHANAMI, rules_version=OHANAMI.rules_version + 1)
    with pytest.raises(CheckpointError, match=r"rules_version is .*; num_players is 2, needed 4"):
        load_player(str(saved), game, 4)


def test_a_training_state_is_no_policy(tmp_path):
    save_tensors(tmp_path / "training", {"x": torch.zeros(1)}, {"config": {}})
    with pytest.raises(CheckpointError, match="game is None, needed 'ohanami'"):
        load_player(str(tmp_path / "training"), OHANAMI, 2)
