"""Conversations are not sent to a tracing service."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest
from askfirst.domains import DomainPack
from askfirst.graphs import QuestionReply, RaiseAgent, offline_components


@pytest.fixture
def tracing_service(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A loopback server that the environment names as LangSmith; gives the requests that reached it."""
    heard: list[str] = []

    class Service(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_POST = do_PATCH = do_GET

        def log_message(self, format: str, *args: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "key")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
    yield heard
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_conversation_reaches_no_tracing_service(pack: DomainPack, tracing_service: list[str]) -> None:
    from langchain_core.tracers.langchain import wait_for_all_tracers
    from langsmith.utils import get_env_var

    get_env_var.cache_clear()
    try:
        with RaiseAgent(offline_components(pack)) as agent:
            reply = agent.start("Should I move to the mountains for a winter?")
            while isinstance(reply, QuestionReply):
                reply = agent.reply(reply.thread_id, None)
        wait_for_all_tracers()
    finally:
        get_env_var.cache_clear()
    assert reply.text
    assert tracing_service == []
