"""What a person can configure, from options, ``ASKFIRST_*`` environment variables and defaults, in that order."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_serializer, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ..agents import Variant
from ..domains import CountryCode, InputError
from ..models import ModelSpecError
from ..models.endpoint import given_model

__all__ = ["OFFLINE", "ROLES", "Connection", "Settings", "load_settings"]

OFFLINE = "offline"
"""Name of the embedded reference backend: rules and pack texts, no language model."""

ROLES = ("agent", "user", "judge", "planner")
"""What a model is used for. Each role may have a model, a server and a key of its own."""

_MODEL_FIELDS = ("model", "user_model", "judge_model", "planner_model")


@dataclass(frozen=True)
class Connection:
    """What one role is connected to. Roles with equal ones share the connection.

    Attributes:
        model: ``"offline"``, ``"openai:NAME"``, or a chat model object: LangChain's, or one of ``models.ChatModel``.
        base_url: None for OpenAI, or what ``OPENAI_BASE_URL`` says.
        api_key: None for what ``OPENAI_API_KEY`` says.
    """

    model: Any
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The model as it stands in records: its name, for an object the object's own."""
        return self.model if isinstance(self.model, str) else given_model(self.model).name

    def same(self, other: Connection) -> bool:
        """Whether both are one connection."""
        if isinstance(self.model, str) and isinstance(other.model, str):
            return self == other
        return self.model is other.model


class Settings(BaseSettings):
    """Every setting has the environment variable ``ASKFIRST_<NAME>``."""

    model_config = SettingsConfigDict(env_prefix="ASKFIRST_", frozen=True, extra="forbid")

    model: Any = Field(
        default=OFFLINE, description="'offline', 'openai:NAME' or a chat model object; the default of every role."
    )
    user_model: Any = Field(default=None, description="Model of the simulated user.")
    judge_model: Any = Field(default=None, description="Model of the judge.")
    planner_model: Any = Field(default=None, description="Model of the planner's prior.")
    base_url: str | None = Field(default=None, description="An OpenAI-compatible endpoint, such as a local server.")
    user_base_url: str | None = Field(default=None, description="The simulated user's endpoint; None: base_url.")
    judge_base_url: str | None = Field(default=None, description="The judge's endpoint; None: base_url.")
    planner_base_url: str | None = Field(default=None, description="The planner's endpoint; None: base_url.")
    api_key: str | None = Field(default=None, repr=False, description="Key; otherwise OPENAI_API_KEY is used.")
    user_api_key: str | None = Field(default=None, repr=False, description="Key of user_base_url; None: api_key.")
    judge_api_key: str | None = Field(default=None, repr=False, description="Key of judge_base_url; None: api_key.")
    planner_api_key: str | None = Field(default=None, repr=False, description="Key of planner_base_url; None: api_key.")
    timeout: float = Field(default=60.0, gt=0, description="Seconds for one model call.")
    retries: int = Field(default=4, ge=0, le=20, description="Tries after the first, for failures that may pass.")
    concurrency: int = Field(default=8, ge=1, le=256, description="Model calls, conversations or plans at once.")
    temperature: float = Field(default=0.7, ge=0, le=2)
    top_p: float = Field(default=0.95, gt=0, le=1)
    reply_tokens: int = Field(default=2048, ge=1, description="Most tokens of one reply.")

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
    country: CountryCode | None = Field(default=None, description="ISO 3166-1 alpha-2 code, for crisis resources.")

    @field_validator("country", mode="before")
    @classmethod
    def _none_if_blank(cls, country: Any) -> Any:
        return None if isinstance(country, str) and not country.strip() else country

    @field_validator(*_MODEL_FIELDS)
    @classmethod
    def _name_or_object(cls, model: Any) -> Any:
        if not isinstance(model, str | None):
            try:
                given_model(model)
            except ModelSpecError as error:
                raise ValueError(f"{error}; give 'openai:NAME' or a chat model object") from None
        return model

    @field_serializer(*_MODEL_FIELDS)
    def _name(self, model: Any) -> str | None:
        return model if isinstance(model, str | None) else given_model(model).name

    def model_called(self, name: str | None) -> Any:
        """The chat model object of any role that has this name, else the name."""
        models = (getattr(self, field) for field in _MODEL_FIELDS)
        objects = (m for m in models if not isinstance(m, str | None))
        return next((m for m in objects if given_model(m).name == name), name)

    def connection(self, role: str) -> Connection:
        """What ``role`` of ``ROLES`` is connected to: its own model, endpoint and key, else the general ones."""

        def own(name: str) -> Any:
            return getattr(self, f"{role}_{name}", None) or getattr(self, name)

        model = own("model")
        return Connection(model, own("base_url"), own("api_key")) if _is_served(model) else Connection(model)


def load_settings(**options: Any) -> Settings:
    """Settings from ``options`` (None means: not given), then the environment, then defaults.

    Every role takes a name or a chat model object: ``load_settings(model=mine, judge_model="openai:gpt-4o-mini")``.

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
        problem, value = first["msg"].removeprefix("Value error, "), repr(first.get("input"))
        shown = "" if name.endswith("api_key") or name in _MODEL_FIELDS or value in problem else f" (given: {value})"
        raise InputError(f"{source}: {problem}{shown}") from None


def _is_served(model: Any) -> bool:
    """Whether an endpoint and a key go with it."""
    return isinstance(model, str) and model != OFFLINE
