"""Make scenarios with a language model: runs that can be interrupted, whose result appears whole at their end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..domains import DataError, InputError
from ..models import ChatModel, run_sync
from ..simulators.datasets import format_of, iter_posts, json_line, refuse_existing, replace_scenarios
from ..simulators.extraction import (
    ExtractionRequest,
    ExtractionResult,
    extract_scenarios,
    extracted_scenarios,
    extraction_settings,
    new_salt,
    source_records,
)
from ..simulators.generation import (
    Draft,
    GenerationRequest,
    GenerationResult,
    Journal,
    OnProgress,
    ProfileCounts,
    SamplingTables,
    generate_scenarios,
    generated_drafts,
    generated_scenarios,
    generation_settings,
)
from ..simulators.storage import atomic_text
from ..vectorstore import embedder
from .wiring import Wiring

__all__ = ["run_extraction", "run_generation"]


def run_generation(
    request: GenerationRequest,
    wiring: Wiring,
    tables: SamplingTables,
    out: Path,
    *,
    drafts: tuple[Draft, ...] = (),
    on_progress: OnProgress,
) -> tuple[GenerationResult, ProfileCounts]:
    """Generate scenarios into ``out``, or go on with a run that was interrupted; and count their profiles.

    Raises:
        InputError: ``out`` exists and is no such run.
        ModelError, NothingUsable: the model cannot be used; what was finished is kept beside ``out``.
    """
    settings = generation_settings(request, model=wiring.spec("agent"), tables=tables, pack=wiring.pack, drafts=drafts)
    with _begun(out, settings, wiring) as journal:
        result = run_sync(
            generate_scenarios(
                request,
                journal,
                model=_model(wiring),
                tables=tables,
                pack=wiring.pack,
                embed=embedder(wiring.settings.embedding).embed,
                drafts=drafts,
                concurrency=wiring.settings.concurrency,
                on_progress=on_progress,
            )
        )
        replace_scenarios(generated_scenarios(journal, wiring.pack), out, wiring.pack)
        return result, ProfileCounts(tables).add_all(generated_drafts(journal, wiring.pack))


def run_extraction(
    posts: Path,
    request: ExtractionRequest,
    wiring: Wiring,
    out: Path,
    *,
    on_problem: Callable[[DataError], None],
    on_progress: OnProgress,
) -> tuple[ExtractionResult, int]:
    """Extract scenarios from ``posts`` into ``out``, or go on with a run that was interrupted.

    Lines that hold no post (no text, no JSON) are passed over: each goes to ``on_problem`` before a model is asked.

    Returns:
        what came of it, and how many lines were passed over.

    Raises:
        InputError: ``out`` exists and is no such run, or no line holds a post.
        ModelError, NothingUsable: the model cannot be used; what was decided is kept beside ``out``.
    """
    format_of(out)
    pack = wiring.pack
    unread: set[int | None] = set()  # lines: one may have several problems

    def passed_over(error: DataError) -> None:
        unread.add(error.line)
        on_problem(error)

    total = sum(1 for _ in iter_posts(posts, pack, report=passed_over))
    if not total:
        raise InputError(f"{posts}: holds no posts")
    settings = extraction_settings(request, model=wiring.spec("agent"), pack=pack)
    with _begun(out, settings, wiring, extra=lambda: {"salt": new_salt()}) as journal:
        result = run_sync(
            extract_scenarios(
                (post for _, post in iter_posts(posts, pack, report=lambda error: None)),
                request,
                journal,
                model=_model(wiring),
                pack=pack,
                total=total,
                concurrency=wiring.settings.concurrency,
                on_progress=on_progress,
            )
        )
        replace_scenarios(extracted_scenarios(journal, pack), out, pack)
        if request.keep_source:
            with atomic_text(out.with_name(f"{out.name}.sources")) as file:
                file.writelines(map(json_line, source_records(journal)))
    return result, len(unread)


def _begun(
    out: Path, settings: dict[str, Any], wiring: Wiring, *, extra: Callable[[], dict[str, Any]] = dict
) -> Journal:
    """The run's journal. For a new run the model is tried first, so that a wrong name leaves nothing behind."""
    format_of(out)
    if not Journal.path_for(out).exists():
        refuse_existing(out)
        wiring.check_models()
    return Journal.open(out, settings, extra=extra())


def _model(wiring: Wiring) -> ChatModel:
    model = wiring.model("agent")
    if model is None:
        raise InputError("this needs a model; a local one will do: --model openai:NAME --base-url URL")
    return model
