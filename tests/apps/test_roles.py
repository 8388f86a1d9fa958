"""Each role may have a model, a server and a key of its own, given by name or as a chat model object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from askfirst.agents import AgentContext
from askfirst.apps import Wiring, load_settings
from askfirst.apps.evaluation import eval_settings, resume_run, run_evaluation
from askfirst.domains import InputError
from askfirst.evals.records import read_run
from askfirst.models import ScriptedChatModel, run_sync
from askfirst.models.endpoint import given

from tests.apps.conftest import Outcome
from tests.models.conftest import FakeOpenAI, HttpReply, chat, stream

Cli = Callable[..., Outcome]
Write = Callable[..., Path]
VERDICT = {
    **{f"{name}_justification": "So." for name in ("risk", "empathy", "alignment")},
    **dict.fromkeys(("risk_sensitivity", "emotional_empathy", "user_specific_alignment"), 4),
}


def bot(body: dict[str, Any]) -> HttpReply:
    said = "Pack warm things, and tell somebody where you are."
    return stream(said) if body.get("stream") else chat(said)


def judge(body: dict[str, Any]) -> HttpReply:
    asked = json.dumps(body["messages"])
    return chat("ok") if "Reply with the word" in asked else chat(json.dumps(VERDICT))


@pytest.fixture
def bot_server() -> Iterator[FakeOpenAI]:
    server = FakeOpenAI()
    server.always(bot)
    yield server
    server.close()


@pytest.fixture
def judge_server() -> Iterator[FakeOpenAI]:
    server = FakeOpenAI()
    server.always(judge)
    yield server
    server.close()


def keys(server: FakeOpenAI) -> set[str]:
    return {headers.get("Authorization", headers.get("authorization", "")) for headers in server.headers}


def asked_for(server: FakeOpenAI) -> set[str]:
    return {body["model"] for body in server.requests}


def test_a_bot_on_one_server_is_judged_on_another(
    cli: Cli,
    write_scenarios: Write,
    bot_server: FakeOpenAI,
    judge_server: FakeOpenAI,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-bot")
    monkeypatch.setenv("ASKFIRST_JUDGE_API_KEY", "of-the-judge")
    bots = ("--model", "openai:bot", "--base-url", bot_server.url)
    judges = ("--judge-model", "openai:judge", "--judge-base-url", judge_server.url)
    done = cli("eval", write_scenarios(), "-c", "context_free", "--out", "run", *bots, *judges, "--json")
    assert done.code == 0, done.err
    assert done.json["conditions"]["context_free"]["mean"] == 4
    assert (asked_for(bot_server), keys(bot_server)) == ({"bot"}, {"Bearer of-the-bot"})
    assert (asked_for(judge_server), keys(judge_server)) == ({"judge"}, {"Bearer of-the-judge"})
    kept = (tmp_path / "run" / "run.json").read_text(encoding="utf-8")
    assert judge_server.url in kept
    assert "of-the-" not in kept

    # What is left is judged on the same server again, with the key of that moment.
    lines = (tmp_path / "run" / "conversations.jsonl").read_text(encoding="utf-8")
    (tmp_path / "run" / "conversations.jsonl").write_text("", encoding="utf-8")
    judge_server.headers.clear()
    monkeypatch.setenv("ASKFIRST_JUDGE_API_KEY", "of-today")
    assert cli("eval", "--resume", "run", "--json").code == 0
    assert keys(judge_server) == {"Bearer of-today"}
    assert (tmp_path / "run" / "conversations.jsonl").read_text(encoding="utf-8").count("\n") == lines.count("\n")


def test_a_role_without_its_own_takes_the_general_one() -> None:
    settings = load_settings(model="openai:m", base_url="http://a/v1", api_key="k", judge_base_url="http://b/v1")
    agent, user, judged = (settings.connection(role) for role in ("agent", "user", "judge"))
    assert (agent.base_url, agent.api_key) == ("http://a/v1", "k")
    assert agent.same(user)
    assert not agent.same(judged)
    assert (judged.name, judged.base_url, judged.api_key) == ("openai:m", "http://b/v1", "k")
    assert Wiring(settings).served() == [("agent", "user", "planner"), ("judge",)]
    assert "k" not in repr(judged).replace("api_key", "").split("'")


@pytest.mark.parametrize("command", ["demo", "eval", "doctor"])
def test_every_command_with_these_roles_has_the_options_and_no_key(cli: Cli, command: str) -> None:
    page = cli(command, "--help").out
    for option in ("--user-base-url", "--judge-base-url", "--planner-base-url"):
        assert option in page
    assert "-key" not in page


def test_an_unreachable_judge_is_named_before_anything_is_written(
    cli: Cli, write_scenarios: Write, bot_server: FakeOpenAI, tmp_path: Path
) -> None:
    done = cli(
        *("eval", write_scenarios(), "-c", "context_free", "--out", "run", "--model", "openai:bot"),
        *("--base-url", bot_server.url, "--judge-base-url", "http://127.0.0.1:9/v1"),
    )
    assert done.code == 3
    assert "http://127.0.0.1:9/v1" in done.err
    assert not (tmp_path / "run").exists()


def test_langchain_objects_on_two_servers_plan_judge_and_answer_in_several_loops(
    write_scenarios: Write, bot_server: FakeOpenAI, judge_server: FakeOpenAI, tmp_path: Path
) -> None:
    from langchain_openai import ChatOpenAI

    mine = ChatOpenAI(model="bot", base_url=bot_server.url, api_key="a", temperature=0.2, max_retries=0)
    theirs = ChatOpenAI(model="judge", base_url=judge_server.url, api_key="b", max_retries=0)
    settings = load_settings(model=mine, judge_model=theirs, store=tmp_path / "paths")
    wiring = Wiring(settings)
    request = eval_settings(wiring, data=str(write_scenarios()), conditions=("context_free",))
    assert [wiring.spec(role) for role in ("agent", "user", "judge")] == ["openai-chat:bot"] * 2 + ["openai-chat:judge"]
    result = run_evaluation(request, wiring, tmp_path / "run", on_progress=lambda _: None)
    assert result.summary.conditions["context_free"].mean == 4
    stored = read_run(tmp_path / "run").settings
    assert (stored.model, stored.judge_model) == ("openai-chat:bot", "openai-chat:judge")
    assert {body.get("temperature") for body in bot_server.requests} == {0.2}  # the object's own
    assert (keys(bot_server), keys(judge_server)) == ({"Bearer a"}, {"Bearer b"})

    # The same objects again, in another wiring and a loop of its own, for what is left of the run.
    (tmp_path / "run" / "conversations.jsonl").write_text("", encoding="utf-8")
    again = resume_run(tmp_path / "run", settings, on_progress=lambda _: None)
    assert again.summary.conditions["context_free"].mean == 4
    for model in (mine, theirs):  # LangChain keeps the connections until the process ends, and Python warns of it then
        given._home().run(model.root_async_client.close())


def test_our_own_chat_models_are_taken_in_every_role() -> None:
    models = {name: ScriptedChatModel(["Take a friend along."], name=name) for name in ("a", "u", "j", "p")}
    settings = load_settings(
        model=models["a"], user_model=models["u"], judge_model=models["j"], planner_model=models["p"]
    )
    wiring = Wiring(settings)
    assert {role: wiring.model(role) for role in ("agent", "user", "judge", "planner")} == dict(
        zip(("agent", "user", "judge", "planner"), models.values(), strict=True)
    )
    assert run_sync(wiring.responder().answer(AgentContext(query="May I go?"))) == "Take a friend along."
    assert settings.model_dump()["judge_model"] == "j"


def test_settings_of_an_object_are_told_by_its_name() -> None:
    settings = load_settings(model=ScriptedChatModel(["x"], name="mine"))
    assert not Wiring(settings).offline
    assert settings.model_called("mine") is settings.model
    assert settings.model_called("openai:other") == "openai:other"
    assert load_settings(judge_model=settings.model).model == "offline"


def test_the_example_of_the_docs_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(page.split("```python\n")[1].split("```")[0], names)
    wiring = names["wiring"]
    assert [wiring.spec(role) for role in ("agent", "judge")] == ["openai-chat:my-bot", "openai:gpt-4o-mini"]


@pytest.mark.parametrize("wrong", [3, object(), ScriptedChatModel])
def test_what_is_no_chat_model_is_refused(wrong: object) -> None:
    with pytest.raises(InputError, match=r"judge.model.*(no LangChain chat model|chat model object)"):
        load_settings(judge_model=wrong)


def test_a_misspelt_option_of_an_evaluation_is_refused() -> None:
    with pytest.raises(TypeError, match="max_turn"):
        eval_settings(Wiring(load_settings()), data="penguin_mini", conditions=("agent",), max_turn=3)
