"""``askfirst scenarios validate | convert | sample``: files of scenarios, read one record at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .terminal import note, one_line, out, print_json, say

if TYPE_CHECKING:
    from ...domains import DataError, DomainPack, Scenario
    from ...simulators.generation import Checked, SamplingTables

__all__ = ["Data", "Tables", "convert", "sample", "sampling_tables", "stream", "validate"]

Data = Annotated[str, typer.Argument(help="File or folder of scenarios, or 'penguin_mini' (packaged).")]
Tables = Annotated[
    Path | None,
    typer.Option("--tables", help="Conditional tables and rules; default: those of the pack.", show_default=False),
]
Domain = Annotated[
    str | None, typer.Option("--domain", help="The domain of records that name none.", show_default=False)
]
To = Annotated[
    str | None,
    typer.Option("--to", help="jsonl, csv, published or public; default: what --out's name says.", show_default=False),
]


def validate(
    data: Annotated[
        str, typer.Argument(help="File or folder of scenarios, a file of profiles, or 'penguin_mini' (packaged).")
    ],
    constraints: Annotated[
        bool,
        typer.Option("--constraints", help="Check the values and rules of the tables too (always for profiles)."),
    ] = False,
    domain: Domain = None,
    tables: Tables = None,
    pack: options.Pack = None,
    as_json: options.Json = False,
) -> None:
    """Report every problem with its line and field. Exit code 2 if there is one; warnings do not change it."""
    from ...domains import get_pack
    from ...simulators.datasets import PACKAGED_FILE, storable
    from ...simulators.generation import holds_drafts, validate_data
    from ..evaluation import PACKAGED
    from ..settings import load_settings

    name = load_settings(pack=pack).pack
    chosen = get_pack(name)
    source = PACKAGED_FILE if data == PACKAGED and not Path(data).exists() else Path(data)
    wanted = constraints or tables is not None or holds_drafts(source)
    told: dict[str, list[dict[str, Any]]] = {"problems": [], "warnings": []}

    def tell(kind: str, error: DataError) -> None:
        if as_json:
            field = None if error.field is None else storable(error.field)
            told[kind].append({"file": error.file, "line": error.line, "field": field, "problem": error.problem})
        else:
            say(("" if kind == "problems" else "warning: ") + one_line(error))

    checked = validate_data(
        source,
        chosen,
        tables=sampling_tables(tables, name, chosen) if wanted else None,
        domain=domain,
        on_problem=lambda error: tell("problems", error),
        on_warning=lambda error: tell("warnings", error),
    )
    if as_json:
        print_json({"ok": not checked.problems, **checked.model_dump(), **told})
    else:
        _print_checked(checked)
    if checked.problems:
        raise typer.Exit(2)


def convert(
    data: Data,
    output: Annotated[Path, typer.Option("--out", help="New file, or folder.", show_default=False)],
    to: To = None,
    domain: Domain = None,
    pack: options.Pack = None,
    as_json: options.Json = False,
) -> None:
    """Write scenarios in another format: JSON lines, CSV, the published pair of files, the public data set's layout."""
    from ...domains import get_pack
    from ...simulators.datasets import checked_format, write_scenarios
    from ..settings import load_settings

    chosen = get_pack(load_settings(pack=pack).pack)
    form = None if to is None else checked_format(to)
    counted = write_scenarios((s for s in stream(data, chosen, domain)), output, chosen, to=form)
    number = counted.pop("scenarios")
    if as_json:
        print_json({"scenarios": number, "lost": dict(counted), "out": str(output)})
        return
    out().print(f"{number} scenarios written to {output}.")
    for field, count in sorted(counted.items()):
        note(f"the format has no place for {field!r}, which {count} scenarios have")


def sample(
    data: Data,
    output: Annotated[Path, typer.Option("--out", help="New file, or folder.", show_default=False)],
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="How many; with --by: of each group.")] = 10,
    by: Annotated[
        str | None, typer.Option("--by", help="domain, risk, split, source or title.", show_default=False)
    ] = None,
    seed: options.Seed = 0,
    to: To = None,
    domain: Domain = None,
    pack: options.Pack = None,
    as_json: options.Json = False,
) -> None:
    """Choose scenarios at random, repeatably by seed, from all or equally many from each group."""
    from ...domains import get_pack
    from ...simulators.datasets import checked_format, checked_group, choose_scenarios, refuse_existing, write_scenarios
    from ..settings import load_settings

    chosen = get_pack(load_settings(pack=pack).pack)
    group = None if by is None else checked_group(by)
    form = None if to is None else checked_format(to)
    refuse_existing(output)
    found = choose_scenarios(stream(data, chosen, domain), number, seed=seed, by=group)
    write_scenarios(found, output, chosen, to=form)
    counts: dict[str, int] = {}
    for scenario in found:
        name = "all" if group is None else str(getattr(scenario, group) or "not given")
        counts[name] = counts.get(name, 0) + 1
    if as_json:
        print_json({"scenarios": len(found), "groups": counts, "out": str(output)})
        return
    out().print(f"{len(found)} scenarios written to {output}: " + ", ".join(f"{k} {v}" for k, v in counts.items()))
    for name, count in counts.items():
        if count < number:
            note(f"{name} has only {count}")


def stream(data: str, pack: DomainPack, domain: str | None = None) -> Iterator[Scenario]:
    """The scenarios of ``data``, one at a time."""
    from ...simulators.datasets import iter_scenarios, packaged_scenarios

    if not Path(data).exists():
        from ..evaluation import PACKAGED

        if data == PACKAGED:
            yield from packaged_scenarios(pack)
            return
    yield from (scenario for _, scenario in iter_scenarios(data, pack, domain=domain))


def sampling_tables(given: Path | None, pack_name: str, pack: DomainPack) -> SamplingTables:
    """The tables that were ``given``, else those beside the pack, else the packaged ones."""
    from ...domains import pack_file
    from ...simulators.generation import load_tables

    return load_tables(given or pack_file(pack_name, "tables.yaml"), pack)


def _print_checked(checked: Checked) -> None:
    kinds = [(checked.scenarios, "scenarios"), (checked.profiles, "profiles")]
    good = " and ".join(f"{count} {name}" for count, name in kinds if count) or "nothing"
    problems = "no problem" if not checked.problems else f"{checked.problems} problems"
    warnings = f", {checked.warnings} warnings" if checked.warnings else ""
    say(f"{good} without a problem; {problems} found{warnings}.")
    for name, counts in checked.counts.items():
        say(f"{name}: " + ", ".join(f"{value} {count}" for value, count in counts.items()))
