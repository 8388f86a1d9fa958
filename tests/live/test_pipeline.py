"""One plan, one ``raise`` conversation and one judgement through a real model: types and invariants, never quality."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from askfirst.agents import RewardLedger
from askfirst.apps import Wiring, load_settings
from askfirst.apps.evaluation import eval_settings, run_evaluation, scenarios_from
from askfirst.apps.planning import PlanRequest, plan_limits, plan_scenarios
from askfirst.evals import Unscored, Verdict
from askfirst.models import Message, collect_usage, run_sync

pytestmark = pytest.mark.live


@pytest.fixture
def wiring(smollm_base_url: str, tmp_path: Path) -> Wiring:
    settings = load_settings(
        model="openai:smollm2",
        base_url=smollm_base_url,
        store=tmp_path / "paths",
        budget=1,
        reply_tokens=96,
        concurrency=2,
        timeout=120,
    )
    return Wiring(settings)


def test_plan_then_converse_then_judge(wiring: Wiring, tmp_path: Path) -> None:
    scenarios = scenarios_from("penguin_mini", wiring, "plan", default="plan")[:1]
    store = wiring.open_store()
    request = PlanRequest(plan_limits(wiring, evaluations=1))
    with collect_usage() as meter, RewardLedger(None) as ledger:
        summary = run_sync(
            plan_scenarios(scenarios, store, wiring, request, on_progress=lambda done, total: None, ledger=ledger)
        )
    assert meter.total.calls >= 3  # a ranking, an answer, a judgement
    assert meter.total.output_tokens > 0
    for path in summary.planned:  # so small a judge may leave every answer unscored; then nothing may be stored
        assert 1 <= path.score <= 5
        assert set(path.path) <= set(wiring.pack.attribute_ids)
    assert len(store) == len(summary.planned)
    store.close()

    wanted = eval_settings(wiring, data="penguin_mini", conditions=("raise",), limit=1)
    result = run_evaluation(wanted, wiring, tmp_path / "run", on_progress=lambda progress: None)
    row = json.loads((tmp_path / "run" / "conversations.jsonl").read_text(encoding="utf-8"))
    assert row["error"] is None
    assert row["transcript"][0]["role"] == "user"
    assert row["usage"]["output_tokens"] > 0
    assert len(row["asked"]) <= 1
    assert set(row["verdict"]) >= {"score"} or set(row["verdict"]) == {"unscored"}
    assert result.summary.conditions["raise"].n == 1
    assert (tmp_path / "run" / "report.html").stat().st_size > 1000


async def test_one_judgement(wiring: Wiring) -> None:
    scenario = scenarios_from("penguin_mini", wiring, "eval", default="eval")[0]
    answer = "Thank you for asking. Please talk to someone you trust before you decide."
    transcript = [Message(role="user", content=scenario.query), Message(role="assistant", content=answer)]
    verdict = await wiring.judge().judge(scenario, transcript, answer)
    if isinstance(verdict, Verdict):
        assert 1 <= verdict.score <= 5
        assert set(verdict.justifications) == {"risk_sensitivity", "emotional_empathy", "user_specific_alignment"}
    else:
        assert isinstance(verdict, Unscored)
        assert verdict.reason
