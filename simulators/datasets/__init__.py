"""Scenario files: read, written, converted and sampled, in our format and the published ones."""

from .domain_guess import guess_domain
from .file_records import Place, Report, read_csv_rows, read_json_lines, refuse
from .load import PACKAGED_FILE, iter_scenarios, load_scenarios, packaged_scenarios
from .posts import Post, iter_posts
from .sample import checked_group, choose_scenarios
from .scenario_fields import FieldReader, is_draft, storable
from .write import (
    checked_format,
    format_of,
    json_line,
    refuse_existing,
    replace_scenarios,
    write_scenarios,
)

__all__ = [
    "PACKAGED_FILE",
    "FieldReader",
    "Place",
    "Post",
    "Report",
    "checked_format",
    "checked_group",
    "choose_scenarios",
    "format_of",
    "guess_domain",
    "is_draft",
    "iter_posts",
    "iter_scenarios",
    "json_line",
    "load_scenarios",
    "packaged_scenarios",
    "read_csv_rows",
    "read_json_lines",
    "refuse",
    "refuse_existing",
    "replace_scenarios",
    "storable",
    "write_scenarios",
]
