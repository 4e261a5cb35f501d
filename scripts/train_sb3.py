"""Train a player with Stable-Baselines3.

python scripts/train_sb3.py --game ohanami --opponents value_gap --out DIR [--algorithm dqn ...]

Against bots, checkpoints or a frozen copy of itself ("self", the default). DIR then is a player
like any other, and DIR/model.zip a file that Stable-Baselines3 loads, pickles included.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from hanazono.scripts.extras import needs

with needs("train"):
    from jsonargparse import ArgumentParser
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback

    from hanazono.scripts.train import Stopper, prepare_folder, with_underscores
    from hanazono.training.evaluate import Evaluation
    from hanazono.training.parallel import one_thread_each
    from hanazono.training.sb3 import SB3Config, build, run


def make_parser() -> ArgumentParser:
    """The command line."""
    parser = ArgumentParser(prog="hanazono-train-sb3", description=__doc__)
    parser.add_argument("--config", action="config", help="YAML file of settings")
    parser.add_argument("--out", type=str, required=True, help="folder of the run")
    parser.add_class_arguments(SB3Config)
    return parser


class Watch(BaseCallback):
    """Moves the progress bar, and stops when asked to."""

    def __init__(self, progress: Progress, task: TaskID, stop: Stopper) -> None:
        super().__init__()
        self.progress, self.task, self.stop = progress, task, stop

    def _on_step(self) -> bool:
        self.progress.update(self.task, completed=self.num_timesteps)
        return not self.stop()


def strength_line(steps: int, results: dict[str, Evaluation]) -> str:
    """One line on a measurement: win share against each bot."""
    shares = "  ".join(f"{bot} {r.standings[0].win_share}" for bot, r in results.items())
    return f"{steps:>12,} decisions; win share: {shares}"


def train(model: BaseAlgorithm, config: SB3Config, folder: Path, console: Console) -> bool:
    """Run with a progress bar; return whether it came to its end."""
    columns = (
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f} decisions"),
        TimeRemainingColumn(),
    )

    def tell(steps: int, results: dict[str, Evaluation]) -> None:
        console.print(strength_line(steps, results), highlight=False)

    told = "stopping; what was played since the last update is not used"
    with Stopper(console, told) as stop, Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=config.total_steps)
        run(model, config, folder, Watch(progress, task, stop), tell)
        return not stop()


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the command line says; return the exit status."""
    parser = make_parser()
    args: Any = parser.parse_args(with_underscores(argv))
    folder, console = Path(args.out), Console(soft_wrap=True)
    one_thread_each()
    try:
        config = SB3Config(**{f.name: getattr(args, f.name) for f in fields(SB3Config)})
        model = build(config, folder)
        prepare_folder(folder, resume=False)
    except ValueError as error:
        parser.error(str(error))
    names = " ".join(f"{name}={value}" for name, value in asdict(config).items())
    console.print(f"training in {folder}: {names}", highlight=False)
    finished = train(model, config, folder, console)
    console.print(f"{'done' if finished else 'stopped'}; the policy is in {folder}")
    console.print(f"next: python scripts/play.py --game {config.game} --opponents {folder}")
    return 0 if finished else 130


if __name__ == "__main__":
    sys.exit(main())
