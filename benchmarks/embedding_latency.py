"""Measure the embedding model: one query, and batches; the reference is one sentence after another.

    python -m benchmarks.embedding_latency [--sentences 256] [--runs 50]

Torch is held to one thread by the product. Wall time is what a person waits; CPU time is what it costs, and what to
compare on a machine that does other things too.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np
from askfirst.vectorstore import MINILM, HashEmbedder, embedder

from benchmarks.queries import varied_queries

BATCHES = (8, 32, 128)
SEED = 2


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", default=MINILM, help="name or folder of a model (default: %(default)s)")
    parser.add_argument("--sentences", type=int, default=256, help="how many in the batches (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=50, help="single queries timed (default: %(default)s)")
    options = parser.parse_args()
    texts = varied_queries(options.sentences, seed=SEED)
    model = embedder(options.model)
    start = time.perf_counter()
    model.embed(["warm up"])
    print(f"{model.name}, {model.dimension} dimensions; loading took {time.perf_counter() - start:.1f} s")
    singles = [texts[n % len(texts)] for n in range(options.runs)]
    one = [timed(lambda text=text: model.embed([text])) for text in singles]
    double = HashEmbedder()
    hashed = [timed(lambda text=text: double.embed([text])) for text in singles]
    print(f"\n{'one query':26}{'p50 ms':>9}{'p95 ms':>9}{'CPU p50 ms':>12}")
    single_row(model.name, one)
    single_row(f"{double.name} (double)", hashed)
    reference = statistics.fmean(wall for wall, _ in one)
    print(f"\n{'batches':26}{'ms each':>9}{'per second':>12}{'faster than one by one':>24}")
    print(f"{'one by one, the reference':26}{reference:9.2f}{1000 / reference:12.0f}{1.0:23.2f}x")
    for size in BATCHES:
        batches = [texts[n : n + size] for n in range(0, len(texts), size)]
        each = sum(timed(lambda part=part: model.embed(part))[0] for part in batches) / len(texts)
        print(f"{f'in batches of {size}':26}{each:9.2f}{1000 / each:12.0f}{reference / each:23.2f}x")
    alone, together = model.embed(texts[:1])[0], model.embed(texts[: BATCHES[-1]])[0]
    print(f"\nlargest difference of a vector alone and in a batch: {float(np.abs(alone - together).max()):.1e}")
    return 0


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds on the clock and of this process."""
    wall, spent = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - spent) * 1000


def single_row(label: str, times: Sequence[tuple[float, float]]) -> None:
    """One line of the first table."""
    walls = [wall for wall, _ in times]
    spent = statistics.median(cpu for _, cpu in times)
    print(f"{label:26}{statistics.median(walls):9.2f}{float(np.percentile(walls, 95)):9.2f}{spent:12.2f}")


if __name__ == "__main__":
    raise SystemExit(main())
