"""scripts/benchmark.py: what is asked for, in which order it runs, and what is told. No speeds."""

from __future__ import annotations

import io
import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from rich.console import Console

from hanazono.envs import GAMES, get_game, make
from hanazono.scripts import benchmark, compare_rewards, measure, peers
from hanazono.scripts.measure import Job, Measurement, MissingLibraryError, Results, Sample
from hanazono.training.sb3 import SB3Config


def job(name, part="AEC", value=1.0, calls=None, **more) -> Job:
    """A job that measures at once, noting its name in `calls`."""

    def run() -> Sample:
        if calls is not None:
            calls.append(name)
        return Sample(value, 2 * value)

    return Job(part, name, "turns/s", "wall", lambda: run, **more)


def measured(*jobs: Job, repeats=1) -> Results:
    return measure.run_jobs(jobs, repeats, lambda text: None)


def failing(error: Exception, peer: bool) -> Job:
    def prepare():
        raise error

    return Job("AEC", "broken", "turns/s", "wall", prepare, peer=peer)


def printed(results: Results) -> str:
    file = io.StringIO()
    measure.print_results(results, Console(file=file, width=120))
    return file.getvalue()


def arguments(*argv):
    return benchmark.make_parser().parse_args(argv)


def all_jobs(*argv) -> list[Job]:
    args = arguments(*argv)
    return [entry for part in benchmark.PARTS.values() for entry in part(args)]


# --- the runner ---


def test_jobs_take_turns_in_both_directions():
    calls = []
    results = measured(*(job(name, calls=calls) for name in "abc"), repeats=3)
    assert calls == [*"abc", *"cba", *"abc"]
    assert [len(m.samples) for m in results.measurements] == [3, 3, 3]


def test_a_job_may_run_fewer_times():
    results = measured(job("long", at_most=1), job("short"), repeats=3)
    assert [len(m.samples) for m in results.measurements] == [1, 3]


def test_what_is_missing_is_skipped_and_the_rest_measured():
    results = measured(failing(MissingLibraryError("no torch"), peer=False), job("a"))
    assert results.skipped == {"AEC broken": "no torch"}
    assert [str(m.job) for m in results.measurements] == ["AEC a"]
    assert len(results.measurements[0].samples) == 1


def test_a_peer_that_fails_to_start_is_skipped():
    assert measured(failing(OSError("bad"), peer=True)).skipped == {"AEC broken": "OSError: bad"}


def test_our_own_failure_is_an_error():
    with pytest.raises(OSError, match="bad"):
        measured(failing(OSError("bad"), peer=False))


def test_progress_is_told():
    told = []
    measure.run_jobs([job("a")], 2, told.append)
    assert told == ["preparing AEC a", "repeat 1 of 2: AEC a", "repeat 2 of 2: AEC a"]


# --- ratios, table, JSON ---


def test_ratio_lines():
    one = Measurement(job("ohanami 2p"), [Sample(52.0, 60.0)])
    two = Measurement(job("connect_four_v3", peer=True), [Sample(5.0, 5.0)])
    line = "AEC ohanami 2p / connect_four_v3: 10.4x, by CPU time 12.0x"
    assert f"\n{line}\n" in printed(Results([one, two]))


def test_ratio_lines_tell_equal_figures_once():
    assert str(measure.Ratio("a / b", [1.0, 3.0], [1.0, 3.0])) == "a / b: 2.00x [1.00–3.00]"


def test_ratios_pair_the_repeats():
    above = Measurement(job("ours"), [Sample(10, 1), Sample(30, 1)])
    below = Measurement(job("theirs", peer=True), [Sample(5, 1), Sample(10, 1)])
    (ratio,) = Results([above, below]).ratios()
    assert ratio.values == [2.0, 3.0]
    assert ratio.by_cpu == [1.0, 1.0]


def test_ratios_compare_with_the_base_and_with_peers_of_the_same_part_only():
    results = measured(
        job("x", part="one thread"),
        job("x", part="all cores", base="one thread x"),
        job("y", part="all cores", base="one thread y"),
        job("p", part="one thread", peer=True),
        job("q", part="PPO", peer=True),
    )
    assert [r.name for r in results.ratios()] == ["all cores x / one thread", "one thread x / p"]


def test_ratios_use_the_clock_of_each_job():
    one = Measurement(Job("one thread", "x", "decisions/s", "cpu", lambda: lambda: Sample(0, 0)))
    every = Measurement(job("x", part="all cores", base="one thread x"), [Sample(30, 1)])
    one.samples.append(Sample(1, 10))
    assert Results([one, every]).ratios()[0].values == [3.0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.4123, "0.412"),
        (3.0, "3.00"),
        (87.94, "87.9"),
        (999.4, "999"),
        (999.9, "1.00k"),
        (87_940.0, "87.9k"),
        (123_456.0, "123k"),
        (999_999.0, "1.00M"),
        (2_310_000.0, "2.31M"),
    ],
)
def test_numbers_have_three_digits(value, text):
    assert measure.short(value) == text


def test_spread_is_told_where_there_is_one():
    assert measure.with_spread([2.0], "x") == "2.00x"
    assert measure.with_spread([3.0, 1.0, 2.0], "x") == "2.00x [1.00–3.00]"


def test_table():
    text = printed(measured(job("ohanami 2p", value=52_000.0), repeats=2))
    (row,) = [line for line in text.splitlines() if "ohanami 2p" in line]
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells == ["AEC", "ohanami 2p", "turns/s", "52.0k [52.0k–52.0k]*", "104k [104k–104k]"]
    assert "median [min–max]" in text


def test_skipped_is_printed_with_its_reason():
    results = measured(failing(MissingLibraryError('no pgx; pip install "pgx"'), peer=True))
    assert printed(results) == 'skipped AEC broken: no pgx; pip install "pgx"\n'


def test_report_is_plain_json_with_every_repeat():
    results = measured(job("a", value=3.0), job("b", peer=True), repeats=2)
    told = measure.report(results, measure.machine_facts(), {"repeats": 2})
    assert json.loads(json.dumps(told)) == told
    assert set(told) == {"schema", "date", "machine", "settings", "measurements", "ratios",
                         "skipped"}  # fmt: skip
    assert told["measurements"][0] == {
        "part": "AEC",
        "name": "a",
        "unit": "turns/s",
        "clock": "wall",
        "peer": False,
        "wall": {"median": 3.0, "min": 3.0, "max": 3.0},
        "cpu": {"median": 6.0, "min": 6.0, "max": 6.0},
        "repeats": [{"wall": 3.0, "cpu": 6.0}] * 2,
    }
    assert told["ratios"][0]["repeats"] == [3.0, 3.0]


def test_machine_facts():
    facts = measure.machine_facts()
    assert facts["processor"]
    assert facts["cores"] >= 1
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"hanazono", "numpy", "numba"} <= set(facts["packages"])


# --- the jobs ---


def test_every_game_is_measured_at_its_fewest_and_most_seats():
    jobs = all_jobs("--games", *GAMES)
    for part in ("AEC", "one thread", "all cores", "Gymnasium"):
        seats = [
            f"{name} {count}p"
            for name in GAMES
            for count in (get_game(name).min_players, get_game(name).max_players)
        ]
        found = [entry.name for entry in jobs if entry.part == part]
        assert [name for name in found if "SyncVectorEnv" not in name] == seats


def test_jobs_can_be_told_apart_and_find_their_base():
    names = [str(entry) for entry in all_jobs("--peers")]
    assert len(names) == len(set(names))
    assert {entry.base for entry in all_jobs() if entry.base} <= set(names)


def test_peers_are_measured_only_when_asked_for():
    assert not [entry for entry in all_jobs() if entry.peer]
    assert {entry.part for entry in all_jobs("--peers") if entry.peer} == {
        "AEC", "one thread", "all cores", "PPO", "SB3"
    }  # fmt: skip


def test_missing_peers_are_skipped_with_the_way_to_install_them(monkeypatch):
    lacking = ("pyspiel", "jax", "sb3_contrib", "pettingzoo.classic.connect_four.connect_four")
    for module in lacking:
        monkeypatch.setitem(sys.modules, module, None)
    jobs = [entry for entry in all_jobs("--peers") if entry.peer]
    results = measured(*jobs)
    assert results.measurements == []
    assert set(results.skipped) == set(map(str, jobs))
    assert all("pip install" in reason for reason in results.skipped.values())


def test_training_is_skipped_without_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "hanazono.training.ppo", None)
    with pytest.raises(MissingLibraryError, match=r'pip install "hanazono\[train\]"'):
        benchmark.ppo_work("ohanami", 2)


def test_training_runs_with_the_settings_of_the_game(monkeypatch):
    file = Path(__file__).parents[1] / "configs" / "ohanami_2p.yaml"
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))

    class Trainer:
        decisions = 0

        def __init__(self, game, config):
            assert game.name == config.game == "ohanami"
            assert {name: getattr(config, name) for name in settings} == settings

        def update(self):
            self.decisions += 512

    monkeypatch.setattr("hanazono.training.ppo.Trainer", Trainer)
    assert benchmark.ppo_work("ohanami", 2)(0.0) == 512


def test_aec_rate_is_what_pettingzoo_prints(monkeypatch, capsys):
    monkeypatch.setattr(
        benchmark,
        "load_performance_benchmark",
        lambda: lambda env: print(f"{env}.5 turns per second\n9.0 cycles per second"),
    )
    assert benchmark.aec_rate(123).wall == 123.5
    assert capsys.readouterr().out == ""


def test_aec_rate_without_a_rate_is_an_error(monkeypatch):
    monkeypatch.setattr(benchmark, "load_performance_benchmark", lambda: lambda env: print("Done"))
    with pytest.raises(RuntimeError, match="Done"):
        benchmark.aec_rate(None)


def test_aec_environment_has_made_its_first_step():
    env = make("ohanami")
    run = benchmark.aec_run(lambda: env)
    assert run.args == (env,)
    assert len(env.record().actions) == 1


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_vector_work_counts_the_decisions_of_the_learner(mode):
    assert benchmark.vector_work("ohanami", 2, 8, mode)(0.0) == 8


def test_sb3_work_trains_against_the_strongest_bot(monkeypatch):
    class Model:
        num_timesteps = 100

        def learn(self, steps, reset_num_timesteps):
            assert (steps, reset_num_timesteps) == (config.num_envs * config.horizon, False)
            self.num_timesteps += steps

    def build(given):
        assert (given.game, given.num_players, given.opponents) == ("ohanami", 2, "value_gap")
        return Model()

    config = SB3Config()
    monkeypatch.setattr("hanazono.training.sb3.build", build)
    assert benchmark.sb3_work("ohanami", 2)(0.0) == config.num_envs * config.horizon


@pytest.mark.parametrize("threads", [1, 2])
def test_batch_work_counts_its_decisions(threads):
    assert benchmark.batch_work("ohanami", 2, 8, threads)(0.0) == 8


def test_work_goes_on_until_time_is_up():
    clock = iter([0.0, 0.5, 0.9, 1.1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure.time, "perf_counter", lambda: next(clock))
        assert measure.repeat_play(lambda: 7)(1.0) == 21


def test_import_time_leaves_out_the_bare_interpreter(monkeypatch):
    taken = {"pass": Sample(1.0, 0.5), "import hanazono.envs": Sample(4.0, 2.5)}
    monkeypatch.setattr(benchmark, "python_run", lambda code, environment: taken[code])
    assert benchmark.import_time() == Sample(3.0, 2.0)


def test_cold_start_has_an_empty_cache_and_removes_it(monkeypatch):
    folders = []

    def python_run(code, environment):
        compile(code, "first step", "exec")
        folders.append(Path(environment["HANAZONO_CACHE_DIR"]))
        assert list(folders[0].iterdir()) == []
        return Sample(1.0, 1.0)

    monkeypatch.setattr(benchmark, "python_run", python_run)
    benchmark.cold_start("ohanami")
    assert not folders[0].exists()


def test_a_fresh_python_is_timed():
    sample = measure.python_run("import os; assert os.environ['FLAG'] == '1'", {"FLAG": "1"})
    assert sample.wall > 0
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        measure.python_run("1 / 0", {})


def test_what_the_tutorial_delivers_and_what_we_do(capsys):
    """At Ohanami its wrapper tells seat 0 of no result; ours tell each seat of all."""
    assert compare_rewards.main(["--games", "20"]) == 0
    rows = [line.strip("│ \n").split("│") for line in capsys.readouterr().out.splitlines()]
    told = {
        (adapter.strip(), seat.strip()): [int(n) for n in numbers]
        for adapter, game, seat, *numbers in (row for row in rows if len(row) == 8)
        if game.strip() == "ohanami"
    }
    assert len(told) == 10
    for (adapter, seat), (won, wins, lost, losses, wrong) in told.items():
        if "tutorial" in adapter and seat == "0":
            assert (wins, losses) == (0, 0)
            assert wrong == won + lost > 15
        else:
            assert (wins, losses, wrong) == (won, lost, 0)
            assert min(won, lost) > 0


def test_more_seats_than_the_game_has_cannot_be_compared(capsys):
    with pytest.raises(SystemExit):
        compare_rewards.main(["--num-players", "9"])
    assert "2 to 4 players" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        compare_rewards.main(["--games", "0"])
    assert "--games must be at least 1" in capsys.readouterr().err


def test_connect_four_without_its_library_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingLibraryError, match=r'pip install "pettingzoo\[classic\]"'):
        peers.connect_four()


def test_one_seat_at_a_time_plays_whole_games():
    env = peers.OneSeatAtATime(make("ohanami"))
    observation, _ = env.reset(seed=1)
    over, decisions = False, 0
    while not over:
        assert env.observation_space.contains(observation)
        mask = env.action_masks()
        assert mask.shape == (env.action_space.n,)
        observation, _, terminated, truncated, _ = env.step(np.flatnonzero(mask)[0])
        over, decisions = terminated or truncated, decisions + 1
    assert decisions > 10
    assert env.reset(seed=1)[0].any()


# --- the command ---


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--games", "chess"], "'ohanami'"),
        (["--parts", "gpu"], "'batch'"),
        (["--device", "cuda"], "cuda is not available yet in this version; allowed: cpu"),
        (["--device", "cuda:1"], "cuda is not available yet"),
        (["--device", "tpu"], "there is no device 'tpu'; allowed: cpu"),
        (["--repeats", "0"], "must be a number above 0, got '0'"),
        (["--repeats", "2.5"], "got '2.5'"),
        (["--seconds", "-1"], "got '-1'"),
        (["--seconds", "nan"], "got 'nan'"),
        (["--seconds", "inf"], "got 'inf'"),
        (["--num-envs", "many"], "got 'many'"),
    ],
)
def test_bad_arguments_say_what_is_allowed(argv, told, capsys):
    with pytest.raises(SystemExit) as caught:
        arguments(*argv)
    assert caught.value.code == 2
    assert told in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_found_out_before_measuring(tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(benchmark, "run_jobs", lambda *arguments: pytest.fail("measured"))
    for path, told in (
        (tmp_path / "none" / "x.json", "No such file or directory"),
        (tmp_path / "file" / "x.json", "Not a directory"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(SystemExit):
            benchmark.main(["--json", str(path)])
        assert told in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_help_says_how_to_install_peers(capsys):
    with pytest.raises(SystemExit):
        arguments("--help")
    told = capsys.readouterr().out
    assert all(name in told for name in ('"pettingzoo[classic]"', "open_spiel", "pgx", "jax"))


def test_without_rich_the_command_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with pytest.raises(SystemExit, match=r'pip install "hanazono\[train\]"'):
        runpy.run_path(benchmark.__file__)


def test_the_whole_command(monkeypatch, tmp_path, capsys):
    def jobs(args):
        assert args.games == ["ohanami"]
        return [job("ours"), failing(MissingLibraryError("no pgx"), peer=True)]

    monkeypatch.setitem(benchmark.PARTS, "aec", jobs)
    file = tmp_path / "out.json"
    argv = ["--games", "ohanami", "ohanami", "--parts", "aec", "aec", "--repeats", "2"]
    assert benchmark.main([*argv, "--json", str(file)]) == 0
    told = json.loads(file.read_text())
    assert told["settings"]["repeats"] == 2
    assert [len(entry["repeats"]) for entry in told["measurements"]] == [2]
    assert told["skipped"] == {"AEC broken": "no pgx"}
    out, err = capsys.readouterr()
    assert "256 games a thread" in out
    assert "skipped AEC broken: no pgx" in out
    assert "repeat 2 of 2: AEC ours" in err
