"""Measure the redaction rules on the marked posts of ``tests/simulators/extraction/redaction``.

    python benchmarks/redaction.py

Prints, for each set, how many marked details are gone by the rules alone, and by the rules with ``strict``, which takes
every unusual capitalised word inside a sentence too (as ``askfirst scenarios extract`` does). The model step of the
extraction comes on top and is not measured here: it depends on the model.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from askfirst.simulators.extraction.redact import redact

from tests.simulators.extraction.redaction_set import SETS, marked_posts, recall


def main() -> int:
    """Print the figures."""
    for name, what in SETS.items():
        print(f"{name}: {what}")
        for strict in (False, True):
            found = recall(name, lambda text, strict=strict: redact(text, strict=strict).text)
            print(f"  {'rules, strict' if strict else 'rules        '}  {found.line()}")
            if found.stayed:
                print("    stayed: " + "; ".join(f"{kind} {text!r}" for kind, text in found.stayed))
    texts = [post.text for name in SETS for post in marked_posts(name)]
    start = time.perf_counter()
    for text in texts:
        redact(text, strict=True)
    print(f"{1000 * (time.perf_counter() - start) / len(texts):.1f} ms a post")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
