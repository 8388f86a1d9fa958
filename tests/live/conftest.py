"""A real language model for the live tests: SmolLM2-135M on loopback, in a process of its own."""

from __future__ import annotations

import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "serve_smollm.py"
START_SECONDS = 120


@pytest.fixture(scope="session")
def smollm_base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of an OpenAI-compatible endpoint that serves ``smollm2`` (8,192 tokens, two conversations at once)."""
    log = tmp_path_factory.mktemp("smollm") / "server.log"
    command = [sys.executable, str(SCRIPT), "--port", "0", "--until-stdin-closes"]
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            ready, _, _ = select.select([process.stdout], [], [], START_SECONDS)
            url = process.stdout.readline().decode().strip() if ready else ""
            if not url:
                pytest.fail(f"the model server did not start: {log.read_text(errors='replace')[-2000:]}")
            yield url
        finally:
            process.stdin.close()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
