"""A Chroma server in a process of its own, on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

START_SECONDS = 60.0


@contextmanager
def chroma_server(folder: Path, *, port: int | None = None) -> Iterator[str]:
    """``chroma run`` on ``folder``; gives its URL, ends it at the end."""
    chosen = port or free_port()
    process = subprocess.Popen(
        [
            Path(sys.executable).with_name("chroma"),
            "run",
            "--host",
            "127.0.0.1",
            "--port",
            str(chosen),
            "--path",
            folder,
        ],
        cwd=folder.parent,
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{chosen}"
        _wait(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            httpx.get(f"{url}/api/v2/heartbeat", timeout=1).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"no Chroma server started (exit code {process.poll()})")
