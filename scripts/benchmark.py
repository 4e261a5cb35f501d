"""Measure decisions a second, start times and, with --peers, the same work on other libraries.

python scripts/benchmark.py --games ohanami --peers --json FILE

Measurements take turns, and ratios are taken within a repeat: a machine that is slow for a while
is slow for all of them. One thread is judged by CPU time, everything else by wall clock.
"""

import argparse
import contextlib
import io
import json
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from hanazono.envs import GAMES, get_game, gymnasium_id, make, make_batch
from hanazono.envs.core.batch import available_cores
from hanazono.envs.core.record import write_atomically
from hanazono.scripts import peers
from hanazono.scripts.extras import needs
from hanazono.scripts.measure import (
    Job,
    Sample,
    Work,
    machine_facts,
    optional,
    print_results,
    python_run,
    repeat_play,
    report,
    run_jobs,
    stopwatch,
    warmed_up,
)

with needs("train"):
    from rich.console import Console

ONE_SHARE, FULL_SHARE = 256, 4096  # games a thread: best for one, and enough to share out
GYM_ENVS = 1024  # games side by side in Gymnasium's interface
AEC, ONE, ALL, PPO, START = "AEC", "one thread", "all cores", "PPO", "start"
ALONE = "all cores' games on one thread"  # what more cores are compared with
GYM, SB3 = "Gymnasium", "SB3"
FIRST_STEP = """
from hanazono.envs import make
env = make({game!r})
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""


# --- what is measured ---


def load_performance_benchmark() -> Callable[[Any], None]:
    """PettingZoo's performance_benchmark; the package around it warns while it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.test import performance_benchmark
    run: Callable[[Any], None] = performance_benchmark
    return run


def aec_rate(env: Any) -> Sample:
    """Turns per second as PettingZoo's performance_benchmark prints them; it runs for 5 s."""
    performance_benchmark, told = load_performance_benchmark(), io.StringIO()
    with contextlib.redirect_stdout(told), stopwatch() as taken:
        performance_benchmark(env)
    found = re.search(r"(\S+) turns per second", told.getvalue())
    if found is None:
        raise RuntimeError(f"performance_benchmark told no turns per second: {told.getvalue()!r}")
    rate, (wall, cpu) = float(found[1]), taken
    return Sample(rate, rate * wall / cpu)


def aec_run(make_env: Callable[[], Any]) -> Callable[[], Sample]:
    """The measurement of a PettingZoo environment that has made its first step."""
    env = make_env()
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    return partial(aec_rate, env)


def batch_work(game: str, seats: int, num_envs: int, threads: int) -> Work:
    """Random legal play of a BatchEnv: choose, step, restart, write observations and masks."""
    env = make_batch(game, num_envs, seats, num_threads=threads)
    env.reset(seed=0)
    rows, actions = np.arange(num_envs), np.zeros(num_envs, np.int64)

    def play() -> int:
        env.act("random", rows, 0, actions)
        env.step(actions)
        return num_envs

    return repeat_play(play)


def ppo_work(game: str, seats: int) -> Work:
    """Training by training/ppo.py with the game's settings in configs: play and updates."""
    with optional("hanazono[train]"):
        import yaml

        from hanazono.training.config import PPOConfig
        from hanazono.training.parallel import one_thread_each
        from hanazono.training.ppo import Trainer
    one_thread_each()  # as scripts/train.py does; MaskablePPO, too, is faster so
    file = resources.files("hanazono.configs") / f"{game}_{seats}p.yaml"
    settings = yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else {}
    config = PPOConfig(**{**settings, "game": game, "num_players": seats})
    trainer = Trainer(get_game(game), config)

    def play() -> int:
        before = trainer.decisions
        trainer.update()
        return trainer.decisions - before

    return repeat_play(play)


def vector_work(game: str, seats: int, num_envs: int, mode: str) -> Work:
    """Random legal play of one seat through Gymnasium's interface, against the strongest bot.

    `mode` is how `gymnasium.make_vec` puts the games side by side: "vector_entry_point" is ours,
    "sync" Gymnasium's SyncVectorEnv, which steps them one after another.
    """
    settings: dict[str, Any] = {"num_players": seats, "opponents": list(get_game(game).bots)[-1]}
    if mode == "sync":
        settings["vector_kwargs"] = {"autoreset_mode": AutoresetMode.SAME_STEP}
    env = gymnasium.make_vec(gymnasium_id(game), num_envs, vectorization_mode=mode, **settings)
    mask = env.reset(seed=0)[1]["action_mask"]
    taste = np.random.default_rng(0).random(mask.shape[1], np.float32)

    def play() -> int:
        nonlocal mask
        mask = env.step((mask * taste).argmax(axis=1))[-1]["action_mask"]
        return num_envs

    return repeat_play(play)


def sb3_work(game: str, seats: int) -> Work:
    """Training of sb3-contrib's MaskablePPO by training/sb3.py, against the strongest bot: play
    and updates. Counted are the learner's decisions."""
    with optional("hanazono[train]"):
        from hanazono.training.parallel import one_thread_each
        from hanazono.training.sb3 import SB3Config, build
    one_thread_each()
    bot = list(get_game(game).bots)[-1]
    config = SB3Config(game=game, num_players=seats, opponents=bot)
    model = build(config)

    def play() -> int:
        before = model.num_timesteps
        model.learn(config.num_envs * config.horizon, reset_num_timesteps=False)
        return int(model.num_timesteps - before)

    return repeat_play(play)


def import_time() -> Sample:
    """Seconds of `import hanazono.envs`: a fresh interpreter that does it, minus a bare one."""
    bare, full = python_run("pass", {}), python_run("import hanazono.envs", {})
    return Sample(full.wall - bare.wall, full.cpu - bare.cpu)


def warm_start(game: str) -> Sample:
    """Seconds from the start of Python to the end of a first step, rules compiled before."""
    return python_run(FIRST_STEP.format(game=game), {})


def cold_start(game: str) -> Sample:
    """The same with an empty cache, so that the rules are compiled."""
    with tempfile.TemporaryDirectory() as folder:
        return python_run(FIRST_STEP.format(game=game), {"HANAZONO_CACHE_DIR": folder})


# --- the list of jobs ---


def tables(games: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Each game at its fewest and its most seats."""
    for name in games:
        game = get_game(name)
        for seats in sorted({game.min_players, game.max_players}):
            yield name, seats


def work_job(
    args: argparse.Namespace, part: str, name: str, make_work: Callable[[], Work], **more: Any
) -> Job:
    """A job that counts decisions. One thread is judged by CPU time: neighbours disturb it less."""

    def prepare() -> Callable[[], Sample]:
        return warmed_up(make_work(), args.seconds)

    return Job(part, name, "decisions/s", "cpu" if part == ONE else "wall", prepare, **more)


def aec_jobs(args: argparse.Namespace) -> Iterator[Job]:
    """Turns through PettingZoo's interface."""
    for game, seats in tables(args.games):
        prepare = partial(aec_run, partial(make, game, seats))
        yield Job(AEC, f"{game} {seats}p", "turns/s", "wall", prepare)
    if args.peers:
        prepare = partial(aec_run, peers.connect_four)
        yield Job(AEC, "connect_four_v3", "turns/s", "wall", prepare, peer=True)


def batch_jobs(args: argparse.Namespace) -> Iterator[Job]:
    """Decisions through BatchEnv, on one thread and on all cores."""
    cores = available_cores()
    together = max(args.num_envs, FULL_SHARE) * cores
    for game, seats in tables(args.games):
        name = f"{game} {seats}p"
        one = partial(batch_work, game, seats, args.num_envs, 1)
        alone = partial(batch_work, game, seats, together, 1)
        every = partial(batch_work, game, seats, together, cores)
        yield work_job(args, ONE, name, one)
        yield work_job(args, ALONE, name, alone)
        yield work_job(args, ALL, name, every, base=f"{ALONE} {name}")
    if args.peers:
        for name in ("connect_four", "leduc_poker"):
            spiel = partial(peers.open_spiel_work, name)
            yield work_job(args, ONE, f"open_spiel {name}", spiel, peer=True)
        pgx = partial(peers.pgx_work, "connect_four", args.pgx_envs)
        yield work_job(args, ALL, "pgx connect_four", pgx, peer=True)


def ppo_jobs(args: argparse.Namespace) -> Iterator[Job]:
    """Decisions of a training loop, updates included."""
    for name in args.games:
        seats = get_game(name).min_players
        yield work_job(args, PPO, f"{name} {seats}p", partial(ppo_work, name, seats))
    if args.peers:
        name = "MaskablePPO connect_four_v3"
        yield work_job(args, PPO, name, peers.maskable_ppo_work, peer=True)


def gym_jobs(args: argparse.Namespace) -> Iterator[Job]:
    """Steps of one seat through Gymnasium's interface, ours and one after another."""
    for game, seats in tables(args.games):
        name = f"{game} {seats}p"
        slow, fast = (
            partial(vector_work, game, seats, GYM_ENVS, mode)
            for mode in ("sync", "vector_entry_point")
        )
        yield work_job(args, GYM, f"{name}, SyncVectorEnv", slow)
        yield work_job(args, GYM, name, fast, base=f"{GYM} {name}, SyncVectorEnv")


def sb3_jobs(args: argparse.Namespace) -> Iterator[Job]:
    """Decisions of MaskablePPO, updates included."""
    for game in args.games:
        seats = get_game(game).min_players
        yield work_job(args, SB3, f"MaskablePPO {game} {seats}p", partial(sb3_work, game, seats))
    if args.peers:
        name = "MaskablePPO connect_four_v3"
        yield work_job(args, SB3, name, peers.maskable_ppo_work, peer=True)


def start_job(name: str, run: Callable[[], Sample], repeats: int = sys.maxsize) -> Job:
    """A job in seconds; what is repeated runs once before, so that caches are filled."""

    def prepare() -> Callable[[], Sample]:
        if repeats > 1:
            run()
        return run

    return Job(START, name, "seconds", "wall", prepare, at_most=repeats)


def start_jobs(args: argparse.Namespace) -> Iterator[Job]:
    """Seconds until the library is there; compiling takes long and is measured once."""
    yield start_job("import hanazono.envs", import_time)
    for game in args.games:
        yield start_job(f"{game}, compiled before", partial(warm_start, game))
        yield start_job(f"{game}, compiling", partial(cold_start, game), repeats=1)


PARTS = {"aec": aec_jobs, "batch": batch_jobs, "ppo": ppo_jobs, "gym": gym_jobs, "sb3": sb3_jobs,
         "start": start_jobs}  # fmt: skip


# --- the command ---


def device(name: str) -> str:
    """The device of this name, for argparse."""
    if name == "cuda" or name.startswith("cuda:"):
        raise argparse.ArgumentTypeError("cuda is not available yet in this version; allowed: cpu")
    if name != "cpu":
        raise argparse.ArgumentTypeError(f"there is no device {name!r}; allowed: cpu")
    return name


def positive(kind: Callable[[str], Any], text: str) -> Any:
    """A number above 0, for argparse."""
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if not 0 < value < sys.maxsize:
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text!r}")
    return value


def writable_file(text: str) -> Path:
    """A path where a file can be written, for argparse: found out before anything is measured."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder; give the name of a file")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            return path
    except OSError as error:
        raise argparse.ArgumentTypeError(f"cannot write {path}: {error.strerror}") from error


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    whole = partial(positive, int)
    parser = argparse.ArgumentParser(
        prog="hanazono-benchmark",
        description=__doc__,
        epilog=peers.INSTALL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--games", nargs="+", choices=list(GAMES), default=list(GAMES), help="default: all")
    add("--parts", nargs="+", choices=list(PARTS), default=["aec", "batch", "ppo"],
        help="what to measure (default: aec batch ppo); aec is PettingZoo's own benchmark, which "
        "always runs for 5 seconds; gym is Gymnasium's vector interface, sb3 MaskablePPO; start is "
        "import, start and compile times")  # fmt: skip
    add("--device", type=device, default="cpu", help="cpu, the only one so far")
    add("--peers", action="store_true", help="measure other libraries too, see below")
    add("--json", type=writable_file, metavar="FILE", help="also write everything to this file")
    add("--seconds", type=partial(positive, float), default=1.0, help="of one run (default: 1)")
    add("--repeats", type=whole, default=5, help="runs of each measurement (default: 5)")
    add("--num-envs", type=whole, default=ONE_SHARE, metavar="B",
        help=f"games a thread in the batch part (default: {ONE_SHARE}); on all cores at least "
        f"{FULL_SHARE}")  # fmt: skip
    add("--pgx-envs", type=whole, default=1024, metavar="B",
        help="games in the batch of the peer pgx (default: 1024)")  # fmt: skip
    return parser


def say(text: str) -> None:
    """Tell on stderr how far the run is; the results go to stdout."""
    print(text, file=sys.stderr, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and write the JSON file if one is asked for; return the exit status."""
    args = make_parser().parse_args(argv)
    args.games, args.parts = list(dict.fromkeys(args.games)), list(dict.fromkeys(args.parts))
    machine = machine_facts()
    jobs = [job for part in args.parts for job in PARTS[part](args)]
    results = run_jobs(jobs, args.repeats, say)
    if args.json:
        settings = {name: value for name, value in vars(args).items() if name != "json"}
        content = json.dumps(report(results, machine, settings), indent=1) + "\n"
        write_atomically(args.json, content.encode())
    console = Console()
    if not console.is_terminal:
        console.width = 120  # lines of a pipe or a file need no wrapping at 80 letters
    console.print(
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}; "
        f"{args.num_envs} games a thread, on all cores {max(args.num_envs, FULL_SHARE)}",
        markup=False,
        soft_wrap=True,
    )
    print_results(results, console)
    return 0


if __name__ == "__main__":
    sys.exit(main())
