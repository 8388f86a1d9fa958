"""Measure the store of planned paths: building, recall, latency; the reference is exact search with numpy.

    python -m benchmarks.store_latency [--paths 10000] [--cache FOLDER] [--chroma-url URL]

The queries are real sentences (see ``benchmarks/queries.py``), embedded with the product's model; recall on random
vectors says nothing. Embedding is most of the work the first time: 100 to 300 sentences a second. With --cache the
vectors are kept for the next run. With --chroma-url the same is measured on a server, in a collection of its own,
which stays there.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from askfirst.domains import get_pack
from askfirst.vectorstore import (
    MINILM,
    ChromaPathStore,
    ChromaServerPathStore,
    PlannedPath,
    RetrievedPath,
    add_in_batches,
    embedder,
)
from rich.console import Console
from rich.progress import track

from benchmarks.queries import varied_queries

Vectors = npt.NDArray[np.float32]
K = 5
TARGET_MS, TARGET_RECALL = 10.0, 0.99
CHUNK = 1000
SEED = 1


class Kept:
    """An ``Embedder`` that looks vectors up, so that building and searching are timed without embedding."""

    name, dimension = MINILM, 384

    def __init__(self) -> None:
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}

    def keep(self, texts: Sequence[str], vectors: Vectors) -> None:
        self._vectors.update(zip(texts, vectors, strict=True))

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vectors[text] for text in texts])


def main() -> int:
    """Print the table; 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--paths", type=int, default=10_000, help="how many are stored (default: %(default)s)")
    parser.add_argument("--searches", type=int, default=500, help="how many are timed (default: %(default)s)")
    parser.add_argument("--cache", type=Path, help="folder that keeps the vectors between runs")
    parser.add_argument("--chroma-url", help="measure a Chroma server instead of a folder")
    options = parser.parse_args()
    texts = varied_queries(options.paths + CHUNK, seed=SEED)
    vectors = vectors_of(texts, options.cache)
    stored, asked = texts[: options.paths], texts[options.paths :][: options.searches]
    kept = Kept()
    kept.keep(texts, vectors)
    exact = Exact(stored, vectors[: len(stored)])
    print(f"{len(stored):,} paths, {len(asked)} other queries, top {K}; {MINILM}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder, store_at(folder, options.chroma_url, kept) as store:
        report_build(store, planned(stored))
        good = report_searches(store, exact, asked, kept)
        report_end_to_end(store, asked[:100])
    return 0 if good else 1


def vectors_of(texts: Sequence[str], cache: Path | None) -> Vectors:
    """Vectors of ``texts``, a thousand at a time; kept in ``cache`` by their place."""
    model, parts = embedder(), []
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
    starts = range(0, len(texts), CHUNK)
    for start in track(starts, "Embedding", console=Console(stderr=True), transient=True):
        file = None if cache is None else cache / f"{start}.npy"
        if file is not None and file.exists():
            parts.append(np.load(file)[: len(texts) - start])
            continue
        part = model.embed(texts[start : start + CHUNK])
        if file is not None and len(part) == CHUNK:
            np.save(file, part)
        parts.append(part)
    return np.concatenate(parts)


class Exact:
    """The reference: every vector is compared."""

    def __init__(self, texts: Sequence[str], vectors: Vectors) -> None:
        self._texts, self._vectors = texts, np.ascontiguousarray(vectors)

    def search(self, vector: npt.NDArray[np.float32]) -> tuple[set[str], float]:
        """The texts of the ``K`` nearest, and how near the last of them is."""
        similarities = self._vectors @ vector
        nearest = np.argpartition(-similarities, K)[:K]
        return {self._texts[i] for i in nearest}, float(similarities[nearest].min())


def planned(queries: Sequence[str]) -> list[PlannedPath]:
    """A path for each query; domains take turns, as in a real set."""
    pack = get_pack()
    return [
        PlannedPath(
            query=query,
            domain=pack.domain_names[n % len(pack.domain_names)],
            path=("emotional_state", "age", "health_status"),
            score=4.2,
            prefix_scores=(2.5, 3.0, 3.9, 4.2),
            evaluations=12,
            planner="benchmark",
            model="none",
            judge="none",
            pack=pack.name,
            pack_version=pack.version,
            scenario_id=f"s{n:06d}",
        )
        for n, query in enumerate(queries)
    ]


@contextlib.contextmanager
def store_at(folder: str, url: str | None, model: Any) -> Iterator[ChromaPathStore | ChromaServerPathStore]:
    """A new store in ``folder``, or on the server."""
    name = f"benchmark-{time.time_ns()}"
    made = ChromaPathStore(folder, model) if url is None else ChromaServerPathStore(url, model, collection=name)
    with made as store:
        yield store


def report_build(store: ChromaPathStore | ChromaServerPathStore, paths: Sequence[PlannedPath]) -> None:
    """Time the building, with a progress bar on stderr."""
    from rich.progress import Progress

    start = time.perf_counter()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Building", total=len(paths))
        add_in_batches(store, paths, on_progress=lambda done, total: bar.update(task, completed=done))
    seconds = time.perf_counter() - start
    print(f"build without embedding: {seconds:.1f} s, {len(paths) / seconds:,.0f} paths/s; store holds {len(store):,}")


def report_searches(
    store: ChromaPathStore | ChromaServerPathStore, exact: Exact, asked: Sequence[str], kept: Kept
) -> bool:
    """Time searches with a ready query vector beside the reference, and compare what they find."""
    vectors = [kept.embed([text])[0] for text in asked]
    wanted, reference = timed(exact.search, vectors)
    found, ours = timed(lambda text: store.search(text, K), asked)
    filtered, in_domain = timed(lambda text: store.search(text, K, domain="Health"), asked[:200])
    recall = statistics.fmean(hits(f, w) for f, w in zip(found, wanted, strict=True))
    print(f"recall@{K} against exact search: {recall:.4f} (target {TARGET_RECALL})")
    print(f"{'':44}{'p50 ms':>9}{'p95 ms':>9}{'p95 / reference':>17}")
    row("exact search (numpy), the reference", reference, reference)
    row("store.search, query vector given", ours, reference)
    row("store.search in one domain, vector given", in_domain, reference)
    assert all(len(f) == K for f in filtered)
    return recall >= TARGET_RECALL and p95(ours) <= TARGET_MS


def hits(found: Sequence[RetrievedPath], wanted: tuple[set[str], float]) -> float:
    """The share of the nearest that was found; one as near as the last of them is as good."""
    texts, last = wanted
    return sum(hit.path.query in texts or hit.similarity >= last - 1e-6 for hit in found) / K


def report_end_to_end(store: ChromaPathStore | ChromaServerPathStore, asked: Sequence[str]) -> None:
    """The same with the real model embedding the query, and what of it is embedding."""
    model = embedder()
    model.embed(["warm up"])
    _, embedding = timed(lambda text: model.embed([text]), asked)
    store._embedder = model  # the same collection, with the model in place of the kept vectors
    _, whole = timed(lambda text: store.search(text, K), asked)
    row("embedding of one query alone", embedding, embedding)
    row("store.search from text (end to end)", whole, embedding)
    print("The ratio of the last two is to embedding alone.")


def timed(work: Callable[[Any], Any], items: Sequence[Any]) -> tuple[list[Any], list[float]]:
    """Results and milliseconds for each item, after ten to warm up."""
    for item in items[:10]:
        work(item)
    results, times = [], []
    for item in items:
        start = time.perf_counter()
        results.append(work(item))
        times.append((time.perf_counter() - start) * 1000)
    return results, times


def p95(times: Sequence[float]) -> float:
    """The 95th percentile."""
    return float(np.percentile(times, 95))


def row(label: str, times: Sequence[float], reference: Sequence[float]) -> None:
    """One line of the table."""
    print(f"{label:44}{statistics.median(times):9.2f}{p95(times):9.2f}{p95(times) / p95(reference):16.2f}x")


if __name__ == "__main__":
    raise SystemExit(main())
