"""A run that is stopped or killed at any moment ends, resumed, as if nothing had happened."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from hanazono.models.checkpoint import POLICY_FILE, load_tensors
from hanazono.scripts import train
from hanazono.training import ppo
from hanazono.training.config import PPOConfig
from hanazono.training.ppo import CONFIG_FILE, RUN_FILE, Trainer
from toys import three_cups

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {
    "total_decisions": 12 * 16 * 32,  # twelve updates
    "num_envs": 16,
    "horizon": 32,
    "minibatch_size": 128,
    "hidden": [8],
    "save_every": 2,
    "pool_every": 2,
    "pool_size": 2,
    "pool_fraction": 0.5,
    "eval_every": 0,
}
ARGUMENTS = [f"--{name}={value}" for name, value in SETTINGS.items()]
# The script, with updates that take long enough to be hit by a signal, the last ones above all.
SLOW = (
    "import sys, time\n"
    "from hanazono.scripts import train\n"
    "update = train.Trainer.update\n"
    "wait = lambda self: time.sleep(0.15 if self.updates < 9 else 30)\n"
    "train.Trainer.update = lambda self: (wait(self), update(self))[1]\n"
    "sys.exit(train.main(sys.argv[1:]))\n"
)


def start(*command: str) -> subprocess.Popen:
    """A Python process that counts with one thread, as the tests do."""
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, *command],
        env=one_thread,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for_save(process: subprocess.Popen, folder: Path, after: float) -> None:
    """Wait until the process has saved something later than `after`."""
    file, limit = folder / RUN_FILE, time.monotonic() + 120
    while not file.exists() or file.stat().st_mtime <= after:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < limit, "nothing was saved"
        time.sleep(0.01)


def assert_same_end(folder: Path, unbroken: Path) -> None:
    """The last policy and all the training state are equal bit by bit."""
    for name in (POLICY_FILE, RUN_FILE):
        mine, my_card = load_tensors(folder / name)
        theirs, their_card = load_tensors(unbroken / name)
        assert mine.keys() == theirs.keys()
        for key, tensor in theirs.items():
            assert mine[key].dtype == tensor.dtype, key
            assert mine[key].numpy().tobytes() == tensor.numpy().tobytes(), key
        for card in (my_card, their_card):  # the time it took may differ, nothing else
            (card.get("training") or card["progress"]).pop("seconds")
        assert my_card == their_card


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder, with a hash of what it holds."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def refused(capsys, *argv: object) -> str:
    """What the script says when it refuses these arguments, on one line."""
    with pytest.raises(SystemExit) as stopped:
        train.main([str(a) for a in argv])
    assert stopped.value.code == 2
    return " ".join(capsys.readouterr().err.split())


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory, one_thread) -> Path:
    """The folder of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("runs") / "unbroken"
    assert train.main(["--out", str(folder), *ARGUMENTS]) == 0
    return folder


# --- in other processes: real signals ---


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_the_same(tmp_path, unbroken):
    folder = tmp_path / "run"
    saved, command = 0.0, ["-c", SLOW, "--out", str(folder), *ARGUMENTS]
    for moment in (0.05, 0.25):  # in the update after the save, in the one that saves again
        process = start(*command)
        wait_for_save(process, folder, saved)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        saved = (folder / RUN_FILE).stat().st_mtime
        command = ["-c", SLOW, "--out", str(folder), "--resume"]
    assert train.main(["--out", str(folder), "--resume"]) == 0
    assert_same_end(folder, unbroken)


@pytest.mark.slow
def test_a_run_that_is_asked_to_stop_saves_and_ends_the_same(tmp_path, unbroken):
    folder = tmp_path / "run"
    process = start("-c", SLOW, "--out", str(folder), *ARGUMENTS)
    wait_for_save(process, folder, after=0)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate()
    assert process.returncode == 130, output
    assert "stopping after this update" in output
    assert f"to go on: python scripts/train.py --out {folder} --resume" in " ".join(output.split())
    updates = load_tensors(folder / RUN_FILE)[1]["progress"]["updates"]
    assert 1 <= updates < 12
    process = start(str(ROOT / "scripts" / "train.py"), "--out", str(folder), "--resume")
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert_same_end(folder, unbroken)


# --- in this process: broken off at a chosen moment ---


class BrokenOffError(Exception):
    """Stands for the end of the process."""


def break_at(monkeypatch, owner: object, name: str, count: int) -> None:
    """Let call number `count` of a function end the run before it does anything."""
    function, calls = getattr(owner, name), []

    def counting(*arguments, **named):
        calls.append(name)
        if len(calls) == count:
            raise BrokenOffError
        return function(*arguments, **named)

    monkeypatch.setattr(owner, name, counting)


@pytest.mark.parametrize(
    ("owner", "name", "count"),
    [
        (ppo, "collect", 3),  # just after the first save
        (ppo, "collect", 12),
        (ppo, "ppo_loss", 40),  # amid an update
        (ppo.Opponents, "add", 4),
        (ppo, "save_policy", 2),
        (ppo, "save_policy", 6),
        (ppo, "save_tensors", 2),  # between the files of a save
        (ppo, "save_tensors", 6),  # of the last one
    ],
)
def test_a_run_broken_off_at_any_moment_ends_the_same(
    tmp_path, unbroken, monkeypatch, owner, name, count
):
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        break_at(patch, owner, name, count)
        with pytest.raises(BrokenOffError):
            train.main(["--out", str(folder), *ARGUMENTS])
    assert (folder / RUN_FILE).exists()
    assert train.main(["--out", str(folder), "--resume"]) == 0
    assert_same_end(folder, unbroken)


def test_a_run_broken_off_before_its_first_save_can_start_again(tmp_path, unbroken, monkeypatch):
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        break_at(patch, ppo, "save_tensors", 1)
        with pytest.raises(BrokenOffError):
            train.main(["--out", str(folder), *ARGUMENTS])
    assert train.main(["--out", str(folder), *ARGUMENTS]) == 0
    assert_same_end(folder, unbroken)


def test_ctrl_c_means_what_it_meant_before_once_the_run_is_over(unbroken):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    assert train.main(["--out", str(unbroken), "--resume"]) == 0
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert before[0] is signal.default_int_handler


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_after_the_update_and_is_saved(tmp_path, unbroken, monkeypatch, number):
    folder, update = tmp_path / "run", train.Trainer.update

    def signalled(self):
        if self.updates == 4:
            os.kill(os.getpid(), number)
        return update(self)

    with monkeypatch.context() as patch:
        patch.setattr(train.Trainer, "update", signalled)
        assert train.main(["--out", str(folder), *ARGUMENTS]) == 130
    assert load_tensors(folder / RUN_FILE)[1]["progress"]["updates"] == 5
    assert train.main(["--out", str(folder), "--resume"]) == 0
    assert_same_end(folder, unbroken)


def test_a_second_ctrl_c_stops_at_once(tmp_path, monkeypatch):
    def impatient(self):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        pytest.fail("went on")

    monkeypatch.setattr(train.Trainer, "update", impatient)
    with pytest.raises(KeyboardInterrupt):
        train.main(["--out", str(tmp_path / "run"), *ARGUMENTS])
    saved = load_tensors(tmp_path / "run" / RUN_FILE)[1]
    assert saved["progress"]["updates"] == 0, "as it was before the first update"


def test_a_finished_run_that_is_resumed_stays_as_it_is(unbroken):
    before = {path: contents(unbroken)[str(unbroken / path)] for path in (POLICY_FILE, RUN_FILE)}
    assert train.main(["--out", str(unbroken), "--resume"]) == 0
    after = contents(unbroken)
    assert {path: after[str(unbroken / path)] for path in before} == before


def test_a_finished_run_can_be_made_longer(tmp_path):
    folder = tmp_path / "run"
    short = [a for a in ARGUMENTS if "total" not in a]
    assert train.main(["--out", str(folder), *short, "--total_decisions=1024"]) == 0
    assert train.main(["--out", str(folder), "--resume", "--total_decisions=2048"]) == 0
    assert load_tensors(folder / RUN_FILE)[1]["progress"]["updates"] == 4


# --- every part of the state comes back ---


def test_resuming_restores_every_part(tmp_path):
    settings = SETTINGS | {"num_players": 3, "game": "three_cups", "pool_every": 1}
    run = Trainer(three_cups.GAME, PPOConfig(**settings))
    for _ in range(4):
        run.update()
    run.results["win_share_random"] = 0.75
    run.save(tmp_path)
    other = Trainer(three_cups.GAME, PPOConfig(**settings))
    other.resume(tmp_path)
    assert other.updates == 4
    assert other.seconds == run.seconds
    assert other.results == run.results
    assert other.env.get_states().tobytes() == run.env.get_states().tobytes()
    assert torch.equal(other.generator.get_state(), run.generator.get_state())
    assert other.opponents.pool == run.opponents.pool
    assert (other.opponents.holder == run.opponents.holder).all()
    mine, theirs = other.optimizer.state_dict()["state"], run.optimizer.state_dict()["state"]
    for number, moments in theirs.items():
        assert all(torch.equal(mine[number][name], moment) for name, moment in moments.items())
    run.update()
    other.update()
    for name, tensor in run.network.state_dict().items():
        assert torch.equal(other.network.state_dict()[name], tensor)


# --- what cannot be done is refused, and changes nothing ---


def test_a_second_run_in_a_folder_is_refused(unbroken, capsys):
    before = contents(unbroken)
    told = refused(capsys, "--out", unbroken, *ARGUMENTS, "--seed=1")
    assert f"{unbroken} holds a run already; add --resume, or name another folder" in told
    assert contents(unbroken) == before


def test_resuming_with_other_settings_is_refused(unbroken, capsys):
    before = contents(unbroken)
    told = refused(capsys, "--out", unbroken, "--resume", "--gamma", "0.5", "--hidden", "[9]")
    assert "other settings" in told
    assert "gamma was 1.0, is now 0.5" in told
    assert "hidden was [8], is now [9]" in told
    assert "seed" not in told.partition("other settings")[2]
    assert contents(unbroken) == before


def test_resuming_as_another_seat_count_is_refused(unbroken, capsys):
    told = refused(capsys, "--out", unbroken, "--resume", "--num-players", "3")
    assert "num_players was 2, is now 3" in told


def test_resuming_what_was_never_begun_is_refused(tmp_path, capsys):
    told = refused(capsys, "--out", tmp_path / "no", "--resume")
    assert f"there is no run to resume in {tmp_path / 'no'}" in told
    assert not (tmp_path / "no").exists()


def test_resuming_a_damaged_run_is_refused(tmp_path, unbroken, capsys):
    (tmp_path / CONFIG_FILE).write_bytes((unbroken / CONFIG_FILE).read_bytes())
    (tmp_path / RUN_FILE).write_bytes((unbroken / RUN_FILE).read_bytes()[:-10])
    before = contents(tmp_path)
    assert f"{RUN_FILE} is damaged" in refused(capsys, "--out", tmp_path, "--resume")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("resume", [[], ["--resume"]])
def test_a_folder_that_cannot_be_written_is_refused(tmp_path, capsys, resume):
    (tmp_path / "file").write_text("no folder")
    told = refused(capsys, "--out", tmp_path / "file" / "run", *resume, *ARGUMENTS)
    assert ("no run to resume" if resume else "cannot write to") in told
    assert str(tmp_path / "file" / "run") in told


def test_a_file_in_place_of_the_folder_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("no folder")
    assert "cannot write to" in refused(capsys, "--out", tmp_path / "file", *ARGUMENTS)
    assert (tmp_path / "file").read_text() == "no folder"
