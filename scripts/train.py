"""Train a policy by self-play.

python scripts/train.py --config configs/ohanami_2p.yaml --out DIR [--learning_rate 5e-4 ...]

Every setting can be given on the command line as well. The run can be stopped (Ctrl-C) or killed
at any moment; `--resume` goes on as if nothing had happened.
"""

import re
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, fields
from os import PathLike
from pathlib import Path
from typing import Any

from hanazono.envs import get_game
from hanazono.scripts.extras import needs

with needs("train"):
    from jsonargparse import ArgumentParser
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from hanazono.models.checkpoint import CheckpointError
    from hanazono.models.sb3_zip import MODEL_FILE
    from hanazono.training.config import PPOConfig
    from hanazono.training.evaluate import Evaluation
    from hanazono.training.parallel import one_thread_each
    from hanazono.training.ppo import CONFIG_FILE, RUN_FILE, Trainer, run


def make_parser(defaults: Path | None = None) -> ArgumentParser:
    """The command line; `defaults` is a YAML file whose settings come before all others."""
    files: list[str | PathLike[Any]] = [defaults] if defaults else []
    parser = ArgumentParser(prog="hanazono-train", description=__doc__, default_config_files=files)
    parser.add_argument("--config", action="config", help="YAML file of settings")
    parser.add_argument("--out", type=str, required=True, help="folder of the run")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out")
    parser.add_class_arguments(PPOConfig)
    return parser


def with_underscores(argv: Sequence[str] | None) -> list[str]:
    """The command line, by default that of the process, with --any-name as --any_name."""
    given = sys.argv[1:] if argv is None else argv
    return [re.sub(r"^--[\w-]+", lambda m: "--" + m[0][2:].replace("-", "_"), a) for a in given]


def parse(argv: Sequence[str] | None) -> tuple[ArgumentParser, Any]:
    """Read the command line; a resumed run starts from the settings it was begun with."""
    given = with_underscores(argv)
    parser = make_parser()
    args = parser.parse_args(given)
    if args.resume:
        saved = Path(args.out) / CONFIG_FILE
        if not saved.is_file():
            parser.error(f"there is no run to resume in {args.out} ({saved} is missing)")
        parser = make_parser(saved)
        args = parser.parse_args(given)
    return parser, args


def prepare_folder(folder: Path, resume: bool) -> None:
    """Make the folder of the run and see that it can be used.

    Raises:
        ValueError: if it cannot be written, or holds another run already.
    """
    if not resume and any((folder / name).exists() for name in (RUN_FILE, MODEL_FILE)):
        ours = "add --resume, or " if (folder / RUN_FILE).exists() else ""
        raise ValueError(f"{folder} holds a run already; {ours}name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(f"cannot write to {folder}: {error.strerror}") from error


class Stopper:
    """Within its block, turns the first Ctrl-C or SIGTERM into a stop at the next chance."""

    def __init__(self, console: Console, told: str) -> None:
        """`told` is printed when a stop is asked for."""
        self.asked = False
        self._console, self._told = console, told
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Stopper":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, number: int, frame: Any) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self._console.print(f"{self._told}; once more to stop at once")

    def __call__(self) -> bool:
        """Whether a stop was asked for."""
        return self.asked


def strength_line(trainer: Trainer, strength: dict[str, Evaluation]) -> str:
    """One line on a measurement: win share against each bot."""
    shares = "  ".join(f"{bot} {r.standings[0].win_share}" for bot, r in strength.items())
    return f"{trainer.decisions:>12,} decisions, {trainer.seconds:5.0f} s; win share: {shares}"


def train(trainer: Trainer, folder: Path, console: Console) -> None:
    """Run the trainer with a progress bar."""
    columns = (
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f} decisions, {task.fields[speed]}"),
        TimeRemainingColumn(),
    )
    with (
        Stopper(console, "stopping after this update") as stop,
        Progress(*columns, console=console) as progress,
    ):
        total = trainer.config.total_decisions
        task = progress.add_task("", total=total, completed=trainer.decisions, speed="")

        def watch(
            trainer: Trainer, log: dict[str, float], strength: dict[str, Evaluation] | None
        ) -> None:
            speed = f"{log['speed/decisions_per_second']:,.0f}/s"
            progress.update(task, completed=min(trainer.decisions, total), speed=speed)
            if strength:
                console.print(strength_line(trainer, strength), highlight=False)

        run(trainer, folder, watch, stop)


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the command line says; return the exit status."""
    parser, args = parse(argv)
    folder, console = Path(args.out), Console(soft_wrap=True)
    one_thread_each()
    try:
        config = PPOConfig(**{f.name: getattr(args, f.name) for f in fields(PPOConfig)})
        trainer = Trainer(get_game(config.game), config)
        prepare_folder(folder, args.resume)
        if args.resume:
            trainer.resume(folder)
    except (ValueError, CheckpointError) as error:
        parser.error(str(error))
    names = " ".join(f"{name}={value}" for name, value in asdict(config).items())
    console.print(f"training in {folder}: {names}", highlight=False)
    train(trainer, folder, console)
    if not trainer.finished:
        console.print(f"stopped; to go on: python scripts/train.py --out {folder} --resume")
        return 130
    console.print(f"done; the policy is in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
