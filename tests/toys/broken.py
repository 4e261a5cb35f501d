"""Toys with one fault each, and what the conformance kit has to say about it.

Run as a program with NUMBA_DISABLE_JIT=1 (so that nothing is compiled), it checks them all and
prints what was said as JSON.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.conformance import check_game
from hanazono.envs.core.game import ActionGroup, Game, Option
from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, keyed
from toys import kuhn, three_cups

FAULTS: dict[str, tuple[Callable[[], Game], str]] = {}  # name -> how to make it, what is said


def fault(said: str) -> Callable[[Callable[[], Game]], Callable[[], Game]]:
    def keep(make: Callable[[], Game]) -> Callable[[], Game]:
        FAULTS[make.__name__] = make, said
        return make

    return keep


def with_rules(game: Game, **kernels: Callable[..., Any]) -> Game:
    return replace(game, rules=replace(game.rules, **{n: kernel(f) for n, f in kernels.items()}))


def with_words(**functions: Callable[..., Any]) -> Game:
    return replace(kuhn.GAME, words=replace(kuhn.GAME.words, **functions))


# Leaks


@fault("the observation of seat 0 leaks")
def shows_the_other_card():
    def observe(s, player, out):
        kuhn.observe(s, player, out)
        out[kuhn.AT_SHOWN + s.card[1 - player]] = 1.0

    return with_rules(kuhn.GAME, observe=observe)


@fault("the observation of seat 1 leaks")
def shows_the_other_card_to_seat_1():
    def observe(s, player, out):
        kuhn.observe(s, player, out)
        if player == 1:
            out[kuhn.AT_SHOWN + s.card[0]] = 1.0

    return with_rules(kuhn.GAME, observe=observe)


@fault("leaks")
def allows_bets_against_low_cards_only():
    def action_mask(s, out):
        out[kuhn.PASS] = 1
        out[kuhn.BET] = s.card[1 - s.current_player] < 2

    return with_rules(kuhn.GAME, action_mask=action_mask)


@fault("'view' of seat 0 leaks")
def tells_both_cards_in_the_view():
    return with_words(view=lambda s, seat: kuhn.view(s, seat) | {"cards": s.card.tolist()})


@fault("'words.text' of seat 0 leaks")
def tells_both_cards_in_the_text():
    return with_words(text=lambda s, seat: f"{kuhn.text(s, seat)} {s.card}")


@fault("'action_words' of seat 0 leaks")
def tells_the_other_card_in_the_action():
    def action(s, action):
        return f"{kuhn.action_words(s, action)} against {s.card[1 - s.current_player]}"

    return with_words(action=action)


@fault("an event tells seat 0 what is hidden")
def tells_the_other_card_in_the_event():
    return with_words(event=lambda s, action, after, seat: f"against {s.card[1 - (seat or 0)]}")


@fault("an event leaks to seat 1: check")
def tells_secret_moves_in_the_event():
    def view(s, seat):
        told = kuhn.view(s, seat)
        return told if seat in (None, 0) else told | {"moves": []}

    return with_words(view=view)


@fault("'words.sheet' of seat 0 leaks")
def counts_cards_in_the_sheet():
    return with_words(sheet=lambda s: {"card": s.card.tolist()})


@fault("the sheet does not add up to the scores")
def leaves_points_out_of_the_sheet():
    return with_words(sheet=lambda s: {"chips": [0, 0]})


@fault("the sheet is not for every seat")
def has_a_sheet_for_one_seat():
    return with_words(sheet=lambda s: {"chips": [0]})


@fault("bot 'peeks' uses what is hidden")
def has_a_bot_that_peeks():
    def peeks(s, mask, noise):
        return s.card[s.current_player] > s.card[1 - s.current_player]

    return replace(kuhn.GAME, bots={"random": random_bot, "peeks": kernel(peeks)})


@fault("bot 'foresees' uses what is hidden")
def has_a_bot_that_reads_the_seed():
    def foresees(s, mask, noise):
        return below(keyed(s.seed, s.chance + 1), three_cups.CUPS)

    return replace(three_cups.GAME, bots={"random": random_bot, "foresees": kernel(foresees)})


@fault("seat 0 knows the chance to come")
def keeps_the_future():
    def resample_hidden(s, player, seed):
        kept = s.seed
        three_cups.resample_hidden(s, player, seed)
        s.seed = kept

    return with_rules(three_cups.GAME, resample_hidden=resample_hidden)


@fault("to_dict does not tell what is hidden")
def keeps_the_truth_to_itself():
    return with_words(view=lambda s, seat: kuhn.view(s, 0 if seat is None else seat))


# Resampling that proves nothing


@fault("resample_hidden for seat 0 changes 0% of the states")
def resamples_nothing():
    def resample_hidden(s, player, seed):
        pass

    return with_rules(kuhn.GAME, resample_hidden=resample_hidden)


@fault("resample_hidden for seat 1 changes 0% of the states")
def resamples_for_seat_0_only():
    def resample_hidden(s, player, seed):
        if player == 0:
            kuhn.resample_hidden(s, player, seed)

    return with_rules(kuhn.GAME, resample_hidden=resample_hidden)


@fault("the observation of seat 0 leaks")
def resamples_the_own_card():
    def resample_hidden(s, player, seed):
        s.card[player] = (s.card[1 - player] + 1) % s.cards

    return with_rules(kuhn.GAME, resample_hidden=resample_hidden)


@fault("resample_hidden for seat 0 has its own chance")
def resamples_without_the_seed():
    def resample_hidden(s, player, seed):
        kuhn.resample_hidden(s, player, np.uint64(np.random.randint(1 << 30)))  # noqa: NPY002

    return with_rules(kuhn.GAME, resample_hidden=resample_hidden)


@fault("resample_hidden for seat 0 changes 'current_player'")
def resamples_the_turn():
    def resample_hidden(s, player, seed):
        kuhn.resample_hidden(s, player, seed)
        s.current_player = 0

    return with_rules(kuhn.GAME, resample_hidden=resample_hidden)


# Rules


@fault("legal action 2 changes nothing")
def ignores_a_legal_action():
    def action_mask(s, out):
        out[:3] = 1

    def step(s, action):
        if action < 2:
            kuhn.step(s, action)

    game = with_rules(kuhn.GAME, action_mask=action_mask, step=step)
    return replace(
        game,
        num_actions=3,
        actions=(ActionGroup("move", 0, 3),),
        max_decisions=lambda num_players, options: 1000,
    )


@fault("longer than 2 decisions")
def takes_too_long():
    return replace(kuhn.GAME, max_decisions=lambda num_players, options: 2)


@fault("no action is legal for player_1")
def leaves_no_action():
    def action_mask(s, out):
        if s.made == 0:
            kuhn.action_mask(s, out)

    return with_rules(kuhn.GAME, action_mask=action_mask)


@fault("a bot chose an illegal action: game 1: player_0 cannot play action -1")
def has_a_bot_that_cheats():
    def cheats(s, mask, noise):
        return -1

    return replace(kuhn.GAME, bots={"cheats": kernel(cheats), "random": random_bot})


@fault("rewards were paid before the end")
def pays_early():
    def step(s, action):
        kuhn.step(s, action)
        s.rewards[0] = 1.0

    return with_rules(kuhn.GAME, step=step)


@fault("the rules changed 'cards'")
def changes_an_option():
    def step(s, action):
        kuhn.step(s, action)
        s.cards = 4

    return with_rules(kuhn.GAME, step=step)


@fault("the same seed gave another game")
def deals_without_the_seed():
    def reset(s):
        kuhn.reset(s)
        s.card[0] = np.random.randint(3)  # noqa: NPY002
        s.card[1] = (s.card[0] + 1) % 3

    return with_rules(kuhn.GAME, reset=reset)


@fault("all seeds give the same game")
def deals_the_same_cards():
    def reset(s):
        kuhn.reset(s)
        s.card[0] = 0
        s.card[1] = 1

    return with_rules(kuhn.GAME, reset=reset)


@fault("'own' holds 2.0 for seat 0")
def leaves_the_bounds():
    def observe(s, player, out):
        kuhn.observe(s, player, out)
        out[kuhn.AT_OWN + 3] = 2.0

    return with_rules(kuhn.GAME, observe=observe)


@fault("'deck' holds nan for seat 0")
def observes_nothing_finite():
    def observe(s, player, out):
        out[kuhn.AT_DECK] = np.nan

    return with_rules(kuhn.GAME, observe=observe)


@fault("do not fit ranks")
def scores_nan():
    def scores(s, out):
        out[:2] = np.nan

    return with_rules(kuhn.GAME, scores=scores)


# Words and the record


@fault("two legal actions have the same words")
def calls_all_actions_the_same():
    return with_words(action=lambda s, action: "move")


@fault("is not plain JSON")
def views_a_tuple():
    return with_words(view=lambda s, seat: kuhn.view(s, seat) | {"moves": ("pass",) * int(s.made)})


@fault("do not cover actions 0 … 1 once each")
def groups_overlap():
    return replace(kuhn.GAME, actions=(ActionGroup("move", 0, 2), ActionGroup("bet", 1, 1)))


@fault("'cup' has (3,), 'pick' 2 items")
def groups_do_not_fit_pieces():
    groups = (ActionGroup("pick", 0, 2, "cup"), ActionGroup("last", 2, 1))
    return replace(three_cups.GAME, actions=groups)


@fault("it has no bot called 'random'")
def has_no_random_bot():
    return replace(kuhn.GAME, bots={"honest": kuhn.honest})


@fault("an option cannot be called 'reward'")
def has_an_option_that_collides():
    return replace(kuhn.GAME, options=(*kuhn.OPTIONS, Option("reward", 0, (0, 1), "")))


def what_is_said(name: str, make: Callable[[], Game]) -> str:
    game = make()
    module = ModuleType(f"toys.{name}")
    game = module.GAME = replace(game, module=module.__name__)
    sys.modules[module.__name__] = module
    try:
        check_game(game, num_games=8)
    except AssertionError as error:
        return str(error)
    return "nothing"


if __name__ == "__main__":
    print(json.dumps({name: what_is_said(name, make) for name, (make, _) in FAULTS.items()}))
