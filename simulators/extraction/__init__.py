"""Scenarios from posts: which fields they hold, their values, and everything identifying taken out."""

from .extract import (
    ExtractionRequest,
    ExtractionResult,
    extract_scenarios,
    extracted_scenarios,
    extraction_settings,
    new_salt,
    source_records,
)

__all__ = [
    "ExtractionRequest",
    "ExtractionResult",
    "extract_scenarios",
    "extracted_scenarios",
    "extraction_settings",
    "new_salt",
    "source_records",
]
