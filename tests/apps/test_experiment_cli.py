"""``askfirst experiment convergence``: known curves, nothing paid twice, limits, folders, bad input."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from askfirst.agents import RewardLedger
from askfirst.agents.errors import PlanningError
from askfirst.apps import Wiring, load_settings
from askfirst.apps.experiment_searches import repeat
from askfirst.apps.experiments import ConvergenceRequest, ConvergenceRun, estimate_convergence, run_convergence
from askfirst.domains import Profile, Scenario
from askfirst.models import run_sync

from tests.apps.conftest import Outcome
from tests.apps.test_planning_costs import Planned

Cli = Callable[..., Outcome]
Write = Callable[..., Path]
KNOWN = ("age", "gender", "marital_status", "emotional_state")
GOOD = frozenset({"age", "gender"})  # help only together, and the pack ranks them low
PEOPLE = [
    {"query": f"Question {n}: What shall I do?", "split": "plan", "profile": {a: f"value-{a}" for a in KNOWN}}
    for n in range(3)
]


class HandMade(Wiring):
    """Scores by a function, and counts what it was asked."""

    def __init__(self, score: Callable[[Scenario, frozenset[str]], float], **settings: Any) -> None:
        super().__init__(load_settings(budget=2, **settings))
        self.score, self.asked = score, Counter[tuple[str, frozenset[str]]]()

    def reward(self) -> Any:
        async def reward(scenario: Scenario, attributes: frozenset[str]) -> float:
            self.asked[scenario.id, attributes] += 1
            return self.score(scenario, attributes)

        return reward


def person(name: str = "p", known: Sequence[str] = KNOWN) -> Scenario:
    values = dict.fromkeys(known, "x")
    return Scenario(id=name, domain="Life", query=f"Question {name}", profile=Profile(values=values))


def together_only(scenario: Scenario, attributes: frozenset[str]) -> float:
    del scenario
    return 5.0 if attributes >= GOOD else 1.0 + 0.5 * ("emotional_state" in attributes)


def measured(
    wiring: Wiring, people: Sequence[Scenario], ledger: RewardLedger | None = None, **request: Any
) -> ConvergenceRun:
    wanted = ConvergenceRequest(**{"rollouts": (2, 40), "evaluations": (3, 100), **request})
    with RewardLedger(None) as own:
        return run_sync(run_convergence(people, wiring, wanted, ledger or own, on_progress=lambda done, total: None))


def scores(run: ConvergenceRun, series: str) -> dict[int, float | None]:
    (result,) = run.results
    return {s.at: s.score for s in (*result.by_rollouts, *result.by_evaluations) if s.series == series}


def test_planners_on_a_reward_whose_best_set_is_known() -> None:
    run = measured(HandMade(together_only), [person()])
    (result,) = run.results
    assert sorted(result.scores) == [1.0, 1.0, 1.5, 1.5, 1.5, 5.0]
    assert result.repeats
    assert scores(run, "static") == {3: 1.5, 100: 1.5}  # asks for what the pack ranks first, always
    for name in ("mcts", "bayes", "random", "mcts-paper"):
        assert scores(run, name)[100] == 5.0, name
    assert scores(run, "guided")[40] == scores(run, "unguided")[40] == 5.0
    assert result.regret(1.5) == pytest.approx(3.5 / 4)
    spent = {(s.series, s.at): s.spent for s in result.by_evaluations}
    assert all(used <= at for (_, at), used in spent.items())
    assert spent["static", 100] == 3


def test_a_set_is_paid_for_once_whoever_asks_and_a_later_run_pays_for_nothing(tmp_path: Path) -> None:
    wiring, people = HandMade(together_only), [person("p"), person("q")]
    with RewardLedger(tmp_path / "ledger") as ledger:
        first = measured(wiring, people, ledger, seeds=2)
        assert set(wiring.asked.values()) == {1}
        assert first.paid == len(wiring.asked)
        again = measured(wiring, people, ledger, seeds=2)
        assert (again.paid, set(wiring.asked.values())) == (0, {1})
    assert first.results == again.results
    assert {s.seed for s in first.results[0].by_evaluations} == {0, 1}


def test_the_estimate_bounds_what_is_paid_and_sinks_to_nothing(tmp_path: Path) -> None:
    wiring, people = HandMade(together_only), [person("p"), person("q", KNOWN[:3])]
    request = ConvergenceRequest(rollouts=(2, 40), evaluations=(3, 100))
    with RewardLedger(tmp_path / "ledger") as ledger:
        before = run_sync(estimate_convergence(people, wiring, request, ledger))
        assert before.evaluations == (6 + 4 + 1) + (3 + 3 + 1)
        assert not wiring.asked
        paid = measured(wiring, people, ledger).paid
        after = run_sync(estimate_convergence(people, wiring, request, ledger))
        assert paid + after.evaluations == before.evaluations
        assert after.reused == paid


def test_a_failed_set_is_left_out_tried_once_and_counted() -> None:
    def failing(scenario: Scenario, attributes: frozenset[str]) -> float:
        if attributes >= {"age", "emotional_state"}:
            raise PlanningError(scenario.id, "no score")
        return together_only(scenario, attributes)

    wiring = HandMade(failing)
    run = measured(wiring, [person()], planners=("static", "mcts"), rollouts=(3, 7, 20))
    (result,) = run.results
    assert len(result.scores) == 5
    assert result.failed == 1
    assert result.repeats
    assert set(wiring.asked.values()) == {1}


def test_a_planner_without_a_path_has_no_score() -> None:
    def failing(scenario: Scenario, attributes: frozenset[str]) -> float:
        if attributes == {"emotional_state", "gender"}:
            raise PlanningError(scenario.id, "no score")
        return together_only(scenario, attributes)

    wiring = HandMade(failing)
    first = wiring.pack.by_sensitivity()
    assert [a for a in first if a in KNOWN][:1] == ["emotional_state"]
    wiring.score = lambda s, a: failing(s, frozenset({"emotional_state", "gender"} if static_first(wiring) == a else a))
    run = measured(wiring, [person()], planners=("static",), evaluations=(1, 4))
    assert scores(run, "static")[1] is None  # the one set that it may evaluate has no score
    assert scores(run, "static")[4] == 1.5  # the prefix of it has


def static_first(wiring: Wiring) -> frozenset[str]:
    return frozenset([a for a in wiring.pack.by_sensitivity() if a in KNOWN][:2])


def test_people_who_cannot_be_used_are_told_of_and_are_no_number() -> None:
    def nothing(scenario: Scenario, attributes: frozenset[str]) -> float:
        if scenario.id == "broken":
            raise PlanningError(scenario.id, "no score")
        return together_only(scenario, attributes)

    run = measured(HandMade(nothing), [person("ok"), person("unknown", ()), person("broken")])
    assert [r.scenario_id for r in run.results] == ["ok"]
    assert [name for name, _ in run.failed] == ["unknown", "broken"]


def test_courses_of_searches_are_compared() -> None:
    a, b = frozenset("a"), frozenset("b")
    assert repeat([(a,), (a, b), (a, b)])
    assert not repeat([(b,), (a, b)])


# ---- the command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Planned]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("ASKFIRST_RETRIES", "0")
    fake = Planned()
    yield fake
    fake.close()


@pytest.fixture
def data(write_scenarios: Write) -> Path:
    return write_scenarios(*PEOPLE)


def command(data: Path | str, *more: str) -> list[str]:
    small = ("--budget", "2", "--rollouts", "3,10", "--evaluations", "4,8", "--json")
    return ["experiment", "convergence", str(data), *small, *more]


def test_with_a_model_a_dry_run_calls_nothing_a_limit_stops_and_the_same_command_goes_on(
    server: Planned, data: Path, cli: Cli, tmp_path: Path
) -> None:
    model = ("--model", "openai:m", "--base-url", server.url, "--concurrency", "3")
    out = ("--out", "study")
    dry = cli(*command(data, *model, *out, "--dry-run"))
    assert dry.code == 0, dry.err
    assert server.calls == 0
    assert not (tmp_path / "study").exists()
    assert dry.json["evaluations"] == 3 * (6 + 4 + 1)
    assert "guessed" in dry.json["basis"]

    cut = cli(*command(data, *model, *out, "--max-calls", "45"))
    assert cut.code == 0, cut.err
    assert server.calls <= 45
    counts = cut.json["counts"]
    assert counts["used"] + counts["waiting"] == 3
    assert counts["waiting"] > 0
    assert not cut.json["complete"]
    assert "Run the same command to continue" in cut.err

    whole = cli(*command(data, *model, *out))
    assert whole.code == 0, whole.err
    assert whole.json["complete"]
    assert whole.json["counts"]["used"] == 3
    assert max(server.answers.values()) == max(server.verdicts.values()) == max(server.rankings.values()) == 1
    assert server.calls - 2 <= dry.json["calls"]  # two runs try the model first
    assert whole.json["label"] is None
    assert set(whole.json["settings"]["prompts"]) == {"agents/responder", "evals/judge", "agents/prior"}
    assert b"value-" not in (tmp_path / "study" / "convergence.json").read_bytes()

    measured_cost = cli(*command(data, *model, "--dry-run")).json
    assert "mean of" in measured_cost["basis"]
    before = server.calls
    again = cli(*command(data, *model))
    assert server.calls == before + 1  # the short test of the model
    assert again.json["paid"] == 0
    kept = json.loads((tmp_path / "study" / "convergence.json").read_text())
    assert {name: again.json[name] for name in kept} == kept


def test_an_interrupted_run_keeps_what_it_paid_for(
    data: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: Counter[tuple[str, frozenset[str]]] = Counter()

    def reward(wiring: Wiring) -> Any:
        async def score(scenario: Scenario, attributes: frozenset[str]) -> float:
            asked[scenario.id, attributes] += 1
            if sum(asked.values()) == 8:
                signal.raise_signal(signal.SIGINT)
            return together_only(scenario, attributes)

        return score

    monkeypatch.setattr(Wiring, "reward", reward)
    stopped = cli(*command(data, "--out", "study"))
    assert stopped.code == 130
    assert "Finished evaluations are kept" in stopped.err
    assert list((tmp_path / "study").iterdir()) == []
    before = sum(asked.values())
    assert before < 20
    done = cli(*command(data))
    assert done.code == 0, done.err
    assert set(asked.values()) == {1}
    assert done.json["paid"] == sum(asked.values()) - before


def test_offline_it_prints_tables_with_the_label(data: Path, cli: Cli) -> None:
    done = cli(*[a for a in command(data, "--planner", "mcts", "--planner", "static") if a != "--json"])
    assert done.code == 0, done.err
    assert "says nothing about any LLM" in done.out
    assert "Guided - unguided" in done.out
    assert "mcts" in done.out
    assert "greedy" not in done.out
    assert max(map(len, done.out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--rollouts", "5,x"), "--rollouts: 'x'"),
        (("--evaluations", "0"), "--evaluations: '0'"),
        (("--evaluations", "4,"), "--evaluations: ''"),
        (("--planner", "gredy"), "did you mean 'greedy'"),
        (("--planner", "exhaustive"), "unknown planner of this study"),
        (("--split", "none"), "unknown split"),
        (("--budget", "0"), "--budget"),
    ],
)
def test_bad_input_is_one_line(options: tuple[str, ...], told: str, data: Path, cli: Cli) -> None:
    outcome = cli(*command(data, *options))
    assert outcome.code == 2
    assert told in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_a_folder_with_something_else_is_refused_before_anything_runs(data: Path, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").write_text("mine")
    refused = cli(*command(data, "--out", "taken"))
    assert refused.code == 2
    assert "choose another folder" in refused.err
    assert not (tmp_path / ".askfirst").exists()
    assert cli(*command(data, "--out", "study")).code == 0
    other = cli(*command(data, "--out", "study", "--seed", "7"))
    assert other.code == 2
    assert "seed: 0 before, 7 now" in other.err
    assert json.loads((tmp_path / "study" / "convergence.json").read_text())["settings"]["seed"] == 0
