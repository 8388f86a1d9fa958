"""Load scenarios: our own JSON lines, the authors' published files, the public data set, or the packaged ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..domains.errors import DataError
from ..domains.pack import DomainPack
from ..domains.registry import get_pack
from ..domains.scenario import Scenario, Split
from .domain_guess import guess_domain
from .published import is_queries, published_scenarios
from .reading import Place, read_json_items, read_json_lines
from .records import checked_domain, is_post, is_profile, post_scenario, scenario_of

__all__ = ["load_scenarios", "packaged_scenarios"]

_PACKAGED = Path(__file__).with_name("data") / "penguin_mini.jsonl"
_LINES = (".jsonl", ".ndjson")
_POSTS = "posts.json"


def load_scenarios(
    path: str | Path, pack: DomainPack, *, domain: str | None = None, queries: str | Path | None = None
) -> list[Scenario]:
    """The scenarios in a file or folder, in its order.

    Recognised by content:

    * our JSON lines, one scenario a line (``id domain title query profile source split pair risk country background``;
      ``id``, ``domain``, ``query`` and ``profile`` are required);
    * the authors' profiles file and queries file, either of them or their folder;
    * ``posts.json`` of the public data set, or a folder at any height above it. The domain is the record's, else that
      of the folder it stands in;
    * a folder with several of these: all of them.

    Args:
        pack: the attributes and domains that may occur.
        domain: for records that name none. Without it the synthetic published files, and posts in a folder that is no
            domain, get the pack's domain whose words are nearest (``guess_domain``): a guess, not a fact.
        queries: the queries file for a published profiles file, where it is not the only one beside it.

    Raises:
        DataError: names the file, the line and the field. An id that comes twice is one too.
        UnknownNameError: ``domain`` is no domain of the pack.
    """
    source = Path(path)
    given = None if domain is None else pack.domain(domain).name
    loader = _Loader(pack, given, None if queries is None else Path(queries))
    found: list[Scenario] = []
    seen: dict[str, Place] = {}
    for place, scenario in loader.read(source):
        if first := seen.get(scenario.id):
            where = f"line {first.line}" if first.file == place.file else str(first.file)
            raise place.error("id", f"{scenario.id!r} was used before ({where}); every id must be unique")
        seen[scenario.id] = place
        found.append(scenario)
    if not found:
        raise DataError(source, None, None, "holds no scenarios")
    return found


def packaged_scenarios(pack: DomainPack | None = None, split: Split | None = None) -> list[Scenario]:
    """The 140 scenarios that come with the project, 20 a domain; ``split`` chooses those for planning or evaluation.

    No query stands on both sides of the split. Needs the ``penguin`` pack, or one with its attributes and domains.
    """
    scenarios = load_scenarios(_PACKAGED, pack or get_pack("penguin"))
    return [s for s in scenarios if split is None or s.split == split]


class _Loader:
    def __init__(self, pack: DomainPack, domain: str | None, queries: Path | None) -> None:
        self._pack, self._domain, self._queries = pack, domain, queries

    def _guess(self, title: str, query: str) -> str:
        return guess_domain(title, query, self._pack)

    def read(self, path: Path) -> Iterator[tuple[Place, Scenario]]:
        if path.is_dir():
            yield from self._folder(path)
        elif path.suffix.lower() in _LINES:
            yield from self._lines(path)
        elif path.suffix.lower() == ".json" or not path.exists():
            yield from self._json(path)
        else:
            raise DataError(path, None, None, "is not a kind of file that holds scenarios (.jsonl, .json, or a folder)")

    def _folder(self, folder: Path) -> Iterator[tuple[Place, Scenario]]:
        try:
            lines = sorted(f for f in folder.iterdir() if f.suffix.lower() in _LINES)
        except OSError as error:
            raise DataError(folder, None, None, f"cannot be read ({error.strerror or error})") from error
        queries = self._beside(folder, "quer")
        posts = sorted(folder.rglob(_POSTS))
        if not (lines or queries or posts):
            raise DataError(
                folder, None, None, f"holds nothing usable: no .jsonl, no published queries file, no {_POSTS} below it"
            )
        for file in lines:
            yield from self._lines(file)
        for file in queries:
            yield from self._pair(file, self._beside(folder, "profile"))
        for file in posts:
            yield from self._posts(file, read_json_items(file))

    def _lines(self, file: Path) -> Iterator[tuple[Place, Scenario]]:
        for place, record in read_json_lines(file):
            if is_post(record, self._pack):
                yield place, self._post(record, place, f"{file.stem}-{place.line:04d}", self._domain)
            else:
                yield place, scenario_of(record, place, self._pack, domain=self._domain)

    def _json(self, file: Path) -> Iterator[tuple[Place, Scenario]]:
        items = read_json_items(file)
        records = [record for _, record in items]
        if items and all(is_profile(r, self._pack) for r in records):
            candidates = [self._queries] if self._queries else self._beside(file.parent, "quer")
            if len(candidates) != 1:
                raise DataError(
                    file, None, None, f"holds profiles, and {len(candidates)} queries files are beside it; name one"
                )
            yield from self._pair(candidates[0], [file])
        elif is_queries(items, self._pack):
            yield from self._pair(file, self._beside(file.parent, "profile"))
        elif records and all(isinstance(r, dict) and "profile" in r for r in records):
            for place, record in items:
                yield place, scenario_of(record, place, self._pack, domain=self._domain)
        elif records and any(is_post(r, self._pack) for r in records):
            yield from self._posts(file, items)
        else:
            raise DataError(
                file, None, None, "holds nothing in a known shape: no scenarios, profiles, queries or posts"
            )

    def _pair(self, queries: Path, profiles: list[Path]) -> Iterator[tuple[Place, Scenario]]:
        if len(profiles) > 1:
            names = ", ".join(p.name for p in profiles)
            raise DataError(
                queries, None, None, f"several profiles files are beside it ({names}); load one by its name"
            )
        found = published_scenarios(
            queries, profiles[0] if profiles else None, self._pack, domain=self._domain, guess=self._guess
        )
        for scenario in found:
            yield Place(queries), scenario

    def _posts(self, file: Path, items: list[tuple[Place, Any]]) -> Iterator[tuple[Place, Scenario]]:
        domain = self._folder_domain(file)
        prefix = f"real-{(domain or file.parent.name).lower()}"
        for number, (place, record) in enumerate(items, start=1):
            yield place, self._post(record, place, f"{prefix}-{number:05d}", domain or self._domain)

    def _post(self, record: object, place: Place, default_id: str, domain: str | None) -> Scenario:
        return post_scenario(record, place, self._pack, default_id=default_id, domain=domain, guess=self._guess)

    def _folder_domain(self, file: Path) -> str | None:
        """The domain that the folder of a ``posts.json`` names; in the public layout it must name one."""
        name = file.resolve().parent.name
        for known in self._pack.domain_names:
            if known.casefold() == name.casefold():
                return known
        if file.resolve().parent.parent.name.casefold() == "real_data" and self._domain is None:
            checked_domain(name, Place(file), self._pack)
        return None

    @staticmethod
    def _beside(folder: Path, word: str) -> list[Path]:
        return sorted(f for f in folder.glob("*.json") if word in f.name.lower())
