"""The whole path in a few minutes: train a small player, measure it, say how to go on."""

import sys
from importlib.resources import files
from pathlib import Path

from hanazono.envs import get_game
from hanazono.scripts import train
from hanazono.scripts.evaluate import FIGURES, figures
from hanazono.scripts.extras import needs

with needs("train"):
    from rich.console import Console
    from rich.table import Table

    from hanazono.training.evaluate import evaluate
    from hanazono.training.players import load_player
    from hanazono.training.ppo import RUN_FILE

RUN = Path("runs/demo")
DEALS = 2000
NEXT = f"""
What to try next:
  python scripts/play.py --game ohanami --opponents {RUN}
  tensorboard --logdir {RUN}
  python scripts/train.py --config configs/ohanami_2p.yaml --out runs/ohanami_2p
  python scripts/evaluate.py --game ohanami --players runs/ohanami_2p value_gap --deals 2000
  python scripts/benchmark.py
"""


def main() -> int:
    """Run the demo in ./runs/demo; a demo that was broken off goes on where it stood."""
    console = Console()
    config = files("hanazono.configs") / "demo.yaml"
    resume = ["--resume"] if (RUN / RUN_FILE).exists() else ["--config", str(config)]
    status = train.main([*resume, "--out", str(RUN)])
    if status:
        return status
    game = get_game("ohanami")
    table = Table(title=f"{RUN} at Ohanami for two: {DEALS:,} deals from both seats")
    table.add_column("opponent")
    for title in FIGURES:
        table.add_column(title, justify="right", no_wrap=True)
    me = load_player(str(RUN), game, 2)
    for name in [*game.bots, str(RUN)]:
        result = evaluate(game, [me, load_player(name, game, 2)], deals=DEALS, seed=1)
        table.add_row(name, *figures(result.standings[0]))
    console.print(table)
    console.print(NEXT, highlight=False, soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
