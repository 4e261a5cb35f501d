"""What benchmark.py measures with: jobs that take turns, their table, and their JSON values.

Every repeat goes once through all jobs, so that a machine that is slow for a while is slow for
all of them, and ratios are taken within a repeat.
"""

import contextlib
import importlib.metadata
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from hanazono.envs.core.batch import available_cores
from hanazono.scripts.extras import needs

with needs("train"):
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

SCHEMA = 1  # of the JSON file
PACKAGES = ("hanazono", "numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable_baselines3",
            "sb3_contrib", "open_spiel", "pgx", "jax")  # fmt: skip

Work = Callable[[float], int]
"""Makes decisions for about so many seconds, at least once, and returns how many it made."""


class MissingLibraryError(Exception):
    """A library that a job needs cannot be imported."""


@contextlib.contextmanager
def optional(package: str) -> Iterator[None]:
    """Turn an import that fails in this block into an error that says how to install it."""
    try:
        yield
    except ImportError as error:
        raise MissingLibraryError(f'{error}; pip install "{package}"') from error


# --- one measurement ---


@dataclass(frozen=True)
class Sample:
    """One run by both clocks: units of work per second, or for start times seconds."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Job:
    """Something to measure.

    Attributes:
        part: Kind of work; ratios compare our jobs with peers of the same part.
        name: What is measured; part and name together are unique.
        unit: Unit of a sample.
        clock: The clock that this job is judged by.
        prepare: Loads and warms up what is measured; returns the function that measures once.
        peer: Whether this is another library.
        base: Another job of ours, as "part name", that this one is compared with.
        at_most: Repeats, where fewer than for the others.
    """

    part: str
    name: str
    unit: str
    clock: Literal["wall", "cpu"]
    prepare: Callable[[], Callable[[], Sample]]
    peer: bool = False
    base: str = ""
    at_most: int = sys.maxsize

    def __str__(self) -> str:
        return f"{self.part} {self.name}"


@dataclass
class Measurement:
    """A job and its samples, in the order of the repeats."""

    job: Job
    samples: list[Sample] = field(default_factory=list)

    def values(self, clock: str = "") -> list[float]:
        """The samples by one clock, by default the job's own."""
        return [getattr(sample, clock or self.job.clock) for sample in self.samples]


@dataclass(frozen=True)
class Ratio:
    """How many times as fast one measurement is as another, repeat by repeat.

    Attributes:
        name: What is compared.
        values: The ratios, each measurement by the clock it is judged by.
        by_cpu: The same by CPU time: on a busy machine this is the steadier figure.
    """

    name: str
    values: list[float]
    by_cpu: list[float]

    @classmethod
    def of(cls, above: Measurement, below: Measurement) -> "Ratio":
        """One measurement over another; what they share is named once."""
        same_part = above.job.part == below.job.part
        other = below.job.name if same_part else below.job.part

        def pairs(clock: str) -> list[float]:
            both = zip(above.values(clock), below.values(clock), strict=False)
            return [a / b for a, b in both]

        return cls(f"{above.job} / {other}", pairs(""), pairs("cpu"))

    def __str__(self) -> str:
        line = f"{self.name}: {with_spread(self.values, 'x')}"
        if self.values == self.by_cpu:
            return line
        return f"{line}, by CPU time {with_spread(self.by_cpu, 'x')}"


@dataclass
class Results:
    """All that was measured, and which jobs were left out for what reason."""

    measurements: list[Measurement] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    def ratios(self) -> list[Ratio]:
        """Each job to its base, then each of our jobs to every peer of the same part."""
        own = {str(m.job): m for m in self.measurements if not m.job.peer}
        peers = [m for m in self.measurements if m.job.peer]
        based = [m for m in own.values() if m.job.base in own]
        return [Ratio.of(m, own[m.job.base]) for m in based] + [
            Ratio.of(m, peer) for peer in peers for m in own.values() if m.job.part == peer.job.part
        ]


def run_jobs(jobs: Sequence[Job], repeats: int, say: Callable[[str], None]) -> Results:
    """Prepare all jobs, then measure them in turn, every other repeat in reverse order.

    A job that needs a missing library is skipped, and so is a peer that fails to start.
    """
    results, runs = Results(), []
    for job in jobs:
        say(f"preparing {job}")
        try:
            runs.append(job.prepare())
            results.measurements.append(Measurement(job))
        except MissingLibraryError as error:
            results.skipped[str(job)] = str(error)
        except Exception as error:
            if not job.peer:
                raise
            results.skipped[str(job)] = f"{type(error).__name__}: {error}"
    ready = list(zip(results.measurements, runs, strict=True))
    for repeat in range(repeats):
        for measurement, run in ready if repeat % 2 == 0 else reversed(ready):
            if repeat < measurement.job.at_most:
                say(f"repeat {repeat + 1} of {repeats}: {measurement.job}")
                measurement.samples.append(run())
    return results


# --- ways to measure ---


@contextlib.contextmanager
def stopwatch(cpu_time: Callable[[], float] = time.process_time) -> Iterator[list[float]]:
    """A list that holds, when the block is left, the seconds it took by wall clock and by CPU."""
    taken: list[float] = []
    cpu, wall = cpu_time(), time.perf_counter()
    yield taken
    wall, cpu = time.perf_counter() - wall, cpu_time() - cpu
    taken += [wall, max(cpu, 1e-6)]  # a coarse CPU clock may not have moved


def repeat_play(play: Callable[[], int]) -> Work:
    """The work of calling `play`, which returns its number of decisions, until time is up."""

    def work(seconds: float) -> int:
        end = time.perf_counter() + seconds
        decisions = play()
        while time.perf_counter() < end:
            decisions += play()
        return decisions

    return work


def timed(work: Work, seconds: float) -> Sample:
    """Decisions per second of wall clock, and of CPU time of all threads."""
    with stopwatch() as taken:
        count = work(seconds)
    wall, cpu = taken
    return Sample(count / wall, count / cpu)


def warmed_up(work: Work, seconds: float) -> Callable[[], Sample]:
    """The measurement of `work`, which is run once here, so that everything is compiled."""
    work(0.0)
    return partial(timed, work, seconds)


def children_time() -> float:
    """CPU seconds of the finished processes that this one started."""
    times = os.times()
    return times.children_user + times.children_system


def python_run(code: str, environment: Mapping[str, str]) -> Sample:
    """Seconds that a fresh interpreter takes for `code`, from its start to its end.

    Raises:
        RuntimeError: with what the code printed, if it fails.
    """
    with stopwatch(children_time) as taken:
        result = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
    if result.returncode:
        raise RuntimeError(f"a fresh Python failed at {code!r}:\n{result.stderr}")
    return Sample(*taken)


# --- what is told ---


def processor() -> str:
    """The model of the processor."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine() or "unknown"


def machine_facts() -> dict[str, Any]:
    """Processor, cores, how busy they are, and the versions of Python and of our packages."""
    versions = {}
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return {
        "processor": processor(),
        "cores": available_cores(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,  # of the last minute
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": versions,
    }


def report(
    results: Results, machine: Mapping[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything as plain JSON values."""

    def spread(values: list[float]) -> dict[str, float]:
        return {"median": statistics.median(values), "min": min(values), "max": max(values)}

    return {
        "schema": SCHEMA,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": dict(machine),
        "settings": dict(settings),
        "measurements": [
            {name: getattr(m.job, name) for name in ("part", "name", "unit", "clock", "peer")}
            | {"wall": spread(m.values("wall")), "cpu": spread(m.values("cpu"))}
            | {"repeats": [asdict(sample) for sample in m.samples]}
            for m in results.measurements
        ],
        "ratios": [
            {"name": r.name, **spread(r.values), "by_cpu": spread(r.by_cpu), "repeats": r.values}
            for r in results.ratios()
        ],
        "skipped": dict(results.skipped),
    }


def short(value: float) -> str:
    """Three digits and a prefix: 0.412, 87.9k, 2.31M."""
    for size, prefix in ((1e6, "M"), (1e3, "k")):
        if value >= size * 0.9995:  # what three digits round to 1000 belongs to the next prefix
            return f"{value / size:#.3g}".removesuffix(".") + prefix
    return f"{value:#.3g}".removesuffix(".")


def with_spread(values: Sequence[float], unit: str = "") -> str:
    """The median, and where there are several values [least–most]."""
    middle = short(statistics.median(values)) + unit
    if len(values) == 1:
        return middle
    return f"{middle} [{short(min(values))}–{short(max(values))}]"


def print_results(results: Results, console: Console) -> None:
    """Print the table, the ratios as lines, and what was skipped."""
    title = escape("median [min–max]; * the clock that counts")
    table = Table(title=title, title_justify="left")
    for heading in ("part", "what", "unit"):
        table.add_column(heading)
    for heading in ("by wall clock", "by CPU time"):
        table.add_column(heading, justify="right")
    for m in results.measurements:
        cells = [
            with_spread(m.values(clock)) + ("*" if clock == m.job.clock else " ")
            for clock in ("wall", "cpu")
        ]
        table.add_row(*map(escape, (m.job.part, m.job.name, m.job.unit, *cells)))
    if results.measurements:
        console.print(table)
    lines = [str(ratio) for ratio in results.ratios()]
    lines += [f"skipped {name}: {reason}" for name, reason in results.skipped.items()]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
