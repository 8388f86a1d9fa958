from __future__ import annotations

import pytest
from askfirst.domains import DomainPack, InputError, Profile, UnknownNameError
from askfirst.evals import Assistant, Assistants, Condition, QuestionnaireAssistant, check_conditions, parse_condition
from askfirst.testing.assistant import QUERY, AssistantSuite

from tests.evals.support import EchoAnswerer, people, read_toy


class TestQuestionnaireConforms(AssistantSuite):
    def make_assistant(self, pack: DomainPack) -> Assistant:
        return questionnaire(pack, "mood", "age")[0]


class TestAnsweringAtOnceConforms(AssistantSuite):
    def make_assistant(self, pack: DomainPack) -> Assistant:
        return questionnaire(pack)[0]


def questionnaire(pack: DomainPack, *attributes: str) -> tuple[QuestionnaireAssistant, EchoAnswerer]:
    answerer = EchoAnswerer()
    return QuestionnaireAssistant("echo", attributes, pack=pack, answerer=answerer, extract=read_toy), answerer


@pytest.mark.parametrize(
    ("text", "kind", "k"),
    [
        ("context_free", "context_free", None),
        ("context_rich", "context_rich", None),
        ("agent", "agent", None),
        ("raise", "raise", None),
        ("static:3", "static", 3),
        ("random:10", "random", 10),
        (" oracle:03 ", "oracle", 3),
    ],
)
def test_conditions_are_read(pack: DomainPack, text: str, kind: str, k: int | None) -> None:
    condition = parse_condition(text, pack)
    assert (condition.kind, condition.k) == (kind, k)
    assert condition.name == (kind if k is None else f"{kind}:{k}")


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("contextfree", "context_free"),
        ("statik:3", "static:3"),
        ("rais", "raise"),
        ("Agent", "agent"),
        ("orcle", "oracle:3"),
    ],
)
def test_an_unknown_condition_names_the_nearest(pack: DomainPack, text: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_condition(text, pack)
    assert caught.value.nearest == nearest


@pytest.mark.parametrize(
    "text", ["static", "static:", "static:0", "static:11", "static:x", "static:-1", "static:²", "oracle:2.5"]
)
def test_a_questionnaire_needs_a_number_in_range(pack: DomainPack, text: str) -> None:
    with pytest.raises(InputError, match="from 1 to 10"):
        parse_condition(text, pack)


@pytest.mark.parametrize("text", ["raise:3", "context_free:1", "agent:"])
def test_the_others_take_no_number(pack: DomainPack, text: str) -> None:
    with pytest.raises(InputError, match="takes no number"):
        parse_condition(text, pack)


def test_profiles_that_know_too_little_are_named_before_anything_runs(toy_pack: DomainPack) -> None:
    scenarios = people(8)
    scenarios[2] = scenarios[2].model_copy(update={"profile": Profile(values={"age": "40"})})
    scenarios[5] = scenarios[5].model_copy(update={"profile": Profile()})
    condition = parse_condition("static:2", toy_pack)
    with pytest.raises(InputError) as caught:
        check_conditions([condition], scenarios, max_turns=5)
    assert "everyday-02, everyday-05" in str(caught.value)
    assert "40" not in str(caught.value)
    with pytest.raises(InputError, match=r"context_rich.*everyday-05"):
        check_conditions([parse_condition("context_rich", toy_pack)], scenarios, max_turns=5)
    check_conditions(
        [parse_condition("context_free", toy_pack), parse_condition("raise", toy_pack)], scenarios, max_turns=1
    )


def test_a_turn_cap_below_the_questionnaire_is_refused(toy_pack: DomainPack) -> None:
    condition = parse_condition("static:2", toy_pack)
    check_conditions([condition], people(1), max_turns=3)
    with pytest.raises(InputError, match="3 assistant turns"):
        check_conditions([condition], people(1), max_turns=2)


@pytest.mark.parametrize("names", [[], ["context_free", "context_free"]])
def test_no_condition_or_one_twice_is_refused(toy_pack: DomainPack, names: list[str]) -> None:
    with pytest.raises(InputError):
        check_conditions([parse_condition(n, toy_pack) for n in names], people(1), max_turns=3)


async def test_a_questionnaire_asks_its_attributes_in_order_and_answers_from_what_it_was_told(
    toy_pack: DomainPack,
) -> None:
    assistant, answerer = questionnaire(toy_pack, "mood", "age")
    session = assistant.start(scenario_id="s", seed=7, granted={}, country=None)
    first = await session.reply(QUERY)
    second = await session.reply("Lately I feel low.")
    answer = await session.reply("I'd rather not say.")
    assert [(t.kind, t.attribute) for t in (first, second, answer)] == [
        ("question", "mood"),
        ("question", "age"),
        ("answer", None),
    ]
    assert first.text == toy_pack.attribute("mood").question
    assert answerer.seen == [(QUERY, {"mood": "low"}, 7)]
    assert answer.known == {"mood": "low"}
    assert answer.used == ("mood",)


async def test_granted_values_are_known_at_once(toy_pack: DomainPack) -> None:
    assistant, answerer = questionnaire(toy_pack)
    session = assistant.start(scenario_id="s", seed=1, granted={"age": "41"}, country=None)
    assert (await session.reply(QUERY)).kind == "answer"
    assert answerer.seen == [(QUERY, {"age": "41"}, 1)]


async def asked_by(assistants: Assistants, condition: Condition, seed: int) -> tuple[str | None, ...]:
    prepared = await assistants.prepare(condition, people(2)[1], seed=seed)
    session = prepared.assistant.start(scenario_id="s", seed=seed, granted=prepared.granted, country=None)
    turns = [await session.reply(QUERY)]
    while turns[-1].kind == "question":
        turns.append(await session.reply("I'd rather not say."))
    return tuple(t.attribute for t in turns[:-1])


async def test_static_asks_the_most_sensitive_and_random_draws_by_seed(toy_pack: DomainPack) -> None:
    assistants = Assistants(toy_pack, model="echo", answerer=EchoAnswerer(), extract=read_toy)
    static, drawn = parse_condition("static:1", toy_pack), parse_condition("random:1", toy_pack)
    assert await asked_by(assistants, static, 1) == ("mood",)
    draws = {seed: await asked_by(assistants, drawn, seed) for seed in range(12)}
    assert set(draws.values()) == {("mood",), ("age",)}
    assert await asked_by(assistants, drawn, 3) == draws[3]


async def test_oracle_asks_what_the_search_found(toy_pack: DomainPack) -> None:
    async def search(scenario: object, k: int) -> tuple[str, ...]:
        return ("age",)

    assistants = Assistants(toy_pack, model="echo", answerer=EchoAnswerer(), extract=read_toy, oracle=search)
    assert await asked_by(assistants, parse_condition("oracle:1", toy_pack), 1) == ("age",)


@pytest.mark.parametrize("name", ["raise", "agent", "oracle:1"])
def test_a_condition_whose_parts_were_not_given_is_refused(toy_pack: DomainPack, name: str) -> None:
    assistants = Assistants(toy_pack, model="echo", answerer=EchoAnswerer(), extract=read_toy)
    with pytest.raises(InputError, match=name):
        assistants.check([parse_condition(name, toy_pack)])
