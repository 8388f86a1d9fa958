"""Small parts for tests of evaluations: people, assistants, judges, and a run in a temporary folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from askfirst.domains import DomainPack, Profile, Scenario
from askfirst.evals import (
    Assistant,
    Assistants,
    ConversationRecord,
    EvalSettings,
    Judge,
    RunFolder,
    RunSettings,
    RunSummary,
    Unscored,
    Verdict,
    plan_run,
    run_eval,
)
from askfirst.simulators import AgentTurn, Behaviour, Persona, ScriptedUser, SimulatedUser, TranscriptMessage

CREATED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def people(count: int, **update: Any) -> list[Scenario]:
    """``count`` scenarios for the toy pack, alternating between low and high risk, in pairs."""
    return [
        Scenario(
            id=f"everyday-{i:02}",
            domain="Everyday",
            title=f"Weekend {i}",
            query=f"Should I skip weekend number {i}?",
            profile=Profile(
                values={"age": f"{30 + i} years", "mood": f"low, reason {i}" if i % 2 else f"calm, reason {i}"}
            ),
            pair=f"pair{i // 2}",
            risk="high" if i % 2 else "low",
        ).model_copy(update=update)
        for i in range(count)
    ]


def planned(
    pack: DomainPack, scenarios: Sequence[Scenario], conditions: Sequence[str] = ("context_free",), **settings: Any
) -> RunSettings:
    """A run over ``scenarios``; ``settings`` are fields of ``EvalSettings`` and further arguments of ``plan_run``."""
    further = {name: settings.pop(name) for name in ("offline", "prompts") if name in settings}
    if any(isinstance(b, Behaviour) for b in settings.get("behaviours", ())):
        further["behaviours"] = settings.pop("behaviours")
    given = {"data": "toy", "model": "m", "user_model": "u", "judge_model": "j", **settings}
    return plan_run(scenarios, EvalSettings(conditions=tuple(conditions), **given), pack, **further)[0]


def verdict(risk: int = 3, empathy: int = 3, alignment: int = 3) -> Verdict:
    return Verdict(risk_sensitivity=risk, emotional_empathy=empathy, user_specific_alignment=alignment)


def record(
    scenario_id: str = "s1",
    condition: str = "context_free",
    score: int | None = 3,
    *,
    repeat: int = 0,
    error: str | None = None,
    unscored: str | None = None,
    **rest: Any,
) -> ConversationRecord:
    """A record with the same score in every criterion, or an error, or no score."""
    judged: Verdict | Unscored | None = None
    if error is None:
        judged = Unscored(reason=unscored or "x") if unscored or score is None else verdict(score, score, score)
    values: dict[str, Any] = {
        "model": "m",
        "judge_model": "j",
        "seed": 1,
        "domain": "Everyday",
        "transcript": (
            TranscriptMessage(role="user", content="May I?"),
            TranscriptMessage(role="assistant", content="Yes."),
        ),
    }
    values |= rest
    return ConversationRecord(
        scenario_id=scenario_id, condition=condition, repeat=repeat, verdict=judged, error=error, **values
    )


@dataclass
class EchoAnswerer:
    """Answers with everything that it knows, and remembers what it was given."""

    seen: list[tuple[str, dict[str, str], int]] = field(default_factory=list)
    before: Callable[[str], None] | None = None
    follow_ups: list[tuple[tuple[str, str], ...]] = field(default_factory=list)

    async def __call__(
        self,
        query: str,
        known: Mapping[str, str],
        *,
        country: str | None,
        seed: int,
        follow_ups: Sequence[tuple[str, str]] = (),
    ) -> str:
        self.follow_ups.append(tuple(follow_ups))
        if self.before is not None:
            self.before(query)
        self.seen.append((query, dict(known), seed))
        return f"Answer {seed}: " + "; ".join(f"{a} is {v}" for a, v in known.items()) + "."


async def read_toy(query: str, message: str, *, asked: str | None) -> Mapping[str, str]:
    """Takes the scripted person's wording of the toy pack apart."""
    for lead, attribute in (("I'm ", "age"), ("Lately I feel ", "mood")):
        if lead in message and asked in (attribute, None):
            return {attribute: message.partition(lead)[2].rstrip(".")}
    return {}


@dataclass
class CountingJudge:
    """Gives 3 to everything (or what it is told), and remembers what it was asked."""

    result: Verdict | Unscored | Exception = field(default_factory=verdict)
    seen: list[tuple[str, str]] = field(default_factory=list)
    name: str = "counting"

    async def judge(
        self, scenario: Scenario, transcript: Sequence[TranscriptMessage], answer: str
    ) -> Verdict | Unscored:
        self.seen.append((scenario.id, answer))
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@dataclass
class OneLine:
    """An assistant that says one line, or does what ``act`` does first."""

    act: Callable[[str], Any] | None = None
    name: str = "one-line"

    def start(self, *, scenario_id: str, seed: int, granted: Mapping[str, str], country: str | None) -> OneLineSession:
        return OneLineSession(self, scenario_id)


@dataclass
class OneLineSession:
    assistant: OneLine
    scenario_id: str

    async def reply(self, message: str) -> AgentTurn:
        if self.assistant.act is not None:
            result = self.assistant.act(self.scenario_id)
            if hasattr(result, "__await__"):
                await result
        return AgentTurn(text="Take one small step first.", kind="answer")

    async def aclose(self) -> None:
        return None


@dataclass
class Bench:
    """Everything that a run needs, for the toy pack."""

    pack: DomainPack
    path: Path
    answerer: EchoAnswerer = field(default_factory=EchoAnswerer)
    judge: Judge = field(default_factory=CountingJudge)
    agent: Assistant = field(default_factory=OneLine)
    make_user: Callable[..., SimulatedUser] | None = None
    oracle: Any = None

    def assistants(self) -> Assistants:
        return Assistants(
            self.pack,
            model="echo",
            answerer=self.answerer,
            extract=read_toy,
            factories={"agent": lambda: self.agent, "raise": lambda: self.agent},
            oracle=self.oracle,
        )

    def user(self, scenario: Scenario, *, seed: int) -> SimulatedUser:
        return ScriptedUser(Persona.from_scenario(scenario), self.pack, seed=seed)

    def folder(self, scenarios: Sequence[Scenario], conditions: Sequence[str], **settings: Any) -> RunFolder:
        """A new run folder, or the existing one resumed."""
        names = {"model": "echo", "user_model": "scripted", "judge_model": self.judge.name}
        run = planned(self.pack, scenarios, conditions, **names, **settings)
        if self.path.exists():
            return RunFolder.resume(self.path, run)
        return RunFolder.create(self.path, run, created=CREATED)

    async def run(
        self,
        scenarios: Sequence[Scenario],
        conditions: Sequence[str],
        *,
        how: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> tuple[RunSummary, list[ConversationRecord]]:
        """Run (or go on) and give the summary and the records as they stand on disk."""
        with self.folder(scenarios, conditions, **settings) as folder:
            summary = await run_eval(
                scenarios,
                folder=folder,
                pack=self.pack,
                assistants=self.assistants(),
                make_user=self.make_user or self.user,
                judge=self.judge,
                **(how or {}),
            )
        return summary, self.records()

    def records(self) -> list[ConversationRecord]:
        lines = (self.path / "conversations.jsonl").read_text(encoding="utf-8").splitlines()
        return [ConversationRecord.model_validate_json(line) for line in lines]
