"""Generation with a scripted model: constraints, redraws, near-duplicates, reasons, and going on after a failure."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import DomainPack, InputError
from askfirst.models import AuthenticationFailed, Message, ModelTimeout, ModelUnreachable, ScriptedChatModel
from askfirst.simulators.generation.constraints import broken_constraints
from askfirst.simulators.generation.drafts import Draft
from askfirst.simulators.generation.generate import (
    GenerationRequest,
    GenerationResult,
    generate_scenarios,
    generated_drafts,
    generated_scenarios,
    generation_settings,
)
from askfirst.simulators.generation.journal import Journal
from askfirst.simulators.generation.profile_sampler import ProfileSampler, sample_drafts
from askfirst.simulators.generation.run_units import NothingUsable
from askfirst.simulators.generation.tables import SamplingTables, Title, load_tables
from askfirst.vectorstore import HashEmbedder

WORDS = ["river", "candle", "engine", "pepper", "violin", "lantern", "carpet", "thunder", "biscuit", "meadow"]

Reply = Callable[[Sequence[Message]], Any]


@pytest.fixture(scope="module")
def tables(pack: DomainPack) -> SamplingTables:
    return load_tables(None, pack)


class Writer:
    """Plays a model that writes usable titles, profiles and queries; single replies can be replaced."""

    def __init__(self, tables: SamplingTables, pack: DomainPack) -> None:
        self._sampler = ProfileSampler(tables, pack)
        self._rng = random.Random(4)
        self.instead: dict[str, list[Any]] = {"titles": [], "profile": [], "queries": []}
        self.asked: dict[str, list[str]] = {"titles": [], "profile": [], "queries": []}
        self.model = ScriptedChatModel(self._reply)

    def _reply(self, messages: Sequence[Message]) -> Any:
        user = next(m.content for m in messages if m.role == "user")
        kind = "titles" if "titles." in user else "queries" if "questions." in user else "profile"
        self.asked[kind].append(user)
        if self.instead[kind]:
            return self.instead[kind].pop(0)
        if kind == "titles":
            return {
                "titles": [{"title": self._text(), "tone": "hard", "tags": ["money_trouble", "?"]} for _ in range(4)]
            }
        if kind == "queries":
            return {"queries": [f"How about the {self._text()}?" for _ in range(4)]}
        return dict(self._sampler.draw(self._rng, Title(title="x", tone="hard")).items())

    def _text(self) -> str:
        return " ".join("".join(self._rng.choices(string.ascii_lowercase, k=7)) for _ in range(4))


@pytest.fixture
def writer(tables: SamplingTables, pack: DomainPack) -> Writer:
    return Writer(tables, pack)


class Run:
    """Runs generation into one file."""

    def __init__(self, folder: Path, tables: SamplingTables, pack: DomainPack) -> None:
        self.out, self._tables, self._pack = folder / "out.jsonl", tables, pack

    async def __call__(
        self, writer: Writer, *, drafts: Sequence[Draft] = (), concurrency: int = 1, **fields: Any
    ) -> tuple[GenerationResult, list[Any]]:
        request = GenerationRequest(
            **{"profiles": 4, "queries": 3, "titles": 2, "domains": ("Life", "Health"), **fields}
        )
        settings = generation_settings(request, model="scripted", tables=self._tables, pack=self._pack, drafts=drafts)
        with Journal.open(self.out, settings) as journal:
            result = await generate_scenarios(
                request,
                journal,
                model=writer.model,
                tables=self._tables,
                pack=self._pack,
                embed=HashEmbedder().embed,
                drafts=drafts,
                concurrency=concurrency,
            )
            scenarios = list(generated_scenarios(journal, self._pack))
            assert len(list(generated_drafts(journal, self._pack))) == result.profiles
        return result, scenarios


@pytest.fixture
def run(tmp_path: Path, tables: SamplingTables, pack: DomainPack) -> Run:
    return Run(tmp_path, tables, pack)


async def test_titles_profiles_and_queries(run: Run, writer: Writer, tables: SamplingTables) -> None:
    result, scenarios = await run(writer, concurrency=3)
    assert (result.profiles, result.scenarios, result.short, result.failed) == (4, 12, 0, ())
    assert [s.id for s in scenarios[:4]] == [*(f"generated-00001-0{n}" for n in (1, 2, 3)), "generated-00002-01"]
    assert [s.domain for s in scenarios[::3]] == ["Life", "Health", "Life", "Health"]
    assert {s.source for s in scenarios} == {"generated:scripted"}
    assert len({s.query for s in scenarios}) == 12
    for scenario in scenarios:
        assert broken_constraints(scenario.profile, tables, "hard") == ()
    assert len(writer.asked["titles"]) == 2


async def test_a_finished_run_makes_no_call_and_gives_the_same(run: Run, writer: Writer) -> None:
    first = await run(writer)
    calls = len(writer.model.calls)
    assert await run(writer) == first
    assert len(writer.model.calls) == calls


async def test_profiles_that_break_a_rule_are_drawn_anew_with_the_reason(
    run: Run, writer: Writer, tables: SamplingTables
) -> None:
    good = writer._reply([Message(role="user", content="a profile")])
    broken = {**good, "age": "18-24", "education_level": "PhD"}
    calm = {**good, "emotional_state": "Calmness"}
    writer.instead["profile"] = [broken, calm, {**good, "age": "a secret"}, {**good, "age": "a secret"}, good]
    result, scenarios = await run(writer, profiles=1)
    assert result.rejected == {"no_phd_before_25": 1, "calm_only_in_good_scenarios": 1, "invalid_output": 1}
    assert scenarios[0].profile.values == good
    assert "Nobody holds a PhD" in writer.asked["profile"][2]


async def test_a_profile_that_stays_invalid_is_given_up_and_tried_again_by_the_next_run(
    run: Run, writer: Writer
) -> None:
    good = writer._reply([Message(role="user", content="a profile")])
    broken = {**good, "age": "18-24", "education_level": "PhD"}
    writer.instead["profile"] = [broken] * 3
    result, _ = await run(writer, redraws=2)
    assert result.failed == (("profile 1", "no valid profile in 3 tries"),)
    assert result.profiles == 3
    assert result.rejected["no_phd_before_25"] == 3
    again, scenarios = await run(writer, redraws=2)
    assert (again.profiles, again.failed) == (4, ())
    assert scenarios[0].id == "generated-00001-01"


async def test_the_same_person_twice_is_rejected(run: Run, writer: Writer) -> None:
    good = writer._reply([Message(role="user", content="a profile")])
    writer.instead["profile"] = [good, good]
    writer.instead["titles"] = [{"titles": [{"title": "The only one", "tone": "hard"}]}]
    result, _ = await run(writer, profiles=2, titles=1, domains=("Life",))
    assert result.rejected["profile_repeated"] == 1
    assert "\n- " in writer.asked["profile"][2]  # the earlier people are shown


async def test_queries_that_may_not_be_used_are_rejected_by_reason_and_others_asked_for(
    run: Run, writer: Writer, pack: DomainPack
) -> None:
    draft = Draft(
        id="p1",
        domain="Life",
        title="A winter away",
        tone="hard",
        profile=pack.profile({"age": "18-24", "mental_health_status": "Severe Depression"}),
    )
    writer.instead["queries"] = [
        {
            "queries": [
                "I am 22, what do I pack?",
                "Will the dark make my depression worse?",
                "1. What do I pack for it?",
            ]
        },
        {"queries": ["What do I pack for it?", "what do I pack for it", "Would suicide be simpler than this?"]},
        {"queries": [""]},
        "no JSON",
        "still none",
        {"queries": ["Who looks after the house meanwhile?"]},
    ]
    result, scenarios = await run(writer, drafts=[draft], queries=2, redraws=4)
    assert [s.query for s in scenarios] == ["What do I pack for it?", "Who looks after the house meanwhile?"]
    assert [s.id for s in scenarios] == ["p1-01", "p1-02"]
    assert result.rejected == {
        "names_detail": 2,
        "near_duplicate": 2,
        "open_risk": 1,
        "empty": 1,
        "invalid_output": 1,
    }
    second = writer.asked["queries"][1]
    assert "- What do I pack for it?" in second
    assert "they told something about the person" in second
    assert writer.asked["profile"] == writer.asked["titles"] == []


async def test_near_duplicates_count_over_all_profiles_and_sessions(run: Run, writer: Writer, pack: DomainPack) -> None:
    drafts = [
        Draft(id=f"p{n}", domain="Life", title="T", tone="hard", profile=pack.profile({"age": "18-24"})) for n in (1, 2)
    ]
    writer.instead["queries"] = [{"queries": ["Where does the river end?"]}, ModelTimeout("scripted", "slow")]
    first, _ = await run(writer, drafts=drafts, queries=1)
    assert first.failed == (("profile 2", "scripted: slow"),)
    writer.instead["queries"] = [{"queries": ["Where does the river end??"]}, {"queries": ["Who tuned the violin?"]}]
    result, scenarios = await run(writer, drafts=drafts, queries=1)
    assert [s.query for s in scenarios] == ["Where does the river end?", "Who tuned the violin?"]
    assert result.rejected == {"near_duplicate": 1}


async def test_a_profile_with_too_few_queries_is_counted_as_short(run: Run, writer: Writer, pack: DomainPack) -> None:
    draft = Draft(id="p", domain="Life", title="T", tone="hard", profile=pack.profile({"age": "18-24"}))
    writer.instead["queries"] = [{"queries": ["Where does the river end?"]}] * 3
    result, scenarios = await run(writer, drafts=[draft], queries=3, redraws=2)
    assert (result.short, len(scenarios), result.failed) == (1, 1, ())


async def test_titles_are_checked_too(run: Run, writer: Writer) -> None:
    writer.instead["titles"] = [
        {
            "titles": [
                {"title": "x" * 200, "tone": "hard"},
                {"title": "A wet winter", "tone": "good", "tags": ["study"]},
            ]
        },
        {"titles": [{"title": "a wet winter!", "tone": "hard"}]},
        {"titles": [{"title": "A cold spring", "tone": "hard"}]},
    ]
    result, scenarios = await run(writer, profiles=12, domains=("Life",), queries=1, sampled=True)
    assert {s.title for s in scenarios} == {"A wet winter", "A cold spring"}
    assert result.rejected == {"title_length": 1, "title_near_duplicate": 1}
    assert writer.asked["profile"] == []


async def test_without_a_usable_title_nothing_goes_on(run: Run, writer: Writer) -> None:
    writer.instead["titles"] = [{"titles": []}] * 4
    with pytest.raises(NothingUsable, match="no usable title for the domain Life"):
        await run(writer)


async def test_packaged_titles_and_sampled_profiles(run: Run, writer: Writer, tables: SamplingTables) -> None:
    result, scenarios = await run(writer, titles=0, sampled=True)
    assert result.scenarios == 12
    assert all(tables.title(s.domain, s.title) for s in scenarios)
    assert writer.asked["titles"] == writer.asked["profile"] == []


async def test_given_profiles(run: Run, writer: Writer, tables: SamplingTables, pack: DomainPack) -> None:
    drafts = list(sample_drafts(3, tables, pack, seed=2))
    result, scenarios = await run(writer, drafts=drafts)
    assert [s.profile for s in scenarios[::3]] == [d.profile for d in drafts]
    assert [s.title for s in scenarios[::3]] == [d.title for d in drafts]
    assert result.profiles == 3


@pytest.mark.parametrize("failure", [ModelUnreachable("m", "gone"), AuthenticationFailed("m", "no key")])
async def test_a_model_that_is_gone_stops_the_run_and_the_next_goes_on(
    run: Run, writer: Writer, failure: Exception
) -> None:
    writer.instead["queries"] = [*[{"queries": [f"{w} {w} {w}?" for w in WORDS[n : n + 3]]} for n in (0, 3)], failure]
    with pytest.raises(type(failure)):
        await run(writer)
    assert not run.out.exists()
    calls = len(writer.asked["profile"])
    result, _ = await run(writer)
    assert (result.profiles, result.failed) == (4, ())
    assert len(writer.asked["profile"]) == calls + 1  # the third profile was kept, only the fourth is new
    assert len(writer.asked["titles"]) == 2


async def test_failure_after_failure_stops_the_run(run: Run, writer: Writer) -> None:
    writer.instead["queries"] = [ModelTimeout("m", "slow")] * 20
    with pytest.raises(ModelTimeout):
        await run(writer, profiles=20)
    assert len(writer.asked["queries"]) == 8
    writer.instead["queries"] = [{"queries": []}] * 100
    with pytest.raises(NothingUsable, match="8 failures one after another; the last: no usable query"):
        await run(writer, profiles=20)


async def test_other_settings_are_refused(run: Run, writer: Writer) -> None:
    await run(writer)
    with pytest.raises(InputError, match=r"seed: 0 before, 1 now"):
        await run(writer, seed=1)


async def test_prompts_do_not_tell_rules_of_scoring_or_invite_crisis_details(run: Run, writer: Writer) -> None:
    await run(writer, profiles=1)
    said = "\n".join(m.content for call in writer.model.calls for m in call)
    assert "must not tell or hint at anything about the person" in said
    assert "does not mention self-harm, suicide or a crisis" in said


async def test_the_journal_is_plain_lines(run: Run, writer: Writer) -> None:
    await run(writer, profiles=1)
    lines = [json.loads(line) for line in Journal.path_for(run.out).read_text().splitlines()]
    assert [line.get("unit") for line in lines] == [
        None,
        "titles:Life",
        "titles:Health",
        "profile:000001",
        "queries:000001",
    ]
