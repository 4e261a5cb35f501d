"""Sakura: match cards by month, and keep the others from their yaku. The folder's contents."""

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.game import ActionGroup, Game, Option, Rules, Words
from hanazono.envs.hanafuda.deck import CARDS, MONTHS
from hanazono.envs.hanafuda.words import COLOURS
from hanazono.envs.sakura import bots, knowledge, observation, render, rules

GAME = Game(
    name="sakura",
    title="Sakura",
    module="hanazono.envs.sakura",
    rules_version=0,
    min_players=rules.MIN_PLAYERS,
    max_players=rules.MAX_PLAYERS,
    fields=rules.FIELDS,
    num_actions=rules.NUM_ACTIONS,
    actions=(
        ActionGroup("card", 0, CARDS, "card"),
        ActionGroup("hiki", rules.HIKI, MONTHS, "month"),
    ),
    pieces=observation.PIECES,
    rules=Rules(
        reset=rules.reset,
        action_mask=rules.action_mask,
        step=rules.step,
        observe=observation.observe,
        scores=rules.scores,
        resample_hidden=knowledge.resample_hidden,
    ),
    words=Words(
        action=render.action_words,
        text=render.text,
        view=render.view,
        event=render.event,
        sheet=render.sheet,
        colours=COLOURS,
    ),
    bots={"random": random_bot, "greedy": bots.greedy, "careful": bots.careful},
    max_decisions=rules.max_decisions,
    score_scale=60.0,
    options=(
        Option("rounds", 3, (1, 3, 6, 12), "rounds of the series"),
        Option("instant_win", 1, (0, 1), "1: a dealt hand with a whole month wins the round"),
        Option("lightning", 0, (0, 1), "1: the plain Willow is a wild card"),
    ),
)
