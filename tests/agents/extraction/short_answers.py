"""Replies to the pack's questions, written before the rules that read them: answers, and replies beside the point."""

from __future__ import annotations

__all__ = ["ANSWERS", "BESIDE_THE_POINT", "LOOK_ALIKES", "LOST", "MORE_BESIDE_THE_POINT", "STILL_TAKEN"]

ANSWERS = (
    ("age", "fifty two in march"),
    ("age", "oh, early thirties i guess"),
    ("age", "Seventeen, nearly eighteen"),
    ("gender", "woman"),
    ("gender", "im a guy"),
    ("gender", "non-binary, they/them"),
    ("marital_status", "we split up in june"),
    ("marital_status", "Been with the same man for 22 years"),
    ("marital_status", "nobody at the moment"),
    ("profession", "I drive a lorry, mostly nights"),
    ("profession", "between jobs right now"),
    ("profession", "still at uni"),
    ("economic_status", "We get by"),
    ("economic_status", "tight, the rent eats most of it"),
    ("economic_status", "more than enough to be honest"),
    ("education_level", "left at sixteen"),
    ("education_level", "did two years of college and dropped out"),
    ("education_level", "Masters, in chemistry"),
    ("health_status", "my knees are shot but otherwise ok"),
    ("health_status", "nothing the doctor worries about"),
    ("health_status", "had a stent put in last spring"),
    ("mental_health_status", "yeah pretty bad lately"),
    ("mental_health_status", "up and down"),
    ("mental_health_status", "they put me on sertraline in the autumn"),
    ("self_harm_history", "a couple of times when I was a teenager"),
    ("self_harm_history", "yes but not for years"),
    ("self_harm_history", "Not me, no"),
    ("emotional_state", "all over the place"),
    ("emotional_state", "numb mostly"),
    ("emotional_state", "Honestly? scared"),
)
"""(attribute that was asked, reply that answers it)."""

BESIDE_THE_POINT = (
    ("age", "hi"),
    ("age", "Can you just tell me whether to sell the house"),
    ("age", "The weather has been awful here."),
    ("gender", "lol"),
    ("gender", "How long will this take? I have a bus to catch."),
    ("marital_status", "hello, are you still there?"),
    ("marital_status", "I already told you what I want to know."),
    ("profession", "just answer my question please"),
    ("profession", "Are you a real person or a bot"),
    ("economic_status", "hmm"),
    ("economic_status", "Sorry, the phone rang."),
    ("education_level", "did you read what I wrote"),
    ("education_level", "https://example.org/article"),
    ("health_status", "Hello?"),
    ("health_status", "Could you repeat that please"),
    ("health_status", "asdfghjkl"),
    ("mental_health_status", "Thanks for asking!"),
    ("mental_health_status", "Wait a moment please, someone is at the door"),
    ("self_harm_history", "what has that got to do with it"),
    ("emotional_state", "good morning"),
)
"""(attribute that was asked, reply that tells nothing about it)."""

# Written after the rules, to try them.
LOOK_ALIKES = (
    ("economic_status", "Can't complain"),
    ("health_status", "Thanks, fine"),
    ("emotional_state", "what can I say, lonely"),
    ("emotional_state", "how do you think, terrible"),
    ("self_harm_history", "why would I hurt myself"),
    ("economic_status", "Are you kidding, I'm broke"),
    ("health_status", "good, thanks for asking"),
    ("emotional_state", "hey I'm doing ok"),
    ("health_status", "morning sickness, otherwise fine"),
    ("age", "Hi, 34"),
    ("marital_status", "just me and the cat"),
    ("emotional_state", "tell me about it"),
    ("economic_status", "You could say I'm broke"),
    ("profession", "wait tables on weekends"),
    ("mental_health_status", "hold on by a thread"),
    ("mental_health_status", "I told my doctor last year"),
    ("mental_health_status", "What I have is called bipolar"),
    ("profession", "Testing software"),
    ("profession", "answering phones at a call centre"),
    ("education_level", "what they call a trade school"),
    ("age", "In my prime"),
    ("age", "a pensioner"),
    ("age", "same age as you, forty"),
    ("age", "pushing sixty"),
    ("emotional_state", "ok"),
    ("emotional_state", "sorry for myself"),
    ("emotional_state", "this matters more to me than I can say"),
    ("emotional_state", "how can I feel when you lose a child"),
    ("economic_status", "Who has money these days"),
    ("mental_health_status", "did a stint in a clinic"),
    ("profession", "will be a father soon, staying home"),
    ("emotional_state", "are we ever really fine, I'm worn out"),
    ("economic_status", "moment to moment"),
    ("gender", "the usual kind of man"),
    ("self_harm_history", "Hello darkness, yes, often"),
)
"""Answers that look like a greeting, a question or a demand."""

MORE_BESIDE_THE_POINT = (
    ("age", "Why does my age matter for that"),
    ("profession", "who is reading this"),
    ("health_status", "please get back to my question"),
    ("mental_health_status", "ok thanks"),
    ("economic_status", "hey there"),
    ("marital_status", "That is not what I asked"),
    ("education_level", "I don't see the connection"),
    ("emotional_state", "so should I go or not"),
    ("emotional_state", "Just tell me if it is safe"),
    ("self_harm_history", "hang on a sec"),
    ("gender", "are you even listening"),
    ("age", "my sister wants to read this too"),
    ("profession", "My cat just walked over the keyboard"),
    ("economic_status", "what do you mean by room"),
    ("health_status", "test"),
)
"""As ``BESIDE_THE_POINT``."""

LOST = frozenset({"In my prime"})
"""Answers that are not taken for one: the price of the rule for numbers."""

STILL_TAKEN = frozenset(
    {
        "How long will this take? I have a bus to catch.",
        "asdfghjkl",
        "who is reading this",
        "I don't see the connection",
        "so should I go or not",
    }
)
"""Replies beside the point that are taken for the answer: no wording tells them from one."""
