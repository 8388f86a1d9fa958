"""Acquisition: which attribute to ask about next, and how to word one natural question for it (5.3, D.3)."""

from __future__ import annotations

import random
from typing import Literal

from pydantic import BaseModel, Field, create_model

from ..domains import DomainPack, tidy
from ..models import ChatModel, ModelError, Prompt, fence, new_nonce
from .context import AgentContext, Question
from .extraction import open_attributes
from .prompt_context import attribute_list, example_list, fenced_known, labels

__all__ = ["LlmAcquisition", "PlanAcquisition"]


class PlanAcquisition:
    """Follows the plan, then the pack's sensitivity order, in the pack's words."""

    def __init__(self, pack: DomainPack) -> None:
        self._pack = pack

    async def next_question(self, context: AgentContext) -> Question | None:
        """The first attribute that is not known, declined or asked; None if there is none."""
        remaining = open_attributes(self._pack, context)
        return Question(attribute=remaining[0], text=self._worded(remaining[0], context)) if remaining else None

    def _worded(self, attribute_id: str, context: AgentContext) -> str:
        attribute = self._pack.attribute(attribute_id)
        if not attribute.private:
            return attribute.question
        return f"{_LEADS[len(context.asked) % len(_LEADS)]} {attribute.question}"


class LlmAcquisition:
    """A model chooses among the open attributes and words the question, with the retrieved paths as examples.

    A choice that is not open, or a question that is empty, too long or several at once, is not asked: the plan's next
    attribute in the pack's words takes its place, and ``Question.fallback`` says why.
    """

    def __init__(self, model: ChatModel, pack: DomainPack, *, rng: random.Random | None = None) -> None:
        self._model = model
        self._pack = pack
        self._plan = PlanAcquisition(pack)
        self._rng = rng
        self._prompt = Prompt.load(package="askfirst.agents", name="acquisition")

    async def next_question(self, context: AgentContext) -> Question | None:
        """The model's question; None, without a call, if nothing is left to ask."""
        remaining = open_attributes(self._pack, context)
        if not remaining:
            return None
        nonce = new_nonce(self._rng)
        messages = self._prompt.messages(
            query=fence(context.query, "query", nonce),
            known=fenced_known(self._pack, context, nonce),
            declined=labels(self._pack, context.declined),
            open=attribute_list(self._pack, remaining),
            examples=example_list(context.examples, nonce),
            longest=_LONGEST,
        )
        try:
            choice = await self._model.structured(_schema(remaining), messages)
        except ModelError as error:
            return await self._from_plan(context, type(error).__name__)
        text = " ".join(tidy(choice.question).split())
        if fault := _fault(choice.attribute, text, remaining):
            return await self._from_plan(context, fault)
        return Question(attribute=choice.attribute, text=text)

    async def _from_plan(self, context: AgentContext, why: str) -> Question | None:
        question = await self._plan.next_question(context)
        return question.model_copy(update={"fallback": why}) if question else None


_LONGEST = 300
_LEADS = (
    "This one is personal, so feel free to skip it.",
    "Only if you would like to say.",
    "You can leave this one out if you prefer.",
)


class _Choice(BaseModel):
    attribute: str = Field(description="Id of the attribute to ask about next.")
    question: str = Field(description="One natural, kind question that asks for it.")


def _schema(remaining: tuple[str, ...]) -> type[_Choice]:
    # Built per call, so that a server which enforces schemas cannot choose a settled attribute.
    choice = Literal[remaining]  # type: ignore[valid-type]
    field = Field(description=_Choice.model_fields["attribute"].description)
    return create_model("Choice", __base__=_Choice, attribute=(choice, field))


def _fault(attribute: str, question: str, remaining: tuple[str, ...]) -> str | None:
    """Why a question cannot be asked, None if it can."""
    if attribute not in remaining:
        return "AttributeNotOpen"
    if not any(c.isalpha() for c in question):
        return "EmptyQuestion"
    if len(question) > _LONGEST:
        return "LongQuestion"
    return "SeveralQuestions" if question.count("?") + question.count("？") > 1 else None
