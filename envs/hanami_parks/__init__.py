"""Hanami on park maps: win the tokens of surrounded parks. The folder's table of contents."""

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.game import ActionGroup, Game, Option, Rules, Words
from hanazono.envs.hanami_parks import (
    bots,
    decisions,
    knowledge,
    observation,
    parks,
    render,
    rules,
    setup,
)
from hanazono.envs.hanami_parks.boards import (
    AROUND,
    BOARD_NAMES,
    LAND,
    LANDS,
    NUMBERS,
    PARKS,
    TYPES,
    WATER,
    WATERS,
)
from hanazono.envs.hanami_parks.tiles import KINDS, SPECIAL_CARDS

GAME = Game(
    name="hanami_parks",
    title="Hanami on park maps",
    module="hanazono.envs.hanami_parks",
    rules_version=0,
    min_players=rules.MIN_PLAYERS,
    max_players=parks.MAX_PLAYERS,
    fields=rules.FIELDS,
    num_actions=decisions.NUM_ACTIONS,
    actions=(
        ActionGroup("park", 0, PARKS, "park"),
        ActionGroup("land", LAND, LANDS, "land"),
        ActionGroup("water", WATER, WATERS, "water"),
        ActionGroup("tile", int(decisions.TILE_ID), KINDS, "tile"),
        ActionGroup("type", int(decisions.TYPE_ID), TYPES, "type"),
        ActionGroup("direction", int(decisions.DIRECTION_ID), AROUND, "direction"),
        ActionGroup("keep", int(decisions.KEEP_ID), SPECIAL_CARDS, "card"),
        ActionGroup("use", int(decisions.USE), 1),
        ActionGroup("done", int(decisions.DONE), 1),
    ),
    pieces=observation.PIECES,
    rules=Rules(
        reset=setup.reset,
        action_mask=rules.action_mask,
        step=rules.step,
        observe=observation.observe,
        scores=parks.scores,
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
    bots={
        "random": random_bot,
        "captures_only": bots.captures_only,
        "greedy": bots.greedy,
        "tempo_greedy": bots.tempo_greedy,
    },
    max_decisions=rules.max_decisions,
    score_scale=1.5,
    options=(
        Option("board", 0, tuple(NUMBERS.tolist()), "the map", words=BOARD_NAMES),
        Option("special_tiles", 0, (0, 1), "1: with the tiles Draw, Cover and Copy"),
        Option("draw_is_fast", 1, (0, 1), "whether the tile Draw is Fast"),
        Option(
            "abilities",
            1,
            (0, 1, 2),
            "ability cards: all have Torii, or each keeps one of two",
            words=("none", "standard", "special"),
        ),
        Option("token_draft", 0, (0, 1), "1: players place the tokens"),
        Option("start_strong", 0, (0, 1), "1: players choose their first hands"),
    ),
)
