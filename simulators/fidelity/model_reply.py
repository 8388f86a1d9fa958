"""Turn the raw text of a model that plays a person into that person's message, or say why it is not one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from ...domains import Value
from ...models import holds_fence
from .role_break import speaks_as_assistant

__all__ = ["Cleaned", "Problem", "clean_reply", "strip_stop_tokens"]

Problem = Literal["reasoning", "role_swap", "empty", "echo", "refused", "too_long"]

_THOUGHT = r"think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|inner[_ ]monologue"
_BLOCK = re.compile(
    rf"<(?P<tag>{_THOUGHT})\b[^>]*>.*?</(?P=tag)\s*>|\[(?P<box>{_THOUGHT})\].*?\[/(?P=box)\]|◁think▷.*?◁/think▷",
    re.IGNORECASE | re.DOTALL,
)
_CLOSING = re.compile(rf"</(?:{_THOUGHT})\s*>|\[/(?:{_THOUGHT})\]|◁/think▷", re.IGNORECASE)
_OPENING = re.compile(rf"<(?:{_THOUGHT})\b[^>]*>|\[(?:{_THOUGHT})\]|◁think▷", re.IGNORECASE)
_CHANNEL_FINAL = re.compile(r"<\|channel\|>\s*final\s*<\|message\|>", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>", re.IGNORECASE)
_LABELLED_THOUGHT = re.compile(r"\A\W*(?:thoughts?|thinking|reasoning|analysis|inner monologue)\W{0,3}:", re.IGNORECASE)
_LABELLED_REPLY = re.compile(
    r"^\W*(?:(?:user |final )?(?:response|reply|answer|message)|user|message to send)\W{0,3}:[*_]*\s*",
    re.IGNORECASE | re.MULTILINE,
)
# Chat-template tokens: what follows them is another turn that the model made up.
_TEMPLATE = re.compile(
    r"<\|(?:im_end|im_start|eot_id|end_of_text|endoftext|end|start|return|start_header_id)\|>|</?s>|\[/?INST\]"
    r"|<(?:end|start)_of_turn>"
)
# Exactly what simulators are told to write, in capitals. "## Done", "[END]" and "Should I terminate?" are text.
_STOP = re.compile(
    r"###(?:STOP|END|DONE|TRANSFER|OUT-OF-SCOPE)(?:###|\b)|\[STOP\]|<STOP>|<\|STOP\|>"
    r"|\[END_OF_(?:CONVERSATION|CHAT|DIALOGUE)\]|<\|?END_OF_(?:CONVERSATION|CHAT|DIALOGUE)\|?>"
    r"|(?:\A|(?<=\n)|(?<=[.!?] ))TERMINATE(?=\s*\Z)"
)
_PERSON = (
    r"(?:simulated |the )?(?:user|human|person|client|customer|me)(?:'s)?(?: (?:response|reply|message))?"
    r"|response|reply|message"
)
_ASSISTANT = r"(?:the )?(?:ai )?(?:assistant|chatbot|bot)|ai|agent|counsell?or|therapist|advisor|system"
_LABEL = re.compile(
    rf"^[\s>*_#\[(]{{0,4}}(?:(?P<person>{_PERSON})|(?P<assistant>{_ASSISTANT}))[\s*_\])]{{0,4}}:[*_]{{0,3}}[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_NOTHING = re.compile(r"[\s.\-_*…\"'`~#\u200b\u200c\u200d\ufeff]*")


class Cleaned(Value):
    """A person's message, or the problem that makes the reply unusable.

    Attributes:
        text: the message; with ``problem`` "reasoning", what stood before the reasoning.
        ended: a stop token stood in the reply.
        problem: why the reply is no message of the person, None if it is one.
        removed: what was cut out: "reasoning", "role_prefix", "other_side", "template".
    """

    text: str
    ended: bool = False
    problem: Problem | None = None
    removed: tuple[str, ...] = ()


def clean_reply(raw: str, *, to: str = "", data: Iterable[str] = ()) -> Cleaned:
    """Clean ``raw``, which a model wrote as a person's reply to the assistant's message ``to``.

    Reasoning blocks, chat-template tokens, stop tokens, role prefixes and turns of the other side are cut out; text
    glued to a stop token is kept, and so is what looks like one inside a text of ``data`` (values that the person was
    to tell). A reply with marks of a prompt's fences in it is no message: what it says is our own prompt.
    """
    if holds_fence(raw):
        return Cleaned(text="", problem="echo")
    removed: list[str] = []
    text, unclosed = _without_reasoning(raw, removed)
    text = _without_template(text, removed)
    text, ended = strip_stop_tokens(text, data=data)
    person = _own_part(text, removed)
    if person is None:
        return Cleaned(text="", ended=ended, problem="role_swap", removed=tuple(removed))
    text = _unwrapped(person)
    problem: Problem | None = None
    if unclosed:
        problem = "reasoning"
    elif _NOTHING.fullmatch(text):
        text, problem = "", None if ended else "empty"
    elif speaks_as_assistant(text, to):
        problem = "role_swap"
    return Cleaned(text=text, ended=ended, problem=problem, removed=tuple(dict.fromkeys(removed)))


def strip_stop_tokens(text: str, *, data: Iterable[str] = ()) -> tuple[str, bool]:
    """``text`` without stop tokens such as ``###STOP###``, and whether there was one. Text beside a token is kept.

    For text that a model wrote. What stands inside a text of ``data`` is none.
    """
    spans = [m.span() for d in data if _STOP.search(d) for m in re.finditer(re.escape(d), text)]
    ended = False

    def cut(token: re.Match[str]) -> str:
        nonlocal ended
        if any(start <= token.start() and token.end() <= end for start, end in spans):
            return token[0]
        ended = True
        return " "

    kept = _STOP.sub(cut, text)
    return (re.sub(r"[ \t]{2,}", " ", kept).strip(), True) if ended else (text, False)


def _without_reasoning(text: str, removed: list[str]) -> tuple[str, bool]:
    """The text without reasoning, and whether reasoning was left open."""
    before = text
    if final := list(_CHANNEL_FINAL.finditer(text)):
        text = text[final[-1].end() :]
    text = _BLOCK.sub(" ", text)
    if closings := list(_CLOSING.finditer(text)):  # the opening tag stood in the prompt
        text = text[closings[-1].end() :]
    labelled = _LABELLED_THOUGHT.search(text)
    if labelled and (reply := _LABELLED_REPLY.search(text)):
        text, labelled = text[reply.end() :], None
    opening = labelled or _OPENING.search(text) or _CHANNEL.search(text)
    if opening:
        text = text[: opening.start()]
    if text != before:
        removed.append("reasoning")
    return text.strip(), opening is not None


def _without_template(text: str, removed: list[str]) -> str:
    parts = [p for p in _TEMPLATE.split(text) if p.strip()]
    if _TEMPLATE.search(text):
        removed.append("template")
    return parts[0].strip() if parts else ""


def _own_part(text: str, removed: list[str]) -> str | None:
    """The first part that the person speaks; None if only the assistant speaks."""
    labels = list(_LABEL.finditer(text))
    if not labels:
        return text
    ends = [m.start() for m in labels[1:]] + [len(text)]
    if lead := text[: labels[0].start()].strip():
        removed.append("other_side")
        return lead
    for label, end in zip(labels, ends, strict=True):
        content = text[label.end() : end].strip()
        if label["person"] and content:
            removed.append("role_prefix" if len(labels) == 1 else "other_side")
            return content
    return "" if any(m["person"] for m in labels) else None


def _unwrapped(text: str) -> str:
    """Without code fences or quotation marks around the whole message."""
    text = re.sub(r"\A```\w*\n(.*?)\n?```\Z", r"\1", text.strip(), flags=re.DOTALL).strip()
    for left, right in (('"', '"'), ("“", "”"), ("«", "»")):
        if len(text) > 1 and text[0] == left and text[-1] == right and not {left, right} & set(text[1:-1]):
            text = text[1:-1].strip()
    return text
