"""``askfirst scenarios``: make scenarios, and check, convert and sample files of them."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options, scenario_files
from .terminal import note, one_line, out, print_json, progress, resumable, say

if TYPE_CHECKING:
    from ...domains import DomainPack
    from ...simulators.extraction import ExtractionRequest
    from ...simulators.generation import Draft, GenerationRequest, ProfileCounts, SamplingTables
    from ..settings import Settings
    from ..wiring import Wiring

__all__ = ["app"]

app = typer.Typer(
    help="Make scenarios; check, convert and sample files of them.",
    epilog=options.example("askfirst scenarios validate penguin_mini"),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("validate", epilog=options.example("askfirst scenarios validate mine.csv --constraints"))(
    scenario_files.validate
)
app.command("convert", epilog=options.example("askfirst scenarios convert mine.csv --out mine.jsonl"))(
    scenario_files.convert
)
app.command(
    "sample", epilog=options.example("askfirst scenarios sample penguin_mini --by domain -n 2 --out few.jsonl")
)(scenario_files.sample)

_WITH_MODEL = "With a model"
_GOES_ON = "Interrupted. Finished work is kept. Run the same command to continue."
_TERMINATED = 128 + signal.SIGTERM
Out = Annotated[Path, typer.Option("--out", help="New file.", show_default=False)]
Redraws = Annotated[
    int,
    typer.Option("--redraws", min=0, help="Further tries for anything rejected.", rich_help_panel=_WITH_MODEL),
]


@app.callback()
def _tidy_when_terminated() -> None:
    """A polite kill ends the command like any other failure, so that nothing half-written stays."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))


Profiles = Annotated[
    int | None,
    typer.Option("--profiles", min=1, max=1_000_000, help="How many profiles (100).", show_default=False),
]
Domains = Annotated[
    list[str] | None, typer.Option("--domain", help="Only this domain; repeat for several.", show_default=False)
]
From = Annotated[
    Path | None,
    typer.Option(
        "--from",
        help="File of profiles (written without a model) to write queries for.",
        show_default=False,
        rich_help_panel=_WITH_MODEL,
    ),
]
Sampled = Annotated[
    bool, typer.Option("--sampled", help="Take the profiles from the tables.", rich_help_panel=_WITH_MODEL)
]
Titles = Annotated[
    int,
    typer.Option(
        "--titles",
        min=0,
        help="Titles that the model writes per domain; 0: use those in the tables.",
        rich_help_panel=_WITH_MODEL,
    ),
]
Queries = Annotated[int, typer.Option("--queries", min=1, help="Queries per profile.", rich_help_panel=_WITH_MODEL)]
Similarity = Annotated[
    float,
    typer.Option(
        "--similarity",
        min=0.01,
        max=1,
        help="Cosine similarity at which two texts count as near-duplicates.",
        rich_help_panel=_WITH_MODEL,
    ),
]


@app.command("generate", epilog=options.example("askfirst scenarios generate --profiles 20 --out people.jsonl"))
def generate(
    output: Out,
    profiles: Profiles = None,
    seed: options.Seed = 0,
    domain: Domains = None,
    tables: scenario_files.Tables = None,
    pack: options.Pack = None,
    source: From = None,
    sampled: Sampled = False,
    titles: Titles = 12,
    queries: Queries = 10,
    similarity: Similarity = 0.9,
    redraws: Redraws = 3,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    reply_tokens: options.ReplyTokens = None,
    concurrency: options.Concurrency = None,
    as_json: options.Json = False,
) -> None:
    """Without a model: sample profiles from tables. With --model: write titles, profiles and queries, same rules.

    A run with a model can be interrupted: the same command goes on.
    """
    settings = options.settings(locals())
    from ...domains import InputError, get_pack
    from ..settings import OFFLINE

    chosen = get_pack(settings.pack)
    listed = scenario_files.sampling_tables(tables, settings.pack, chosen)
    names = tuple(chosen.domain(name).name for name in domain or ())
    if settings.model == OFFLINE:
        if source is not None or sampled:
            raise InputError("--from and --sampled need a model that writes queries: --model openai:NAME")
        _sample_profiles(output, profiles or 100, listed, chosen, seed, names, as_json=as_json)
        return
    from ...simulators.generation import GenerationRequest

    drafts = _drafts(source, chosen, listed, names)[:profiles]
    request = GenerationRequest(
        profiles=len(drafts) or profiles or 100,
        queries=queries,
        titles=0 if drafts or sampled else titles,
        sampled=sampled,
        domains=names,
        seed=seed,
        redraws=redraws,
        similarity=similarity,
    )
    _write_with_model(request, settings, listed, drafts, output, as_json=as_json)


def _write_with_model(
    request: GenerationRequest,
    settings: Settings,
    tables: SamplingTables,
    drafts: tuple[Draft, ...],
    output: Path,
    *,
    as_json: bool,
) -> None:
    from ..scenario_making import run_generation
    from ..wiring import Wiring

    with resumable(_GOES_ON), progress("Profiles", quiet=as_json) as advance:
        result, counts = run_generation(request, Wiring(settings), tables, output, drafts=drafts, on_progress=advance)
    if as_json:
        print_json({**result.model_dump(), "out": str(output), **_counts_record(counts)})
    else:
        _print_counts(counts)
        say(f"{result.scenarios} scenarios of {result.profiles} profiles written to {output}.")
        _print_reasons("Rejected", result.rejected)
        if result.short:
            note(f"{result.short} profiles have fewer than {request.queries} queries")
    _exit_if_failed(result.failed)


@app.command("pairs", epilog=options.example("askfirst scenarios pairs penguin_mini --limit 10 --out pairs.jsonl"))
def pairs(
    data: scenario_files.Data,
    output: Out,
    kind: Annotated[
        str, typer.Option("--kind", help="counterfactual (one attribute changed) or matched (another person).")
    ] = "counterfactual",
    attribute: Annotated[
        list[str] | None,
        typer.Option(
            "--attribute", help="Which to change; repeat for several; default: one at random.", show_default=False
        ),
    ] = None,
    limit: options.Limit = None,
    seed: options.Seed = 0,
    tables: scenario_files.Tables = None,
    pack: options.Pack = None,
    as_json: options.Json = False,
) -> None:
    """Make pairs of scenarios with the same query, word for word, that differ in the person."""
    from itertools import islice

    from ...domains import InputError, get_pack
    from ...simulators.datasets import write_scenarios
    from ...simulators.generation import PairMaker, checked_kind
    from ..settings import load_settings

    name = load_settings(pack=pack).pack
    chosen = get_pack(name)
    wanted = checked_kind(kind)
    if attribute and wanted == "matched":
        raise InputError("--attribute is for --kind counterfactual; a matched pair differs in the whole person")
    ids = [chosen.attribute(given).id for given in attribute or ()]
    maker = PairMaker(scenario_files.sampling_tables(tables, name, chosen), chosen, seed=seed)
    scenarios = islice(scenario_files.stream(data, chosen), limit)
    made = maker.matched(scenarios) if wanted == "matched" else maker.counterfactuals(scenarios, ids)
    number = write_scenarios(made, output, chosen)["scenarios"] // 2
    if as_json:
        print_json({"pairs": number, "skipped": dict(maker.skipped), "out": str(output)})
        return
    say(f"{number} pairs written to {output}.")
    for reason, count in maker.skipped.most_common():
        note(f"left out, {reason}: {count}")


@app.command(
    "extract", epilog=options.example("askfirst scenarios extract posts.jsonl --model openai:gpt-4o-mini --out s.jsonl")
)
def extract(
    posts: Annotated[Path, typer.Argument(help="JSON lines of posts: text, and perhaps title, domain, subreddit.")],
    output: Out,
    least: Annotated[
        int | None,
        typer.Option("--min-attributes", min=1, help="Attributes that a post must tell (7 in 10).", show_default=False),
    ] = None,
    keep_source: Annotated[
        bool, typer.Option("--keep-source", help="Also keep the posts of the scenarios, in OUT.sources.")
    ] = False,
    seed: options.Seed = 0,
    pack: options.Pack = None,
    redraws: Redraws = 2,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    reply_tokens: options.ReplyTokens = None,
    concurrency: options.Concurrency = None,
    as_json: options.Json = False,
) -> None:
    """Turn posts into scenarios: those that tell enough of their writer, without what would identify anybody.

    Needs a model; a local one will do. A run can be interrupted: the same command goes on.
    """
    settings = options.settings(locals())
    from ...domains import InputError
    from ...simulators.extraction import ExtractionRequest
    from ..settings import OFFLINE
    from ..wiring import Wiring

    if settings.model == OFFLINE:
        raise InputError("extract needs a model; a local one will do: --model openai:NAME --base-url URL")
    wiring = Wiring(settings)
    request = ExtractionRequest.for_pack(wiring.pack, least=least, redraws=redraws, keep_source=keep_source, seed=seed)
    _extract(posts, request, wiring, output, as_json=as_json)


def _extract(posts: Path, request: ExtractionRequest, wiring: Wiring, output: Path, *, as_json: bool) -> None:
    from ..scenario_making import run_extraction

    with resumable(_GOES_ON), progress("Posts", quiet=as_json) as advance:
        result, unread = run_extraction(
            posts,
            request,
            wiring,
            output,
            on_problem=lambda error: note(f"passed over: {one_line(error)}"),
            on_progress=advance,
        )
    if as_json:
        print_json({**result.model_dump(), "unread": unread, "pass_rate": result.pass_rate, "out": str(output)})
    else:
        rate = f" ({result.pass_rate:.1%})" if result.pass_rate is not None else ""
        say(f"{result.passed} of {result.posts} posts passed{rate}; scenarios written to {output}.")
        _print_reasons("Rejected", result.rejected)
        _print_reasons("Taken out", result.redacted)
        if result.repeated:
            note(f"{result.repeated} posts repeat another")
        if unread:
            note(f"{unread} lines hold no post")
    _exit_if_failed(result.failed)


def _sample_profiles(
    output: Path,
    count: int,
    tables: SamplingTables,
    pack: DomainPack,
    seed: int,
    domains: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    from ...domains import InputError
    from ...simulators.datasets import format_of, json_line, refuse_existing
    from ...simulators.generation import ProfileCounts, draft_record, sample_drafts
    from ...simulators.storage import atomic_text

    if format_of(output) != "jsonl":
        raise InputError(f"{output}: profiles are written as JSON lines; end the name in .jsonl")
    refuse_existing(output)
    counts = ProfileCounts(tables)
    with atomic_text(output) as file, progress("Profiles", quiet=as_json) as advance:
        for number, draft in enumerate(sample_drafts(count, tables, pack, seed=seed, domains=domains), start=1):
            counts.add(draft)
            file.write(json_line(draft_record(draft)))
            if number % 100 == 0 or number == count:
                advance(number, count)
    if as_json:
        print_json({"profiles": count, "out": str(output), **_counts_record(counts)})
    else:
        _print_counts(counts)
        say(f"{count} profiles written to {output}.")


def _drafts(
    source: Path | None, pack: DomainPack, tables: SamplingTables, domains: tuple[str, ...]
) -> tuple[Draft, ...]:
    """The profiles to write queries for, of all domains or of those named; each must keep the constraints."""
    from ...domains import InputError
    from ...simulators.generation import broken_constraints, iter_drafts

    if source is None:
        return ()
    drafts = []
    for place, draft in iter_drafts(source, pack):
        if broken := broken_constraints(draft.profile, tables, draft.tone):
            raise place.error(f"profile.{broken[0].field}", f"breaks {broken[0].name}: {broken[0].why}")
        if not domains or draft.domain in domains:
            drafts.append(draft)
    if not drafts:
        raise InputError(f"{source}: holds no profiles" + (f" of {', '.join(domains)}" if domains else ""))
    return tuple(drafts)


def _counts_record(counts: ProfileCounts) -> dict[str, Any]:
    return {"marginals": counts.marginals(), "tendencies": [t.model_dump() for t in counts.tendencies()]}


def _print_counts(counts: ProfileCounts) -> None:
    from rich.table import Table

    if not counts.total:
        return
    table = Table("Attribute", "Share of the profiles", show_edge=False)
    for attribute, shares in counts.marginals().items():
        table.add_row(attribute, ", ".join(f"{value} {share:.1%}" for value, share in shares.items()))
    out().print(table)
    # What is compared stands in the reason; "among others" is the second group that it names.
    tendencies = Table("Tendency", "Share", "Among others", "Holds", show_edge=False)
    for result in counts.tendencies():
        holds = "too few to tell" if result.holds is None else "yes" if result.holds else "no"
        tendencies.add_row(result.why, _percent(result.share), _percent(result.other), holds)
    out().print(tendencies)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _print_reasons(label: str, counts: dict[str, int]) -> None:
    if counts:
        say(f"{label}: " + ", ".join(f"{name} {count}" for name, count in counts.items()))


def _exit_if_failed(failed: tuple[tuple[str, str], ...]) -> None:
    for unit, reason in failed:
        note(f"{unit}: {reason}")
    if failed:
        note(f"{len(failed)} are missing; run the same command to try them again")
        raise typer.Exit(3)
