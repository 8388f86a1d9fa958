"""What the state machine is made of: its replaceable parts and its settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..agents import Abstention, Acquisition, CrisisScreen, Extraction, Responder
from ..domains import DomainPack, known_country
from ..vectorstore import PathStore
from .errors import SettingsError

__all__ = ["RaiseComponents", "RaiseSettings", "country_of", "offline_components"]

PlanFrom = Literal["consensus", "top"]


@dataclass(frozen=True)
class RaiseComponents:
    """The parts that the graph calls. ``store`` None: no planned paths, the pack's sensitivity order is the plan."""

    pack: DomainPack
    store: PathStore | None
    abstention: Abstention
    acquisition: Acquisition
    extraction: Extraction
    responder: Responder
    crisis: CrisisScreen


@dataclass(frozen=True)
class RaiseSettings:
    """How the graph behaves (section 5.3).

    Attributes:
        budget: most questions that may be asked, 0 or more. A declined question counts.
        retrieve_k: how many planned paths are retrieved, 1 or more.
        country: ISO 3166-1 alpha-2 code, for crisis resources, where a conversation does not bring its own.
        domain: name of a domain of the pack, where a conversation does not bring its own.
        plan_from: what the plan is: ``"consensus"`` of the retrieved paths, or the ``"top"`` one by offline score.
        use_planner: False leaves out retrieval (the paper's agent without planner).

    Raises:
        SettingsError: a value is out of range.
    """

    budget: int = 5
    retrieve_k: int = 5
    country: str | None = None
    domain: str | None = None
    plan_from: PlanFrom = "consensus"
    use_planner: bool = True

    def __post_init__(self) -> None:
        if self.budget < 0:
            raise SettingsError("budget", self.budget, "must be 0 or more")
        if self.retrieve_k < 1:
            raise SettingsError("retrieve_k", self.retrieve_k, "must be 1 or more")
        if self.plan_from not in get_args(PlanFrom):
            raise SettingsError("plan_from", self.plan_from, "must be 'consensus' or 'top'")
        if self.country is not None:
            if known_country(self.country) is None:
                raise SettingsError("country", self.country, "must be a country code of ISO 3166-1 such as 'GB'")
            object.__setattr__(self, "country", known_country(self.country))

    @property
    def recursion_limit(self) -> int:
        """Most steps of one run: screen, retrieve, assess; four steps a question; respond; and as many to spare."""
        return 2 * (4 * self.budget + 4)


def offline_components(pack: DomainPack, store: PathStore | None = None) -> RaiseComponents:
    """The parts of the offline backend: rules and the pack's texts, no model and no network."""
    from ..agents import PackResponder, PlanAcquisition, RuleAbstention
    from ..agents.crisis import PackCrisisScreen
    from ..agents.extraction import RuleExtraction

    return RaiseComponents(
        pack=pack,
        store=store,
        abstention=RuleAbstention(pack),
        acquisition=PlanAcquisition(pack),
        extraction=RuleExtraction(pack),
        responder=PackResponder(pack),
        crisis=PackCrisisScreen(pack),
    )


def country_of(country: str | None) -> str | None:
    """``country`` of one conversation in upper case. Raises ``SettingsError`` if it does not have two letters.

    Two letters that name no country (a proxy's "XX") are no error here, unlike in ``RaiseSettings``: whoever writes in
    need gets the international directory, not a failure.
    """
    if country is None:
        return None
    code = country.strip().upper()
    if len(code) != 2 or not (code.isascii() and code.isalpha()):
        raise SettingsError("country", country, "must be a two-letter ISO 3166-1 code such as 'GB'")
    return code
