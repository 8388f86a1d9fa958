"""Run an evaluation from settings: scenarios, conditions, a run folder, a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast, get_args

from ..agents import Reward
from ..agents.planning.rewards import Allowance, RewardLedger
from ..domains import InputError, Scenario, UnknownNameError
from ..evals.records import EvalSettings, RunFolder, RunSettings, RunSummary, plan_run, read_run
from ..evals.report import write_report
from ..evals.running import RunProgress, run_eval
from ..models import run_sync
from ..simulators.datasets import load_scenarios, packaged_scenarios
from ..simulators.users import load_behaviours
from ..vectorstore import PathStore
from .reward_keeping import planning_parts, rewards_file
from .settings import Settings
from .wiring import Wiring

__all__ = [
    "EVAL_OPTIONS",
    "PACKAGED",
    "EvalResult",
    "SplitChoice",
    "eval_settings",
    "resume_run",
    "run_evaluation",
    "scenarios_from",
    "split_choice",
]

PACKAGED = "penguin_mini"
"""Name by which the packaged scenarios are used as DATA."""

SplitChoice = Literal["auto", "plan", "eval", "all"]

_GATE = "fail_under"  # name of the gate among the options of a run
_ENDPOINTS = ("base_url", "user_base_url", "judge_base_url", "planner_base_url")
_MAY_CHANGE = (_GATE, *_ENDPOINTS)  # from one start of a run to the next
_ROLES = ("model", "user_model", "judge_model", "planner_model")
_ASKED_FOR = frozenset(EvalSettings.model_fields).difference(_ROLES, ["options"])  # not taken from the settings
EVAL_OPTIONS = _ASKED_FOR | {"split", _GATE}
"""What ``eval_settings`` takes besides the wiring."""

# What a run keeps of the settings, and takes again when it is resumed. Endpoint, key and speed may differ.
_KEPT = (
    "pack",
    "store",
    *_ENDPOINTS,
    "budget",
    "retrieve_k",
    "abstention",
    "threshold",
    "temperature",
    "top_p",
    "reply_tokens",
    "embedding",
    "chroma_url",
    "country",
)

_STORED_AS = {"reply_tokens": "max_tokens"}  # setting -> name in run.json, where they differ


@dataclass(frozen=True)
class EvalResult:
    """A finished run.

    Attributes:
        folder: where it is.
        settings: what was run.
        summary: as in ``summary.json``.
        errors: conversations that failed and were not judged.
        unjudged: conversations without a score because the judge's endpoint failed.
        without_paths: ``raise`` was run, but there was no planned path to retrieve.
    """

    folder: Path
    settings: RunSettings
    summary: RunSummary
    errors: int
    without_paths: bool
    unjudged: int = 0

    @property
    def problem(self) -> str | None:
        """What went wrong so that the run is not whole, and another try may help; None if nothing did."""
        if self.errors or self.unjudged:
            failed = [f"{self.errors} failed"] if self.errors else []
            failed += [f"{self.unjudged} not judged because the judge's endpoint failed"] if self.unjudged else []
            return f"Conversations without a score: {', '.join(failed)}. Try them again with --resume {self.folder}"
        if self.summary.done and not any(row.scored for row in self.summary.conditions.values()):
            return f"No conversation has a score; the reasons are in {self.folder / 'conversations.jsonl'}"
        return None

    @property
    def gate(self) -> float | None:
        """The gate that the run was begun with, None if there is none."""
        gate = self.settings.options.get(_GATE)
        return float(gate) if isinstance(gate, int | float) else None

    def below(self, gate: float) -> list[str]:
        """Conditions whose mean score is lower than ``gate``, or which have no score."""
        return [name for name, row in self.summary.conditions.items() if row.mean is None or row.mean < gate]


def split_choice(text: str) -> SplitChoice:
    """``text`` as a split. Raises ``UnknownNameError`` naming the nearest."""
    choices = get_args(SplitChoice)
    if text not in choices:
        raise UnknownNameError("split", text, choices)
    return cast("SplitChoice", text)


def scenarios_from(
    data: str, wiring: Wiring, split: SplitChoice, *, default: Literal["plan", "eval"]
) -> list[Scenario]:
    """The scenarios of ``data`` in ``split``; ``"auto"`` means ``default`` where the data has splits, else all.

    Raises:
        InputError: the data cannot be read, or nothing is left.
    """
    if data == PACKAGED and not Path(data).exists():
        every = packaged_scenarios(wiring.pack)
    else:
        every = load_scenarios(data, wiring.pack)
    wanted = split
    if wanted == "auto":
        wanted = default if any(s.split for s in every) else "all"
    chosen = [s for s in every if wanted == "all" or s.split == wanted]
    if not chosen:
        raise InputError(f"{data}: none of its {len(every)} scenarios is in the split {wanted!r}; try --split all")
    return chosen


def eval_settings(wiring: Wiring, **given: Any) -> EvalSettings:
    """What is to be evaluated, of the options of a person and the settings of ``wiring``.

    Args:
        given: fields of ``EvalSettings``, ``split`` (``SplitChoice``: "auto" takes the "eval" split where the data has
            splits, so that planned queries are never judged) and ``fail_under`` (the gate, 1 to 5: the mean that no
            condition may be below). None is left out.

    Raises:
        TypeError: a name is none of these.
        UnknownNameError: there is no such split.
    """
    if unknown := given.keys() - EVAL_OPTIONS:
        raise TypeError(f"eval_settings() got an unexpected keyword argument {min(unknown)!r}")
    return EvalSettings(
        **{name: value for name, value in given.items() if name in _ASKED_FOR and value is not None},
        model=wiring.spec("agent"),
        user_model=wiring.spec("user"),
        judge_model=wiring.spec("judge"),
        planner_model=wiring.spec("planner"),
        options=_options(wiring.settings, given),
    )


def run_evaluation(
    wanted: EvalSettings, wiring: Wiring, out: Path, *, on_progress: Callable[[RunProgress], None]
) -> EvalResult:
    """Run a new evaluation into ``out``, with its report.

    Args:
        wanted: as ``eval_settings`` makes it.

    Raises:
        InputError, RunFolderError: nothing was run.
        RunAborted: every conversation fails; what was tried is in the folder.
    """
    if wanted.check_users and wiring.model("judge") is None:
        raise InputError(
            "--check-users needs a judge model, and there is none; add --judge-model, or omit --check-users"
        )
    settings, used, _ = plan_run(
        _scenarios(wanted, wiring), wanted, wiring.pack, offline=wiring.offline, prompts=wiring.prompt_hashes()
    )
    RunFolder.check_free(out)
    wiring.check_models()
    with (
        wiring.existing_store() as store,
        RunFolder.create(out, settings, created=datetime.now(UTC)) as folder,
    ):
        return _run(folder, used, wiring, store, on_progress)


def resume_run(
    out: Path,
    given: Settings,
    *,
    on_progress: Callable[[RunProgress], None],
    named: Mapping[str, Any] | None = None,
) -> EvalResult:
    """Go on with the run in ``out``, with the settings that it was started with.

    Args:
        given: gives what a run folder does not hold or may change: key, endpoint, time limits, concurrency.
        on_progress: called at once with how far the run is, then after every conversation.
        named: what was asked for by name, as for ``eval_settings``; may not contradict the run.

    Raises:
        InputError: the run's data is gone or has changed.
        SettingsDiffer: ``named`` contradicts the run.
        RunFolderError: there is no run, or another process has it.
    """
    wanted = _with_named(read_run(out).settings, given, named) if named else None
    with RunFolder.resume(out, wanted) as folder:
        stored = folder.settings
        left = [r for r in folder.records if not r.worth_another_try]
        on_progress(RunProgress(len(left), stored.planned, 0, sum(r.unscored is not None for r in left)))
        wiring = Wiring(_settings_of(stored, given))
        again, used, _ = plan_run(_scenarios(stored, wiring), stored, wiring.pack, behaviours=stored.kept_behaviours)
        if again.data_digest != stored.data_digest:
            raise InputError(f"{stored.data}: the scenarios have changed since {out} was started; start a new run")
        if wiring.prompt_hashes() != stored.prompts:
            raise InputError(f"the prompts have changed since {out} was started; start a new run")
        wiring.check_models()
        with wiring.existing_store() as store:
            return _run(folder, used, wiring, store, on_progress)


def _options(settings: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a run keeps by name."""
    kept = settings.model_dump(mode="json", include=set(_KEPT))
    gate = given.get(_GATE)
    return {
        "split": split_choice(given.get("split") or "auto"),
        **{_STORED_AS.get(name, name): kept[name] for name in _KEPT},
        **({} if gate is None else {_GATE: gate}),
    }


def _scenarios(wanted: EvalSettings, wiring: Wiring) -> list[Scenario]:
    split = split_choice(str(wanted.options.get("split", "auto")))
    return scenarios_from(wanted.data, wiring, split, default="eval")


def _with_named(stored: RunSettings, given: Settings, named: Mapping[str, Any]) -> RunSettings:
    """``stored`` with everything of ``named`` that decides what a run does."""
    update = {name: value for name, value in named.items() if name in EvalSettings.model_fields}
    if behaviours := update.get("behaviours"):
        pack = Wiring(_settings_of(stored, given)).pack
        update["behaviours"] = tuple(b.name for b in load_behaviours(behaviours, pack))
    stored_names = {_STORED_AS.get(name, name) for name in named}
    options = {n: v for n, v in _options(given, named).items() if n in stored_names and n not in _MAY_CHANGE}
    return stored.model_copy(update={**update, "options": {**stored.options, **options}})


def _settings_of(stored: RunSettings, given: Settings) -> Settings:
    kept = {name: stored.options.get(_STORED_AS.get(name, name)) for name in _KEPT}
    kept |= {name: given.model_called(getattr(stored, name)) for name in _ROLES}
    kept |= {name: getattr(given, name) or kept[name] for name in _ENDPOINTS}
    # Every field is given, so that the environment of today changes nothing of what was begun.
    return Settings(**{**given.model_dump(), **kept})


def _run(
    folder: RunFolder,
    scenarios: Sequence[Scenario],
    wiring: Wiring,
    store: PathStore | None,
    on_progress: Callable[[RunProgress], None],
) -> EvalResult:
    settings = folder.settings
    behaviours = settings.kept_behaviours
    people = {b.name: partial(wiring.simulated_user, behaviour=b, turns=settings.turns) for b in behaviours}
    with _rewards(settings, wiring) as reward:
        summary = run_sync(
            run_eval(
                scenarios,
                folder=folder,
                pack=wiring.pack,
                assistants=wiring.assistants(store, reward),
                make_user=people,
                fidelity_check=wiring.fidelity_check() if settings.check_users else None,
                judge=wiring.judge(crisis_texts=[b.crisis.text for b in behaviours if b.crisis is not None]),
                concurrency=wiring.settings.concurrency,
                on_progress=on_progress,
            )
        )
    write_report([folder.path], folder.path / "report.html")
    errors = sum(r.error is not None for r in folder.records)
    without_paths = "raise" in folder.settings.conditions and not (store is not None and len(store))
    unjudged = sum(r.error is None and r.worth_another_try for r in folder.records)
    return EvalResult(folder.path, folder.settings, summary, errors, without_paths, unjudged)


@contextmanager
def _rewards(settings: RunSettings, wiring: Wiring) -> Iterator[Reward | None]:
    """The planner's reward, kept in its ledger, where a condition tries every set; None where none does."""
    if not any(condition.startswith("oracle:") for condition in settings.conditions):
        yield None
        return
    with RewardLedger(rewards_file(wiring.settings)) as ledger:
        yield planning_parts(wiring, ledger, Allowance(concurrency=wiring.settings.concurrency)).reward
