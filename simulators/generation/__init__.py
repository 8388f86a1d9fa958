"""New scenarios: profiles drawn from tables, queries written by a model and checked, matched pairs."""

from .constraints import ProfileCounts, broken_constraints
from .drafts import Draft, draft_record, iter_drafts
from .generate import (
    GenerationRequest,
    GenerationResult,
    generate_scenarios,
    generated_drafts,
    generated_scenarios,
    generation_settings,
)
from .journal import Journal
from .llm_writers import load_prompt
from .matched_pairs import PairMaker, checked_kind
from .profile_sampler import sample_drafts
from .run_units import OnProgress, UnitFailed, run_units
from .tables import SamplingTables, load_tables
from .validate import Checked, holds_drafts, validate_data

__all__ = [
    "Checked",
    "Draft",
    "GenerationRequest",
    "GenerationResult",
    "Journal",
    "OnProgress",
    "PairMaker",
    "ProfileCounts",
    "SamplingTables",
    "UnitFailed",
    "broken_constraints",
    "checked_kind",
    "draft_record",
    "generate_scenarios",
    "generated_drafts",
    "generated_scenarios",
    "generation_settings",
    "holds_drafts",
    "iter_drafts",
    "load_prompt",
    "load_tables",
    "run_units",
    "sample_drafts",
    "validate_data",
]
