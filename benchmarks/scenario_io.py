"""Measure scenario files: sampling, validating, streaming and converting, with time and memory.

    python benchmarks/scenario_io.py [--scenarios 14000]

Each measurement runs in a process of its own, with two sizes (as many scenarios as asked for, and a fifth of them), so
that "flat" can be seen: peak memory of Python objects (tracemalloc, in a second run, because it slows everything down)
and the growth of the process (resident set) over what it had after the imports.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

from askfirst.domains import DomainPack, Scenario, get_pack
from askfirst.simulators.datasets.load import iter_scenarios
from askfirst.simulators.datasets.write import Format, write_scenarios
from askfirst.simulators.generation.profile_sampler import sample_drafts
from askfirst.simulators.generation.tables import load_tables
from askfirst.simulators.generation.validate import validate_data

TARGETS: dict[Format, str] = {"jsonl": "all.jsonl", "csv": "all.csv", "public": "public", "published": "published"}
BACKGROUND = "The person has told this before, to nobody in particular, and waits. " * 6


def main() -> int:
    """Print one line for each measurement."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenarios", type=int, default=14_000, help="how many (default: %(default)s)")
    count = parser.parse_args().scenarios
    print(f"{'':34}{'seconds':>9}{'tracemalloc MB':>16}{'RSS growth MB':>15}")
    report("sample 10,000 profiles", sample, 10_000)
    with tempfile.TemporaryDirectory() as folder:
        for number in (count, count // 5):
            here = Path(folder) / str(number)
            for to, name in TARGETS.items():
                write_scenarios(scenarios(number), here / name, get_pack(), to=to)
            size = (here / TARGETS["jsonl"]).stat().st_size / 1e6
            print(f"-- {number:,} scenarios ({size:.1f} MB as JSON lines)")
            for to, name in TARGETS.items():
                report(f"validate {to}", validate, here / name)
            report("stream jsonl", stream, here / "all.jsonl")
            report("convert jsonl to csv", convert, here / "all.jsonl", here / "again.csv")
    return 0


def scenarios(count: int) -> Iterator[Scenario]:
    """Made from sampled profiles; ten queries each."""
    pack = get_pack()
    drafts = sample_drafts((count + 9) // 10, load_tables(None, pack), pack, seed=1)
    made = (
        Scenario(
            id=f"{draft.id}-{n:02d}",
            domain=draft.domain,
            title=draft.title,
            query=f"Question {n} about {draft.title.lower()}: what would you do first, and what last?",
            profile=draft.profile,
            source="benchmark",
            background=BACKGROUND,
        )
        for draft in drafts
        for n in range(10)
    )
    for _, scenario in zip(range(count), made, strict=False):
        yield scenario


def sample(pack: DomainPack, count: int) -> None:
    """Draw profiles and drop them."""
    assert sum(1 for _ in sample_drafts(count, load_tables(None, pack), pack, seed=1)) == count


def validate(pack: DomainPack, path: Path) -> None:
    """Read everything, keep nothing."""
    problems: list[object] = []
    checked = validate_data(path, pack, on_problem=problems.append)
    assert checked.scenarios
    assert not problems


def stream(pack: DomainPack, path: Path) -> None:
    """Iterate."""
    assert sum(1 for _ in iter_scenarios(path, pack))


def convert(pack: DomainPack, path: Path, out: Path) -> None:
    """From one file into another."""
    out.unlink(missing_ok=True)
    write_scenarios((s for _, s in iter_scenarios(path, pack)), out, pack)


def report(label: str, work: Callable[..., None], *arguments: object) -> None:
    """Run ``work`` in two fresh processes and print what it took."""
    seconds, growth, _ = in_a_process(work, arguments, False)
    _, _, traced = in_a_process(work, arguments, True)
    print(f"{label:34}{seconds:9.2f}{traced:16.1f}{growth:15.1f}", flush=True)


def in_a_process(work: Callable[..., None], arguments: tuple[object, ...], traced: bool) -> tuple[float, float, float]:
    """Seconds, growth of the resident set in MB, peak of traced memory in MB."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(measured, (work, arguments, traced))


def measured(work: Callable[..., None], arguments: tuple[object, ...], traced: bool) -> tuple[float, float, float]:
    """The measurement itself."""
    pack = get_pack()
    before = resident()
    if traced:
        tracemalloc.start()
    start = time.perf_counter()
    work(pack, *arguments)
    seconds = time.perf_counter() - start
    peak = tracemalloc.get_traced_memory()[1] / 1e6 if traced else 0.0
    return seconds, resident() - before, peak


def resident() -> float:
    """Peak resident set of this process, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    raise SystemExit(main())
