from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from askfirst.testing.path_store import EXAM, MONEY, SLEEP, PathStoreSuite, planned
from askfirst.vectorstore import (
    ChromaPathStore,
    EmbedderFailed,
    HashEmbedder,
    StoreLocked,
    StoreMismatch,
    StoreUnusable,
)
from chromadb.errors import InternalError

ROOT = Path(__file__).parents[2]

# A store in another process: adds what it is told, line by line, and says when each is done.
WRITER = """
import sys
from askfirst.vectorstore import ChromaPathStore, HashEmbedder
from askfirst.testing.path_store import planned
store = ChromaPathStore(sys.argv[1], HashEmbedder())
for line in sys.stdin:
    store.add([planned(query) for query in line.rstrip().split("|")])
    print("added", flush=True)
store.close()
"""


class TestChromaPathStore(PathStoreSuite):
    def make_store(self, folder: Path) -> ChromaPathStore:
        return ChromaPathStore(folder, HashEmbedder())


def open_store(folder: Path) -> ChromaPathStore:
    return ChromaPathStore(folder, HashEmbedder())


def test_what_was_stored_is_there_after_reopening(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.add([planned(SLEEP), planned(MONEY, domain="Financial")])
    with open_store(tmp_path) as store:
        assert len(store) == 2
        assert store.search(MONEY, k=1, domain="Financial")[0].path == planned(MONEY, domain="Financial")


def test_opening_and_reading_makes_no_folder(tmp_path: Path) -> None:
    with open_store(tmp_path / "not" / "there") as store:
        assert store.search(SLEEP) == []
    assert not (tmp_path / "not").exists()


def test_more_than_one_batch_goes_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askfirst.vectorstore.chroma._MAX_BATCH", 10)
    paths = [planned(f"{SLEEP} {n}") for n in range(25)]
    with open_store(tmp_path) as store:
        store.add(paths)
        assert list(store.paths()) == sorted(paths, key=lambda path: path.id)


# ---- another embedding model -----------------------------------------------------------------------------------


def test_another_dimension_is_refused_with_both_names_and_the_way_out(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.add([planned(SLEEP)])
    with pytest.raises(StoreMismatch) as caught:
        ChromaPathStore(tmp_path, HashEmbedder(dimension=64))
    text = str(caught.value)
    assert "hash-256 (256 dimensions" in text
    assert "hash-64 (64 dimensions" in text
    assert "rebuild" in text
    assert "\n" not in text


def test_another_model_of_the_same_dimension_is_refused(tmp_path: Path) -> None:
    class Other(HashEmbedder):
        @property
        def name(self) -> str:
            return "other"

    with open_store(tmp_path) as store:
        store.add([planned(SLEEP)])
    with pytest.raises(StoreMismatch, match=r"hash-256 .* not with other"):
        ChromaPathStore(tmp_path, Other())


def test_a_refused_store_stays_as_it_was(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.add([planned(SLEEP)])
    with pytest.raises(StoreMismatch):
        ChromaPathStore(tmp_path, HashEmbedder(dimension=64))
    with open_store(tmp_path) as store:
        assert list(store.paths()) == [planned(SLEEP)]


@pytest.mark.parametrize("difference", [{"space": "l2"}, {"schema": 99}, {"embedder": None}])
def test_a_collection_of_another_making_is_refused(tmp_path: Path, difference: dict[str, Any]) -> None:
    import chromadb
    from chromadb.config import Settings

    record = {"embedder": "hash-256", "dimension": 256, "space": "cosine", "schema": 1, **difference}
    with chromadb.PersistentClient(str(tmp_path), settings=Settings(anonymized_telemetry=False)) as client:
        client.create_collection(
            "askfirst_paths",
            embedding_function=None,
            metadata={key: value for key, value in record.items() if value is not None},
        )
    with pytest.raises(StoreMismatch):
        open_store(tmp_path)


def test_an_embedder_that_breaks_its_promise_is_refused(tmp_path: Path) -> None:
    class Liar(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            return super().embed(texts)[:, :7]

    with ChromaPathStore(tmp_path, Liar()) as store, pytest.raises(EmbedderFailed, match=r"\(1, 7\), not \(1, 256\)"):
        store.add([planned(SLEEP)])


# ---- one writer --------------------------------------------------------------------------------------------------


def test_a_second_writer_in_this_process_is_refused_and_may_read(tmp_path: Path) -> None:
    with open_store(tmp_path) as first, open_store(tmp_path) as second:
        first.add([planned(SLEEP)])
        with pytest.raises(StoreLocked, match="another store of this process"):
            second.add([planned(MONEY)])
        assert [f.path.query for f in second.search(SLEEP)] == [SLEEP]


def test_the_next_writer_may_write_when_the_first_has_closed(tmp_path: Path) -> None:
    second = open_store(tmp_path)
    with open_store(tmp_path) as first:
        first.add([planned(SLEEP)])
    second.add([planned(MONEY)])
    assert {path.query for path in second.paths()} == {SLEEP, MONEY}
    second.close()


def test_beside_a_writing_process_one_reads_and_does_not_write(tmp_path: Path) -> None:
    with writer(tmp_path) as process, open_store(tmp_path) as store:
        tell(process, SLEEP)
        # Opened before the second write: the rows that it does not know yet must be found, with and without a filter.
        assert [f.path.query for f in store.search(SLEEP, domain="Health")] == [SLEEP]
        tell(process, f"{MONEY}|{EXAM}")
        assert len(store) == 3
        assert store.search(MONEY, k=1, domain="Health")[0].path.query == MONEY
        with pytest.raises(StoreLocked) as caught:
            store.add([planned("Something else")])
        assert f"process {process.pid}" in str(caught.value)
        assert ".writer.lock" in caught.value.lock
        assert "wait until it finishes, or use another folder" in str(caught.value)


def test_a_killed_writer_loses_nothing_it_had_stored_and_leaves_no_lock(tmp_path: Path) -> None:
    with writer(tmp_path) as process:
        tell(process, SLEEP)
        tell(process, MONEY)
        process.send_signal(signal.SIGKILL)
        process.wait()
    with open_store(tmp_path) as store:
        store.add([planned(EXAM)])
        assert {path.query for path in store.paths()} == {SLEEP, MONEY, EXAM}


def writer(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
    assert process.stdout.readline() == "added\n"


# ---- unusable folders --------------------------------------------------------------------------------------------


def test_a_file_in_place_of_the_folder_is_one_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "paths"
    file.write_text("x")
    with pytest.raises(StoreUnusable, match=r"paths: is a file, not a folder"):
        open_store(file)


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with open_store(tmp_path / "file" / "paths") as store, pytest.raises(StoreUnusable, match="cannot be created"):
        store.add([planned(SLEEP)])


def test_a_damaged_database_is_one_clear_error_and_can_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"no database" * 500)
    with pytest.raises(StoreUnusable, match="damaged; delete the folder and plan again"):
        open_store(tmp_path)
    (tmp_path / "chroma.sqlite3").unlink()
    with open_store(tmp_path) as store:
        store.add([planned(SLEEP)])
        assert len(store) == 1


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (PermissionError(13, "Permission denied"), r"written \(Permission denied\); check permissions, free space"),
        (OSError(24, "Too many open files"), r"\(Too many open files\); check permissions, free space and open files"),
        (InternalError("error returned from database: (code: 13) database or disk is full"), "full.*; check perm"),
        (InternalError("Error loading hnsw index"), r"hnsw index\); delete the folder and plan again"),
    ],
)
def test_only_a_damaged_index_is_to_be_deleted(tmp_path: Path, error: Exception, text: str) -> None:
    with open_store(tmp_path) as store:
        store.add([planned(SLEEP)])
        store._collection = Failing(error)
        with pytest.raises(StoreUnusable, match=text):
            store.search(SLEEP)
        assert store.search(SLEEP)[0].path == planned(SLEEP)


class Failing:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def query(self, **_: Any) -> Any:
        raise self.error

    count = get = query


def test_a_row_that_is_no_path_is_one_clear_error(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.add([planned(SLEEP)])
        bad = json.dumps({"query": SLEEP})
        store._collection.update(ids=[planned(SLEEP).id], metadatas=[{"path": bad}])
        with pytest.raises(StoreUnusable, match="not a planned path"):
            store.search(SLEEP)


# ---- quiet -------------------------------------------------------------------------------------------------------


def test_nothing_is_printed_and_nobody_is_contacted(tmp_path: Path) -> None:
    script = f"""
import socket
def refuse(*args, **kwargs): raise AssertionError("network")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
from askfirst.vectorstore import ChromaPathStore, HashEmbedder
from askfirst.testing.path_store import planned
with ChromaPathStore({str(tmp_path)!r}, HashEmbedder()) as store:
    store.add([planned("a"), planned("b")])
    store.search("a", domain="Health")
"""
    # With telemetry switched on in the environment, as a developer's shell may have it.
    environment = {**os.environ, "ANONYMIZED_TELEMETRY": "True"}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = "import sys, askfirst.vectorstore; print([m for m in ('numpy', 'chromadb', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
