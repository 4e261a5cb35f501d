"""Hanawase: match flowers, three at a time, for cards above 88 and for yaku. Table of contents."""

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.game import ActionGroup, Game, Rules, Words
from hanazono.envs.hanafuda.deck import CARDS
from hanazono.envs.hanafuda.words import COLOURS
from hanazono.envs.hanawase import bots, knowledge, observation, render, rules

GAME = Game(
    name="hanawase",
    title="Hanawase",
    module="hanazono.envs.hanawase",
    rules_version=0,
    min_players=rules.ROLES,
    max_players=rules.MAX_PLAYERS,
    fields=rules.FIELDS,
    num_actions=rules.NUM_ACTIONS,
    actions=(
        ActionGroup("card", 0, CARDS, "card"),
        ActionGroup("declare", rules.ENTER, 2),
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
    bots={
        "random": random_bot,
        "greedy": bots.greedy,
        "watchful": bots.watchful,
    },
    max_decisions=rules.max_decisions,
    score_scale=60.0,
    options=rules.OPTIONS,
)
