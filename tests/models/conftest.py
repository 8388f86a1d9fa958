"""A small OpenAI-compatible HTTP server on loopback whose replies each test scripts."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class HttpReply:
    """One HTTP reply. ``hang``: say nothing until the test ends. ``events``: a stream of server-sent events."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    events: Sequence[Any] = ()
    hang: bool = False
    delay: float = 0.0
    """Seconds before it is sent."""
    hang_after: int | None = None
    """Send this many events, then say nothing more."""
    cut: bool = False
    """Close the connection in the middle of the stream."""


def chat(
    text: str | None = "",
    *,
    usage: tuple[int, int] | None = (7, 3),
    finish: str = "stop",
    refusal: str | None = None,
    tool: str | None = None,
) -> HttpReply:
    """A chat completion. ``tool``: the arguments text of a tool call."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": refusal}
    if tool is not None:
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": tool}}]
    body: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return HttpReply(body=body)


def stream(*pieces: str, usage: tuple[int, int] | None = (7, 3), finish: str = "stop", **more: Any) -> HttpReply:
    """A streamed completion of these pieces."""

    def event(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "served", "choices": [choice]}

    events: list[Any] = [event({"role": "assistant", "content": ""})]
    events += [event({"content": piece}) for piece in pieces]
    events.append(event({}, finish))
    if usage is not None:
        counted = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
        events.append({**event({}), "choices": [], "usage": counted})
    return HttpReply(events=events, **more)


def error(
    status: int, message: str = "no", *, code: str | None = None, param: str | None = None, **headers: str
) -> HttpReply:
    """An error as OpenAI-compatible servers tell it."""
    body = {"error": {"message": message, "type": "t", "code": code, "param": param}}
    return HttpReply(
        status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


class FakeOpenAI:
    """The server. ``script`` sets its replies; ``requests``, ``headers`` and ``paths`` are what it got."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections = 0
        self._ended = threading.Semaphore(0)
        self.most_at_once = 0
        self.gather = 0
        self._at_once = 0
        self._replies: list[HttpReply] = []
        self._rule: Callable[[dict[str, Any]], HttpReply] | None = None
        self._lock = threading.Lock()
        self._arrived = threading.Condition()
        self.release = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *replies: HttpReply) -> None:
        self._replies = list(replies)

    def always(self, rule: Callable[[dict[str, Any]], HttpReply]) -> None:
        self._rule = rule

    def answer(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> HttpReply:
        with self._lock:
            self.paths.append(path)
            self.headers.append(headers)
            self.requests.append(body)
            if self._rule is not None:
                return self._rule(body)
            if not self._replies:
                return error(418, "the script ran out")
            return self._replies.pop(0)

    def connection(self, *, ended: bool = False) -> None:
        if ended:
            self._ended.release()
        else:
            self.connections += 1

    def all_connections_end(self, within: float) -> bool:
        return all(self._ended.acquire(timeout=within) for _ in range(self.connections))

    def enter(self, step: int) -> None:
        """Count requests under way. Those that come wait for each other until ``gather`` of them are there."""
        with self._arrived:
            self._at_once += step
            self.most_at_once = max(self.most_at_once, self._at_once)
            self._arrived.notify_all()
            if step > 0:
                self._arrived.wait_for(lambda: self.most_at_once >= self.gather, timeout=20)

    def close(self) -> None:
        self.release.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


def _handler(server: FakeOpenAI) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            server.connection()

        def finish(self) -> None:
            super().finish()
            server.connection(ended=True)

        def do_POST(self) -> None:
            server.enter(1)
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.answer(self.path, headers, _json(raw))
            server.release.wait(reply.delay)
            server.enter(-1)  # before the reply is sent: after it, the client's next request may come first
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client gave up
                self._send(reply)

        do_GET = do_PATCH = do_POST

        def _send(self, reply: HttpReply) -> None:
            if reply.hang:
                server.release.wait(20)
                self.close_connection = True
                return
            if reply.events:
                self._send_events(reply)
                return
            raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response_only(reply.status)
            headers = {"Content-Type": "application/json", **reply.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def _send_events(self, reply: HttpReply) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for index, event in enumerate(reply.events):
                if index == reply.hang_after:
                    server.release.wait(20)
                    return
                self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
                self.wfile.flush()
            if not reply.cut:
                self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _json(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except ValueError:
        return {"raw": raw.decode("latin-1")}
    return body if isinstance(body, dict) else {"raw": body}


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    fake = FakeOpenAI()
    yield fake
    fake.close()
