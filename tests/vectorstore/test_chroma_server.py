from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from uuid import uuid4

import pytest
from askfirst.domains import AskfirstError, InputError
from askfirst.testing.path_store import EXAM, MONEY, SLEEP, PathStoreSuite, planned
from askfirst.vectorstore import (
    ChromaPathStore,
    ChromaServerPathStore,
    HashEmbedder,
    StoreMismatch,
    StoreUnreachable,
    StoreUnusable,
)

from tests.vectorstore.chroma_process import chroma_server, free_port

ROOT = Path(__file__).parents[2]

WRITER = """
import sys
from askfirst.vectorstore import ChromaServerPathStore, HashEmbedder
from askfirst.testing.path_store import planned
url, collection, name = sys.argv[1:]
with ChromaServerPathStore(url, HashEmbedder(), collection=collection) as store:
    for n in range(40):
        store.add([planned(f"{name} asks {n}"), planned("shared", scenario_id=str(n))])
"""


class TestChromaServerPathStore(PathStoreSuite):
    @pytest.fixture(autouse=True)
    def _server(self, chroma_url: str) -> None:
        self.url = chroma_url

    def make_store(self, folder: Path) -> ChromaServerPathStore:
        return ChromaServerPathStore(self.url, HashEmbedder(), collection=new_name())


def new_name() -> str:
    return f"c-{uuid4().hex}"


def test_another_store_sees_what_was_written(chroma_url: str) -> None:
    name = new_name()
    with (
        ChromaServerPathStore(chroma_url, HashEmbedder(), collection=name) as one,
        ChromaServerPathStore(chroma_url, HashEmbedder(), collection=name) as two,
    ):
        assert two.search(SLEEP) == []
        one.add([planned(SLEEP)])
        two.add([planned(MONEY)])
        assert {p.query for p in one.paths()} == {p.query for p in two.paths()} == {SLEEP, MONEY}


def test_many_may_make_the_collection_at_once(chroma_url: str) -> None:
    name = new_name()
    start = threading.Barrier(6)
    failures: list[Exception] = []

    def write(who: int) -> None:
        with ChromaServerPathStore(chroma_url, HashEmbedder(), collection=name) as store:
            start.wait()
            try:
                store.add([planned(f"{who} asks")])
            except AskfirstError as error:
                failures.append(error)

    writers = [threading.Thread(target=write, args=(who,)) for who in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    with ChromaServerPathStore(chroma_url, HashEmbedder(), collection=name) as store:
        assert len(store) == 6


def test_two_processes_write_at_once_and_nothing_is_lost(chroma_url: str) -> None:
    name = new_name()
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, chroma_url, name, who], cwd=ROOT) for who in ("Ann", "Bo")
    ]
    assert [w.wait() for w in writers] == [0, 0]
    with ChromaServerPathStore(chroma_url, HashEmbedder(), collection=name) as store:
        expected = {f"{who} asks {n}" for who in ("Ann", "Bo") for n in range(40)} | {"shared"}
        assert {path.query for path in store.paths()} == expected
        assert len(store) == 120
        for who in ("Ann", "Bo"):
            assert store.search(f"{who} asks 7", k=1)[0].path.query == f"{who} asks 7"


def test_another_embedding_model_is_refused(chroma_url: str) -> None:
    name = new_name()
    with ChromaServerPathStore(chroma_url, HashEmbedder(), collection=name) as store:
        store.add([planned(SLEEP)])
    with pytest.raises(StoreMismatch, match=r"hash-256 .* not with hash-64"):
        ChromaServerPathStore(chroma_url, HashEmbedder(64), collection=name)


def test_the_servers_folder_is_refused_as_a_folder(chroma_url: str, chroma_folder: Path) -> None:
    with ChromaServerPathStore(chroma_url, HashEmbedder()) as store:
        store.add([planned(SLEEP)])
    with pytest.raises(StoreUnusable, match=r"belongs to a Chroma server.*--chroma-url"):
        ChromaPathStore(chroma_folder, HashEmbedder())


def test_a_server_on_the_folder_of_a_store_is_refused(tmp_path: Path) -> None:
    with ChromaPathStore(tmp_path / "own", HashEmbedder()) as own:
        own.add([planned(SLEEP)])
    with chroma_server(tmp_path / "own") as url, pytest.raises(StoreUnusable, match=r"without a server.*export"):
        ChromaServerPathStore(url, HashEmbedder())


def test_a_server_that_comes_back_is_used_again(tmp_path: Path) -> None:
    port = free_port()
    with chroma_server(tmp_path / "data", port=port) as url:
        store = ChromaServerPathStore(url, HashEmbedder())
        store.add([planned(SLEEP)])
    with pytest.raises(StoreUnreachable, match="reached") as caught:
        store.search(SLEEP)
    assert not isinstance(caught.value, InputError)
    assert "\n" not in str(caught.value)
    with chroma_server(tmp_path / "data", port=port):
        assert store.search(SLEEP)[0].path == planned(SLEEP)
        store.add([planned(EXAM)])
        assert len(store) == 2
    store.close()


def test_nobody_there_is_one_clear_error() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(StoreUnreachable, match=rf"{url}: no Chroma server can be reached .*refused.*chroma run"):
        ChromaServerPathStore(url, HashEmbedder())


def test_something_else_there_is_one_clear_error() -> None:
    with other_server() as url, pytest.raises(StoreUnreachable, match="not as a Chroma server"):
        ChromaServerPathStore(url, HashEmbedder())


def test_a_server_that_says_nothing_does_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askfirst.vectorstore.chroma_server._CONNECT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(StoreUnreachable, match="does not answer in time"):
            ChromaServerPathStore(url, HashEmbedder())


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "ftp://x", "http://", "http://x:port", "http://h/collection"])
def test_what_is_no_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="must be http://HOST:PORT"):
        ChromaServerPathStore(url, HashEmbedder())


def test_a_password_in_the_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(InputError, match="no password") as caught:
        ChromaServerPathStore("http://me:secret@127.0.0.1:8000", HashEmbedder())
    assert "secret" not in str(caught.value)


@contextmanager
def other_server() -> Iterator[str]:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>hello</html>")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
