"""What a person can configure, from options, ``ASKFIRST_*`` environment variables and defaults, in that order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ..agents import Variant
from ..domains import InputError

__all__ = ["OFFLINE", "Settings", "load_settings"]

OFFLINE = "offline"
"""Name of the embedded reference backend: rules and pack texts, no language model."""


class Settings(BaseSettings):
    """Every setting has the environment variable ``ASKFIRST_<NAME>``."""

    model_config = SettingsConfigDict(env_prefix="ASKFIRST_", frozen=True, extra="forbid")

    model: str = Field(default=OFFLINE, description="'offline' or 'openai:NAME'; the default of every role.")
    user_model: str | None = Field(default=None, description="Model of the simulated user.")
    judge_model: str | None = Field(default=None, description="Model of the judge.")
    planner_model: str | None = Field(default=None, description="Model of the planner's prior.")
    base_url: str | None = Field(default=None, description="An OpenAI-compatible endpoint, such as a local server.")
    api_key: str | None = Field(default=None, repr=False, description="Key; otherwise OPENAI_API_KEY is used.")
    timeout: float = Field(default=60.0, gt=0, description="Seconds for one model call.")
    retries: int = Field(default=4, ge=0, le=20, description="Tries after the first, for failures that may pass.")
    concurrency: int = Field(default=8, ge=1, le=256, description="Model calls, conversations or plans at once.")
    temperature: float = Field(default=0.7, ge=0, le=2)
    top_p: float = Field(default=0.95, gt=0, le=1)
    max_tokens: int = Field(default=2048, ge=1)

    pack: str = Field(default="penguin", description="Name of an installed domain pack, or a folder.")
    store: Path = Field(default=Path(".askfirst/paths"), description="Folder of the store of planned paths.")
    rewards: Path | None = Field(
        default=None, description="SQLite file of paid evaluations; None: <store>.rewards.sqlite."
    )
    chroma_url: str | None = Field(default=None, description="A Chroma server, used instead of the folder.")
    embedding: str = Field(default="all-MiniLM-L6-v2", description="Embedding model of the store.")
    retrieve_k: int = Field(default=5, ge=1, le=100, description="Planned paths retrieved per query (5.3).")
    budget: int = Field(default=5, ge=0, le=50, description="Most questions in a conversation.")
    max_burden: float | None = Field(
        default=None, gt=0, description="Most that the questions of a planned path may cost together (ask_cost)."
    )
    abstention: Variant = Field(default="scale", description="Variant of the abstention module (D.2).")
    threshold: float = Field(default=3.0, ge=0, le=5, description="Completeness (0-5) from which to answer.")
    country: str | None = Field(default=None, description="ISO 3166-1 alpha-2 code, for crisis resources.")

    @field_validator("country")
    @classmethod
    def _two_letters(cls, country: str | None) -> str | None:
        if country is not None and not re.fullmatch("[A-Za-z]{2}", country.strip()):
            raise ValueError("must be a two-letter ISO 3166-1 code such as 'GB'")
        return country.strip().upper() if country else None


def load_settings(**options: Any) -> Settings:
    """Settings from ``options`` (None means: not given), then the environment, then defaults.

    Raises:
        InputError: naming the setting, the value and what is allowed.
    """
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        source = f"--{name.replace('_', '-')}" if name in given else f"ASKFIRST_{name.upper()}"
        shown = "" if name == "api_key" else f" (given: {first.get('input')!r})"
        raise InputError(f"{source}: {first['msg'].removeprefix('Value error, ')}{shown}") from None
