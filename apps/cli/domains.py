"""``askfirst domains``: the domain packs that are installed, and a check of one that is being written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .terminal import note, one_line, out, print_json, say

if TYPE_CHECKING:
    from ...domains import DomainPack, PackError, PackHint

__all__ = ["app"]

app = typer.Typer(
    help="Show domain packs, and check one that you write.",
    epilog=options.example("askfirst domains list"),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command("list", epilog=options.example("askfirst domains list"))
def list_packs(as_json: options.Json = False) -> None:
    """List the installed packs. Exit code 2 if one of them cannot be loaded."""
    from rich.table import Table

    from ...domains import PackError, get_pack, pack_names

    rows: list[dict[str, Any]] = []
    broken: list[dict[str, str]] = []
    for name in pack_names():
        try:
            rows.append(_summary(name, get_pack(name)))
        except PackError as error:
            broken.append({"name": name, "problem": one_line(error)})
    if as_json:
        print_json({"ok": not broken, "packs": rows, "broken": broken})
    else:
        table = Table("Pack", "Version", "Domains", "Attributes", "Description", show_edge=False)
        for row in rows:
            counts = (str(len(row["domains"])), str(len(row["attributes"])))
            table.add_row(row["name"], row["version"], *counts, row["description"])
        out().print(table)
        for entry in broken:
            note(f"{entry['name']}: {entry['problem']}")
    if broken:
        raise typer.Exit(2)


@app.command("show", epilog=options.example("askfirst domains show penguin"))
def show(
    name: Annotated[str, typer.Argument(help="An installed pack, a folder or a pack.yaml.")],
    as_json: options.Json = False,
) -> None:
    """Show what a pack holds: domains, attributes, how many rules, crisis services. --json: all of it."""
    from rich.table import Table

    from ...domains import get_pack

    pack = get_pack(name)
    if as_json:
        print_json(pack.model_dump(mode="json"))
        return
    console = out()
    console.print(f"{pack.name} {pack.version}: {pack.description}")
    domains = Table("Domain", "Description", show_edge=False)
    for domain in pack.domains:
        domains.add_row(domain.name, domain.description)
    console.print(domains)
    attributes = Table("Attribute", "Group", "Score", "Private", "Rules", "Question", show_edge=False)
    attributes.columns[0].no_wrap = True
    for a in pack.attributes:
        rules = sum(rule.attribute == a.id for rule in pack.risk_rules)
        private = "yes" if a.private else ""
        attributes.add_row(a.id, a.group, f"{a.sensitivity:.2f}", private, str(rules), a.question)
    console.print(attributes)
    countries = sorted({s.country for s in pack.resources.services})
    console.print(
        f"{len(pack.risk_rules)} risk rules, {len(pack.acknowledgements)} acknowledgements, "
        f"{len(pack.resources.services)} crisis services ({', '.join(countries)})",
    )


@app.command("check", epilog=options.example("askfirst domains check my_pack"))
def check(
    pack: Annotated[str, typer.Argument(help="An installed pack, the folder of a pack, or its pack.yaml.")],
    as_json: options.Json = False,
) -> None:
    """Explain every mistake in a pack: file, key, what to do. Exit code 2 if there is one.

    A tables.yaml beside the pack is checked too, to its first mistake. Hints tell what loads but will not work well;
    they do not change the exit code.
    """
    from ...domains import load_pack, pack_hints, pack_problems, pack_source

    path = pack_source(pack)
    problems = list(pack_problems(path))
    loaded = None if problems else load_pack(path)
    if loaded and (wrong := _tables_problem(path, loaded)):
        problems.append(wrong)
    hints = pack_hints(loaded) if loaded else ()
    if as_json:
        print_json(
            {
                "ok": not problems,
                "pack": _summary(loaded.name, loaded) if loaded else None,
                "problems": [{"file": p.file, "key": p.key, "problem": p.problem, "fix": p.fix} for p in problems],
                "hints": [h.model_dump() for h in hints],
            }
        )
    else:
        _print_check(loaded, problems, hints)
    if problems:
        raise typer.Exit(2)


def _print_check(pack: DomainPack | None, problems: Sequence[PackError], hints: Sequence[PackHint]) -> None:
    for problem in problems:
        say(one_line(problem))
    for hint in hints:
        say(f"hint: {hint.key}: {hint.hint}")
    if pack and not problems:
        counts = f"{len(pack.domains)} domains, {len(pack.attributes)} attributes, {len(pack.risk_rules)} risk rules"
        say(f"{pack.name} {pack.version} is a valid pack: {counts}.")
    else:
        note(f"{len(problems)} {'mistake' if len(problems) == 1 else 'mistakes'}")


def _tables_problem(path: Path, pack: DomainPack) -> PackError | None:
    from ...domains import DataError, PackError, pack_file
    from ...simulators.generation import load_tables

    if (file := pack_file(path, "tables.yaml")) is None:
        return None
    try:
        load_tables(file, pack)
    except DataError as error:
        key = error.field or (f"line {error.line}" if error.line else "")
        return PackError(file, key, error.problem, "correct it, or remove the file; only generate and pairs need it")
    return None


def _summary(name: str, pack: DomainPack) -> dict[str, Any]:
    return {
        "name": name,
        "version": pack.version,
        "description": pack.description,
        "domains": list(pack.domain_names),
        "attributes": list(pack.attribute_ids),
    }
