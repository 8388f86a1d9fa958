"""Posts of a forum, as they are read for extraction (A.2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from ...domains import DomainPack, Value
from .file_records import Place, Report, read_json_lines, refuse
from .scenario_fields import FieldReader

__all__ = ["Post", "iter_posts"]

_TEXT = ("text", "selftext", "body", "content", "post")
_AUTHOR = ("author", "username", "user")


class Post(Value):
    """What one person wrote, and what stands around it. Nothing of it but the subreddit is ever stored by default."""

    text: str = Field(min_length=1, description="Title and text, as they were written.")
    author: str = ""
    domain: str | None = Field(default=None, description="The pack's name of the domain, if the record names one.")
    subreddit: str = ""


def iter_posts(file: str | Path, pack: DomainPack, *, report: Report = refuse) -> Iterator[tuple[Place, Post]]:
    """The posts of a JSON-lines file, one at a time.

    A record has a text (``text``, ``selftext``, ``body``, ``content`` or ``post``), and may have ``title``, ``author``,
    ``domain`` and ``subreddit``; other fields are passed over. Problems, such as a record without text, go to
    ``report``, which names no word of the post.
    """
    for place, record in read_json_lines(Path(file), report):
        reader = FieldReader(place, pack, report)
        fields = reader.by_folded_name(reader.mapping(record))
        if not reader.ok():
            continue
        body = reader.text(_first(fields, _TEXT), "text").strip()
        title = reader.text(fields.get("title"), "title").strip()
        if not body and reader.ok():
            reader.refuse("text", "is missing or empty")
        domain = reader.domain(fields["domain"]) if fields.get("domain") else None
        author = reader.text(_first(fields, _AUTHOR), "author").strip()
        subreddit = reader.text(fields.get("subreddit"), "subreddit").strip().removeprefix("r/")
        if reader.ok():
            text = f"{title}\n\n{body}" if title else body
            yield place, Post(text=text, author=author, domain=domain, subreddit=subreddit)


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name)), None)
