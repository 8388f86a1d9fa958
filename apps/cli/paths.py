"""``askfirst paths``: look into the store of planned paths, write it to a file and rebuild it from one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .terminal import note, one_line, print_json, progress, say

if TYPE_CHECKING:
    from ...domains import DataError
    from ...vectorstore import PathStore, PlannedPath, RetrievedPath
    from ..settings import Settings

__all__ = ["app"]

_MOST_PROBLEMS = 20

app = typer.Typer(
    help="Search, list, count, export and import planned paths.",
    epilog=options.example("askfirst paths list --store paths"),
    no_args_is_help=True,
)
Domain = Annotated[str | None, typer.Option("--domain", help="Only this domain.", show_default=False)]
Embedding = Annotated[
    str | None, typer.Option("--embedding", help="Embedding model (all-MiniLM-L6-v2).", show_default=False)
]


@app.command("search", epilog=options.example('askfirst paths search "May I stop my pills now that I feel better?"'))
def search(
    query: Annotated[str, typer.Argument(help="A question, in a person's words.")],
    k: Annotated[int, typer.Option("--k", "-k", min=1, help="How many.")] = 5,
    domain: Domain = None,
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
    embedding: Embedding = None,
    pack: options.Pack = None,
    as_json: options.Json = False,
) -> None:
    """Show the paths whose queries are nearest in meaning, with their similarity."""
    with _open(options.settings(locals()), domain) as (paths, chosen):
        found = paths.search(query, k, domain=chosen)
    if as_json:
        print_json({"query": query, "found": [_found(r) for r in found]})
        return
    for hit in found:
        say(f"{hit.similarity:6.3f}  {_line(hit.path)}")


@app.command("list", epilog=options.example("askfirst paths list --domain Health --limit 10"))
def list_paths(
    domain: Domain = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N.", show_default=False)] = None,
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
    embedding: Embedding = None,
    pack: options.Pack = None,
    as_json: options.Json = False,
) -> None:
    """List the paths, in the order of their ids."""
    with _open(options.settings(locals()), domain) as (paths, chosen):
        listed = _first(paths.paths(), chosen, limit)
        if as_json:
            print_json({"paths": [_record(path) for path in listed]})
            return
        for path in listed:
            say(f"{path.id[:8]}  {_line(path)}")


@app.command("stats", epilog=options.example("askfirst paths stats --store paths"))
def stats(
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
    embedding: Embedding = None,
    as_json: options.Json = False,
) -> None:
    """Count the paths by domain, planner, model, judge and pack."""
    from ..path_stats import path_stats
    from ..wiring import Wiring

    settings = options.settings(locals())
    name = Wiring(settings).store_name
    with _open(settings) as (paths, _):
        counted = path_stats(paths.paths())
    if as_json:
        print_json({"store": name, "embedding": settings.embedding, **counted.model_dump()})
        return
    say(f"{counted.paths} paths in {name}, embedded with {settings.embedding}.")
    if counted.paths:
        scored = "none has a score" if counted.mean_score is None else f"mean score {counted.mean_score:.2f} of 5"
        say(
            f"{counted.mean_length:.1f} questions a path, {scored} ({counted.without_score} without), "
            f"{counted.evaluations} evaluations paid, {counted.mean_evaluations:.1f} a path."
        )
    for what, counts in counted.counts.items():
        say(f"{what}: " + ", ".join(f"{_clean(value) or '(none)'} {count}" for value, count in counts.items()))


@app.command("export", epilog=options.example("askfirst paths export --out paths.jsonl"))
def export(
    output: Annotated[
        Path | None,
        typer.Option("--out", help="New file of JSON lines; default: standard output.", show_default=False),
    ] = None,
    domain: Domain = None,
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
    embedding: Embedding = None,
    pack: options.Pack = None,
) -> None:
    """Write the paths as JSON lines, from which 'import' rebuilds the same store."""
    from ...simulators.datasets import refuse_existing
    from ..path_files import path_line, write_paths

    with _open(options.settings(locals()), domain) as (paths, chosen):
        wanted = _first(paths.paths(), chosen, None)
        if output is None:
            for path in wanted:
                typer.echo(path_line(path), nl=False)  # ASCII
            return
        refuse_existing(output)
        count = write_paths(wanted, output)
    note(f"{count} paths written to {output}.")


@app.command("import", epilog=options.example("askfirst paths import MCTS_path.csv --store imported"))
def import_file(
    file: Annotated[Path, typer.Argument(help="JSON lines of 'export', or the authors' MCTS_path.csv.")],
    domain: Annotated[
        str | None,
        typer.Option(
            "--domain", help="Domain of a CSV's queries; default: guessed from their words.", show_default=False
        ),
    ] = None,
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
    embedding: Embedding = None,
    pack: options.Pack = None,
    as_json: options.Json = False,
) -> None:
    """Put the paths of a file into the store: all, or none where a row is bad. A path that is there is replaced.

    May be interrupted: the same command adds what is missing.
    """
    from ..path_files import import_paths, read_paths
    from ..wiring import Wiring

    wiring = Wiring(options.settings(locals()))
    problems: list[DataError] = []
    found = read_paths(file, wiring.pack, problems.append, domain=domain)
    if problems:
        _refuse(file, problems, as_json=as_json)
    paths = wiring.open_store(writing=True)
    try:
        with progress("Importing", quiet=as_json) as advance:
            done = import_paths(paths, found, on_progress=advance)
        stored = len(paths)
    finally:
        paths.close()
    if as_json:
        print_json({**vars(done), "stored": stored, "store": wiring.store_name})
        return
    say(
        f"{done.added} paths added, {done.replaced} replaced, {done.unchanged} already in the store. "
        f"The store {wiring.store_name} holds {stored} paths."
    )


# ---- shared ----------------------------------------------------------------------------------------------------------


@contextmanager
def _open(settings: Settings, domain: str | None = None) -> Iterator[tuple[PathStore, str | None]]:
    """The store, and the pack's own spelling of ``domain``. Raises ``InputError`` if there is no store."""
    from ...domains import InputError
    from ..wiring import Wiring

    wiring = Wiring(settings)
    chosen = None if domain is None else wiring.pack.domain(domain).name
    with wiring.existing_store() as store:
        if store is None:
            raise InputError(
                f"{wiring.store_name}: holds no paths; add some with 'askfirst plan' or 'askfirst paths import'"
            )
        yield store, chosen


def _first(paths: Iterable[PlannedPath], domain: str | None, limit: int | None) -> Iterator[PlannedPath]:
    from itertools import islice

    return islice((path for path in paths if domain in (None, path.domain)), limit)


def _refuse(file: Path, problems: list[DataError], *, as_json: bool) -> None:
    if as_json:
        print_json(
            {"added": 0, "problems": [{"line": p.line, "field": p.field, "problem": p.problem} for p in problems]}
        )
    for problem in problems[:_MOST_PROBLEMS]:
        note(f"askfirst: {one_line(problem)}")
    if len(problems) > _MOST_PROBLEMS:
        note(f"askfirst: {len(problems) - _MOST_PROBLEMS} more problems in {file}")
    note(f"Nothing was imported: correct {file}, or remove these rows.")
    raise typer.Exit(2)


def _line(path: PlannedPath) -> str:
    score = " -  " if path.score is None else f"{path.score:.2f}"
    return f"{score}  {_clean(path.domain)}: {_clean(' > '.join(path.path))}  |  {_clean(path.query)[:160]}"


def _found(found: RetrievedPath) -> dict[str, Any]:
    return {"similarity": found.similarity, **_record(found.path)}


def _record(path: PlannedPath) -> dict[str, Any]:
    return {"id": path.id, **path.model_dump()}


def _clean(text: str) -> str:
    """Text of a file on one line of a terminal: no control characters, nor those that turn the direction of writing."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
