"""A table without its drawing: moves, programs, taking back, the file, and what seats are told."""

from dataclasses import replace

import numpy as np
import pytest

from hanazono.envs import GAMES, get_game
from hanazono.envs.core.record import GameRecord, replay
from hanazono.models.checkpoint import CheckpointError, save_policy
from hanazono.models.networks import make_network
from hanazono.training.companions import BotCompanion, invite
from hanazono.training.players import game_card, network_spec
from hanazono.training.table import PERSON, Table, take_seats
from play.sitting import SEAT, advance, new_record, play_on, sit_down
from toys import kuhn

games = pytest.mark.parametrize("name", GAMES)


def checkpoint(folder, game, num_players) -> str:
    """The folder of a policy that has learned nothing."""
    network, spec = make_network("pieces", network_spec(game), [8]), network_spec(game)
    save_policy(folder, network, spec, "pieces", [8], game_card(game, num_players, {}))
    return str(folder)


def bits(table: Table) -> bytes:
    return b"".join(state.tobytes() for state in table.states)


# Going on


@games
def test_a_game_taken_up_again_goes_on_as_it_would_have(name, tmp_path):
    whole = play_on(sit_down(new_record(name), tmp_path / "game.json"))
    assert whole.finished
    assert GameRecord.load(tmp_path / "game.json") == whole.record
    for length in (0, 1, whole.length // 2, whole.length - 1, whole.length):
        record = replace(whole.record, actions=whole.record.actions[:length])
        record.save(tmp_path / "begun.json")
        again = play_on(sit_down(GameRecord.load(tmp_path / "begun.json")))
        assert again.record == whole.record
        assert bits(again) == bits(whole)


@games
def test_the_file_holds_every_move_and_who_plays(name, tmp_path):
    table = sit_down(new_record(name), tmp_path / "game.json")
    for _ in range(6):
        kept = GameRecord.load(tmp_path / "game.json")
        assert kept == table.record
        assert kept.players[SEAT] == PERSON
        play_on(table, 1)


@games
def test_the_same_deal_gives_the_same_game_and_another_deal_another(name):
    one, same, other = (play_on(sit_down(new_record(name, seed=seed)), 5) for seed in (1, 1, 2))
    assert bits(one) == bits(same)
    assert bits(one) != bits(other)


# Moves


@games
def test_an_illegal_move_changes_nothing(name, tmp_path):
    table = advance(sit_down(new_record(name), tmp_path / "game.json"))
    before, kept = bits(table), (tmp_path / "game.json").read_bytes()
    for action in (-1, get_game(name).num_actions, max(set(range(9999)) - set(table.moves()))):
        with pytest.raises(ValueError, match=rf"player_{SEAT} cannot play action {action} .*legal"):
            table.play(action)
    assert bits(table) == before
    assert (tmp_path / "game.json").read_bytes() == kept


def test_a_move_that_cannot_be_kept_is_not_made(tmp_path):
    folder = tmp_path / "games"
    folder.mkdir()
    table = advance(sit_down(new_record("sakura"), folder / "game.json"))
    before, move = bits(table), next(iter(table.moves()))
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"game\.json"):
        table.play(move)
    assert bits(table) == before
    (tmp_path / "elsewhere").rename(folder)
    table.play(move)
    assert GameRecord.load(folder / "game.json") == table.record
    before = bits(table)
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"game\.json"):
        table.undo(SEAT)
    assert bits(table) == before


def test_no_move_after_the_end():
    table = play_on(sit_down(new_record("sakura")))
    assert (table.mover, table.moves()) == (None, {})
    with pytest.raises(ValueError, match="the game is over"):
        table.play(0)
    with pytest.raises(ValueError, match="no program is to decide"):
        table.let_play()


@games
def test_winners_and_points_are_those_of_the_game(name):
    table = play_on(sit_down(new_record(name)))
    *_, end = replay(get_game(name), table.record)
    assert table.scores() == end.final_scores[0, : table.num_players, 0].tolist()
    assert table.winners() == np.flatnonzero(end.final_ranks[0, : table.num_players] == 0).tolist()
    totals = [sum(points) for points in zip(*table.sheet().values(), strict=True)]
    assert totals == table.scores()


def test_a_forfeited_game_is_told_to_its_end():
    record = GameRecord("kuhn", 0, 2, 1, (0,), {"cards": 3}, forfeited=True)
    table = Table(kuhn.GAME, record, {})
    assert table.finished
    assert len(table.states) == 3
    assert (table.event(1, None).seat, table.event(1, None).words) == (1, "lose by an illegal move")
    assert table.winners() == [0]


# Taking back


@games
def test_undo_goes_back_to_the_last_own_decision(name, tmp_path):
    table = advance(sit_down(new_record(name), tmp_path / "game.json"))
    play_on(table, 2)
    length, before = table.length, bits(table)
    play_on(table, 1)
    after, record = bits(table), table.record
    table.undo(SEAT)
    assert (table.length, table.mover) == (length, SEAT)
    assert bits(table) == before
    assert GameRecord.load(tmp_path / "game.json") == table.record
    play_on(table, 1)
    assert (bits(table), table.record) == (after, record)
    for _ in range(3):
        table.undo(SEAT)
    with pytest.raises(ValueError, match=f"player_{SEAT} has made no move yet"):
        table.undo(SEAT)


def test_undo_from_the_end_of_a_game():
    table = play_on(sit_down(new_record("hanawase")))
    whole = table.record
    table.undo(SEAT)
    assert (table.finished, table.mover) == (False, SEAT)
    assert play_on(table).record == whole


# Programs


@games
def test_what_a_bot_advises_is_what_it_plays(name):
    game = get_game(name)
    table = advance(sit_down(new_record(name)))
    for bot in game.bots:
        chosen = np.zeros(1, np.int64)
        table.env.act(bot, np.zeros(1, np.int64), 0, chosen)
        assert table.advice(BotCompanion(bot)) == [(table.moves()[int(chosen[0])], 1.0)]


def test_what_a_checkpoint_advises_are_probabilities_and_it_plays_the_likeliest(tmp_path):
    game = get_game("ohanami")
    name = checkpoint(tmp_path, game, 2)
    record = replace(new_record("ohanami"), players=(name, PERSON))
    table = sit_down(record)
    weights = table.companions[0].weigh(table.env)
    legal = list(table.moves())
    assert weights[legal].sum() == pytest.approx(1)
    assert np.delete(weights, legal).sum() == pytest.approx(0)
    advice = table.advice(table.companions[0], least=0)
    assert [share for _, share in advice] == sorted(weights[legal].tolist(), reverse=True)
    table.let_play()
    assert table.record.actions == (int(weights.argmax()),)
    assert play_on(sit_down(record)).record == play_on(table).record


def test_players_that_nobody_is(tmp_path):
    game = get_game("sakura")
    with pytest.raises(ValueError, match=r"no player 'bob': neither a bot of Sakura \(random, "):
        invite("bob", game, 2, {})
    name = checkpoint(tmp_path, get_game("ohanami"), 2)
    with pytest.raises(CheckpointError, match="game is 'ohanami', needed 'sakura'"):
        invite(name, game, 2, game.check_options({}))
    with pytest.raises(ValueError, match=r"2 seats need 2 players, got \['human'\]"):
        take_seats(game, replace(new_record("sakura"), players=(PERSON,)))


# What seats are told


def test_secret_choices_are_not_told():
    """Ohanami: picks and discards (its RULES.md § 3, § 4)."""
    table = play_on(sit_down(new_record("ohanami", 3)))
    open_words = [table.event(k, None).words for k in range(table.length)]
    for seat in range(3):
        for number, words in enumerate(open_words):
            event = table.event(number, seat)
            verb = words.split()[0]
            if event.seat == seat or verb == "lay":
                assert event.words == words
            else:
                assert event.words.split("; ")[0] == f"{verb} a card"
    assert {words.split()[0] for words in open_words} == {"pick", "lay", "discard"}


def test_what_lies_open_is_told():
    """Sakura: the card turned over, and who captured what."""
    table = play_on(sit_down(new_record("sakura")), 1)
    for seat in (None, 0, 1):
        words = table.event(0, seat).words
        played, turned, *captured = words.split("; ")
        assert played.startswith("play ")
        assert turned.startswith("turned over ")
        after = table.view(None, 1)
        for part in captured:
            who, _, cards = part.partition(" captured ")
            ranks = after["captured"][int(who[-1])].values()
            assert set(cards.split(", ")) <= {card for rank in ranks for card in rank}
