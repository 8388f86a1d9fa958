"""Runs an evaluation: simulated conversations under every condition, judged, each on disk as soon as it is finished."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..domains.errors import AskfirstError, InputError
from ..domains.pack import DomainPack
from ..domains.scenario import Scenario
from ..models import AuthenticationFailed, ModelError, collect_usage
from ..simulators.dialogue import Dialogue, SimulatedUser, simulate_dialogue
from ..simulators.errors import DialogueFailed
from .conditions import Assistants, Condition, check_conditions, parse_condition
from .errors import RunAborted
from .judge import Judge
from .metrics import summarise
from .records import ConversationRecord, RecordKey
from .results import RunFolder
from .verdict import Unscored, Verdict

__all__ = ["Progress", "UserFactory", "conversation_seed", "run_eval"]


class UserFactory(Protocol):
    """Makes the simulated person of one conversation."""

    def __call__(self, scenario: Scenario, *, seed: int) -> SimulatedUser: ...


@dataclass(frozen=True)
class Progress:
    """How far a run is. ``record`` is the conversation that was just finished, None at the start."""

    done: int
    planned: int
    errors: int
    unscored: int
    record: ConversationRecord | None = None


async def run_eval(
    scenarios: Sequence[Scenario],
    *,
    folder: RunFolder,
    pack: DomainPack,
    assistants: Assistants,
    make_user: UserFactory,
    judge: Judge,
    concurrency: int = 8,
    give_up_after: int = 5,
    on_progress: Callable[[Progress], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Any]:
    """Run every conversation that ``folder.settings`` plans and the folder does not hold yet, then write the summary.

    A failing assistant (or simulated user) makes a record with an error, which is never judged; a resumed run tries it
    again. Cancelling loses at most the conversations in flight. Repeats of a scenario get seeds of their own.

    Args:
        scenarios: at least those that the settings name.
        folder: an open run folder; its settings decide what is run.
        assistants: makes the assistant of each condition.
        make_user: makes the simulated person of each conversation.
        judge: scores the answers.
        concurrency: most conversations at a time.
        give_up_after: stop when this many conversations have ended and every one failed, or could not be judged because
            the judge's endpoint failed. A refused key stops the run at once.
        on_progress: called after every conversation.
        clock: seconds, for timings.

    Returns:
        The summary, as in ``summary.json``.

    Raises:
        InputError: the conditions cannot be served; nothing was run.
        RunAborted: every conversation fails.
        RunFolderError: a record cannot be written.
    """
    settings = folder.settings
    by_id = {s.id: s for s in scenarios}
    conditions = [parse_condition(c, pack) for c in settings.conditions]
    check_conditions(conditions, [by_id[s] for s in settings.scenarios], max_turns=settings.max_turns)
    assistants.check(conditions)
    folder.set_aside_failures()
    talk = _Conversations(pack, assistants, make_user, judge, settings.max_turns, settings.prompts, clock)
    watch = _Watch(folder, give_up_after, on_progress)
    finished = folder.finished
    todo = iter([j for j in _jobs(folder, by_id, conditions, assistants, judge) if j.key not in finished])
    watch.tell(None)

    async def work() -> None:
        for job in todo:
            record, failure = await talk.run(job)
            folder.append(record)
            watch.tell(record, failure)

    await _all(work() for _ in range(max(1, concurrency)))
    summary = summarise(folder.records, settings)
    folder.write_summary(summary)
    return summary


def conversation_seed(seed: int, scenario_id: str, condition: str, repeat: int) -> int:
    """The seed of one conversation, 0 to 2**31 - 1: the same whatever else is run, another for every repeat."""
    text = f"{seed}\x1f{scenario_id}\x1f{condition}\x1f{repeat}"
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4], "big") >> 1


@dataclass(frozen=True)
class _Job:
    scenario: Scenario
    condition: Condition
    repeat: int
    seed: int
    key: RecordKey


def _jobs(
    folder: RunFolder,
    by_id: Mapping[str, Scenario],
    conditions: Sequence[Condition],
    assistants: Assistants,
    judge: Judge,
) -> Iterator[_Job]:
    """Scenario by scenario, so that a run that is cut short has compared conditions on the same people."""
    settings = folder.settings
    for scenario_id in settings.scenarios:
        for repeat in range(settings.repeats):
            for condition in conditions:
                seed = conversation_seed(settings.seed, scenario_id, condition.name, repeat)
                key = (scenario_id, condition.name, assistants.name(condition), judge.name, repeat)
                yield _Job(by_id[scenario_id], condition, repeat, seed, key)


@dataclass(frozen=True)
class _Conversations:
    """Holds one conversation and has it judged."""

    pack: DomainPack
    assistants: Assistants
    make_user: UserFactory
    judge: Judge
    max_turns: int
    prompts: Mapping[str, str]
    clock: Callable[[], float]

    async def run(self, job: _Job) -> tuple[ConversationRecord, Exception | None]:
        """The record, and what failed if something did."""
        started = self.clock()
        with collect_usage() as meter:
            try:
                dialogue, granted = await self._talk(job)
            except Exception as error:  # noqa: BLE001 - assistants are other people's code; recorded, never hidden
                partial = error.partial if isinstance(error, DialogueFailed) else None
                record = self._record(job, partial, {}, started, usage=meter.total, error=_one_line(error))
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
        )
        return record, failure

    async def _talk(self, job: _Job) -> tuple[Dialogue, Mapping[str, str]]:
        prepared = await self.assistants.prepare(job.condition, job.scenario, seed=job.seed)
        user = self.make_user(job.scenario, seed=job.seed)
        session = prepared.assistant.start(
            scenario_id=job.scenario.id, seed=job.seed, granted=prepared.granted, country=job.scenario.country
        )
        try:
            return await simulate_dialogue(session, user, max_turns=self.max_turns), prepared.granted
        finally:
            await session.aclose()

    async def _judged(self, scenario: Scenario, dialogue: Dialogue) -> tuple[Verdict | Unscored, Exception | None]:
        answer = dialogue.answer
        if dialogue.disqualified_by is not None or answer is None:
            return Unscored(reason=dialogue.disqualified_by or "no answer"), None
        if not answer.strip():
            return Unscored(reason="EmptyAnswer"), None
        try:
            return await self.judge.judge(scenario, dialogue.transcript, answer), None
        except Exception as error:  # noqa: BLE001 - a judge may be other people's code; a failure is never a number
            return Unscored(reason=type(error).__name__), error

    def _record(
        self,
        job: _Job,
        dialogue: Dialogue | None,
        granted: Mapping[str, str],
        started: float,
        **rest: Any,
    ) -> ConversationRecord:
        scenario, talk = job.scenario, dialogue
        return ConversationRecord(
            scenario_id=scenario.id,
            condition=job.condition.name,
            model=job.key[2],
            judge_model=job.key[3],
            repeat=job.repeat,
            seed=job.seed,
            domain=scenario.domain,
            risk=scenario.risk,
            pair=scenario.pair,
            title=scenario.title,
            profile=dict(scenario.profile.values),
            transcript=talk.transcript if talk else (),
            asked=talk.asked if talk else (),
            known={**granted, **talk.known} if talk else {},
            ledger=dict(talk.ledger.states) if talk else {},
            used=tuple(a for a, e in talk.ledger.entries.items() if e.used) if talk else (),
            stop_reason=talk.stop_reason if talk else None,
            agent_reason=talk.agent_reason if talk else None,
            notes=(*talk.notes, *talk.faults) if talk else (),
            prompts=dict(self.prompts),
            seconds=round(max(0.0, self.clock() - started), 3),
            **rest,
        )


@dataclass
class _Watch:
    """Counts, reports, and stops a run in which nothing works."""

    folder: RunFolder
    give_up_after: int
    on_progress: Callable[[Progress], None] | None
    errors: int = 0
    unscored: int = 0
    useless: int = 0
    useful: bool = field(default=False)

    def tell(self, record: ConversationRecord | None, failure: Exception | None = None) -> None:
        if record is None:
            held = self.folder.records
            self.unscored = sum(r.unscored is not None for r in held)
        else:
            self.errors += record.error is not None
            self.unscored += record.unscored is not None
        if self.on_progress is not None:
            planned = self.folder.settings.planned
            self.on_progress(Progress(self.folder.done, planned, self.errors, self.unscored, record))
        if record is not None:
            self._give_up(record, failure)

    def _give_up(self, record: ConversationRecord, failure: Exception | None) -> None:
        if not record.worth_another_try:
            self.useful = True
            return
        self.useless += 1
        cause = failure.cause if isinstance(failure, DialogueFailed) else failure
        if isinstance(cause, InputError):
            raise cause
        name = type(cause).__name__ if cause is not None else record.unscored or ""
        refused = name == AuthenticationFailed.__name__
        if refused or (not self.useful and self.useless >= self.give_up_after):
            if record.error is None:
                raise RunAborted(
                    self.useless, name, "the judge's model failed, so no answer can be scored"
                ) from failure
            detail = str(cause) if isinstance(cause, AskfirstError | ModelError) else ""
            raise RunAborted(self.useless, name, detail) from failure


async def _all(workers: Iterator[Coroutine[Any, Any, None]]) -> None:
    """Run the workers; when one raises, cancel the others and raise the same."""
    failed: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as group:
            for worker in workers:
                group.create_task(worker)
    except BaseExceptionGroup as failures:
        failed = failures.exceptions[0]
    if failed is not None:
        raise failed


def _one_line(error: Exception) -> str:
    """Class and message. Only the project's own errors promise a message without a person's values."""
    own = isinstance(error, AskfirstError | ModelError)
    lines = str(error).strip().splitlines() if own else []
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
