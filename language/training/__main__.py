"""``python -m askfirst.language.training``: train the reader, measure it, and write the weights."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from pathlib import Path

from ...domains import get_pack
from ..encoder import WEIGHTS, Encoder, Settings, load_encoder
from ..reader import LearnedReader
from ..reading import ACTS, FAULTS, KINDS, LEVELS
from .dataset import DATA, DEVELOPMENT, HELD_OUT, load_examples
from .measure import measure, table


def main() -> None:
    """Train on everybody but the development and held-out authors; choose on the former; report on the latter."""
    parser = argparse.ArgumentParser(prog="python -m askfirst.language.training", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of labelled texts")
    parser.add_argument("--add", type=Path, help="a second folder: texts of your own, trained on as well")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--limit", type=int, help="only so many texts, to try it out")
    given = parser.parse_args()

    from .export import export
    from .fit import Recipe, fit
    from .network import TAGS, load_base

    started = time.monotonic()
    examples = load_examples(given.data, but=(*DEVELOPMENT, *HELD_OUT))
    examples += load_examples(given.add) if given.add else []
    say(f"training on {len(examples[: given.limit])} texts of {len({e.author for e in examples})} authors")
    fitted = fit(examples[: given.limit], load_base(), Recipe(epochs=given.epochs), tell=say)
    export(fitted, given.out)
    names = {"level": LEVELS, "kind": ("none", *KINDS), "acts": ACTS, "injection": ("injection",), "faults": FAULTS}
    settings = Settings(heads=names, tags=TAGS, temperature=1.0, thresholds={})
    write(settings, given.out)

    from .thresholds import choose

    temperature, thresholds = choose(load(given.out), load_examples(given.data, authors=DEVELOPMENT))
    settings = settings.model_copy(update={"temperature": temperature, "thresholds": thresholds})
    write(settings, given.out)
    reader = LearnedReader(get_pack(), given.out)
    load_encoder.cache_clear()
    figures = measure(reader, load_examples(given.data, authors=HELD_OUT))
    settings = settings.model_copy(
        update={"measured": {name: str(share) for name, share in figures.shares.items()}, "texts": digest(given.data)}
    )
    write(settings, given.out)
    say(f"done in {(time.monotonic() - started) / 60:.0f} minutes; on the authors kept out:\n{table(figures)}")


def load(folder: Path) -> Encoder:
    """The encoder in ``folder`` as it is now."""
    load_encoder.cache_clear()
    return load_encoder(folder)


def write(settings: Settings, folder: Path) -> None:
    """``reader.json``."""
    (folder / "reader.json").write_text(settings.model_dump_json(indent=1) + "\n", encoding="utf-8")


def digest(folder: Path) -> str:
    """Of the texts, so that weights and texts can be told to belong together."""
    whole = hashlib.sha256()
    for file in sorted(folder.glob("*.jsonl")):
        whole.update(file.read_bytes())
    return whole.hexdigest()[:16]


def say(line: str) -> None:
    """Progress, on standard output."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
