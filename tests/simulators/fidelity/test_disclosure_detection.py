"""Whether a reply says what it was to say: own-worded tellings against replies that leave the value out."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from askfirst.domains import DomainPack
from askfirst.simulators.fidelity.disclosure_detection import Said, declining, measure, not_knowing, telling
from askfirst.simulators.fidelity.reply_checks import Situation, check_reply
from askfirst.simulators.fidelity.role_break import refuses_to_play

FILE = Path(__file__).parent / "data" / "telling_suite.yaml"


def counted(pack: DomainPack, part: str) -> dict[Said, int]:
    entries = yaml.safe_load(FILE.read_text(encoding="utf-8"))[part]
    seen = [telling(text, pack.attribute(a), value) for a, value, text in entries]
    found: dict[Said, int] = {
        "told": seen.count("told"),
        "unclear": seen.count("unclear"),
        "omitted": seen.count("omitted"),
    }
    print(f"\n  {part:18} {found}")
    return found


def test_those_that_were_held_out(pack: DomainPack) -> None:
    counted(pack, "told"), counted(pack, "omitted")  # printed alone: these shaped the rules
    told, omitted = counted(pack, "held_out_told"), counted(pack, "held_out_omitted")
    assert (told["omitted"], told["told"] >= 27) == (0, True)
    assert (omitted["told"] <= 1, omitted["omitted"] >= 14) == (True, True)


def test_those_that_were_written_last(pack: DomainPack) -> None:
    told, omitted = counted(pack, "fresh_told"), counted(pack, "fresh_omitted")
    assert (told["omitted"], told["told"] >= 17) == (0, True)
    assert omitted["told"] <= 1


@pytest.mark.parametrize(
    "text", ["I'd rather not say.", "That's none of your business.", "Why do you need to know that?"]
)
def test_a_refusal_is_heard(text: str) -> None:
    assert declining(text) == "told"


def test_what_is_neither_a_refusal_nor_anything_else(pack: DomainPack) -> None:
    assert declining("Sure, thanks.") == not_knowing("Okay then.") == "omitted"
    assert declining("My sister keeps the accounts in our house.") == "unclear"
    assert not_knowing("No idea, sorry.") == "told"
    said = measure("Nobody knows, me neither. Skip the other.", {}, pack, decline=("age",), unknown=("gender",))
    assert said == {"age": "told", "gender": "unclear"}


def test_words_that_tell_one_value_tell_nothing_of_another(pack: DomainPack) -> None:
    both = {"profession": "Teacher, on leave since March", "emotional_state": "Anger"}
    assert measure("Well, teacher, on leave since March.", both, pack)["emotional_state"] == "omitted"
    more = "Teacher, on leave since March, and everything in me boils."
    assert measure(more, both, pack)["emotional_state"] == "unclear"


def test_a_denied_value_is_not_told(pack: DomainPack) -> None:
    assert telling("I'm not a teacher.", pack.attribute("profession"), "Teacher") != "told"
    assert telling("I have 41 hours left.", pack.attribute("age"), "41") == "omitted"


NOT_TOLD = [
    ("self_harm_history", "None", "I am not going to play along with this exercise."),
    ("mental_health_status", "None", "I am not going to play along with this exercise."),
    ("self_harm_history", "None", "I never liked my sister-in-law."),
    ("mental_health_status", "None", "I never liked my sister-in-law."),
    ("self_harm_history", "None", "The garden looks great, the neighbours painted their fence."),
    ("mental_health_status", "None", "The garden looks great, the neighbours painted their fence."),
    ("self_harm_history", "None", "I used to cut myself, it was not good."),
    ("mental_health_status", "None", "I won't be continuing with this kind of exercise."),
    ("mental_health_status", "None", "I have not slept for weeks, everything is dark and I am not well."),
    ("self_harm_history", "None", "Nothing I'd want to go into."),
    ("self_harm_history", "Yes, soon after twenty", "Put the phone away after nine."),
    ("self_harm_history", "Yes, at nineteen", "My neighbour once had a yellow car."),
    ("age", "41", "My mother is 41 years older and the bus is number 41."),
    ("age", "41", "I have lived here 41 years."),
    ("gender", "Female", "The woman next door makes noise."),
    ("economic_status", "Difficult", "That is a difficult question to answer."),
    ("economic_status", "Stable", "The stable door was left open again."),
    ("health_status", "Good", "The coffee is good today."),
    ("health_status", "Good", "Good to know."),
    ("health_status", "Chronic Disease, heart rhythm disorder", "My heart goes out to you."),
    ("mental_health_status", "Severe Depression", "Great depression of 1929 was worse."),
    ("emotional_state", "Anger, after being brushed aside twice", "After all, the bus comes twice an hour."),
    (
        "emotional_state",
        "Loneliness, friends lost one by one",
        "Well, life goes its way, one week after another, and the weather has been strange.",
    ),
    ("profession", "Other, coach driver, just off a double shift", "The weather changed just now."),
    ("marital_status", "Married, two small children", "Two small coffees please."),
]


@pytest.mark.parametrize(("attribute", "value", "text"), NOT_TOLD)
def test_a_stray_word_tells_nothing(pack: DomainPack, attribute: str, value: str, text: str) -> None:
    assert telling(text, pack.attribute(attribute), value) != "told"


@pytest.mark.parametrize("value", ["None", "No"])
@pytest.mark.parametrize(
    "text",
    ["No.", "Nothing like that.", "Not that I know of.", "God, no.", "I never have.", "I have never hurt myself."],
)
def test_a_short_denial_or_one_of_the_matter_tells_none(pack: DomainPack, value: str, text: str) -> None:
    assert telling(text, pack.attribute("self_harm_history"), value) == "told"


@pytest.mark.parametrize("text", ["No.", "Nope, all fine there.", "My mental health is fine.", "No troubles upstairs."])
def test_a_healthy_mind_is_told(pack: DomainPack, text: str) -> None:
    assert telling(text, pack.attribute("mental_health_status"), "None") == "told"


@pytest.mark.parametrize(
    ("attribute", "value", "text", "wanted"),
    [
        ("age", "44", "Forty-something.", {"told"}),
        ("age", "43", "I turn forty-four in June.", {"told"}),
        ("age", "43", "I'll be forty-four next birthday.", {"told"}),
        ("age", "43", "Nearly forty-four.", {"told"}),
        ("age", "44", "A bit past forty, two kids of 8 and 12.", {"told", "unclear"}),
        ("profession", "Freelancer, translator", "I work for myself.", {"told", "unclear"}),
        ("mental_health_status", "Mild Depression", "I'm okay most days, just flat.", {"told", "unclear"}),
        (
            "mental_health_status",
            "Anxiety, mild and treated",
            "I'm fine now, but I take pills for my nerves.",
            {"told", "unclear"},
        ),
        ("education_level", "Master's", "I did a postgraduate course.", {"told", "unclear"}),
        ("education_level", "High School", "I left at eighteen.", {"told", "unclear"}),
        ("health_status", "Serious Illness", "I'm really ill.", {"told", "unclear"}),
        ("gender", "Female", "My friends call me their favourite aunt.", {"told", "unclear"}),
    ],
)
def test_good_people_are_not_accused(
    pack: DomainPack, attribute: str, value: str, text: str, wanted: set[Said]
) -> None:
    assert telling(text, pack.attribute(attribute), value) in wanted
    situation = Situation(
        agent=pack.attribute(attribute).question, tell={attribute: value}, expected={attribute: value}
    )
    assert check_reply(text, situation, pack) == ()


def test_a_flat_no_belongs_to_its_own_question(pack: DomainPack) -> None:
    both = {"self_harm_history": "None", "health_status": "Serious Illness, waiting for an operation"}
    text = "No, I have never done that. I have something the doctors are worried about."
    assert check_reply(text, Situation(agent="Both?", tell=both, expected=both), pack) == ()
    alone = {"health_status": both["health_status"]}
    faults = check_reply("No, nothing.", Situation(agent="Your health?", tell=alone, expected=alone), pack)
    assert faults == ("contradiction:health_status",)


def test_a_label_before_none_claims_nothing(pack: DomainPack) -> None:
    value = {"self_harm_history": "None"}
    text = "As to past self-harm history, None."
    assert check_reply(text, Situation(agent="Ever?", tell=value, expected=value), pack) == ()
    assert telling(text, pack.attribute("self_harm_history"), "None") == "told"


def test_harm_that_was_done_contradicts_none(pack: DomainPack) -> None:
    value = {"self_harm_history": "None"}
    text = "I used to cut myself, it was not good."
    faults = check_reply(text, Situation(agent="Ever?", tell=value, expected=value), pack)
    assert faults == ("contradiction:self_harm_history",)


@pytest.mark.parametrize("text", ["Can we skip this one?", "Not answering that.", "That stays with me.", "Pass."])
def test_a_short_refusal_may_be_said_again_and_again(pack: DomainPack, text: str) -> None:
    assert declining(text) == "told"
    before = tuple((pack.attribute(a).question, text) for a in ("age", "gender", "profession"))
    situation = Situation(agent="And your health?", decline=("health_status",), before=before)
    assert check_reply(text, situation, pack) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Playing this part is something I will pass on.",
        "This is not a role I take on, sorry.",
        "I won't be continuing with this kind of exercise.",
        "I am not going to play along with this exercise.",
        "Making up a person's private facts is not something I do.",
    ],
)
def test_a_refusal_to_play_is_seen(text: str) -> None:
    assert refuses_to_play(text)
