"""Runs an evaluation: simulated conversations under every condition, judged, each on disk as soon as it is finished."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...domains import AskfirstError, DomainPack, InputError, Scenario
from ...models import AuthenticationFailed, ModelError
from ...simulators.dialogue import DialogueFailed
from ...simulators.users import COOPERATIVE_BEHAVIOUR
from ..assistants import Assistants, Condition, check_conditions, parse_condition
from ..errors import RunAborted
from ..judging import Judge, Reflection, is_service_failure
from ..records import ConversationRecord, RecordKey, RunFolder, RunSummary, record_key
from ..statistics import summarise
from .conversations import ConversationJob, Conversations, UserCheck, UserFactory, conversation_seed

__all__ = ["RunProgress", "UserCheck", "UserFactory", "conversation_seed", "run_eval"]


@dataclass(frozen=True)
class RunProgress:
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
    make_user: UserFactory | Mapping[str, UserFactory],
    judge: Judge,
    fidelity_check: UserCheck | None = None,
    concurrency: int = 8,
    give_up_after: int = 5,
    on_progress: Callable[[RunProgress], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> RunSummary:
    """Run every conversation that ``folder.settings`` plans and the folder does not hold yet, then write the summary.

    A failing assistant (or simulated user) makes a record with an error, which is never judged; a resumed run tries it
    again. That holds for an ``InputError`` too, such as a query that is too long: it is one conversation's. Cancelling
    loses at most the conversations in flight. Repeats of a scenario get seeds of their own.
    Where the simulated person was not the person (``Dialogue.simulator_failure``), the conversation is drawn again with
    another seed, up to ``settings.redraws`` times, and then kept without a score.

    Args:
        scenarios: at least those that the settings name.
        folder: an open run folder; its settings decide what is run.
        assistants: makes the assistant of each condition.
        make_user: makes the simulated person of each conversation; where the run has other behaviours than
            ``cooperative``, one for each, by name.
        judge: scores the answers.
        fidelity_check: looks at every conversation in which code saw no failure of the simulated person.
        concurrency: most conversations at a time.
        give_up_after: stop when this many conversations have ended and every one failed, or could not be judged because
            the judge's endpoint failed. Conversations of one scenario that end in an ``InputError`` count once: the
            fault may be in the scenario. Later on, stop when the endpoint of a model, whichever it is, fails in this
            many conversations in a row, and in more than are held at a time: what hits all of them once may be over.
            A refused key stops the run at once.
        on_progress: called after every conversation.
        clock: seconds, for timings.

    Returns:
        The summary, as in ``summary.json``.

    Raises:
        InputError: the conditions cannot be served and nothing was run; or every conversation failed with it.
        RunAborted: every conversation fails, or a model's endpoint is gone.
        RunFolderError: a record cannot be written.
    """
    settings = folder.settings
    by_id = {s.id: s for s in scenarios}
    conditions = [parse_condition(c, pack) for c in settings.conditions]
    check_conditions(
        conditions, [by_id[s] for s in settings.scenarios], max_turns=settings.max_turns, turns=settings.turns
    )
    assistants.check(conditions)
    makers = _makers(make_user, settings.behaviours)
    folder.set_aside_failures()
    talk = Conversations(assistants, makers, judge, settings, Reflection(pack), fidelity_check, clock)
    watch = _Watch(folder, give_up_after, max(give_up_after, concurrency + 1), on_progress)
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


def _makers(make_user: UserFactory | Mapping[str, UserFactory], behaviours: Sequence[str]) -> Mapping[str, UserFactory]:
    if isinstance(make_user, Mapping):
        makers: Mapping[str, UserFactory] = make_user
    else:
        makers = {COOPERATIVE_BEHAVIOUR.name: make_user}
    if missing := [b for b in behaviours if b not in makers]:
        raise InputError(f"behaviour {missing[0]!r} needs a simulated user, and none was given for it")
    return makers


def _jobs(
    folder: RunFolder,
    by_id: Mapping[str, Scenario],
    conditions: Sequence[Condition],
    assistants: Assistants,
    judge: Judge,
) -> Iterator[ConversationJob]:
    """Scenario by scenario, so that a run that is cut short has compared conditions on the same people."""
    settings = folder.settings
    for scenario_id in settings.scenarios:
        for behaviour, repeat in itertools.product(settings.behaviours, range(settings.repeats)):
            for condition in conditions:
                seed = conversation_seed(settings.seed, scenario_id, condition.name, repeat, behaviour=behaviour)
                model = assistants.name(condition)
                key = record_key(scenario_id, condition.name, model, judge.name, repeat, behaviour=behaviour)
                yield ConversationJob(by_id[scenario_id], condition, behaviour, repeat, seed, key)


@dataclass
class _Watch:
    """Counts, reports, and stops a run in which nothing works."""

    folder: RunFolder
    give_up_after: int
    gone_after: int
    on_progress: Callable[[RunProgress], None] | None
    errors: int = 0
    unscored: int = 0
    useless: int = 0
    signs: set[RecordKey | str] = field(default_factory=set)
    useful: bool = field(default=False)
    in_a_row: int = 0

    def tell(self, record: ConversationRecord | None, failure: Exception | None = None) -> None:
        if record is None:
            held = self.folder.records
            self.unscored = sum(r.unscored is not None for r in held)
        else:
            self.errors += record.error is not None
            self.unscored += record.unscored is not None
        if self.on_progress is not None:
            planned = self.folder.settings.planned
            self.on_progress(RunProgress(self.folder.done, planned, self.errors, self.unscored, record))
        if record is not None:
            self._give_up(record, failure)

    def _give_up(self, record: ConversationRecord, failure: Exception | None) -> None:
        if not record.worth_another_try:
            self.useful, self.in_a_row = True, 0
            return
        self.useless += 1
        cause = failure.cause if isinstance(failure, DialogueFailed) else failure
        # What was given with one scenario fails under each of its conditions, and says nothing about the others.
        self.signs.add(record.scenario_id if isinstance(cause, InputError) else record.key)
        name = type(cause).__name__ if cause is not None else record.unscored or ""
        refused = name == AuthenticationFailed.__name__
        # A fault of one conversation neither shows that an endpoint is gone, nor that it is there.
        self.in_a_row += is_service_failure(name)
        gone = is_service_failure(name) and self.in_a_row >= self.gone_after
        if refused or gone or (not self.useful and len(self.signs) >= self.give_up_after):
            failed = self.in_a_row if self.useful and gone else self.useless
            if isinstance(cause, InputError):
                raise cause
            if record.error is None:
                raise RunAborted(failed, name, "the judge's model failed, so no answer can be scored") from failure
            detail = str(cause) if isinstance(cause, AskfirstError | ModelError) else ""
            raise RunAborted(failed, name, detail) from failure


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
