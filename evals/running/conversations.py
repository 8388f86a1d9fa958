"""One conversation of a run: held, drawn again where the simulated person failed, judged, and made a record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ...domains import AskfirstError, Scenario
from ...models import ModelError, collect_usage
from ...simulators.dialogue import Dialogue, DialogueFailed, SimulatedUser, simulate_dialogue
from ...simulators.users import COOPERATIVE_BEHAVIOUR
from ..assistants import Assistants, Condition
from ..judging import Judge, Reflection, Unscored, Verdict, crisis_reply
from ..records import ConversationRecord, RecordKey, RunSettings

__all__ = ["ConversationJob", "Conversations", "UserCheck", "UserFactory", "conversation_seed"]


class UserFactory(Protocol):
    """Makes the simulated person of one conversation."""

    def __call__(self, scenario: Scenario, *, seed: int) -> SimulatedUser: ...


class UserCheck(Protocol):
    """A second opinion on whether the simulated person stayed that person."""

    async def check(self, dialogue: Dialogue) -> Dialogue:
        """``dialogue`` with the faults that are seen."""


def conversation_seed(
    seed: int,
    scenario_id: str,
    condition: str,
    repeat: int,
    *,
    behaviour: str = COOPERATIVE_BEHAVIOUR.name,
    draw: int = 0,
) -> int:
    """The seed of one conversation, 0 to 2**31 - 1: the same whatever else is run, another for every repeat, behaviour
    and draw."""
    text = f"{seed}\x1f{scenario_id}\x1f{condition}\x1f{repeat}"
    if behaviour != COOPERATIVE_BEHAVIOUR.name:
        text += f"\x1f{behaviour}"
    if draw:
        text += f"\x1fdraw {draw}"
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4], "big") >> 1


@dataclass(frozen=True)
class ConversationJob:
    """A conversation to be held."""

    scenario: Scenario
    condition: Condition
    behaviour: str
    repeat: int
    seed: int
    key: RecordKey


@dataclass(frozen=True)
class Conversations:
    """Holds one conversation and has it judged."""

    assistants: Assistants
    makers: Mapping[str, UserFactory]
    judge: Judge
    settings: RunSettings
    reflection: Reflection
    fidelity_check: UserCheck | None
    clock: Callable[[], float]

    async def run(self, job: ConversationJob) -> tuple[ConversationRecord, Exception | None]:
        """The record, and what failed if something did."""
        started = self.clock()
        redrawn: list[str] = []
        with collect_usage() as meter:
            try:
                dialogue, granted = await self._drawn(job, redrawn)
            except Exception as error:  # noqa: BLE001 - assistants are other people's code; recorded, never hidden
                partial = error.partial if isinstance(error, DialogueFailed) else None
                record = self._record(
                    job, partial, {}, started, usage=meter.total, error=_one_line(error), redrawn=redrawn
                )
                return record, error
            with collect_usage() as judge_meter:
                judging = self.clock()
                verdict, failure = await self._judged(job.scenario, dialogue)
                judge_seconds = self.clock() - judging
        record = self._record(
            job,
            dialogue,
            granted,
            started,
            verdict=verdict,
            usage=meter.total,
            judge_usage=judge_meter.total,
            judge_seconds=judge_seconds,
            redrawn=redrawn,
        )
        return record, failure

    async def _drawn(self, job: ConversationJob, redrawn: list[str]) -> tuple[Dialogue, Mapping[str, str]]:
        """The first draw in which the simulated person stayed the person, or the last one; why others were thrown
        away is added to ``redrawn``."""
        while True:
            dialogue, granted = await self._talk(job, draw=len(redrawn))
            failure = dialogue.simulator_failure
            if failure is None or len(redrawn) >= self.settings.redraws:
                return dialogue, granted
            redrawn.append(failure)

    async def _talk(self, job: ConversationJob, *, draw: int) -> tuple[Dialogue, Mapping[str, str]]:
        seed = job.seed if not draw else conversation_seed(
            self.settings.seed, job.scenario.id, job.condition.name, job.repeat, behaviour=job.behaviour, draw=draw
        )  # fmt: skip
        # What is asked belongs to the condition, not to the draw.
        prepared = await self.assistants.prepare(job.condition, job.scenario, seed=job.seed)
        user = self.makers[job.behaviour](job.scenario, seed=seed)
        session = prepared.assistant.start(
            scenario_id=job.scenario.id, seed=seed, granted=prepared.granted, country=job.scenario.country
        )
        try:
            dialogue = await simulate_dialogue(
                session, user, max_turns=self.settings.max_turns, turns=self.settings.turns
            )
        finally:
            await session.aclose()
        if self.fidelity_check is not None and (dialogue.simulator_failure is None or dialogue.only_unclear):
            dialogue = await self.fidelity_check.check(dialogue)
        return dialogue, prepared.granted

    async def _judged(self, scenario: Scenario, dialogue: Dialogue) -> tuple[Verdict | Unscored, Exception | None]:
        if dialogue.disqualified_by is not None:
            return Unscored(reason=dialogue.disqualified_by), None
        answer = "\n\n".join(dialogue.answers)
        if not answer.strip():
            return Unscored(reason="EmptyAnswer"), None
        try:
            return await self.judge.judge(scenario, dialogue.transcript, answer), None
        except Exception as error:  # noqa: BLE001 - a judge may be other people's code; a failure is never a number
            return Unscored(reason=type(error).__name__), error

    def _record(
        self,
        job: ConversationJob,
        dialogue: Dialogue | None,
        granted: Mapping[str, str],
        started: float,
        **rest: Any,
    ) -> ConversationRecord:
        scenario, talk = job.scenario, dialogue
        known = {**granted, **talk.known} if talk else {}
        given = tuple(a for a, e in talk.ledger.entries.items() if e.used) if talk else ()
        used = self._used(scenario, talk, known) if talk else ()
        return ConversationRecord(
            scenario_id=scenario.id,
            condition=job.condition.name,
            model=job.key[2],
            judge_model=job.key[3],
            repeat=job.repeat,
            behaviour=job.behaviour,
            seed=job.seed,
            domain=scenario.domain,
            risk=scenario.risk,
            pair=scenario.pair,
            title=scenario.title,
            profile=dict(scenario.profile.values),
            transcript=talk.transcript if talk else (),
            asked=talk.asked if talk else (),
            known=known,
            ledger=dict(talk.ledger.states) if talk else {},
            ledger_detail={
                # What an assistant says that its answer was given is no evidence that the answer uses it.
                a: e.model_copy(update={"used": a in used if talk.answers else None})
                for a, e in talk.ledger.entries.items()
            }
            if talk
            else {},
            crisis_turn=talk.crisis_turn if talk else None,
            crisis_answered=_crisis_answered(talk) if talk else None,
            simulator_failure=talk.simulator_failure if talk else None,
            given=given,
            used=used,
            stop_reason=talk.stop_reason if talk else None,
            agent_reason=talk.agent_reason if talk else None,
            notes=(*talk.notes, *talk.faults) if talk else (),
            prompts=dict(self.settings.prompts),
            seconds=round(max(0.0, self.clock() - started), 3),
            **rest,
        )

    def _used(self, scenario: Scenario, talk: Dialogue, known: Mapping[str, str]) -> tuple[str, ...]:
        return self.reflection.of(known, "\n\n".join(talk.answers), query=scenario.query, domain=scenario.domain)


def _crisis_answered(talk: Dialogue) -> bool | None:
    if talk.crisis_turn is None:
        return None
    after = [m.content for m in talk.transcript if m.role == "assistant"][talk.crisis_turn :]
    return crisis_reply(after).answered if after else None


def _one_line(error: Exception) -> str:
    """Class and message. Only the project's own errors promise a message without a person's values."""
    own = isinstance(error, AskfirstError | ModelError)
    lines = str(error).strip().splitlines() if own else []
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
