"""Ohanami: pick two cards, pass the hand on, grow three rows. The folder's table of contents."""

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.game import ActionGroup, Game, Rules, Words
from hanazono.envs.ohanami import bots, observation, render, rules

GAME = Game(
    name="ohanami",
    title="Ohanami",
    module="hanazono.envs.ohanami",
    rules_version=0,
    min_players=2,
    max_players=rules.MAX_PLAYERS,
    fields=rules.FIELDS,
    num_actions=rules.NUM_ACTIONS,
    actions=(
        ActionGroup("pick", 0, rules.CARDS, "card"),
        ActionGroup("place", rules.PLACE, 2 * rules.TARGETS, "target"),
    ),
    pieces=observation.PIECES,
    rules=Rules(
        reset=rules.reset,
        action_mask=rules.action_mask,
        step=rules.step,
        observe=observation.observe,
        scores=rules.scores,
        resample_hidden=rules.resample_hidden,
    ),
    words=Words(
        action=render.action_words,
        text=render.text,
        view=render.view,
        event=render.event,
        sheet=render.sheet,
        colours=render.COLOURS,
    ),
    bots={
        "random": random_bot,
        "smallest_gap": bots.smallest_gap,
        "value_gap": bots.value_gap,
    },
    max_decisions=rules.max_decisions,
    score_scale=50.0,
)
