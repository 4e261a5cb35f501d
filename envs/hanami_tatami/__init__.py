"""HANAMI: lay markers on sliding tatami boards, and join them. The folder's table of contents."""

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.game import ActionGroup, Game, Option, Rules, Words
from hanazono.envs.hanami_tatami import bots, icons, knowledge, observation, render, rules
from hanazono.envs.hanami_tatami.cards import CARDS, WILD

GAME = Game(
    name="hanami_tatami",
    title="HANAMI",
    module="hanazono.envs.hanami_tatami",
    rules_version=icons.VERSION,
    min_players=rules.MIN_PLAYERS,
    max_players=rules.MAX_PLAYERS,
    fields=rules.FIELDS,
    num_actions=rules.NUM_ACTIONS,
    actions=(
        ActionGroup("card", 0, CARDS, "card"),
        ActionGroup("wild", WILD, 1),
        ActionGroup("done", rules.DONE, 1),
        ActionGroup("slide", rules.SLIDES, rules.NUM_SLIDES, "slide"),
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
        colours=render.COLOURS,
    ),
    bots={"random": random_bot, "greedy": bots.greedy, "planner": bots.planner},
    max_decisions=rules.max_decisions,
    score_scale=20.0,
    options=(Option("printed_only", 0, (0, 1), "1: the bonus card is always the printed one"),),
)
