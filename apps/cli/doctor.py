"""``askfirst doctor``: what is configured, what is installed, what can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from . import options
from .console import out, print_json

if TYPE_CHECKING:
    from ..wiring import Wiring

__all__ = ["doctor"]

_DISTRIBUTIONS = ("langgraph", "langchain-openai", "chromadb", "sentence-transformers", "torch", "pydantic")


def doctor(
    model: options.Model = None,
    user_model: options.UserModel = None,
    judge_model: options.JudgeModel = None,
    planner_model: options.PlannerModel = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    pack: options.Pack = None,
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
    as_json: options.Json = False,
) -> None:
    """Show what is configured and try every part: pack, embedding, store and model."""
    settings = options.settings(locals())
    from ..wiring import Wiring

    wiring = Wiring(settings)
    checks = [_versions(), *_tracing(), _pack(wiring), _embedding(wiring), _store(wiring), *_models(wiring)]
    if as_json:
        print_json({"ok": all(c["ok"] for c in checks), "checks": checks})
    else:
        from rich.markup import escape
        from rich.table import Table

        table = Table("OK", "Part", "State", show_edge=False)
        for check in checks:
            table.add_row(
                "[green]ok[/]" if check["ok"] else "[red]no[/]", str(check["part"]), escape(str(check["state"]))
            )
        out().print(table)
    failed = [c for c in checks if not c["ok"]]
    if failed:
        services = ("model", "store") if settings.chroma_url else ("model",)
        raise typer.Exit(3 if any(str(c["part"]).startswith(services) for c in failed) else 2)


Check = dict[str, object]


def _check(part: str, state: str, *, ok: bool = True) -> Check:
    return {"part": part, "ok": ok, "state": state}


def _versions() -> Check:
    import platform
    from importlib.metadata import version

    listed = ", ".join(f"{name} {version(name)}" for name in _DISTRIBUTIONS)
    return _check("versions", f"askfirst {version('askfirst')}, Python {platform.python_version()}, {listed}")


def _tracing() -> list[Check]:
    """A line where the environment asks LangChain and LangGraph to send every run to a tracing service."""
    import os

    names = [f"{owner}_{name}" for owner in ("LANGSMITH", "LANGCHAIN") for name in ("TRACING", "TRACING_V2")]
    asked = [name for name in names if os.environ.get(name, "").strip().casefold() == "true"]
    if not asked:
        return []
    state = (
        f"{', '.join(asked)} in the environment: askfirst keeps tracing off, so no conversation reaches that service; "
        "only a graph that you compile or serve yourself is traced"
    )
    return [_check("tracing", state)]


def _pack(wiring: Wiring) -> Check:
    from ...domains import InputError

    try:
        pack = wiring.pack
    except InputError as error:
        return _check("pack", str(error), ok=False)
    countries = sorted({s.country for s in pack.resources.services if s.country != "*"})
    return _check(
        "pack",
        f"{pack.name} {pack.version}: {len(pack.domains)} domains, {len(pack.attributes)} attributes, "
        f"crisis resources for {', '.join(countries) or 'no country'} and everywhere",
    )


def _embedding(wiring: Wiring) -> Check:
    from ...domains import AskfirstError
    from ...vectorstore import embedder

    try:
        found = embedder(wiring.settings.embedding)
        found.embed(["Is anybody there?"])
    except AskfirstError as error:
        return _check("embedding", str(error), ok=False)
    return _check("embedding", f"{found.name}, {found.dimension} dimensions")


def _store(wiring: Wiring) -> Check:
    from ...domains import AskfirstError

    try:
        with wiring.existing_store() as store:
            state = "none yet; 'askfirst plan' makes it" if store is None else f"{len(store)} planned paths"
    except AskfirstError as error:
        return _check("store", str(error), ok=False)
    return _check("store", f"{wiring.store_name}: {state}")


def _models(wiring: Wiring) -> list[Check]:
    from ...models import ModelError, run_sync
    from ..settings import OFFLINE
    from ..wiring import ROLES

    tried: dict[str, Check] = {OFFLINE: _check("", "offline reference backend: no language model")}
    for spec in {wiring.spec(role) for role in ROLES} - {OFFLINE}:
        try:
            usage = run_sync(wiring.probe(spec))
        except ModelError as error:
            tried[spec] = _check("", str(error), ok=False)
        else:
            cost = f" ({usage.output_tokens} tokens)" if usage else " (with an empty reply)"
            tried[spec] = _check("", f"{spec} answers{cost}")
    return [{**tried[wiring.spec(role)], "part": f"model of {role}"} for role in ROLES]
