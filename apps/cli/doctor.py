"""``askfirst doctor``: what is configured, what is installed, what can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from . import options
from .terminal import out, print_json, working

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
    user_base_url: options.UserBaseUrl = None,
    judge_base_url: options.JudgeBaseUrl = None,
    planner_base_url: options.PlannerBaseUrl = None,
    timeout: options.Timeout = None,
    pack: options.Pack = None,
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
    as_json: options.Json = False,
) -> None:
    """Show what is configured and try every part: pack, embedding, store and model."""
    settings = options.settings(locals())
    from ..wiring import Wiring

    checks = _checks(Wiring(settings), quiet=as_json)
    if as_json:
        print_json({"ok": all(c["ok"] for c in checks), "checks": checks})
    else:
        _print(checks)
    failed = [c for c in checks if not c["ok"]]
    if failed:
        services = ("model", "store") if settings.chroma_url else ("model",)
        raise typer.Exit(3 if any(str(c["part"]).startswith(services) for c in failed) else 2)


Check = dict[str, object]


def _checks(wiring: Wiring, *, quiet: bool) -> list[Check]:
    """Every part, tried in turn; on stderr stands which one is tried now."""
    found = [_versions(), *_tracing(), _pack(wiring)]
    with working("The embedding model is loaded, which takes some seconds", quiet=quiet):
        found.append(_embedding(wiring))
    with working(f"The store {wiring.store_name} is opened", quiet=quiet):
        found.append(_store(wiring))
    with working("The models are asked", quiet=quiet or not wiring.served()):
        found += _models(wiring)
    return found


def _print(checks: list[Check]) -> None:
    from rich.table import Table

    from .terminal import styled

    table = Table("OK", "Part", "State", show_edge=False)
    for check in checks:
        mark = ("ok", "green") if check["ok"] else ("no", "red")
        table.add_row(styled(mark), str(check["part"]), str(check["state"]))
    out().print(table)


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

    try:
        wiring.embedder.embed(["Is anybody there?"])
    except AskfirstError as error:
        return _check("embedding", str(error), ok=False)
    return _check("embedding", f"{wiring.embedder.name}, {wiring.embedder.dimension} dimensions")


def _store(wiring: Wiring) -> Check:
    from ...domains import AskfirstError

    try:
        with wiring.existing_store() as store:
            state = "none yet; 'askfirst plan' creates it" if store is None else f"{len(store)} planned paths"
    except AskfirstError as error:
        return _check("store", str(error), ok=False)
    return _check("store", f"{wiring.store_name}: {state}")


def _models(wiring: Wiring) -> list[Check]:
    """A line for each role. Roles that share a connection share one try, and all are tried at once."""
    from ...models import run_sync, together
    from ..settings import ROLES

    async def ask() -> list[Check]:
        return list(await together([_model(wiring, roles[0]) for roles in wiring.served()]))

    states = {role: _check("", "offline reference backend: no language model") for role in ROLES}
    for roles, state in zip(wiring.served(), run_sync(ask()), strict=True):
        states |= dict.fromkeys(roles, state)
    return [{**states[role], "part": f"model of {role}"} for role in ROLES]


async def _model(wiring: Wiring, role: str) -> Check:
    from ...models import ModelError

    try:
        usage = await wiring.probe(role)
    except ModelError as error:
        return _check("", str(error), ok=False)
    cost = f" ({usage.output_tokens} tokens)" if usage else " (with an empty reply)"
    return _check("", f"{wiring.spec(role)} answers{cost}")
