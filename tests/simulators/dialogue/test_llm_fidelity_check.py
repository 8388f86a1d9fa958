from __future__ import annotations

from askfirst.domains import DomainPack
from askfirst.models import ModelTimeout, ScriptedChatModel
from askfirst.simulators import Dialogue, LlmFidelityCheck, TranscriptMessage
from askfirst.simulators.dialogue.ledger import Ledger, LedgerEntry

TALK = Dialogue(
    transcript=(
        TranscriptMessage(role="user", content="May I stay up?"),
        TranscriptMessage(role="assistant", content="How is your mood?"),
        TranscriptMessage(role="user", content="A bit tired, nothing more."),
        TranscriptMessage(role="assistant", content="Then rest. zz-answer"),
    ),
    given={"mood": "Low, since the move"},
    stop_reason="answered",
)


async def checked(pack: DomainPack, *findings: object, talk: Dialogue = TALK) -> tuple[Dialogue, ScriptedChatModel]:
    model = ScriptedChatModel([{"findings": list(findings)}])
    return await LlmFidelityCheck(model, pack).check(talk), model


async def test_a_softened_fact_disqualifies(toy_pack: DomainPack) -> None:
    seen, model = await checked(toy_pack, {"fault": "softened", "fact": "mood", "words": "a bit tired"})
    assert seen.faults == ("softened:mood",)
    assert seen.simulator_failure == "softened"
    prompt = "\n".join(m.content for m in model.calls[0])
    assert "mood (Mood): Low, since the move" in prompt
    assert "PERSON: A bit tired" in prompt


async def test_a_finding_needs_the_persons_own_words_and_a_fact_that_was_to_be_told(toy_pack: DomainPack) -> None:
    seen, _ = await checked(
        toy_pack,
        {"fault": "role_swap", "fact": None, "words": "Then rest."},
        {"fault": "contradiction", "fact": "age", "words": "nothing more"},
        {"fault": "invented", "fact": None, "words": ""},
    )
    assert seen.faults == ()


async def test_a_model_that_fails_accuses_nobody(toy_pack: DomainPack) -> None:
    model = ScriptedChatModel([ModelTimeout("m", "no reply")])
    seen = await LlmFidelityCheck(model, toy_pack).check(TALK)
    assert (seen.faults, seen.notes) == ((), ("user check: ModelTimeout",))


async def test_a_conversation_without_replies_costs_no_call(toy_pack: DomainPack) -> None:
    model = ScriptedChatModel([])
    short = TALK.model_copy(update={"transcript": TALK.transcript[:2]})
    assert await LlmFidelityCheck(model, toy_pack).check(short) == short


UNCLEAR = TALK.model_copy(
    update={
        "ledger": Ledger(entries={"mood": LedgerEntry(state="unclear", asked_turn=1, given_turn=1, unclear_turn=1)})
    }
)


async def settled(pack: DomainPack, words: str) -> Dialogue:
    model = ScriptedChatModel([{"findings": [], "told": [{"fact": "mood", "words": words}]}])
    seen = await LlmFidelityCheck(model, pack).check(UNCLEAR)
    assert "exact words the person tells it" in model.calls[0][-1].content
    return seen


async def test_it_settles_what_code_cannot_see(toy_pack: DomainPack) -> None:
    told = await settled(toy_pack, "a bit tired")
    assert (told.ledger.states, told.told) == ({"mood": "asked"}, {"mood": "Low, since the move"})
    assert told.ledger.entries["mood"].told_turn == 1
    assert told.simulator_failure is None
    untold = await settled(toy_pack, "")
    assert (untold.ledger.states, untold.simulator_failure) == ({"mood": "omitted"}, "omitted")
    invented = await settled(toy_pack, "awful since I moved")
    assert (invented.ledger.states, invented.faults) == ({"mood": "unclear"}, ())
