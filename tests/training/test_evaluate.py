"""Evaluation on duplicate deals, and scripts/evaluate.py: results that can be believed."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from hanazono.envs import get_game
from hanazono.envs.core.batch import BatchEnv
from hanazono.models.checkpoint import CheckpointError, save_policy
from hanazono.models.networks import make_network
from hanazono.models.policy import Policy, masked_log_probs
from hanazono.scripts import evaluate as script
from hanazono.training import evaluate as module
from hanazono.training.evaluate import Estimate, by_player, distinct, evaluate, play
from hanazono.training.players import (
    BotPlayer,
    PolicyPlayer,
    game_card,
    load_player,
    network_spec,
)
from toys import kuhn, three_cups

OHANAMI = get_game("ohanami")
BOTS = tuple(OHANAMI.bots)


def bots(*names: str) -> list[BotPlayer]:
    return [BotPlayer(name) for name in names]


def policy(game=OHANAMI, seed=0, greedy=False) -> Policy:
    """A random network with clear preferences."""
    torch.manual_seed(seed)
    network = make_network("pieces", network_spec(game), [16])
    with torch.no_grad():
        network.logits.weight.mul_(100)
    return Policy(network.eval(), greedy=greedy)


def checkpoint(folder: Path, game=OHANAMI, num_players=2, options=None) -> str:
    """The folder of a saved policy."""
    folder.mkdir(exist_ok=True)
    card = game_card(game, num_players, options or {})
    network = policy(game).network
    save_policy(folder, network, network_spec(game), "pieces", [16], card)
    return str(folder)


def plain(result) -> dict:
    """A result without the time it took."""
    return replace(result, seconds=0.0).to_dict()


class Scripted:
    """Plays the first legal action in the games of some deals and the last in the others."""

    def __init__(self, name: str, first: bool) -> None:
        self.name, self.first = name, first

    def act(self, env, rows, actions, generator) -> None:
        for row in rows:
            legal = np.flatnonzero(env.action_mask[row])
            actions[row] = legal[0] if self.first else legal[-1]


# --- equal players are equal ---


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_against_itself_is_exactly_even(bot, seats):
    """In the rotations of a deal the same game is played, once from each seat."""
    result = evaluate(OHANAMI, bots(*[bot] * seats), deals=20, seed=1)
    for standing in result.standings:
        assert standing.win_share.mean == pytest.approx(1 / seats)
        assert standing.win_share.high - standing.win_share.low == pytest.approx(0)
        assert standing.margin.mean == pytest.approx(0)
        assert standing.margin.high - standing.margin.low == pytest.approx(0)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_policy_against_itself_is_even_within_what_chance_explains(seats):
    """Four standard errors, about twice the half of the interval."""
    players = [PolicyPlayer("me", policy())] * seats
    result = evaluate(OHANAMI, players, deals=60, seed=2)
    for standing in result.standings:
        for found, truth in ((standing.win_share, 1 / seats), (standing.margin, 0)):
            assert found.high > found.mean
            assert abs(found.mean - truth) < 2 * (found.high - found.mean)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(0)
    estimates = [Estimate.of(rng.normal(3, 2, size=100)) for _ in range(2000)]
    covered = np.mean([e.low <= 3 <= e.high for e in estimates])
    assert 0.93 < covered < 0.965
    assert np.mean([e.mean for e in estimates]) == pytest.approx(3, abs=0.03)


# --- better players are better ---


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(("better", "worse"), [(2, 1), (1, 0), (2, 0)])
def test_the_bots_of_ohanami_are_listed_weakest_first(better, worse, seats):
    players = bots(BOTS[better], *[BOTS[worse]] * (seats - 1))
    best = evaluate(OHANAMI, players, deals=100, seed=3).standings[0]
    assert best.win_share.low > 1 / seats
    assert best.margin.low > 0


def test_the_order_of_the_players_does_not_matter():
    one = evaluate(OHANAMI, bots("value_gap", "smallest_gap"), deals=50, seed=4)
    other = evaluate(OHANAMI, bots("smallest_gap", "value_gap"), deals=50, seed=4)
    for mine, theirs in zip(one.standings, reversed(other.standings), strict=True):
        assert mine.name == theirs.name
        assert mine.win_share.mean == pytest.approx(theirs.win_share.mean)
        assert mine.score == pytest.approx(theirs.score)


def test_best_play_at_three_cups_is_worth_what_is_known():
    result = evaluate(three_cups.GAME, bots("own_cup", "own_cup", "random"), deals=40)
    assert [s.name for s in result.standings] == ["own_cup", "own_cup#2", "random"]
    mean = sum(three_cups.VALUE) / 3
    assert [s.score for s in result.standings[:2]] == pytest.approx([mean, mean])
    assert result.standings[2].score < mean / 2
    assert result.decisions == 40 * 3 * 6


# --- duplicate deals ---


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_rotation_of_every_deal_is_played(monkeypatch, seats):
    seen = {}

    def watched(by_seat, holder, deals):
        seen.update(holder=holder, deals=deals)
        return by_player(by_seat, holder, deals)

    monkeypatch.setattr(module, "by_player", watched)
    tables = []
    real = module.BatchEnv.reset

    def reset(self, seed=None, *, seeds=None):
        real(self, seed, seeds=seeds)
        tables.append(seeds)

    monkeypatch.setattr(module.BatchEnv, "reset", reset)
    seeds = np.arange(5, dtype=np.uint64) * 7 + 1
    play(OHANAMI, bots(*["random"] * seats), seeds, torch.Generator(), {})
    by_deal = seen["holder"].reshape(5, seats, seats)
    np.testing.assert_array_equal(
        tables[0].reshape(5, seats), np.repeat(seeds, seats).reshape(5, -1)
    )
    for rotations in by_deal:
        assert sorted(map(tuple, rotations)) == sorted(
            tuple((p + k) % seats for p in range(seats)) for k in range(seats)
        )


def test_values_by_seat_become_means_by_player():
    """Two deals at three seats: seat values are 10 deal + seat, so each player's are told apart."""
    holder = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]] * 2)
    by_seat = np.array([[0.0, 1, 5]] * 3 + [[10.0, 11, 12]] * 3)
    by_seat[1] = [100, 200, 300]  # in the second rotation seat 0 holds player 1
    result = by_player(by_seat, holder, deals=2)
    expected = [[(0 + 300 + 1) / 3, (1 + 100 + 5) / 3, (5 + 200 + 0) / 3], [11, 11, 11]]
    np.testing.assert_allclose(result, expected)


def test_what_a_player_gets_follows_it_round_the_table():
    """Counted here game by game, in games that BatchEnv plays on its own."""
    players, deals = [Scripted("first", True), Scripted("last", False)], 6
    seeds = np.arange(deals, dtype=np.uint64) + 3
    shares, points, decisions = play(OHANAMI, players, seeds, torch.Generator(), {})
    expected = np.zeros((deals, 2, 2))
    made = 0
    for deal, seed in enumerate(seeds):
        for first in range(2):  # the player at seat 0
            env = BatchEnv(OHANAMI, 1, 2, auto_reset=False)
            env.reset(seeds=np.full(1, seed))
            while not env.terminated[0]:
                player = (first + env.current_player[0]) % 2
                action = np.zeros(1, np.int64)
                players[player].act(env, [0], action, None)
                env.step(action)
                made += 1
            won = env.final_ranks[0, :2] == 0
            for seat in range(2):
                player = (first + seat) % 2
                expected[deal, player] += (
                    won[seat] / won.sum() / 2,
                    env.final_scores[0, seat, 0] / 2,
                )
    np.testing.assert_allclose(shares, expected[..., 0])
    np.testing.assert_allclose(points, expected[..., 1])
    assert decisions == made


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_shares_sum_to_one_and_margins_to_zero(seats):
    players = bots("value_gap", "random", "smallest_gap", "random")[:seats]
    result = evaluate(OHANAMI, players, deals=30, seed=5)
    assert sum(s.win_share.mean for s in result.standings) == pytest.approx(1)
    assert sum(s.margin.mean for s in result.standings) == pytest.approx(0, abs=1e-9)
    others = np.mean([s.score for s in result.standings[1:]])
    first = result.standings[0]
    assert first.margin.mean == pytest.approx(first.score - others)
    assert (result.games, result.num_players) == (30 * seats, seats)


@pytest.mark.parametrize("at_once", [1, 7, 50])
def test_the_result_does_not_depend_on_how_many_games_run_at_once(monkeypatch, at_once):
    players = bots("value_gap", "random", "smallest_gap")
    whole = evaluate(OHANAMI, players, deals=25, seed=6)
    monkeypatch.setattr(module, "GAMES_AT_ONCE", at_once)
    assert plain(evaluate(OHANAMI, players, deals=25, seed=6)) == plain(whole)


def test_the_same_seed_gives_the_same_result_and_another_does_not():
    players = [PolicyPlayer("me", policy()), BotPlayer("random")]
    one, same, other = (evaluate(OHANAMI, players, deals=20, seed=s) for s in (7, 7, 8))
    assert plain(one) == plain(same)
    assert plain(one)["standings"] != plain(other)["standings"]


@pytest.mark.parametrize("cards", [3, 5])
def test_options_reach_the_games_and_the_result(cards):
    result = evaluate(kuhn.GAME, bots("honest", "random"), deals=200, options={"cards": cards})
    assert result.options == {"cards": cards}
    default = evaluate(kuhn.GAME, bots("honest", "random"), deals=200)
    assert (result.standings == default.standings) == (cards == 3)


# --- estimates and names ---


def test_an_estimate_by_hand():
    estimate = Estimate.of(np.array([1.0, 2.0, 3.0, 6.0]))
    half = 1.959964 * np.sqrt(14 / 3) / 2
    assert estimate.mean == 3
    assert estimate.low == pytest.approx(3 - half)
    assert estimate.high == pytest.approx(3 + half)
    assert str(Estimate(0.5, 0.25, 0.75)) == "0.500 [0.250, 0.750]"


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_few_deals_that_end_alike_are_not_certain(share):
    estimate = Estimate.of_shares(np.full(20, share))
    assert estimate.mean == share
    expected = (0.0, 0.1684) if share == 0 else (0.8316, 1.0)  # as tables of the binomial have it
    assert (estimate.low, estimate.high) == pytest.approx(expected, abs=1e-4)


def test_intervals_of_shares_are_normal_but_stay_between_0_and_1():
    shares = np.array([1.0, 0.5, 0.0, 0.5])
    assert Estimate.of_shares(shares) == Estimate.of(shares)
    few = np.array([1.0, 1.0, 1.0, 0.5])
    assert Estimate.of(few).high > 1
    assert Estimate.of_shares(few).high == 1


def test_repeated_names_are_numbered():
    assert distinct(["a", "b", "a", "a"]) == ["a", "b", "a#2", "a#3"]


# --- what cannot work is refused ---


@pytest.mark.parametrize(
    ("players", "deals", "seed", "told"),
    [
        (1, 10, 0, "Ohanami is played by 2 to 4 players, got num_players=1"),
        (5, 10, 0, "Ohanami is played by 2 to 4 players, got num_players=5"),
        (2, 1, 0, "deals must be at least 2 for a confidence interval, got 1"),
        (2, 0, 0, "deals must be at least 2"),
        (2, 10, -1, "a seed is an integer from 0"),
        (2, 10, 2**64, "a seed is an integer from 0"),
    ],
)
def test_wrong_arguments_are_refused(players, deals, seed, told):
    with pytest.raises(ValueError, match=told):
        evaluate(OHANAMI, bots(*["random"] * players), deals=deals, seed=seed)


def test_unknown_options_are_refused():
    with pytest.raises(ValueError, match="Kuhn poker has no option 'fog'; its options: cards"):
        evaluate(kuhn.GAME, bots("random", "random"), deals=2, options={"fog": 1})


def test_an_unknown_player_is_refused_with_those_there_are():
    told = "no player 'alice': neither a bot of Ohanami .random, smallest_gap, value_gap. nor"
    with pytest.raises(ValueError, match=told):
        load_player("alice", OHANAMI, 2)


# --- learned players ---


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_checkpoint_plays_at_every_seat_count(tmp_path, seats):
    name = checkpoint(tmp_path / "run", num_players=seats)
    players = [load_player(name, OHANAMI, seats), *bots(*["value_gap"] * (seats - 1))]
    result = evaluate(OHANAMI, players, deals=10)
    assert result.standings[0].name == name
    assert result.standings[0].margin.mean < 0


def test_a_checkpoint_plays_its_likeliest_actions_unless_told_to_draw(tmp_path):
    name = checkpoint(tmp_path / "run")
    greedy = load_player(name, OHANAMI, 2)
    result = evaluate(OHANAMI, [greedy, greedy], deals=10)
    assert result.standings[0].win_share.high - result.standings[0].win_share.low == 0
    drawn = load_player(name, OHANAMI, 2, sample=True)
    result = evaluate(OHANAMI, [drawn, drawn], deals=10)
    assert result.standings[0].margin.high - result.standings[0].margin.low > 0


def test_a_checkpoint_for_another_seat_count_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="num_players is 2, needed 3"):
        load_player(checkpoint(tmp_path / "run"), OHANAMI, 3)


@pytest.mark.parametrize(
    ("game", "seats"),
    [(OHANAMI, 2), (OHANAMI, 3), (OHANAMI, 4), (kuhn.GAME, 2), (three_cups.GAME, 3)],
)
def test_a_policy_knows_only_what_its_seat_may_know(game, seats):
    """Resampling what the mover cannot know changes nothing in what the policy would do."""
    env, network = BatchEnv(game, 40, seats), policy(game).network
    env.reset(11)
    chance, hidden_changed = torch.Generator().manual_seed(0), 0
    for step in range(game.max_decisions(seats, {})):
        before = env.get_states()
        seen = torch.from_numpy(env.observation), torch.from_numpy(env.action_mask)
        with torch.no_grad():
            would = masked_log_probs(network(seen[0])[0], seen[1])
            movers = env.current_player.copy()
            env.resample_hidden(movers, np.arange(40) + 1000 * step)
            hidden_changed += (env.get_states() != before).sum()
            after = masked_log_probs(network(seen[0])[0], seen[1])
        assert torch.equal(would, after)
        env.set_states(before)
        env.step(Policy(network).act(*seen, chance).numpy())
    assert hidden_changed > 0


# --- the script ---


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    """So that tables show their cells in full."""
    monkeypatch.setenv("COLUMNS", "250")


def arguments(*players: str, **named: object) -> list[str]:
    options = {"--game": "ohanami", "--deals": "5"} | {f"--{k}": str(v) for k, v in named.items()}
    return [*(text for pair in options.items() for text in pair), "--players", *players]


def refused(capsys, argv: list[str]) -> str:
    """What the script says when it refuses these arguments."""
    with pytest.raises(SystemExit) as stopped:
        script.main(argv)
    assert stopped.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    return " ".join(err.split())


def test_the_script_prints_a_table_and_writes_the_same_as_json(tmp_path, capsys):
    file = tmp_path / "result.json"
    assert script.main(arguments("value_gap", "random", json=file, seed=3)) == 0
    printed = " ".join(capsys.readouterr().out.split())
    result = evaluate(OHANAMI, bots("value_gap", "random"), deals=5, seed=3)
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written.pop("seconds") > 0
    expected = json.loads(json.dumps(result.to_dict()))
    del expected["seconds"]
    assert written == expected
    for standing in result.standings:
        assert standing.name in printed
        assert f"{standing.win_share.mean:.1%}" in printed
        assert f"{standing.score:.1f}" in printed


def test_the_script_logs_to_tensorboard(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    assert script.main(arguments("value_gap", "random", tensorboard=tmp_path / "log")) == 0
    log = EventAccumulator(str(tmp_path / "log")).Reload()
    result = evaluate(OHANAMI, bots("value_gap", "random"), deals=5)
    for standing in result.standings:
        (share,) = log.Scalars(f"evaluation/win_share/{standing.name}")
        assert share.value == pytest.approx(standing.win_share.mean, abs=1e-6)
        (margin,) = log.Scalars(f"evaluation/margin/{standing.name}")
        assert margin.value == pytest.approx(standing.margin.mean, rel=1e-5)


def test_the_script_takes_checkpoints(tmp_path, capsys):
    name = checkpoint(tmp_path / "run")
    file = f"{name}/policy.safetensors"
    assert script.main(arguments(name, file)) == 0
    assert capsys.readouterr().out.count("50.0% ± 0.0%") == 2  # the same player twice
    assert script.main([*arguments(name, file), "--sample"]) == 0
    assert "± 0.0%" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (arguments("random"), "Ohanami is played by 2 to 4 players, got num_players=1"),
        (arguments("random", "random", **{"num-players": 3}), "3 seats need 3 players, got 2"),
        (arguments("random", "random", **{"num-players": 0}), "got num_players=0"),
        (arguments("random", "alice"), "there is no player 'alice': neither a bot of Ohanami"),
        (arguments("random", "no/such.safetensors"), "there is no player 'no/such.safetensors'"),
        (arguments("random", "random", deals=1), "deals must be at least 2"),
        (
            arguments("random", "random", deals="many"),
            "argument --deals: invalid int value: 'many'",
        ),
        (arguments("random", "random", seed=-1), "a seed is an integer from 0"),
        (arguments("random", "random", game="chess"), "there is no game 'chess'; games: ohanami"),
        (arguments("random", "random", options="fog"), "given as NAME=VALUE, got 'fog'"),
        (arguments("random", "random", options="fog=1"), "Ohanami has no option 'fog'"),
        (arguments("random", "random", json="/no/such/folder/x.json"), "no folder /no/such/folder"),
        (arguments("random", "random", tensorboard="/no/such/folder/x"), "no folder /no/such"),
    ],
)
def test_the_script_says_what_is_wrong(capsys, argv, told):
    assert told in refused(capsys, argv)


def test_the_script_tells_a_misfit_checkpoint(tmp_path, capsys):
    name = checkpoint(tmp_path / "run", num_players=3)
    assert "num_players is 3, needed 2" in refused(capsys, arguments("random", name))


def test_the_script_tells_a_damaged_checkpoint(tmp_path, capsys):
    (tmp_path / "cut").write_bytes(b"\0" * 20)
    assert "cut is damaged" in refused(capsys, arguments("random", str(tmp_path / "cut")))
    assert "no checkpoint file" in refused(capsys, arguments("random", str(tmp_path)))


def test_the_script_refuses_places_where_it_cannot_write_before_it_plays(tmp_path, capsys):
    (tmp_path / "file").touch()
    told = refused(capsys, arguments("random", "random", json=tmp_path))
    assert f"{tmp_path} is a folder" in told
    told = refused(capsys, arguments("random", "random", tensorboard=tmp_path / "file"))
    assert f"{tmp_path / 'file'} is a file" in told
