"""Training runs from texts to weights: a slice of it, on the real base."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from askfirst.domains import InputError, get_pack
from askfirst.language.encoder import Settings, load_encoder
from askfirst.language.reader import LearnedReader
from askfirst.language.training.dataset import load_examples
from askfirst.language.training.measure import Share, measure, table

pytestmark = [
    pytest.mark.timeout(600),
    # torch's exporter warns of its own future, and of shapes that are constant here.
    pytest.mark.filterwarnings("ignore"),
]


def test_a_slice_trains_exports_and_reads(tmp_path: Path) -> None:
    from askfirst.language.reading import ACTS, FAULTS, KINDS, LEVELS
    from askfirst.language.training.export import export
    from askfirst.language.training.fit import Recipe, fit
    from askfirst.language.training.network import TAGS, load_base
    from askfirst.language.training.thresholds import choose

    examples = load_examples(authors=("emil",))
    some = [e for source in ("risk", "replies", "played") for e in [x for x in examples if x.source == source][::36]]
    lines: list[str] = []
    fitted = fit(some, load_base(), Recipe(epochs=1, tokens=512), tell=lines.append)
    assert len(lines) == 1
    export(fitted, tmp_path)
    names = {"level": LEVELS, "kind": ("none", *KINDS), "acts": ACTS, "injection": ("injection",), "faults": FAULTS}
    settings = Settings(heads=names, tags=TAGS, temperature=1.0, thresholds={})
    (tmp_path / "reader.json").write_text(settings.model_dump_json(), encoding="utf-8")
    temperature, thresholds = choose(load_encoder(tmp_path), some)
    assert temperature > 0
    assert thresholds.keys() == {"concern", "imminent", "injection", "value", "answer", *ACTS, *FAULTS}
    assert all(0 < t < 1 for t in thresholds.values())
    chosen = settings.model_copy(update={"temperature": temperature, "thresholds": thresholds})
    (tmp_path / "reader.json").write_text(json.dumps(chosen.model_dump(mode="json")), encoding="utf-8")
    load_encoder.cache_clear()
    figures = measure(LearnedReader(get_pack(), tmp_path), some)
    assert figures.shares["imminent risk, seen as concern or imminent"].of > 0
    assert "| measured |" in table(figures)


def test_without_weights_it_says_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make reader"):
        LearnedReader(get_pack(), tmp_path).read("hello there")


def test_a_share_says_how_sure_it_is() -> None:
    assert str(Share(hits=9, of=10)) == "0.900 (0.596 to 0.982; 9 of 10)"
    assert str(Share(hits=0, of=0)) == "-"
