"""Abstention: is enough known to answer safely, or must the agent ask first (5.3, D.2)? *Abstain means: ask.*

Three variants for a model: ``basic`` (answer, or name the attribute that is missing), ``binary`` (abstain, yes or no)
and ``scale`` (completeness 0-5: 0-2 unsafe, 3 borderline, 4 mostly complete; the default). Rules stand in where there
is no model, or where it fails.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from typing import Literal, Self

from pydantic import BaseModel, Field, create_model, model_validator

from ..domains import DomainPack
from ..models import ChatModel, ModelError, Prompt, fence, new_nonce
from .context import Abstention, AgentContext, Assessment
from .extraction import open_attributes, settled_attributes
from .prompt_context import attribute_list, fenced_known, labels

__all__ = ["LlmAbstention", "RuleAbstention", "Variant"]

Variant = Literal["basic", "binary", "scale"]


class RuleAbstention:
    """Coverage-weighted rules: how much of the decisive information is known?

    Decisive are the attributes of the plan that the budget allows (without a plan, the pack's most sensitive). Each
    weighs what knowing it alone lifts an answer above the borderline score, 3: ``w = max(sensitivity - 3, 0.1)``.

        completeness = 5 * min(1, have / need)
        need = sum of w over the decisive attributes, without those that were refused or asked in vain
        have = sum of w over the decisive ones that are known, and half the w of every other one that is known

    0 if nothing can be had (need = 0). Sufficient if completeness >= threshold, and also, so that it never asks on for
    the sake of a number: when the whole plan is settled and either something is known or two questions went unanswered,
    or when nothing is left to ask. An attribute is settled once it is known, declined or asked, so every question
    brings the end nearer.
    """

    def __init__(self, pack: DomainPack, threshold: float = 3.0) -> None:
        if not 0 <= threshold <= 5:
            raise ValueError(f"threshold must be 0 to 5, not {threshold!r}")
        self._pack = pack
        self._threshold = threshold

    async def assess(self, context: AgentContext) -> Assessment:
        """The verdict of the rules; ``completeness`` is always set."""
        decisive = self._decisive(context)
        completeness = self._completeness(context, decisive)
        unanswered = settled_attributes(context) - context.known.keys()
        missing = [a for a in decisive if a not in settled_attributes(context)]
        if completeness >= self._threshold:
            reason = f"completeness {completeness:.1f} of 5 reaches {self._threshold:g}"
        elif not open_attributes(self._pack, context):
            reason = "nothing is left to ask"
        elif not missing and (context.known or len(unanswered) >= _PATIENCE):
            reason = "the plan is settled"
        else:
            reason = f"completeness {completeness:.1f} of 5 is below {self._threshold:g}"
            if missing:
                reason += f"; still open: {', '.join(missing)}"
            return Assessment(sufficient=False, completeness=completeness, reason=reason)
        return Assessment(sufficient=True, completeness=completeness, reason=reason)

    def _decisive(self, context: AgentContext) -> tuple[str, ...]:
        plan = tuple(a for a in dict.fromkeys(context.plan) if a in self._pack.attribute_ids)
        return (plan or self._pack.by_sensitivity())[: max(1, context.budget)]

    def _completeness(self, context: AgentContext, decisive: tuple[str, ...]) -> float:
        lost = settled_attributes(context) - context.known.keys()
        need = sum(self._weight(a) for a in decisive if a not in lost)
        have = sum(
            self._weight(a) * (1 if a in decisive else 0.5) for a in context.known if a in self._pack.attribute_ids
        )
        return 5 * min(1.0, have / need) if need else 0.0

    def _weight(self, attribute: str) -> float:
        return max(self._pack.attribute(attribute).sensitivity - _BORDERLINE, 0.1)


class LlmAbstention:
    """A model's verdict. Where it fails or is not valid, ``fallback`` decides and ``Assessment.fallback`` says why."""

    def __init__(
        self,
        model: ChatModel,
        pack: DomainPack,
        variant: Variant = "scale",
        threshold: float = 3.0,
        fallback: Abstention | None = None,
        *,
        rng: random.Random | None = None,
    ) -> None:
        if variant not in _SCHEMAS:
            raise ValueError(f"variant must be one of {', '.join(_SCHEMAS)}, not {variant!r}")
        self._model = model
        self._pack = pack
        self._variant = variant
        self._threshold = threshold
        self._fallback = fallback or RuleAbstention(pack, threshold)
        self._rng = rng
        self._prompt = Prompt.load(package="askfirst.agents", name=f"abstention_{variant}")

    async def assess(self, context: AgentContext) -> Assessment:
        """The model's verdict. Without anything left to ask, sufficient without a call."""
        remaining = open_attributes(self._pack, context)
        if not remaining:
            return Assessment(sufficient=True, reason="nothing is left to ask")
        nonce = new_nonce(self._rng)
        messages = self._prompt.messages(
            query=fence(context.query, "query", nonce),
            known=fenced_known(self._pack, context, nonce),
            declined=labels(self._pack, context.declined),
            open=attribute_list(self._pack, remaining),
        )
        try:
            reply = await self._model.structured(_schema(self._variant, remaining), messages)
        except ModelError as error:
            verdict = await self._fallback.assess(context)
            return verdict.model_copy(update={"fallback": type(error).__name__})
        return reply.verdict(self._threshold)


_BORDERLINE = 3.0  # of the Personalized Safety Score, B.1
_PATIENCE = 2  # unanswered questions after which a settled plan is taken as it is


class _Reply(BaseModel):
    @abstractmethod
    def verdict(self, threshold: float) -> Assessment: ...


class _Scale(_Reply):
    completeness: int = Field(ge=0, le=5, description="How complete the context is for a safe answer, 0 to 5.")

    def verdict(self, threshold: float) -> Assessment:
        return Assessment(
            sufficient=self.completeness >= threshold,
            completeness=self.completeness,
            reason=f"completeness {self.completeness} of 5, threshold {threshold:g}",
        )


class _Binary(_Reply):
    abstain: bool = Field(description="True: do not answer yet, ask first. False: answer now.")

    def verdict(self, threshold: float) -> Assessment:
        return Assessment(sufficient=not self.abstain, reason="abstain" if self.abstain else "enough to answer")


class _Basic(_Reply):
    answer_now: bool = Field(description="Whether the context is enough to answer safely now.")
    attribute: str | None = Field(default=None, description="If not: the id of the one attribute needed most.")

    @model_validator(mode="after")
    def _says_what_is_needed(self) -> Self:
        if not self.answer_now and self.attribute is None:
            raise ValueError("answer_now is false, so attribute must be the id of one that is needed")
        return self

    def verdict(self, threshold: float) -> Assessment:
        if self.answer_now:
            return Assessment(sufficient=True, reason="enough to answer")
        return Assessment(sufficient=False, attribute=self.attribute, reason=f"{self.attribute} is still needed")


_SCHEMAS: dict[Variant, type[_Reply]] = {"basic": _Basic, "binary": _Binary, "scale": _Scale}


def _schema(variant: Variant, remaining: tuple[str, ...]) -> type[_Reply]:
    if variant != "basic":
        return _SCHEMAS[variant]
    # Built per call, so that a server which enforces schemas cannot name a settled attribute.
    choice = Literal[remaining]  # type: ignore[valid-type]
    field = Field(default=None, description=_Basic.model_fields["attribute"].description)
    return create_model("Basic", __base__=_Basic, attribute=(choice | None, field))
