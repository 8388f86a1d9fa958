"""The detectors over the suite of scripted replies, and over what the packaged behaviours really say."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from askfirst.domains import DomainPack
from askfirst.simulators import (
    AgentTurn,
    Persona,
    ScriptedUser,
    Situation,
    behaviour_names,
    check_reply,
    load_behaviour,
    packaged_scenarios,
)
from askfirst.simulators.fidelity.reply_checks import FAULTS, failure_in, loops

from tests.simulators.fidelity.fidelity_suite import DETECTORS, Figures, figures, kinds, suite


def shown(title: str, found: Mapping[str, Figures]) -> None:
    print(f"\n{title}")
    for name, f in found.items():
        print(f"  {name:14} recall {f.found}/{f.faulty} ({f.recall:.2f})  false alarms {f.accused}/{f.good}")


def test_the_suite_is_large_and_has_every_fault(pack: DomainPack) -> None:
    bad, good = suite(pack)
    assert len(bad) >= 60
    assert len(good) >= 60
    assert min(sum(r.fault == d for r in bad) for d in DETECTORS) >= 6


def test_what_the_figures_are_worth_on_replies_that_were_held_out(pack: DomainPack) -> None:
    shown("replies that were used to improve the detectors; no figure of what they find", figures(pack))
    found = figures(pack, "held_out")
    shown("replies that were held out", found)
    bad, good = suite(pack, "held_out")
    seen = sum(bool(kinds(r, pack)) for r in bad)
    print(f"  any fault      {seen}/{len(bad)}")
    assert sum(f.found for f in found.values()) / len(bad) >= 0.5
    assert sum(bool(kinds(r, pack)) for r in good) / len(good) <= 0.03


@pytest.mark.parametrize("name", behaviour_names())
async def test_no_packaged_behaviour_is_accused_offline(pack: DomainPack, name: str) -> None:
    behaviour = load_behaviour(name)
    asks = [AgentTurn(text=a.question, kind="question", attribute=a.id) for a in pack.attributes]
    answers = [AgentTurn(text=t, kind="answer") for t in ("Take small steps.", "Tell somebody.", "Wait a week.")]
    for seed, scenario in enumerate(packaged_scenarios(pack)[::7]):
        user = ScriptedUser(Persona.behaving(scenario, behaviour, pack, seed=seed), pack, seed=seed, turns=3)
        told = dict((await user.opening()).values)
        before: list[tuple[str, str]] = []
        for agent in (*asks, *answers):
            turn = await user.reply(agent)
            situation = Situation(
                agent=agent.text,
                tell=turn.values,
                told=tuple(told),
                expected={**scenario.profile.values, **told, **turn.values},
                hidden={a: v for a, v in scenario.profile.items() if a not in told and a not in turn.values},
                query=scenario.query,
                before=tuple(before),
            )
            assert check_reply(turn.text, situation, pack) == ()
            told.update(turn.values)
            before.append((agent.text, turn.text))


def test_a_message_that_goes_round_in_circles_or_says_the_opening_again() -> None:
    opening = "Can I leave my job without telling anyone there?"
    assert loops("The new order, the new way.\nThe new order, the new way. The new order, the new way.")
    assert loops("Hm. Can I leave my job, without telling anyone there? That is it.", opening)
    assert not loops("No. No. No. I can't. I won't go.", opening)
    assert not loops("About leaving my job: I have told nobody.", opening)


def test_what_disqualifies_and_what_does_not() -> None:
    assert failure_in(("cleaned:reasoning", "redrawn:leak")) is None
    assert failure_in(("redrawn:leak", "leak:age")) == "leak"
    assert {failure_in((f,)) for f in FAULTS} == set(FAULTS)
