"""Each game's engine against its slow twin, on a sample; scripts/check_twin.py plays millions."""

import numpy as np
import pytest

from hanazono.envs import GAMES, get_game
from hanazono.envs.core.record import PREFIX, GameRecord, replay
from hanazono.envs.core.rng import spread_seeds
from hanazono.envs.ohanami import rules
from hanazono.scripts import check_twin
from hanazono.scripts.check_twin import DifferenceError, SideBySide, find_pair
from twins.ohanami import Pair

OHANAMI = get_game("ohanami")
SAMPLE = {  # games at each seat count
    "ohanami": 30,
    "sakura": 8,
    "hanawase": 6,
    "hanami_tatami": 6,
    "hanami_parks": 5,
}
TABLES = [
    (name, num_players)
    for name in GAMES
    for num_players in range(get_game(name).min_players, get_game(name).max_players + 1)
]


@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_engine_and_twin_agree_at_every_decision(name, num_players):
    game = get_game(name)
    seeds = np.empty(SAMPLE[name], np.uint64)
    spread_seeds(np.uint64(0), seeds)
    side_by_side = SideBySide(game, num_players, find_pair(name), seeds)
    decisions = side_by_side.play()
    assert decisions == sum(len(actions) for actions in side_by_side.actions)
    assert side_by_side.env.terminated.all()


# What the comparison catches


def in_round_two() -> SideBySide:
    """A game for three in the third turn of round 2, all its seats having just picked."""
    side_by_side = SideBySide(OHANAMI, 3, Pair, np.array([4], np.uint64))
    for _ in range(60 + 2 * 12 + 6):
        side_by_side.decide(np.ones(1, bool))
    side_by_side.compare(np.ones(1, bool), thorough=True)
    return side_by_side


def lose_a_card(s):
    held = np.flatnonzero((s.place >= rules.IN_HAND) & (s.place < rules.LAID))
    s.place[held[0]] = rules.STOCK


def swap_two_picks(s):
    s.picks[2] = s.picks[2][::-1].copy()


def move_a_row_end(s):
    s.high[np.nonzero(s.length)] += 1


def give_a_point(s):
    s.points[1] += 1


def miscount_a_colour(s):
    s.colours[0, 3] += 1


def skip_a_seat(s):
    s.current_player = 1


def forget_a_known_hand(s):
    s.seen[:] &= ~np.uint8(1)


def know_a_card_too_many(s):
    s.gone[np.flatnonzero(s.gone == 0)[0]] = 1 << 2


def hide_own_discards(s):
    s.gone[:] = 0


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lose_a_card, "hands: engine"),
        (swap_two_picks, "picks: engine"),
        (move_a_row_end, "rows: engine"),
        (give_a_point, "scores: engine"),
        (miscount_a_colour, "colours: engine"),
        (skip_a_seat, "mover: engine 1, twin 0"),
        (forget_a_known_hand, "seat 0 knows known_hands: engine"),
        (know_a_card_too_many, "seat 2 knows out: engine"),
        (hide_own_discards, "seat 0 knows out: engine"),
    ],
)
def test_a_wrong_state_is_found(spoil, told):
    side_by_side = in_round_two()
    spoil(side_by_side.states[0])
    side_by_side.env.set_states(side_by_side.env.get_states())
    with pytest.raises(DifferenceError, match=told):
        side_by_side.compare(np.ones(1, bool), thorough=False)


class WrongPair(Pair):
    """A twin that believes round 2 to be round 1, and passes hands the wrong way."""

    def step(self, action):
        misled = self.twin.round == 1
        self.twin.round -= misled
        super().step(action)
        self.twin.round += misled


def test_a_wrong_rule_is_found_and_the_record_leads_there(monkeypatch, capsys):
    monkeypatch.setattr(check_twin, "find_pair", lambda game: WrongPair)
    assert check_twin.main(["--decisions", "1", "--num-players", "3"]) == 1
    told = capsys.readouterr().out
    assert "  hands: engine" in told
    text = next(word for word in told.split() if word.startswith(PREFIX))
    record = GameRecord.from_string(text, OHANAMI)
    assert len(record.actions) == 60 + 12, "the first turn of round 2 is over, hands are passed"
    *_, table = replay(OHANAMI, record)
    assert (table.states["round_index"], table.states["turn"]) == (1, 1)


def test_the_summary_counts_what_was_compared(capsys):
    assert check_twin.main(["--decisions", "100", "--num-players", "2", "--seed", "7"]) == 0
    assert "Ohanami for 2: 32 games, 3,840 decisions, 0 differences" in capsys.readouterr().out


def test_without_the_tests_it_asks_for_a_checkout(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(check_twin, "TESTS", tmp_path)
    with pytest.raises(SystemExit):
        check_twin.main([])
    assert "run this from a checkout" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--num-players", "5"], "is one of [2, 3, 4]"),
        (["--decisions", "0"], "must be at least 1, got 0"),
    ],
)
def test_bad_arguments_are_refused(arguments, told, capsys):
    with pytest.raises(SystemExit):
        check_twin.main(arguments)
    assert told in capsys.readouterr().err
