"""The steps of the state machine. Each takes the state and gives the keys that it changes.

START -> receive -> screen -> retrieve -> assess -> ask -> take_answer -> screen -> assess ... -> respond -> END
A reply that comes as a message of its own goes from receive to take_answer.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple, cast

from ..agents import AgentContext, Assessment, CrisisSignal, Extracted, Question, consensus_plan
from ..agents.extraction import open_attributes
from ..domains import AskfirstError, DomainPack
from ..models import CUT_NOTE, collect_usage, stop, together
from ..vectorstore import RetrievedPath
from .components import RaiseComponents, RaiseSettings, country_of
from .errors import EmptyAnswerError, EmptyQueryError, MessageTooLongError
from .replies import LONGEST_MESSAGE, clean_text, is_reply, joined, read_query, read_reply, unread_messages
from .routing import stop_before_asking, stop_reason
from .state import RaiseState, context_of, learned, opening_state, unique

__all__ = ["RaiseNodes"]


class RaiseNodes:
    """The nodes, bound to their parts and settings."""

    def __init__(self, components: RaiseComponents, settings: RaiseSettings) -> None:
        self._parts = components
        self._settings = settings

    async def receive(self, state: RaiseState) -> dict[str, Any]:
        """What came in: the reply to the question that waits, else a new request, which sets the state up.

        A chat server starts a run with each message that a person sends, also while a question waits or after an
        answer. The newest human messages are then what counts; ``query`` counts where no message is unread, and on the
        first run of a thread.

        Raises:
            EmptyQueryError, InvalidQueryError, MessageTooLongError: the new request is blank, no text, or too long.
            UnknownNameError: the domain is no domain of the pack.
        """
        unread = unread_messages(state.get("messages", []))
        # Nobody in danger is turned away for the length of a message: what does not fit is screened all the same.
        if unread and len(unread[-1]) > LONGEST_MESSAGE and not any(map(self._parts.crisis.rules, unread)):
            raise MessageTooLongError(len(unread[-1]), LONGEST_MESSAGE)
        if unread and state.get("pending") is not None:
            return self._replied(state, joined(unread))
        begun = "notes" in state
        query = read_query(("" if begun and unread else state.get("query")) or joined(unread))
        if not query:
            raise EmptyQueryError
        domain = state.get("domain") or self._settings.domain
        return opening_state(
            query,
            domain=self._parts.pack.domain(domain).name if domain else None,
            country=country_of(state.get("country") or self._settings.country),
        )

    async def screen(self, state: RaiseState) -> dict[str, Any]:
        """Crisis rules on what just came, before anything else."""
        if state["message"] is not None:
            return self._flag(self._danger(state, state["message"], asked=state["asked"][-1]))
        return self._flag(self._danger(state, state["query"]))

    async def retrieve(self, state: RaiseState) -> dict[str, Any]:
        """The k nearest planned paths, ranked by offline score; their consensus is the plan (5.3, ADR 2).

        Nothing here is fatal: without a usable path the pack's sensitivity order is the plan, and a note says why.
        """
        pack, store = self._parts.pack, self._parts.store
        plain = {"plan": list(pack.by_sensitivity()), "examples": []}
        if not self._settings.use_planner:
            return plain
        if store is None:
            return {**plain, "notes": [*state["notes"], "no planned paths: asked in the pack's order"]}
        try:
            found = await asyncio.to_thread(store.search, state["query"], self._settings.retrieve_k)
        except (
            AskfirstError,
            OSError,
        ) as error:  # what a store promises to raise (PathStore.search); the rest is a bug
            return {
                **plain,
                "notes": [*state["notes"], f"store unreachable ({type(error).__name__}): asked in the pack's order"],
            }
        usable = _ranked(found, pack)
        if not usable:
            why = "store holds no path of this pack" if found else "store empty"
            return {**plain, "notes": [*state["notes"], f"{why}: asked in the pack's order"]}
        top = usable[0].path.path
        plan = top if self._settings.plan_from == "top" else consensus_plan(usable, pack.by_sensitivity())
        return {
            "plan": list(plan),
            "examples": [r.path.model_dump(mode="json") for r in usable],
        }

    async def assess(self, state: RaiseState) -> dict[str, Any]:
        """Is enough known, and what would be asked next? A model's opinion on risk runs beside, and overrules both."""
        message = state["message"]
        if message is None:  # a request that is given beside messages does not hide what is in them
            message = joined(unique([*unread_messages(state.get("messages", [])), state["query"]]))
        opinion = asyncio.create_task(self._opinion(message, self._context(state)))
        weighing = asyncio.create_task(self._weigh(state))
        try:
            signal = await opinion
            if signal is not None:
                return {"message": None, "pending": None, **self._flag(signal)}
            return {"message": None, **await weighing}
        finally:
            await stop(opinion, weighing)

    async def ask(self, state: RaiseState) -> dict[str, Any]:
        """Wait for the person. Runs again from its first line on resume, so nothing here costs or has an effect."""
        from langgraph.types import interrupt

        pending = cast("dict[str, str]", state["pending"])
        payload = {
            "type": "question",
            "attribute": pending["attribute"],
            "question": pending["text"],
            "asked": len(state["asked"]) + 1,
            "budget": self._settings.budget,
            "skippable": True,
        }
        # LangGraph keeps a resumed value: to raise for one that is no reply would fail every later resume too.
        value = interrupt(payload)
        while not is_reply(value):
            value = interrupt(payload)
        replied = self._replied(state, value)
        return {**replied, **_turns(state, ("user", replied["message"]))}

    async def take_answer(self, state: RaiseState) -> dict[str, Any]:
        """Everything that the reply tells, not only what was asked. A skip declines, for good."""
        pending = cast("dict[str, str]", state["pending"])
        attribute, text = pending["attribute"], state["message"]
        if not text:
            return {"pending": None, "declined": [*state["declined"], attribute]}
        heard = {"pending": None, "exchanges": [*state["exchanges"], [pending["text"], text]]}
        if self._danger(state, text, asked=attribute) is not None:
            return heard  # The screen is next, and no model call may stand between a person in danger and help.
        context = self._context(cast("RaiseState", {**state, **heard}))
        extracted = await self._parts.extraction.extract(text, asked=attribute, context=context)
        return {**heard, **learned(state, extracted, self._parts.pack, f"the answer on {attribute}")}

    async def respond(self, state: RaiseState) -> dict[str, Any]:
        """The answer from exactly what is known, streamed as ``{"type": "token", "text": ...}``; or the crisis text.

        A failure of the responder is raised, never answered: the run can be resumed at this step.
        """
        from langgraph.config import get_stream_writer

        write = get_stream_writer()
        notes = list(state["notes"])
        if state["crisis"] is not None:
            answer = self._parts.crisis.answer(state["country"])
            write({"type": "token", "text": answer})
        else:
            pieces: list[str] = []
            with collect_usage() as meter:
                async for piece in self._parts.responder.stream(self._context(state)):
                    if piece:
                        pieces.append(piece)
                        write({"type": "token", "text": piece})
            answer = "".join(pieces)
            notes += [CUT_NOTE] if meter.cut else []
        if not answer.strip():
            raise EmptyAnswerError
        update: dict[str, Any] = {"answer": answer, "message": None, "pending": None, "notes": unique(notes)}
        return {**update, **_turns(state, ("assistant", answer))}

    def _replied(self, state: RaiseState, value: object) -> dict[str, Any]:
        pending = cast("dict[str, str]", state["pending"])
        reply = read_reply(value)
        return {
            "asked": [*state["asked"], pending["attribute"]],
            "message": reply.text,
            "last_reply": reply.text,
            "no_more_questions": reply.no_more_questions,
        }

    def _danger(self, state: RaiseState, text: str, *, asked: str | None = None) -> CrisisSignal | None:
        """What the rules see in ``text``, and in every message that the assistant has not replied to, one by one."""
        unread = unread_messages(state.get("messages", []))
        signals = (self._parts.crisis.rules(text, asked=asked), *map(self._parts.crisis.rules, unread))
        return next(filter(None, signals), None)

    async def _opinion(self, message: str, context: AgentContext) -> CrisisSignal | None:
        return await self._parts.crisis.model(message, context) if message else None

    async def _weigh(self, state: RaiseState) -> dict[str, Any]:
        """Abstention and acquisition at the same time; for the opening message also what it tells, beside them."""
        if state["asked"]:
            return self._conclude(state, await self._choose(state))
        extraction, context = self._parts.extraction, self._context(state)
        reading = asyncio.create_task(extraction.extract(state["query"], asked=None, context=context))
        try:
            # Rules have read the message after one turn of the loop, and abstention may count what it told.
            # A model needs a round trip: its reading is merged afterwards, so that the first question never waits.
            await asyncio.sleep(0)
            early = reading.done()
            state = self._with(state, await reading) if early else state
            choice = await self._choose(state)
            state = state if early else self._with(state, await reading)
        finally:
            await stop(reading)
        return {"known": state["known"], "declined": state["declined"], **self._conclude(state, choice)}

    async def _choose(self, state: RaiseState) -> _Choice | None:
        """None: no question can follow, so that no call is worth making."""
        context = self._context(state)
        if stop_before_asking(context, self._parts.pack, no_more_questions=state["no_more_questions"]):
            return None
        return _Choice(
            *await together((self._parts.abstention.assess(context), self._parts.acquisition.next_question(context)))
        )

    def _conclude(self, state: RaiseState, choice: _Choice | None) -> dict[str, Any]:
        pack, context, notes = self._parts.pack, self._context(state), list(state["notes"])
        enough_asked = state["no_more_questions"]
        if choice is None:
            why = stop_before_asking(context, pack, no_more_questions=enough_asked)
            return {"pending": None, "stop_reason": why, "notes": notes}
        assessment, question = choice
        if assessment.fallback:
            notes.append(f"abstention: {assessment.fallback}")
        why = stop_reason(
            context, pack, no_more_questions=enough_asked, assessment=assessment, has_question=question is not None
        )
        if why is not None or question is None:
            return {"pending": None, "stop_reason": why, "notes": unique(notes)}
        if question.fallback:
            notes.append(f"acquisition: {question.fallback}")
        pending, note = _valid(question, context, pack)
        notes = unique([*notes, note] if note else notes)
        return {"pending": pending, "notes": notes, **_turns(state, ("assistant", pending["text"]))}

    def _with(self, state: RaiseState, extracted: Extracted) -> RaiseState:
        return cast("RaiseState", {**state, **learned(state, extracted, self._parts.pack, "the opening message")})

    def _context(self, state: RaiseState) -> AgentContext:
        return context_of(state, self._settings.budget)

    @staticmethod
    def _flag(signal: CrisisSignal | None) -> dict[str, Any]:
        return {} if signal is None else {"crisis": signal.model_dump(mode="json"), "stop_reason": "crisis"}


class _Choice(NamedTuple):
    assessment: Assessment
    question: Question | None


def _ranked(found: list[RetrievedPath], pack: DomainPack) -> list[RetrievedPath]:
    """The paths that this pack can follow, best offline score first (none at all: last), then the nearer."""
    usable = [r for r in found if r.path.pack == pack.name and set(r.path.path) <= set(pack.attribute_ids)]
    return sorted(usable, key=lambda r: (-(r.path.score or 0.0), -r.similarity))


def _valid(question: Question, context: AgentContext, pack: DomainPack) -> tuple[dict[str, str], str | None]:
    """The question to ask, and a note if it is not the one that was chosen. At least one attribute must be left."""
    left = open_attributes(pack, context)
    attribute, text, note = question.attribute, clean_text(question.text), None
    if attribute not in left:
        told_by_opening = not context.asked and attribute in {*context.known, *context.declined}
        note = None if told_by_opening else "acquisition: its attribute cannot be asked: next of the plan taken"
        attribute, text = left[0], ""
    elif not text:
        note = "acquisition: empty question: the pack's wording used"
    return {"attribute": attribute, "text": text or pack.attribute(attribute).question}, note


def _turns(state: RaiseState, *turns: tuple[str, str]) -> dict[str, Any]:
    """``turns`` that said something, as an update of ``messages``; nothing where the conversation has no messages."""
    told = [{"role": role, "content": text} for role, text in turns if text]
    return {"messages": told} if told and state.get("messages") else {}
