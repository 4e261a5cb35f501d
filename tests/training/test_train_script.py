"""scripts/train.py: what it offers, reads and writes; what scripts say when torch is missing."""

import re
import subprocess
import sys
from dataclasses import asdict, fields
from pathlib import Path

import pytest
import torch
import yaml
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hanazono.envs import get_game
from hanazono.models.checkpoint import load_policy
from hanazono.scripts import train
from hanazono.scripts.extras import needs
from hanazono.training.config import PPOConfig
from hanazono.training.ppo import CONFIG_FILE

ROOT = Path(__file__).resolve().parents[2]
SHORT = {
    "total_decisions": 3 * 8 * 128,  # three updates, in which games end
    "num_envs": 8,
    "horizon": 128,
    "minibatch_size": 256,
    "hidden": [8],
    "eval_every": 2,
    "eval_deals": 4,
    "pool_every": 1,
}


def arguments(out: Path, **changes) -> list[str]:
    return ["--out", str(out), *(f"--{name}={value}" for name, value in (SHORT | changes).items())]


def refused(capsys, *argv: object) -> str:
    """What the script says when it refuses these arguments, on one line."""
    with pytest.raises(SystemExit) as stopped:
        train.main([str(a) for a in argv])
    assert stopped.value.code == 2
    return " ".join(capsys.readouterr().err.split())


def written(folder: Path) -> dict:
    return yaml.safe_load((folder / CONFIG_FILE).read_text(encoding="utf-8"))


def sentences() -> dict[str, str]:
    """What PPOConfig's docstring says on each setting."""
    listed = PPOConfig.__doc__.partition("Attributes:")[2]
    entries = re.findall(r"^ {8}(\w+): (.*(?:\n {12}.*)*)", listed, flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


@pytest.fixture(scope="module")
def finished(tmp_path_factory, one_thread) -> Path:
    """The folder of a short run."""
    folder = tmp_path_factory.mktemp("runs") / "short"
    assert train.main(arguments(folder)) == 0
    return folder


@pytest.fixture(scope="module")
def log(finished) -> EventAccumulator:
    return EventAccumulator(str(finished / "tensorboard")).Reload()


# --- what it offers ---


def test_help_lists_every_setting_with_its_sentence(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as stopped:
        train.main(["--help"])
    assert stopped.value.code == 0
    told = " ".join(capsys.readouterr().out.split())
    assert sentences().keys() == {f.name for f in fields(PPOConfig)}
    for name, sentence in sentences().items():
        assert re.search(rf"--{name}\b.{{0,60}} {re.escape(sentence)}", told), name
    for option in ("--config", "--out", "--resume"):
        assert option in told


def test_the_script_file_itself_runs():
    command = [sys.executable, str(ROOT / "scripts" / "train.py"), "--resume", "--out", "no/such"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "there is no run to resume in no/such" in result.stderr


# --- what it reads ---


def test_settings_may_be_written_with_dashes(tmp_path):
    argv = ["--out", str(tmp_path / "run"), "--total-decisions", "64", "--num-envs=8",
            "--learning-rate", "0.002", "--eval-every=0", "--hidden=[8]", "--horizon", "8",
            "--network=mlp"]  # fmt: skip
    assert train.main(argv) == 0
    told = {"total_decisions": 64, "num_envs": 8, "learning_rate": 0.002, "network": "mlp"}
    assert told.items() <= written(tmp_path / "run").items()


def test_the_command_line_overrides_the_file_and_the_file_the_defaults(tmp_path):
    file = tmp_path / "my.yaml"
    file.write_text(yaml.safe_dump(SHORT | {"gamma": 0.9, "seed": 4, "num_players": 3}))
    argv = ["--config", str(file), "--seed", "5", "--out", str(tmp_path / "run")]
    assert train.main([*argv, "--eval_every=0", "--total_decisions=1024"]) == 0
    config = written(tmp_path / "run")
    assert (config["gamma"], config["num_players"], config["seed"]) == (0.9, 3, 5)
    assert config["clip"] == PPOConfig().clip


@pytest.mark.parametrize("name", [path.name for path in (ROOT / "configs").glob("*.yaml")])
def test_the_shipped_configs_are_valid(tmp_path, name):
    _, args = train.parse(["--config", str(ROOT / "configs" / name), "--out", str(tmp_path)])
    config = PPOConfig(**{f.name: getattr(args, f.name) for f in fields(PPOConfig)})
    get_game(config.game).check_players(config.num_players)
    get_game(config.game).check_options(config.options)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("learning_rat: 0.1", "learning_rat"),
        ("gamma: high", "high"),
        ("num_envs: 1.5", "num_envs"),
        ("[1, 2", "expected ',' or ']'"),
    ],
)
def test_a_config_that_is_wrong_is_refused(tmp_path, capsys, content, told):
    (tmp_path / "my.yaml").write_text(content)
    run = tmp_path / "run"
    assert told in refused(capsys, "--config", tmp_path / "my.yaml", "--out", run)
    assert not run.exists()


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--learning_rte=0.1"], "learning_rte"),
        (["--config=no/such.yaml"], "no/such.yaml"),
        (["--num_envs=many"], "many"),
        (["--num_envs=0"], "num_envs must be at least 1, got 0"),
        (["--gamma=1.5"], "gamma must be from 0 to 1, got 1.5"),
        (["--seed=-1"], "seed must be from 0"),
        (["--game=chess"], "there is no game 'chess'; games: ohanami"),
        (["--num_players=9"], "Ohanami is played by 2 to 4 players, got num_players=9"),
        (['--options={"fog": 1}'], "Ohanami has no option 'fog'; its options: none"),
        (["--network=transformer"], "network must be one of ['pieces', 'mlp']"),
        (["--hidden=[]"], "hidden must list at least one positive size"),
    ],
)
def test_arguments_that_are_wrong_are_refused(tmp_path, capsys, argv, told):
    assert told in refused(capsys, "--out", tmp_path / "run", *argv)
    assert not (tmp_path / "run").exists()


def test_without_a_folder_nothing_starts(capsys):
    assert "out" in refused(capsys, "--num_envs=8")


# --- what it writes ---


def test_all_settings_are_written(finished):
    assert written(finished) == asdict(PPOConfig(**SHORT))


def test_the_policy_says_how_it_was_made(finished):
    _, card = load_policy(finished)
    assert card["training"]["config"] == written(finished)
    assert card["training"]["decisions"] == SHORT["total_decisions"]
    assert card["training"]["seconds"] > 0
    assert card["results"].keys() == {f"win_share_{bot}" for bot in get_game("ohanami").bots}


def test_progress_and_strength_are_printed(tmp_path, capsys):
    assert train.main(arguments(tmp_path / "run", total_decisions=2048)) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"training in {tmp_path / 'run'}: game=ohanami num_players=2" in told
    for bot in get_game("ohanami").bots:
        assert re.search(rf"2,048 decisions, .* win share: .*{bot} \d\.\d+ \[", told)
    assert f"done; the policy is in {tmp_path / 'run'}" in told


def test_tensorboard_has_what_to_watch(log):
    every_update = {
        *(f"losses/{name}" for name in ("policy", "value", "entropy", "clip_fraction",
                                        "approx_kl", "explained_variance")),
        *(f"games/win_share_seat_{seat}" for seat in (0, 1)),
        "games/finished",
        "speed/decisions_per_second",
        "settings/learning_rate",
    }  # fmt: skip
    measured = {
        f"strength/{kind}_{bot}"
        for kind in ("win_share", "margin")
        for bot in get_game("ohanami").bots
    }
    assert set(log.Tags()["scalars"]) == every_update | measured
    for tag in every_update:
        assert [event.step for event in log.Scalars(tag)] == [1024, 2048, 3072], tag
    for tag in measured:  # every second update, and the last
        assert [event.step for event in log.Scalars(tag)] == [2048, 3072], tag


def test_what_is_logged_is_plausible(log):
    for seats in zip(*(log.Scalars(f"games/win_share_seat_{s}") for s in (0, 1)), strict=True):
        assert sum(event.value for event in seats) == pytest.approx(1)
    assert all(event.value >= 8 for event in log.Scalars("games/finished"))
    assert all(0 < event.value < 5 for event in log.Scalars("losses/entropy"))
    for bot in get_game("ohanami").bots:
        assert all(0 <= event.value <= 1 for event in log.Scalars(f"strength/win_share_{bot}"))


def test_tensorboard_has_the_settings_as_a_table(log):
    (tag,) = log.Tags()["tensors"]
    assert tag == "settings/text_summary"
    (event,) = log.Tensors(tag)
    table = event.tensor_proto.string_val[0].decode()
    assert table.startswith("|setting|value|\n|-|-|\n")
    for name, value in asdict(PPOConfig(**SHORT)).items():
        assert f"|{name}|{value}|" in table.splitlines()


def test_the_log_of_a_resumed_run_has_no_step_twice(tmp_path, monkeypatch):
    folder, update = tmp_path / "run", train.Trainer.update

    def broken_off(self):
        if self.updates == 3:
            raise EOFError
        return update(self)

    with monkeypatch.context() as patch:
        patch.setattr(train.Trainer, "update", broken_off)
        with pytest.raises(EOFError):
            train.main(arguments(folder, total_decisions=4096, save_every=2, eval_every=0))
    assert train.main(["--resume", "--out", str(folder)]) == 0
    log = EventAccumulator(str(folder / "tensorboard")).Reload()
    assert [e.step for e in log.Scalars("losses/policy")] == [1024, 2048, 3072, 4096]


# --- missing packages ---


def test_a_missing_package_is_told_with_the_command_that_installs_it():
    with pytest.raises(SystemExit) as stopped, needs("train"):
        import no_such_package  # noqa: F401
    told = 'no_such_package is not installed; this needs: pip install "hanazono[train]"'
    assert stopped.value.code == told


def test_other_errors_at_import_are_not_hidden():
    with pytest.raises(ImportError, match="cannot import name"), needs("train"):
        from torch import no_such_name  # noqa: F401
    with needs("play"):
        assert torch.__version__


@pytest.mark.parametrize("script", ["train", "train_sb3", "evaluate", "demo"])
def test_a_script_without_torch_says_what_to_install(script):
    program = (
        "import sys; sys.modules['torch'] = None\n"
        f"sys.argv = ['{script}', '--help']\n"
        f"import hanazono.scripts.{script}\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].endswith('pip install "hanazono[train]"')
    assert "Traceback" not in result.stderr
